package aiagent_test

import (
	"errors"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/store/memory"
)

// contract: S8
func TestResumeTakesUpARunThatWasInterruptedAndTellsOfOneThatEnded(t *testing.T) {
	t.Parallel()
	st := memory.New()
	h, started, _ := hold()
	turns := []script.Step{script.Calls(ask("c", "hold", nil)), report("done")}
	b := newBedOn(t, st, turns...)
	s := must(b.rt.Open(t.Context(), agent(h), &aiagent.SessionOptions{ID: "s"}))
	s.Execute(t.Context(), aiagent.Prompt("hi"))
	<-started
	b.crash()

	again := newBedOn(t, st, turns...)
	s = must(again.rt.Session(t.Context(), "s"))
	for range 2 { // the second time it has ended
		if r := s.Run(t.Context(), aiagent.Resume(), nil); !r.Success || r.Text() != "done" {
			t.Fatalf("%+v", r)
		}
	}
	again.check("s")
	empty := must(again.rt.Open(t.Context(), agent(), &aiagent.SessionOptions{ID: "e"}))
	if r := empty.Run(t.Context(), aiagent.Resume(), nil); r.Err() == nil {
		t.Error("a session without a run was resumed")
	}
}

func TestContinueAsksAgainWhatWasNotAnswered(t *testing.T) {
	t.Parallel()
	b := newBed(t, script.Turn(script.Fail(401, "bad key"), report("unused")), report("unused"))
	o := b.run(agent(), "hi")
	if o.Success {
		t.Fatal("it succeeded")
	}
	again := newBedOn(t, b.store, report("{{user}} yourself"))
	s := must(again.rt.Session(t.Context(), "s"))
	if r := s.Run(t.Context(), aiagent.Continue(), nil); !r.Success || r.Text() != "hi yourself" {
		t.Fatalf("%+v", r)
	}
	again.check("s")
	empty := must(again.rt.Open(t.Context(), agent(), &aiagent.SessionOptions{ID: "e"}))
	var refused *host.Refused
	if err := empty.Send(t.Context(), aiagent.Continue()); !errors.As(err, &refused) || refused.Code != kernel.CodeNothing {
		t.Errorf("continuing an empty conversation: %v", err)
	}
}
