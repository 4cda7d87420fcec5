package view_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/view"
)

// clan is a tree of sessions, by their ids. The root is "s".
type clan map[string]*story

// member adds a session to the clan. Its id says who its parent is.
func (c clan) member(id, path string, master bool) *story {
	s := newStory()
	who := kernel.Identity{
		Tenant: "t", Session: id, Origin: "s", Agent: path[strings.LastIndexByte(path, ':')+1:], CallPath: path, Master: master,
	}
	if i := strings.LastIndexByte(id, '.'); i >= 0 {
		who.Parent = id[:i]
	}
	s.frame(0, &kernel.SessionStart{Identity: who})
	c[id] = s
	return s
}

// begin starts a run and its first turn.
func (s *story) begin(handoff string) {
	start := s.runStart(1, &spec.Run{Format: spec.FormatMarkdown, Completion: spec.CompleteText})
	start.Handoff = handoff
	s.frame(1, start, s.userMessage("hi"))
	s.frame(0, &kernel.TurnStart{Turn: 1, MaxTurns: 10}, attemptStart("a.0", 1, 1, "script/demo"))
}

// speaks ends the attempt with a text that was streamed.
func (s *story) speaks(text string, calls ...llm.ToolCall) *kernel.AttemptEnd {
	s.stream("a.0", llm.Delta{Kind: llm.DeltaText, Text: text}, 99)
	end := attemptEnd("a.0", 1, 1, "script/demo", "")
	end.Usage, end.Cost, end.CostKnown = usage(10, 5, 0, 0), llm.Dollar/100, true
	s.frame(10, s.accepted(end, &llm.Envelope{AssistantText: text, ToolCalls: calls})...)
	return end
}

// calls has another agent called, in a session of its own.
func (s *story) calls(end *kernel.AttemptEnd, call string, index int64, child string) {
	start := toolStart(end, "t."+call, call, index, spec.ToolAgent)
	start.Name, start.Server, start.Child = "agent__"+call, "agent", child
	s.frame(1, start)
}

func (s *story) returns(call, child string, ok bool) {
	status := kernel.ToolOK
	if !ok {
		status = kernel.ToolFailed
	}
	s.frame(20, &kernel.ChildEnd{Effect: "t." + call, CallID: call, Session: child, OK: ok, Cost: llm.Dollar / 100, Usage: *usage(10, 5, 0, 0)},
		&kernel.ToolEnd{Effect: "t." + call, Turn: 1, CallID: call, Name: "agent__" + call, Status: status, Output: s.content("done")})
}

func (s *story) admits(call string, ok bool) {
	s.frame(0, &kernel.ToolEntry{Turn: 1, CallID: call, Name: "agent__" + call, Server: "agent", OK: ok})
}

func (s *story) asks(stage kernel.Stage, agent, child string) {
	s.frame(1, &kernel.StageStart{Effect: "e." + agent, Stage: stage, Agent: agent, Child: child})
}

func (s *story) hears(stage kernel.Stage, agent, child string, ok bool) {
	s.frame(20, &kernel.ChildEnd{
		Effect: "e." + agent, Stage: stage, Agent: agent, Session: child, OK: ok, Cost: llm.Dollar / 100, Usage: *usage(10, 5, 0, 0),
	})
}

func (s *story) handsOver(stage kernel.Stage, from, to, text string) {
	s.frame(0, &kernel.Handoff{
		Turn: 1, Stage: stage, From: from, To: to, Payload: s.json(&spec.ReportPayload{Format: spec.FormatMarkdown, Content: text}),
	})
}

func (s *story) reports(text, agent string) {
	r := s.finalReport(1, text)
	if agent != "" {
		r.Source, r.Agent = kernel.SourceHandoff, agent
	}
	s.frame(0, r, runEnd(1, 1))
}

// office is a clan in which everybody has something to do: an advisor, an agent
// that is called and calls another, one that the model chose, and one that
// answers in the end.
func office() clan {
	c := make(clan)
	s := c.member("s", "desk", true)
	start := s.runStart(1, &spec.Run{Format: spec.FormatMarkdown, Completion: spec.CompleteText})
	start.Handoff, start.Router, start.Advisors = "clerk", true, []string{"law"}
	s.frame(1, start)
	s.asks(kernel.StageAdvisor, "law", "s.2-0")
	s.hears(kernel.StageAdvisor, "law", "s.2-0", true)
	s.frame(0, s.userMessage("hi"), &kernel.TurnStart{Turn: 1, MaxTurns: 10}, attemptStart("a.0", 1, 1, "script/demo"))
	end := s.speaks("Let me ask.", call("helper", "agent__helper", `{"prompt":"please","reason":"to know"}`), call("other", "x", `{}`))
	s.calls(end, "helper", 0, "s.7-0")
	s.calls(end, "other", 1, "s.7-1")
	s.returns("other", "s.7-1", false)
	s.returns("helper", "s.7-0", true)
	s.admits("helper", true)
	s.admits("other", false)
	s.handsOver(kernel.StageRouter, "desk", "sales", "He wants to buy.")
	s.asks(kernel.StageRouter, "sales", "s.9-0")
	s.hears(kernel.StageRouter, "sales", "s.9-0", true)
	s.handsOver(kernel.StageHandoff, "sales", "clerk", "Sold.")
	s.asks(kernel.StageHandoff, "clerk", "s.11-0")
	s.hears(kernel.StageHandoff, "clerk", "s.11-0", true)
	s.reports("Filed.", "clerk")

	c.worker("s.2-0", "desk:law", "Legal.", false)
	helper := c.member("s.7-0", "desk:helper", false)
	helper.begin("")
	end = helper.speaks("Let me see.", call("expert", "agent__expert", `{"prompt":"you?"}`))
	helper.calls(end, "expert", 0, "s.7-0.4-0")
	helper.returns("expert", "s.7-0.4-0", true)
	helper.admits("expert", true)
	helper.reports("Helped.", "")
	c.worker("s.7-0.4-0", "desk:helper:expert", "I know.", false)
	other := c.member("s.7-1", "desk:other", false)
	other.begin("")
	other.frame(1, other.failure(1, kernel.ReasonAuth, "no key"), runFailed(1, 1, kernel.ReasonAuth, "no key"))
	c.worker("s.9-0", "desk:sales", "Sold.", true)
	c.worker("s.11-0", "desk:clerk", "Filed.", true)
	return c
}

