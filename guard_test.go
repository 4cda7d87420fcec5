package aiagent_test

import (
	"context"
	"strings"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/tool"
)

// bulky is a tool that returns so many bytes.
func bulky(bytes int) tool.Tool {
	return tool.Must(tool.New("bulky", "Says much.",
		func(context.Context, struct{}) (string, error) { return strings.Repeat("x", bytes), nil }))
}

func small(window int64) aiagent.Target {
	return aiagent.Target{Provider: "script", Model: "small", Window: window, Buffer: 1, MaxOutput: 1}
}

func withUsage(r script.Reply, input, output int64) script.Reply {
	r.Usage = &llm.Usage{Input: input, Output: output}
	return r
}

// contract: X1, X2, X3, X7
func TestTheGuardCountsWhatTheProviderReportsAndEstimatesTheRest(t *testing.T) {
	t.Parallel()
	a := agent(bulky(400))
	o := newBed(t,
		withUsage(script.Calls(ask("c", "bulky", nil)), 1000, 50),
		withUsage(report("done"), 1200, 20),
	).run(a, "hi")
	starts := facts[*kernel.AttemptStart](o)
	if len(starts) != 2 {
		t.Fatalf("%d attempts", len(starts))
	}
	if starts[0].Context != 0 || starts[0].New == 0 || starts[0].Schema == 0 {
		t.Errorf("first request: %+v", starts[0])
	}
	// 400 bytes are 100 tokens, and a message costs 4.
	if starts[1].Context != 1050 || starts[1].New != 104 {
		t.Errorf("second request: context %d, new %d, want 1050 and 104", starts[1].Context, starts[1].New)
	}
	for _, s := range starts {
		if s.Expected != s.Context+s.New+s.Schema {
			t.Errorf("expected %d is not the sum of its parts: %+v", s.Expected, s)
		}
	}
}

// contract: X1
func TestMissingUsageKeepsTheEstimate(t *testing.T) {
	t.Parallel()
	o := newBed(t, script.Calls(ask("c", "bulky", nil)), report("done")).run(agent(bulky(400)), "hi")
	starts := facts[*kernel.AttemptStart](o)
	if starts[1].Context < starts[0].New {
		t.Errorf("context %d fell below the estimate %d", starts[1].Context, starts[0].New)
	}
	for _, e := range o.Accounting {
		if e.Type == "llm" && (e.Tokens == nil || e.Tokens.Total != 0) {
			t.Errorf("accounting invents tokens: %+v", e.Tokens)
		}
	}
}

// contract: X3, X4, X5, X6, L8
func TestAResultThatFitsNowhereIsDroppedAndTheNextTurnIsTheLast(t *testing.T) {
	t.Parallel()
	a := agent(bulky(4000))
	a.Targets = []aiagent.Target{small(1000)}
	b := newBed(t,
		withUsage(script.Calls(ask("a", "bulky", nil), ask("b", "bulky", nil)), 100, 10),
		report("what I know"),
	)
	o := b.run(a, "hi")
	if !o.Success {
		t.Fatal(o.Error)
	}
	for _, i := range []int{2, 3} {
		if got := o.Conversation[i].Content; got != "(tool failed: context window budget exceeded)" {
			t.Errorf("message %d: %q", i, got)
		}
	}
	e := o.Accounting[1]
	if e.Error != "context_budget_exceeded" || e.Status != "failed" {
		t.Errorf("accounting %+v", e)
	}
	for _, key := range []string{"original_tokens", "replacement_tokens", "projected_tokens", "limit_tokens", "remaining_tokens"} {
		if _, ok := e.Details[key]; !ok {
			t.Errorf("accounting lacks %s: %v", key, e.Details)
		}
	}
	if f := facts[*kernel.ForcedFinal](o); len(f) != 1 || f[0].Reason != dialect.FinalContext {
		t.Errorf("forced final %+v", f)
	}
	if got := offered(b.provider.last()); got != spec.FinalReportTool {
		t.Errorf("offered %q", got)
	}
}

// contract: X3, T7
func TestResultsThatFitSinglyButNotTogetherAreAdmittedInOrder(t *testing.T) {
	t.Parallel()
	a := agent(bulky(4000))
	a.Targets = []aiagent.Target{small(2000)}
	o := newBed(t,
		withUsage(script.Calls(ask("a", "bulky", nil), ask("b", "bulky", nil)), 100, 10),
		report("done"),
	).run(a, "hi")
	if len(o.Conversation[2].Content) != 4000 || !strings.Contains(o.Conversation[3].Content, "budget exceeded") {
		t.Errorf("results of %d and %d bytes", len(o.Conversation[2].Content), len(o.Conversation[3].Content))
	}
}

// contract: X6, R1
func TestATargetThatIsTooSmallIsPassedOverWithoutUsingUpAnAttempt(t *testing.T) {
	t.Parallel()
	a := agent(bulky(4000))
	a.Targets = []aiagent.Target{small(1000), {Provider: "script", Model: "large"}}
	b := newBed(t, withUsage(script.Calls(ask("a", "bulky", nil)), 100, 10), report("done"))
	o := b.run(a, "hi")
	if !o.Success || b.provider.last().Model != "large" {
		t.Fatalf("%s, asked %s", o.Error, b.provider.last().Model)
	}
	if got := facts[*kernel.AttemptStart](o)[1].Attempt; got != 1 {
		t.Errorf("attempt %d, want 1", got)
	}
	g := facts[*kernel.Guard](o)
	if len(g) != 1 || g[0].Outcome != kernel.GuardSkipped || g[0].Model != "small" {
		t.Errorf("guard %+v", g)
	}
}

// contract: X6
func TestWhenNothingFitsTheLastRequestIsSentWithAWarning(t *testing.T) {
	t.Parallel()
	a := agent(weather())
	a.System = strings.Repeat("much to say ", 1000)
	a.Targets = []aiagent.Target{small(1000)}
	b := newBed(t, report("done"))
	o := b.run(a, "hi")
	if !o.Success || len(b.provider.requests) != 1 || offered(b.provider.last()) != spec.FinalReportTool {
		t.Fatalf("%s, %d requests, offered %q", o.Error, len(b.provider.requests), offered(b.provider.last()))
	}
	if !logged(o, "context_guard_forced_final") {
		t.Error("no warning is logged")
	}
	exit := facts[*kernel.RunEnd](o)[0].Exit
	if exit != "EXIT-TOKEN-LIMIT" {
		t.Errorf("exit marker %s", exit)
	}
}

// contract: X8, R4
func TestAProviderThatSaysTooLongForcesTheLastTurn(t *testing.T) {
	t.Parallel()
	tooLong := script.Fail(400, "too many tokens")
	tooLong.Error.Class = llm.ClassContextOverflow
	b := newBed(t, script.Turn(tooLong, report("done")))
	o := b.run(agent(weather()), "hi")
	if !o.Success || offered(b.provider.last()) != spec.FinalReportTool {
		t.Errorf("%s, offered %q", o.Error, offered(b.provider.last()))
	}
}
