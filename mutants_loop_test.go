package aiagent_test

// Tests that planted faults asked for: see sim/mutants. Each of them failed to
// exist when a fault survived.

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store/memory"
)

// contract: L8, T11
func TestAfterFiveWastedTurnsTheSixthIsTheLast(t *testing.T) {
	t.Parallel()
	turns := append(repeat(script.Calls(status("in-progress", false, true)), 5), report("done"))
	o := newBed(t, turns...).run(agent(weather()), "hi")
	starts := facts[*kernel.TurnStart](o)
	if !o.Success || len(starts) != 6 {
		t.Fatalf("%s, %d turns", o.Error, len(starts))
	}
	if starts[4].Final || !starts[5].Final || starts[5].Reason != dialect.FinalTaskOnly {
		t.Errorf("the fifth turn is %+v, the sixth %+v", starts[4], starts[5])
	}
}

// contract: L8
func TestTurnsThatWorkAreNotWasted(t *testing.T) {
	t.Parallel()
	turns := append(repeat(script.Calls(askWeather("c", "Athens")), 7), report("done"))
	o := newBed(t, turns...).run(agent(weather()), "hi")
	if f := facts[*kernel.ForcedFinal](o); !o.Success || len(f) != 0 {
		t.Errorf("%s, forced final %+v", o.Error, f)
	}
}

// contract: L8, L5
func TestAStopMakesTheNextTurnTheLast(t *testing.T) {
	t.Parallel()
	h, started, release := hold()
	b := newBed(t, script.Calls(ask("c", "hold", nil)), report("so far"))
	s := must(b.rt.Open(t.Context(), agent(h), &aiagent.SessionOptions{ID: "s"}))
	st := s.Execute(t.Context(), aiagent.Prompt("hi"))
	<-started
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	close(release)
	if r := must(st.Result()); r.Report.Text() != "so far" {
		t.Errorf("%+v", r)
	}
	if got := offered(b.provider.last()); got != spec.FinalReportTool {
		t.Errorf("offered after the stop: %q", got)
	}
	o := &outcome{archive: b.check("s")}
	if f := facts[*kernel.ForcedFinal](o); len(f) != 1 || f[0].Reason != dialect.FinalUserStop {
		t.Errorf("forced final %+v", f)
	}
}

// contract: L6, S11
func TestARunThatTakesTooLongIsEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := report("never")
		slow.DelayMS = 60_000
		b := newBed(t, slow)
		a := agent()
		a.Limits.RunTimeoutMS = 5000
		start := time.Now()
		o := b.run(a, "hi")
		if took := time.Since(start); took < 5*time.Second || took > 7*time.Second {
			t.Errorf("took %v", took)
		}
		if o.Success || reason(o) != `{"reason":"aborted"}` || !strings.Contains(o.Error, "time limit") {
			t.Errorf("success %t, reason %s, error %q", o.Success, reason(o), o.Error)
		}
		_ = b.rt.Close()
	})
}

// contract: X2, V3
func TestANoticeTakesUpRoomLikeAnythingElse(t *testing.T) {
	t.Parallel()
	turn := script.Turn(script.Reply{}, report("done"))
	starts := facts[*kernel.AttemptStart](newBed(t, turn).run(agent(), "hi"))
	if len(starts) != 2 || starts[1].Expected <= starts[0].Expected {
		t.Fatalf("the notice is not counted: %+v", starts)
	}
	// The second target has room for the first request and not for the second.
	tight := small(starts[1].Expected + 1)
	a := agent()
	a.Targets = append(a.Targets, tight)
	b := newBed(t, turn)
	if o := b.run(a, "hi"); !o.Success || b.provider.last().Model != "demo" {
		t.Errorf("%s, asked %s", o.Error, b.provider.last().Model)
	}
}

// contract: X1
func TestWhatAProviderHasInItsCacheIsPartOfTheContext(t *testing.T) {
	t.Parallel()
	first := script.Calls(askWeather("c", "Athens"))
	first.Usage = &llm.Usage{Input: 10, Output: 5, CacheRead: 1000, CacheWrite: 200}
	o := newBed(t, first, report("done")).run(agent(weather()), "hi")
	if got := facts[*kernel.AttemptStart](o)[1].Context; got != 1215 {
		t.Errorf("context %d, want 1215", got)
	}
}

// contract: L3
func TestOnlyExecutionsCountAgainstTheLimit(t *testing.T) {
	t.Parallel()
	done := report("done").Calls[0]
	for name, turns := range map[string][]script.Step{
		"a report does not": {script.Calls(done, askWeather("w", "Athens"))},
		"a status does not": {script.Calls(status("in-progress", false, true), askWeather("w", "Athens")), report("done")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := agent(weather())
			a.Limits.MaxToolCallsPerTurn = 1
			o := newBed(t, turns...).run(a, "hi")
			if n := len(facts[*kernel.ToolStart](o)); !o.Success || n != 1 {
				t.Errorf("%s, %d executions, want 1", o.Error, n)
			}
		})
	}
}

// contract: R12, T5
func TestAnAnswerInTextThatWasCutOffIsAskedForAgain(t *testing.T) {
	t.Parallel()
	cut := script.Text("half an ans")
	cut.Finish = llm.FinishLength
	a := agent()
	a.Completion = spec.CompleteText
	if o := newBed(t, script.Turn(cut, script.Text("whole"))).run(a, "hi"); o.Text() != "whole" {
		t.Errorf("%s, %q", o.Error, o.Text())
	}
}

// contract: S10
func TestQueuedPromptsAreTakenUpInTheirOrder(t *testing.T) {
	t.Parallel()
	h, started, release := hold()
	b := newBed(t, script.Calls(ask("c", "hold", nil)), report("1"), report("2"), report("3"), report("4"))
	s := must(b.rt.Open(t.Context(), agent(h), &aiagent.SessionOptions{ID: "s"}))
	first := s.Execute(t.Context(), aiagent.Prompt("one"))
	<-started
	var last *aiagent.Stream
	for _, text := range []string{"two", "three", "four"} {
		last = s.Execute(t.Context(), aiagent.Prompt(text))
	}
	close(release)
	must(first.Result())
	for must(last.Result()); must(s.View(t.Context())).Run < 4; {
		settledView(t, s)
	}
	v := must(s.View(t.Context()))
	var said []string
	for _, m := range v.Messages {
		if m.Role == llm.RoleUser {
			said = append(said, m.Content)
		}
	}
	if got := strings.Join(said, " "); got != "one two three four" {
		t.Errorf("heard %q", got)
	}
}

// contract: S10
func TestWhatIsSaidDuringTheLastRequestStartsTheNextRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := report("first")
		slow.DelayMS = 5000
		b := newBed(t, slow, report("second"))
		s := must(b.rt.Open(t.Context(), agent(), &aiagent.SessionOptions{ID: "s"}))
		st := s.Execute(t.Context(), aiagent.Prompt("one"))
		time.Sleep(time.Second) // in a bubble of fake time
		if err := s.Steer(t.Context(), "late"); err != nil {
			t.Fatal(err)
		}
		must(st.Result())
		time.Sleep(time.Minute)
		v := must(s.View(t.Context()))
		if v.Run != 2 || v.Report == nil || v.Report.Text() != "second" {
			t.Errorf("run %d, report %+v", v.Run, v.Report)
		}
		_ = b.rt.Close()
	})
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
