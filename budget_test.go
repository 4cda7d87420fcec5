package aiagent_test

// Tests that planted faults asked for (see sim/mutants), about money.

import (
	"strings"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store/memory"
)

// contract: A5, L8
func TestMoneyForTheLastTurnIsKeptInHand(t *testing.T) {
	t.Parallel()
	rich := newBed(t, withUsage(report("done"), 100, 10)).run(priced(llm.Dollar), "hi")
	one := facts[*kernel.AttemptStart](rich)[0].Reserved
	// It suffices for this request, and not for a last one after it.
	b := newBed(t, withUsage(report("done"), 100, 10))
	o := b.run(priced(one), "hi")
	if !o.Success || offered(b.provider.requests[0]) != spec.FinalReportTool {
		t.Errorf("%s, offered %q", o.Error, offered(b.provider.requests[0]))
	}
}

// contract: A5, S8
func TestARequestOfUnknownOutcomeCostsWhatWasReservedForIt(t *testing.T) {
	t.Parallel()
	st := memory.New()
	slow := report("never")
	slow.DelayMS = 1_000_000
	b := newBedOn(t, st, slow)
	s := must(b.rt.Open(t.Context(), priced(llm.Dollar), &aiagent.SessionOptions{ID: "s"}))
	s.Execute(t.Context(), aiagent.Prompt("hi"))
	b.crash()

	again := newBedOn(t, st, withUsage(report("done"), 100, 10))
	again.rt.Wake("s")
	v := settledView(t, must(again.rt.Session(t.Context(), "s")))
	o := &outcome{archive: again.check("s")}
	starts, ends := facts[*kernel.AttemptStart](o), facts[*kernel.AttemptEnd](o)
	if len(ends) != 2 || starts[0].Reserved == 0 || ends[0].Cost != starts[0].Reserved || ends[0].CostKnown {
		t.Fatalf("reserved %v, ends %+v", starts[0].Reserved, ends)
	}
	if v.TotalCost != ends[0].Cost+ends[1].Cost {
		t.Errorf("the session cost %v", v.TotalCost)
	}
}

// contract: A5
func TestTheAnswerIsPartOfTheWorstCase(t *testing.T) {
	t.Parallel()
	a := priced(llm.Dollar)
	a.Targets[0].Price = &llm.Price{Output: 10 * llm.Dollar}
	o := newBed(t, withUsage(report("done"), 100, 10)).run(a, "hi")
	want := a.Targets[0].Price.Cost(llm.Usage{Output: 100})
	if got := facts[*kernel.AttemptStart](o)[0].Reserved; got != want {
		t.Errorf("%s, reserved %v, want %v", o.Error, got, want)
	}
}

func delegate(id string) script.Call {
	return ask(id, "agent__helper", map[string]any{"prompt": "please", "reason": "test"})
}

// household is a parent with a budget and a child without one of its own.
func household(t *testing.T, child *script.Provider, price llm.Money, calls ...script.Call) (*bed, *aiagent.Agent) {
	t.Helper()
	tokens := int64(100)
	h := helper()
	h.Sampling.MaxTokens = &tokens
	h.Targets[0].Price = &llm.Price{Output: price}
	parent := caller(h)
	parent.Sampling.MaxTokens = &tokens
	parent.Targets[0].Price = &llm.Price{Output: llm.Dollar}
	parent.Limits.MaxCost = llm.Dollar / 100
	return family(t, memory.New(), script.New(script.Calls(calls...), report("done")), child), parent
}

// contract: A5, T14
func TestChildrenShareTheirParentsBudget(t *testing.T) {
	t.Parallel()
	t.Run("together they are granted no more than there is", func(t *testing.T) {
		t.Parallel()
		b, parent := household(t, script.New(report("a"), report("b")), llm.Dollar, delegate("h1"), delegate("h2"))
		o := b.run(parent, "hi")
		var granted llm.Money
		n := 0
		for i := range o.archive.Frames {
			for _, e := range must(kernel.DecodeEffects(&o.archive.Frames[i])) {
				if child, ok := e.Body.(*kernel.Child); ok {
					granted += child.Grant
					n++
				}
			}
		}
		if n != 2 || granted == 0 || granted > parent.Limits.MaxCost {
			t.Errorf("%d children were granted %v of %v", n, granted, parent.Limits.MaxCost)
		}
	})
	t.Run("a child that is too dear asks nobody", func(t *testing.T) {
		t.Parallel()
		asked := &recorder{Provider: script.New(report("dear"))}
		b, parent := household(t, nil, 1000*llm.Dollar, delegate("h"))
		_ = b.rt.Close()
		b.rt = must(aiagent.New(aiagent.Config{Store: b.store, Providers: map[string]llm.Provider{
			"parent": script.New(script.Calls(delegate("h")), report("done")), "child": asked,
		}}))
		t.Cleanup(func() { _ = b.rt.Close() })
		o := b.run(parent, "hi")
		if got := o.Conversation[2].Content; len(asked.requests) != 0 || !strings.Contains(got, "budget") {
			t.Errorf("%d requests, the caller is told %q", len(asked.requests), got)
		}
	})
}
