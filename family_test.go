package aiagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/memory"
	"github.com/ai-agent-go/ai-agent/view"
)

// listen runs a prompt and collects what is told of it.
func (c *cast) listen(a *aiagent.Agent, prompt string) (*aiagent.Result, []view.Notice) {
	c.t.Helper()
	var all []view.Notice
	r := c.rt.Run(c.t.Context(), a, prompt, &aiagent.RunOptions{
		SessionID: "s", OnNotice: func(n view.Notice) { all = append(all, n) },
	})
	return r, all
}

// bySession is what each session told, in its order: text put together, and all
// else as it was but for the numbers that count pieces of text.
func bySession(t *testing.T, all []view.Notice) map[string][]string {
	t.Helper()
	told := make(map[string][]string)
	text := make(map[string]string)
	for i := range all {
		n := all[i]
		path := n.Meta.CallPath
		n.Meta.Sequence = 0
		if n.Type == view.NoticeOutput || n.Type == view.NoticeThinking {
			text[path+" "+string(n.Type)] += n.Text
			continue
		}
		told[path] = append(told[path], string(llm.MustMarshalJSON(&n)))
	}
	for what, text := range text {
		told[what] = []string{text}
	}
	return told
}

func sameNotices(t *testing.T, want, got []view.Notice) {
	t.Helper()
	a, b := bySession(t, want), bySession(t, got)
	for path := range a {
		for i := range max(len(a[path]), len(b[path])) {
			want, got := "(nothing)", "(nothing)"
			if i < len(a[path]) {
				want = a[path][i]
			}
			if i < len(b[path]) {
				got = b[path][i]
			}
			if want != got {
				t.Errorf("%s: notice %d is\n%s\nwant\n%s", path, i, got, want)
				break
			}
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d tell, want %d", len(b), len(a))
	}
}

// accountsOf writes accounts with whose they are.
func accountsOf(entries []view.AccountingEntry) string {
	lines := make([]string, len(entries))
	for i := range entries {
		e := &entries[i]
		lines[i] = strings.TrimSpace(fmt.Sprintf("%s %s %s%s", e.CallPath, e.Status, e.Type, " "+e.Command))
	}
	return strings.Join(lines, "\n")
}

// deep is an agent that calls one that calls one that has a tool.
func deep(t *testing.T) (*cast, *aiagent.Agent) {
	t.Helper()
	callOf := func(name string) script.Step {
		return withUsage(script.Calls(ask("c", "agent__"+name, map[string]any{"prompt": "go", "reason": "because"})), 1000, 10)
	}
	c := newCast(t, memory.New(), map[string]*script.Provider{
		"main":   script.New(callOf("helper"), withUsage(report(`They say {{tool "agent__helper"}}`), 10, 1)),
		"helper": script.New(callOf("expert"), withUsage(report(`{{tool "agent__expert"}}`), 10, 1)),
		"expert": script.New(withUsage(script.Calls(askWeather("w", "Oslo")), 500, 5), withUsage(report(`{{tool "weather"}}`), 10, 1)),
	})
	a, helper := player("main"), player("helper")
	helper.Agents = []*aiagent.Agent{player("expert", weather())}
	a.Agents = []*aiagent.Agent{helper}
	return c, a
}

// contract: T14, A1, A2, A3, A4, A5
func TestWhatSubAgentsDoNestsUnderTheirCallers(t *testing.T) {
	t.Parallel()
	c, a := deep(t)
	r, all := c.listen(a, "hi")
	if !r.Success || r.Text() != "They say sunny in Oslo" {
		t.Fatalf("%s, %q", r.Error, r.Text())
	}
	want := `main ok llm
main:helper ok llm
main:helper:expert ok llm
main:helper:expert ok tool weather
main:helper:expert ok llm
main:helper:expert ok tool agent__final_report
main:helper ok tool agent__expert
main:helper ok llm
main:helper ok tool agent__final_report
main ok tool agent__helper
main ok llm
main ok tool agent__final_report`
	if got := accountsOf(r.Accounting); got != want {
		t.Errorf("accounts\n%s\nwant\n%s", got, want)
	}
	var cost float64
	for i := range r.Accounting {
		if usd := r.Accounting[i].CostUSD; usd != nil {
			cost += *usd
		}
		if r.Accounting[i].OriginTxnID != "s" {
			t.Errorf("origin %q", r.Accounting[i].OriginTxnID)
		}
	}
	if diff := cost - r.Cost.USD(); diff > 1e-9 || diff < -1e-9 || cost == 0 {
		t.Errorf("the accounts add up to %v, the session cost %v", cost, r.Cost.USD())
	}
	exits := make(map[string]int)
	for i := range r.Logs {
		if strings.HasPrefix(r.Logs[i].RemoteIdentifier, "agent:EXIT-") {
			exits[r.Logs[i].CallPath]++
		}
	}
	if len(exits) != 3 || exits["main"] != 1 || exits["main:helper"] != 1 || exits["main:helper:expert"] != 1 {
		t.Errorf("exit markers %v", exits)
	}

	flush := all[len(all)-1]
	if flush.Flush == nil || accountsOf(flush.Flush.Entries) != want {
		t.Error("the flush is not what the result has")
	}
	tree := all[len(all)-2].Snapshot.Snapshot.OpTree
	if got := []int64{tree.Totals.AgentsRun, tree.Totals.ToolsRun}; !slices.Equal(got, []int64{3, 3}) {
		t.Errorf("agents and tools %v", got)
	}
	helper := tree.Turns[1].Ops[1].ChildSession
	expert := helper.Turns[1].Ops[1].ChildSession
	if helper.SessionTitle != "because" || expert.AgentID != "expert" || len(expert.Turns) != 3 || expert.Turns[1].Ops[1].Attributes.Name != "weather" {
		t.Errorf("the tree is\n%s", tree.Render())
	}
	// The same by another way: read back, not followed.
	v := must(must(c.rt.Session(t.Context(), "s")).View(t.Context()))
	if string(llm.MustMarshalJSON(v.Accounting)) != string(llm.MustMarshalJSON(r.Accounting)) ||
		string(llm.MustMarshalJSON(v.Logs)) != string(llm.MustMarshalJSON(r.Logs)) {
		t.Error("the session's view is not what the result has")
	}
}

// contract: T14, B3
func TestChildrenAreToldAsTheyWorkAndAgainFromTheJournal(t *testing.T) {
	t.Parallel()
	c, a := deep(t)
	_, live := c.listen(a, "hi")
	s := must(c.rt.Session(t.Context(), "s"))
	sameNotices(t, live, noticed(t, s, 0))
	for i := range live {
		n := &live[i]
		if n.Meta.IsMaster != (n.Meta.SessionID == "s") || n.Meta.IsFinal && !n.Meta.IsMaster {
			t.Errorf("meta %+v", n.Meta)
		}
		if n.Type == view.NoticeTurnStarted && !n.Meta.IsMaster {
			t.Error("a turn of an agent that works for another is told")
		}
	}
	if n := len(slices.DeleteFunc(live, func(n view.Notice) bool { return !n.Meta.IsFinal })); n != 1 {
		t.Errorf("%d final reports", n)
	}
}

// troupe is a chain: an adviser, an agent that routes, one that it routes to, one
// that the work is handed to and hands it on. Their answers are streamed.
func troupe(t *testing.T) (*cast, *aiagent.Agent) {
	t.Helper()
	c := newCast(t, memory.New(), map[string]*script.Provider{
		"law": script.New(script.Text("Legal.")), "desk": script.New(hand("He wants to buy.")), "sales": script.New(script.Text("Sold.")),
		"clerk": script.New(script.Text("Filed.")), "last": script.New(script.Text("Sent.")),
	})
	chat := func(name string) *aiagent.Agent {
		a := player(name)
		a.Completion = spec.CompleteText
		return a
	}
	a, clerk := chat("desk"), chat("clerk")
	clerk.Handoff = chat("last")
	a.Advisors, a.Router, a.Handoff = []*aiagent.Agent{chat("law")}, []*aiagent.Agent{chat("sales")}, clerk
	return c, a
}

// contract: B3, B5, T14
func TestAChainOfAgentsSpeaksWithOneVoice(t *testing.T) {
	t.Parallel()
	c, a := troupe(t)
	r, all := c.listen(a, "Hello")
	if !r.Success || r.Text() != "Sent." || r.FinalAgentID != "last" {
		t.Fatalf("%s, %q by %s", r.Error, r.Text(), r.FinalAgentID)
	}
	var heard []string
	for i := range all {
		n := &all[i]
		switch n.Type {
		case view.NoticeOutput:
			heard = append(heard, fmt.Sprintf("%s output %t %q", n.Meta.CallPath, n.Meta.IsMaster, n.Text))
		case view.NoticeHandoff, view.NoticeFinalReport:
			heard = append(heard, fmt.Sprintf("%s %s %t/%t/%d %q", n.Meta.CallPath, n.Type, n.Meta.IsMaster, n.Meta.IsFinal,
				n.Meta.PendingHandoffCount, n.Report.Text()))
		}
	}
	want := []string{
		`desk:law output false "Legal."`, `desk:law final_report false/false/0 "Legal."`,
		`desk handoff true/false/1 "He wants to buy."`, `desk handoff true/false/1 "Sold."`,
		`desk:clerk handoff true/false/1 "Filed."`, `desk:clerk:last output true "Sent."`, `desk final_report true/true/1 "Sent."`,
	}
	if !slices.Equal(heard, want) {
		t.Errorf("heard\n%s\nwant\n%s", strings.Join(heard, "\n"), strings.Join(want, "\n"))
	}
	sameNotices(t, all, noticed(t, must(c.rt.Session(t.Context(), "s")), 0))

	wantAccounts := "desk:law ok llm\ndesk ok llm\ndesk ok tool router__handoff-to\ndesk:sales ok llm\ndesk:clerk ok llm\ndesk:clerk:last ok llm"
	if got := accountsOf(r.Accounting); got != wantAccounts {
		t.Errorf("accounts\n%s\nwant\n%s", got, wantAccounts)
	}
	root := all[len(all)-2].Snapshot.Snapshot.OpTree
	var ops []string
	for _, o := range root.Turns[0].Ops {
		ops = append(ops, o.Kind+" "+o.Attributes.Provider+":"+o.Attributes.Name+" "+o.Status)
	}
	wantOps := []string{"system :init ok", "session advisor:law ok", "session router:sales ok", "session handoff:clerk ok", "system :fin ok"}
	if !slices.Equal(ops, wantOps) || root.Totals.AgentsRun != 5 {
		t.Errorf("turn 0 has %q, and %d agents ran", ops, root.Totals.AgentsRun)
	}
}

// contract: S2, B5
func TestAStreamTellsTheHandoffAndEndsWithTheReport(t *testing.T) {
	t.Parallel()
	c, a := troupe(t)
	o := c.run(a, "Hello")
	var got []string
	for i := range o.events {
		e := &o.events[i]
		if e.SessionID != "" && e.SessionID != "s" {
			t.Errorf("%s is of session %s", e.Type, e.SessionID)
		}
		if e.Report != nil {
			got = append(got, fmt.Sprintf("%s %q to %q %t", e.Type, e.Report.Text(), e.Agent, e.Durable))
		}
	}
	want := []string{`handoff "He wants to buy." to "sales" true`, `handoff "Sold." to "clerk" true`, `final_report "Sent." to "" true`}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	var again []view.Event
	for e, err := range must(c.rt.Session(t.Context(), "s")).Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == view.EventHandoff || e.Type == view.EventFinalReport {
			again = append(again, e)
		}
		if e.Type == view.EventExecuteComplete {
			break
		}
	}
	if len(again) != 3 {
		t.Errorf("%d of them come again, want 3", len(again))
	}
}

