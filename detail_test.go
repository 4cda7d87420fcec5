package aiagent_test

// Tests that planted faults asked for (see sim/mutants), about turns,
// the context and what is said to a session.

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

// contract: X2, X3
func TestAResultLeavesRoomForTheToolsSchemas(t *testing.T) {
	t.Parallel()
	turns := []script.Step{withUsage(script.Calls(ask("c", "bulky", nil)), 100, 10), report("done")}
	starts := facts[*kernel.AttemptStart](newBed(t, turns...).run(agent(bulky(4000)), "hi"))
	if len(starts) != 2 || starts[1].Schema == 0 {
		t.Fatalf("%+v", starts)
	}
	// One token less than the next request holds, its buffer of two apart.
	a := agent(bulky(4000))
	a.Targets = []aiagent.Target{small(starts[1].Expected + 1)}
	o := newBed(t, turns...).run(a, "hi")
	if got := o.Conversation[2].Content; !strings.Contains(got, "budget exceeded") {
		t.Errorf("a result of %d bytes was admitted that leaves no room for the schemas", len(got))
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

// contract: V5, V1
func TestTheModelNeverHearsHowARunFailed(t *testing.T) {
	t.Parallel()
	b := newBed(t, script.Fail(401, "no"), report("done"))
	s := must(b.rt.Open(t.Context(), agent(), &aiagent.SessionOptions{ID: "s"}))
	must(s.Execute(t.Context(), aiagent.Prompt("one")).Result())
	must(s.Execute(t.Context(), aiagent.Prompt("two")).Result())
	var heard []string
	for _, m := range b.provider.last().History {
		heard = append(heard, string(m.Role)+":"+m.Content())
	}
	if got := strings.Join(heard, " "); got != "user:one user:two" {
		t.Errorf("the model hears %q", got)
	}
	b.check("s")
}
