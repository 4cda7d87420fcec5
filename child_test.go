package aiagent_test

import (
	"encoding/json"
	"strings"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/memory"
	"github.com/ai-agent-go/ai-agent/tool"
)

// family is a bed with a parent and a child, each with a script of its own.
func family(t *testing.T, st store.Store, parent, child *script.Provider) *bed {
	t.Helper()
	b := &bed{t: t, store: st}
	b.rt = must(aiagent.New(aiagent.Config{
		Store: st, Providers: map[string]llm.Provider{"parent": parent, "child": child},
	}))
	t.Cleanup(func() { _ = b.rt.Close() })
	return b
}

func helper(tools ...tool.Tool) *aiagent.Agent {
	a := agent(tools...)
	a.ID, a.Description = "helper", "Helps."
	a.Targets = []aiagent.Target{{Provider: "child", Model: "c", Price: &llm.Price{Input: llm.Dollar}}}
	return a
}

func caller(subs ...*aiagent.Agent) *aiagent.Agent {
	a := agent()
	a.ID, a.Agents = "caller", subs
	a.Targets = []aiagent.Target{{Provider: "parent", Model: "p"}}
	return a
}

func callHelper() script.Call {
	return ask("h", "agent__helper", map[string]any{"prompt": "please", "reason": "test"})
}

// contract: T14, A3
func TestAnAgentIsAToolInASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	b := family(t, memory.New(),
		script.New(script.Calls(callHelper()), report(`They say: {{tool "agent__helper"}}`)),
		script.New(withUsage(script.Calls(askWeather("w", "Oslo")), 1000, 0), report(`{{tool "weather"}}`)))
	o := b.run(caller(helper(weather())), "hi")
	if !o.Success || o.Text() != "They say: sunny in Oslo" {
		t.Fatalf("%s, %q", o.Error, o.Text())
	}
	ends := facts[*kernel.ChildEnd](o)
	if len(ends) != 1 || !ends[0].OK || ends[0].Cost == 0 || o.Cost != ends[0].Cost {
		t.Fatalf("child %+v, cost %v", ends, o.Cost)
	}
	child := b.check(ends[0].Session)
	first := must(kernel.DecodeFacts(&child.Frames[0]))[0].(*kernel.SessionStart).Identity //nolint:forcetypeassert // a test
	if first.Parent != "s" || first.Origin != "s" || first.CallPath != "caller:helper" {
		t.Errorf("the child's identity is %+v", first)
	}
}

// contract: T14, T2
func TestAFailedChildIsAFailedToolAndRecursionIsRefused(t *testing.T) {
	t.Parallel()
	t.Run("failure", func(t *testing.T) {
		t.Parallel()
		b := family(t, memory.New(), script.New(script.Calls(callHelper()), report("done")), script.New(script.Fail(401, "no key")))
		o := b.run(caller(helper()), "hi")
		if got := o.Conversation[2].Content; !o.Success || !strings.HasPrefix(got, "(tool failed: ") || !strings.Contains(got, "no key") {
			t.Errorf("%s, %q", o.Error, got)
		}
	})
	t.Run("recursion", func(t *testing.T) {
		t.Parallel()
		a := caller()
		a.Agents = []*aiagent.Agent{a}
		again := ask("c", "agent__caller", map[string]any{"prompt": "again"})
		b := family(t, memory.New(), script.New(script.Calls(again), report("done")), script.New())
		o := b.run(a, "hi")
		if got := o.Conversation[2].Content; !strings.Contains(got, "recursion refused") {
			t.Errorf("%s, %q", o.Error, got)
		}
	})
}

// contract: T14, S6
func TestAChildsPendingCallsAreItsParents(t *testing.T) {
	t.Parallel()
	remote := tool.Remote("remote", "Runs elsewhere.", json.RawMessage(`{"type":"object"}`))
	careful := weather()
	careful.Approval = true
	b := family(t, memory.New(),
		script.New(script.Calls(callHelper()), report(`{{tool "agent__helper"}}`)),
		script.New(script.Calls(ask("r", "remote", nil), askWeather("w", "Oslo")), report(`{{tool "remote"}} and {{tool "weather"}}`)))
	o := b.run(caller(helper(remote, careful)), "hi")
	if o.Status != kernel.StatusAwaiting || len(o.Pending) != 2 || o.Pending[0].ID != "h/r" || o.Pending[1].Kind != "approval" {
		t.Fatalf("status %s, pending %+v", o.Status, o.Pending)
	}
	s := must(b.rt.Session(t.Context(), "s"))
	// The parent goes on waiting until the child has all that it needs.
	st := s.Execute(t.Context(), aiagent.Results(aiagent.ToolResult{CallID: "h/r", Output: "from afar"}))
	st2 := s.Execute(t.Context(), aiagent.Approve("h/w", "ada"))
	if r := must(st2.Result()); r.Status == kernel.StatusAwaiting {
		must(st.Result())
	}
	v := settledView(t, s)
	for v.Status != kernel.StatusCompleted {
		v = settledView(t, s)
	}
	if got := v.Report.Text(); got != "from afar and sunny in Oslo" {
		t.Errorf("report %q", got)
	}
	b.check("s")
}

// contract: T14, S11
func TestAbortingTheParentAbortsTheChild(t *testing.T) {
	t.Parallel()
	h, started, _ := hold()
	b := family(t, memory.New(), script.New(script.Calls(callHelper())), script.New(script.Calls(ask("c", "hold", nil))))
	s := must(b.rt.Open(t.Context(), caller(helper(h)), &aiagent.SessionOptions{ID: "s"}))
	st := s.Execute(t.Context(), aiagent.Prompt("hi"))
	<-started
	if err := s.Abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := must(st.Result())
	if r.Status != kernel.StatusError || string(r.Report.Metadata) != `{"reason":"aborted"}` {
		t.Errorf("%+v", r)
	}
	archive := b.check("s")
	for i := range archive.Frames {
		for _, f := range must(kernel.DecodeFacts(&archive.Frames[i])) {
			if end, ok := f.(*kernel.ChildEnd); ok && end.OK {
				t.Error("the child was not aborted")
			}
		}
	}
}

// contract: S8, T14
func TestAChildSurvivesACrashOfTheProcess(t *testing.T) {
	t.Parallel()
	st := memory.New()
	remote := tool.Remote("remote", "Runs elsewhere.", json.RawMessage(`{"type":"object"}`))
	parent := func() *script.Provider {
		return script.New(script.Calls(callHelper()), report(`{{tool "agent__helper"}}`))
	}
	child := func() *script.Provider {
		return script.New(script.Calls(ask("r", "remote", nil)), report(`{{tool "remote"}}`))
	}
	b := family(t, st, parent(), child())
	if o := b.run(caller(helper(remote)), "hi"); o.Status != kernel.StatusAwaiting {
		t.Fatalf("status %s", o.Status)
	}
	b.crash()

	again := family(t, st, parent(), child())
	again.rt.Register(caller(helper(remote)))
	s := must(again.rt.Session(t.Context(), "s"))
	r := must(s.Execute(t.Context(), aiagent.Results(aiagent.ToolResult{CallID: "h/r", Output: "late"})).Result())
	if r.Status != kernel.StatusCompleted || r.Report.Text() != "late" {
		t.Errorf("%+v", r)
	}
	again.check("s")
}