// contract: T14
func TestAChildThatFailedOrNeverWasIsToldOf(t *testing.T) {
	t.Parallel()
	t.Run("failed", func(t *testing.T) {
		t.Parallel()
		call := script.Calls(ask("c", "agent__helper", map[string]any{"prompt": "go"}))
		c := newCast(t, memory.New(), map[string]*script.Provider{
			"main": script.New(call, report("alone")), "helper": script.New(script.Fail(401, "no key")),
		})
		a := player("main")
		a.Agents = []*aiagent.Agent{player("helper")}
		r, all := c.listen(a, "hi")
		want := "main ok llm\nmain:helper failed llm\nmain failed tool agent__helper\nmain ok llm\nmain ok tool agent__final_report"
		if got := accountsOf(r.Accounting); got != want || !r.Success {
			t.Errorf("%s, accounts\n%s", r.Error, got)
		}
		var failed []string
		for i := range all {
			if p := all[i].Progress; p != nil && p.Type == view.AgentFailed {
				failed = append(failed, p.CallPath)
			}
			if all[i].Meta.IsMaster && all[i].Type == view.NoticeOutput && all[i].Text != "alone" {
				t.Errorf("the user is told %q", all[i].Text)
			}
		}
		if !slices.Equal(failed, []string{"main:helper"}) {
			t.Errorf("failed %q", failed)
		}
		sameNotices(t, all, noticed(t, must(c.rt.Session(t.Context(), "s")), 0))
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		call := script.Calls(ask("c", "agent__main", map[string]any{"prompt": "again"}))
		c := newCast(t, memory.New(), map[string]*script.Provider{"main": script.New(call, report("alone"))})
		a := player("main")
		a.Agents = []*aiagent.Agent{a}
		r, all := c.listen(a, "hi")
		unreadable := func(l view.LogEntry) bool { return l.Details["event"] == "child_unreadable" }
		if !r.Success || !slices.ContainsFunc(r.Logs, unreadable) {
			t.Errorf("%s, logs %+v", r.Error, r.Logs)
		}
		sameNotices(t, all, noticed(t, must(c.rt.Session(t.Context(), "s")), 0))
	})
}

