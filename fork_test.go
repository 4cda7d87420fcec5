package aiagent_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/contract"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store/memory"
	"github.com/ai-agent-go/ai-agent/store/sqlite"
	"github.com/ai-agent-go/ai-agent/tool"
)

// said writes a session's conversation as one line.
func said(t *testing.T, s *aiagent.Session) string {
	t.Helper()
	var all []string
	for _, m := range must(s.View(t.Context())).Messages {
		text := m.Content
		for _, c := range m.ToolCalls {
			text += c.Name
		}
		all = append(all, string(m.Role)+":"+text)
	}
	return strings.Join(all, " ")
}

// frameOf is the first frame whose facts satisfy a condition.
func frameOf(archive *journal.Archive, fits func(kernel.Fact) bool) uint64 {
	for i := range archive.Frames {
		if slices.ContainsFunc(must(kernel.DecodeFacts(&archive.Frames[i])), fits) {
			return archive.Frames[i].Seq
		}
	}
	return 0
}

// contract: P10, A3, V2
func TestAForkGoesOnByItselfAndNamesItsOriginal(t *testing.T) {
	t.Parallel()
	b := newBed(t, script.Calls(askWeather("c", "Athens")), report(`It is {{tool "weather"}}.`), report("And {{user}}?"))
	original := b.run(agent(weather()), "hi")
	at := frameOf(original.archive, func(f kernel.Fact) bool { _, ok := f.(*kernel.ToolEnd); return ok })
	s := must(b.rt.Session(t.Context(), "s"))
	fork := must(s.Fork(t.Context(), &aiagent.ForkOptions{At: at, ID: "f"}))
	result := must(fork.Execute(t.Context(), aiagent.Continue()).Result())
	if result.Report.Text() != original.Text() {
		t.Errorf("the fork says %q, the original %q", result.Report.Text(), original.Text())
	}
	if got, want := said(t, fork), said(t, s); got != want {
		t.Errorf("the fork's conversation\n%s\nthe original's\n%s", got, want)
	}
	archive := b.check("f")
	start := facts[*kernel.SessionStart](&outcome{archive: archive})[0]
	if id := start.Identity; id.ForkedFrom != "s" || uint64(id.ForkedAt) != at || id.Origin != "f" || !id.Master { //nolint:gosec // counted from 1
		t.Errorf("identity %+v", id)
	}
	if missing := contract.Missing(archive); len(missing) > 0 {
		t.Errorf("missing %v", missing)
	}
	// It is a session like any other: it can be asked, and forked again.
	again := must(fork.Fork(t.Context(), &aiagent.ForkOptions{ID: "g"}))
	if err := b.store.Delete(t.Context(), keyOf("s")); err != nil {
		t.Fatal(err)
	}
	if err := b.store.Delete(t.Context(), keyOf("f")); err != nil {
		t.Fatal(err)
	}
	result = must(again.Execute(t.Context(), aiagent.Prompt("Oslo")).Result())
	if result.Report.Text() != "And Oslo?" || !strings.HasPrefix(said(t, again), "user:hi assistant:weather tool:sunny in Athens") {
		t.Errorf("the fork of the fork says %q after %s", result.Report.Text(), said(t, again))
	}
	b.check("g")
}