// worker is a session that answers at once.
func (c clan) worker(id, path, text string, master bool) *story {
	s := c.member(id, path, master)
	s.begin("")
	s.speaks(text)
	s.reports(text, "")
	return s
}

// journals reads the clan's sessions.
func (c clan) journals(id string) view.Journal {
	s := c[id]
	if s == nil {
		return view.Journal{Blobs: make(store).read, Facts: failing(errNoContent)}
	}
	return view.Journal{Blobs: s.read, Facts: s.facts()}
}

func (s *story) facts() iter.Seq2[view.Told, error] {
	return func(yield func(view.Told, error) bool) {
		for _, h := range s.heard {
			if h.fact != nil && !yield(view.Told{Seq: h.seq, At: h.at, Fact: h.fact}, nil) {
				return
			}
		}
	}
}

func failing(err error) iter.Seq2[view.Told, error] {
	return func(yield func(view.Told, error) bool) { yield(view.Told{}, err) }
}

// read folds the root; children are read from their journals.
func (c clan) read(t testing.TB) (*view.Session, *view.Tree) {
	t.Helper()
	v := view.NewSession(c["s"].store.read)
	v.Include(c.journals)
	tree := view.NewTree(v)
	for told := range c["s"].facts() {
		if err := v.Apply(told.At, told.Fact); err != nil {
			t.Fatal(err)
		}
		tree.Apply(told.At, told.Fact)
	}
	return v, tree
}

// follow folds the root while all children are followed, each told as soon as
// it has been named.
func (c clan) follow(t testing.TB) (*view.Stream, *view.Notices, []view.Notice) {
	t.Helper()
	st := view.NewStream(c["s"].store.read)
	st.Include(c.journals)
	n := view.NewNotices(st)
	var all []view.Notice
	c.tell(t, "s", st, n, func(n view.Notice) { all = append(all, n) })
	return st, n, all
}

func (c clan) tell(t testing.TB, id string, st *view.Stream, n *view.Notices, on func(view.Notice)) {
	t.Helper()
	s := c[id]
	for _, h := range s.heard {
		if h.delta != nil {
			for _, told := range n.Delta(st.Shown(h.seq, h.effect, s.shown(h.delta))) {
				on(told)
			}
			continue
		}
		events, err := st.Fact(h.seq, h.at, h.fact)
		if err != nil {
			t.Fatal(err)
		}
		for _, told := range n.Fact(h.seq, h.at, h.fact, events) {
			on(told)
		}
		child := ""
		switch f := h.fact.(type) {
		case *kernel.ToolStart:
			child = f.Child
		case *kernel.StageStart:
			child = f.Child
		}
		if c[child] != nil {
			fold := view.NewStream(c[child].store.read)
			c.tell(t, child, fold, n.Child(fold, child), on)
		}
	}
}

// brief is a notice on one line.
func brief(n *view.Notice) string {
	m := &n.Meta
	text := fmt.Sprintf("%-22s %-16s", m.CallPath, n.Type)
	switch {
	case n.Progress != nil:
		text += fmt.Sprintf("%s %q", n.Progress.Type, n.Progress.Reason)
	case n.Turn != nil:
		text += fmt.Sprintf("%d.%d", n.Turn.Turn, n.Turn.Attempt)
	case n.Report != nil:
		text += fmt.Sprintf("%q by %q", n.Report.Text(), n.Report.Agent)
	case n.Log != nil:
		text += fmt.Sprintf("%s %s %s", n.Log.Severity, n.Log.Path, n.Log.Details["event"])
	case n.Accounting != nil:
		text += n.Accounting.Type + " " + n.Accounting.Status
	case n.Flush != nil:
		text += fmt.Sprintf("%d entries", len(n.Flush.Entries))
	default:
		text += n.Text
	}
	return strings.TrimRight(fmt.Sprintf("%s  %s", flags(m), text), " ")
}

// flags is m for the master, f for what is final, h for one that hands over, and
// how many go on from it.
func flags(m *view.Meta) string {
	text := []byte("---")
	for i, set := range []bool{m.IsMaster, m.IsFinal, m.HandoffConfigured} {
		if set {
			text[i] = "mfh"[i]
		}
	}
	return fmt.Sprintf("%s %d", text, m.PendingHandoffCount)
}