// blind is a store that cannot read children's journals once it is struck.
type blind struct {
	store.Store
	struck atomic.Bool
}

var errBlind = errors.New("cannot see")

func (b *blind) Read(ctx context.Context, key journal.Key, from uint64) iter.Seq2[store.Frame, error] {
	if b.struck.Load() && strings.Contains(key.Session, ".") {
		return func(yield func(store.Frame, error) bool) { yield(store.Frame{}, errBlind) }
	}
	return b.Store.Read(ctx, key, from)
}

// contract: T14
func TestAChildThatCannotBeReadSpoilsNothing(t *testing.T) {
	t.Parallel()
	st := &blind{Store: memory.New()}
	call := script.Calls(ask("c", "agent__helper", map[string]any{"prompt": "go"}))
	c := newCast(t, st, map[string]*script.Provider{"main": script.New(call, report("done")), "helper": says("helped")})
	a := player("main")
	a.Agents = []*aiagent.Agent{player("helper")}
	if r, _ := c.listen(a, "hi"); !r.Success {
		t.Fatal(r.Error)
	}
	st.struck.Store(true)
	s := must(c.rt.Session(t.Context(), "s"))
	v := must(s.View(t.Context()))
	unreadable := func(l view.LogEntry) bool {
		return l.Details["event"] == "child_unreadable" && strings.Contains(l.Message, errBlind.Error())
	}
	if v.Report.Text() != "done" || len(v.Accounting) != 4 || !slices.ContainsFunc(v.Logs, unreadable) {
		t.Errorf("%q, accounts\n%s\nlogs %+v", v.Report.Text(), accountsOf(v.Accounting), v.Logs)
	}
	last := noticed(t, s, 0)
	if flush := last[len(last)-1].Flush; len(flush.Entries) != 4 {
		t.Errorf("flushed\n%s", accountsOf(flush.Entries))
	}
}

// contract: B2, T14
func TestEntriesLeadToTheirCallers(t *testing.T) {
	t.Parallel()
	c, a := deep(t)
	r, _ := c.listen(a, "hi")
	var back struct {
		Accounting []struct{ CallPath, TxnID, ParentTxnID string }
		Logs       []struct{ Path string }
	}
	if err := json.Unmarshal(llm.MustMarshalJSON(r), &back); err != nil {
		t.Fatal(err)
	}
	// Ids lead from an entry to its caller's.
	byTxn := map[string]string{}
	for _, e := range back.Accounting {
		byTxn[e.TxnID] = e.CallPath
	}
	for _, e := range back.Accounting {
		if e.ParentTxnID != "" && !strings.HasPrefix(e.CallPath, byTxn[e.ParentTxnID]+":") {
			t.Errorf("%s was called by %s", e.CallPath, byTxn[e.ParentTxnID])
		}
	}
	if !slices.ContainsFunc(back.Logs, func(l struct{ Path string }) bool { return l.Path == "1-2.1-2.1-1" }) {
		t.Error("no log entry has the path of the innermost operation")
	}
	if r.Status != kernel.StatusCompleted {
		t.Errorf("status %s", r.Status)
	}
}