func TestAForkCanHaveAnotherModelAndAnotherResult(t *testing.T) {
	t.Parallel()
	b := newBed(t, script.Calls(askWeather("c", "Athens")), report(`It is {{tool "weather"}}.`))
	o := b.run(agent(weather()), "hi")
	at := frameOf(o.archive, func(f kernel.Fact) bool { _, ok := f.(*kernel.ToolEnd); return ok })
	s := must(b.rt.Session(t.Context(), "s"))
	fork := must(s.Fork(t.Context(), &aiagent.ForkOptions{
		At: at, ID: "f", Targets: []aiagent.Target{{Provider: "other", Model: "newer"}},
		Results: []aiagent.ToolResult{{CallID: "c", Output: "snow in Athens"}},
	}))
	result := must(fork.Execute(t.Context(), aiagent.Continue()).Result())
	if result.Report.Text() != "It is snow in Athens." {
		t.Errorf("report %q", result.Report.Text())
	}
	if r := b.provider.last(); r.Provider != "other" || r.Model != "newer" || r.System != "You tell the weather." {
		t.Errorf("%s/%s was asked, system %q", r.Provider, r.Model, r.System)
	}
	b.check("f")
	if got := said(t, s); !strings.Contains(got, "sunny in Athens") {
		t.Errorf("the original became %s", got)
	}
	for name, options := range map[string]*aiagent.ForkOptions{
		"no such frame":    {At: 99},
		"no such call":     {Results: []aiagent.ToolResult{{CallID: "nope"}}},
		"no such provider": {Targets: []aiagent.Target{{Provider: "nobody", Model: "m"}}},
	} {
		if _, err := s.Fork(t.Context(), options); !errors.Is(err, spec.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Fork(t.Context(), &aiagent.ForkOptions{ID: "s"}); err == nil {
		t.Error("a session was forked onto itself")
	}
}

// contract: V2, S6, T17
func TestAForkInTheMiddleOfABatchAnswersWhatWasOpen(t *testing.T) {
	t.Parallel()
	pay := weather()
	pay.Name, pay.Approval = "pay", true
	remote := tool.Remote("remote", "Elsewhere.", []byte(`{"type":"object"}`))
	b := newBed(t, script.Calls(askWeather("a", "Athens"), ask("r", "remote", nil), ask("p", "pay", map[string]any{"city": "x"}),
		askWeather("b", "Oslo")), report("done"))
	a := agent(weather(), pay, remote)
	if o := b.run(a, "hi"); o.Status != kernel.StatusAwaiting || len(o.Pending) != 2 {
		t.Fatalf("status %s, pending %v", o.Status, o.Pending)
	}
	s := must(b.rt.Session(t.Context(), "s"))
	fork := must(s.Fork(t.Context(), &aiagent.ForkOptions{
		ID: "f", Results: []aiagent.ToolResult{{CallID: "r", Error: "nobody there"}},
	}))
	want := "user:hi assistant:weatherremotepayweather tool:sunny in Athens tool:(tool failed: nobody there) " +
		"tool:(tool failed: interrupted) tool:sunny in Oslo"
	if got := said(t, fork); got != want {
		t.Errorf("the fork has\n%s\nwant\n%s", got, want)
	}
	if err := fork.Send(t.Context(), aiagent.Approve("p", "ada")); err == nil {
		t.Error("the fork takes an approval that was asked of the original")
	}
	if r := must(fork.Execute(t.Context(), aiagent.Continue()).Result()); r.Status != kernel.StatusCompleted {
		t.Errorf("status %s: %s", r.Status, r.Error)
	}
	b.check("f")
	// The original still waits, and gets what it waits for.
	if err := s.Send(t.Context(), aiagent.Results(aiagent.ToolResult{CallID: "r", Output: "late"})); err != nil {
		t.Error(err)
	}
	if r := must(s.Execute(t.Context(), aiagent.Deny("p", "ada", "no")).Result()); r.Status != kernel.StatusCompleted {
		t.Errorf("the original: %s", r.Status)
	}
	b.check("s")
}

// A fork can be made at every frame of a session, with every transport, and what
// it asks is valid for every provider.
//
// contract: V2, V4, P10
func TestEveryFrameCanBeForkedInEveryTransport(t *testing.T) {
	t.Parallel()
	for from, script := range recordings() {
		t.Run("memory/"+string(from), func(t *testing.T) {
			t.Parallel()
			forkEverywhere(t, newBedOn(t, memory.New(), script...), from, spec.TransportNative, spec.TransportXML, spec.TransportXMLFinal)
		})
		t.Run("sqlite/"+string(from), func(t *testing.T) {
			t.Parallel()
			st := must(sqlite.Open(filepath.Join(t.TempDir(), "s.db"), nil))
			t.Cleanup(func() { _ = st.Close() })
			forkEverywhere(t, newBedOn(t, st, script...), from, from) // the race detector makes it slow
		})
	}
}

// recordings are sessions of each transport with results, failures, a batch, a
// rejected report and two runs.
func recordings() map[spec.Transport][]script.Step {
	native := []script.Step{
		script.Turn(script.Fail(500, "no"), script.Calls(askWeather("a", "Athens"), ask("x", "broken", nil), askWeather("b", "Oslo"))),
		script.Calls(ask("t", "agent__batch", map[string]any{"calls": []any{
			map[string]any{"id": "1", "tool": "weather", "parameters": map[string]any{"city": "Rome"}},
			map[string]any{"id": "2", "tool": "broken", "parameters": map[string]any{}},
		}})),
		report("one"), script.Text("just talk"), report("two"),
	}
	tags := []script.Step{
		script.Text(slot(1, `{"city":"Athens"}`) + slot(2, `{"city":"Oslo"}`)), script.Text(final("one")), script.Text(final("two")),
	}
	mixed := []script.Step{script.Calls(askWeather("a", "Athens")), script.Text(final("one")), script.Text(final("two"))}
	return map[spec.Transport][]script.Step{
		spec.TransportNative: native, spec.TransportXML: tags, spec.TransportXMLFinal: mixed,
	}
}

func forkEverywhere(t *testing.T, b *bed, from spec.Transport, into ...spec.Transport) {
	t.Helper()
	a := agent(weather(), broken())
	a.Transport, a.Batch = from, true
	id := "s-" + string(from)
	s := must(b.rt.Open(t.Context(), a, &aiagent.SessionOptions{ID: id}))
	for _, prompt := range []string{"one", "two"} {
		must(s.Execute(t.Context(), aiagent.Prompt(prompt)).Result())
	}
	archive := b.check(id)
	for i := range archive.Frames {
		at := archive.Frames[i].Seq
		for _, to := range into {
			other := *a
			other.Transport, other.Limits.MaxTurns, other.Limits.MaxRetries = to, 1, 1
			name := fmt.Sprintf("%s-%d-%s", id, at, to)
			fork, err := s.Fork(t.Context(), &aiagent.ForkOptions{At: at, ID: name, Agent: &other})
			if err != nil {
				t.Fatalf("fork at frame %d: %v", at, err)
			}
			if _, err := fork.Execute(t.Context(), aiagent.Prompt("go on")).Result(); err != nil {
				t.Fatal(err)
			}
			b.check(name)
			if problem := refusable(b.provider.last(), to == spec.TransportXML); problem != "" {
				t.Errorf("fork at frame %d into %s: %s", at, to, problem)
			}
		}
	}
}

// refusable says what a strict provider would refuse of a request.
func refusable(r *llm.Request, xml bool) string {
	var open []string
	for _, m := range slices.Concat(r.History, r.Tail) {
		if m.Role != llm.RoleTool && len(open) > 0 {
			return fmt.Sprintf("calls %q have no result", open)
		}
		for i := range m.Parts {
			switch p := &m.Parts[i]; {
			case (p.Call != nil || p.Result != nil) && xml:
				return "a native call where calls go by tag"
			case p.Call != nil:
				open = append(open, p.Call.ID)
			case p.Result != nil:
				if len(open) == 0 || open[0] != p.Result.CallID {
					return fmt.Sprintf("a result of %q, next is %q", p.Result.CallID, open)
				}
				open = open[1:]
			}
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("calls %q have no result", open)
	}
	return ""
}
