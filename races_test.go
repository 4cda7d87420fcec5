package aiagent_test

// Races of listeners and of processes. Those of two inputs are in sim.

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store/memory"
	"github.com/ai-agent-go/ai-agent/view"
)

// contract: S2, S3, S7
func TestWhoeverComesBeforeOrAfterTheEndOfAMessageHearsItWhole(t *testing.T) {
	t.Parallel()
	const whole = "one two three"
	// Pieces come every second; the message ends at 3 s or soon after.
	for at := 500 * time.Millisecond; at <= 5*time.Second; at += 250 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			slow := script.Text(whole)
			slow.ChunkSize, slow.ChunkDelayMS = 4, 1000
			b := newBed(t, slow)
			a := agent()
			a.Completion = spec.CompleteText
			s := must(b.rt.Open(t.Context(), a, &aiagent.SessionOptions{ID: "s"}))
			s.Execute(t.Context(), aiagent.Prompt("hi"))
			time.Sleep(at)
			var text strings.Builder
			open := 0
			for e, err := range s.Events(t.Context(), 0) {
				if err != nil {
					t.Fatal(err)
				}
				switch e.Type {
				case view.EventTextDelta:
					text.WriteString(e.Delta)
				case view.EventMessageStart:
					open++
				case view.EventMessageEnd:
					open--
				}
				if e.Type == view.EventExecuteComplete {
					break
				}
			}
			if text.String() != whole || open != 0 {
				t.Errorf("after %v: heard %q, %d messages open", at, text.String(), open)
			}
			_ = b.rt.Close()
		})
	}
}

// contract: S7
func TestWhoeverIsCutOffAndComesBackHearsEveryFactOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t, script.Calls(askWeather("a", "Oslo"), askWeather("b", "Rome")), report("done"))
	s := must(b.rt.Open(t.Context(), agent(weather()), &aiagent.SessionOptions{ID: "s"}))
	must(s.Execute(t.Context(), aiagent.Prompt("hi")).Result())
	follow := func(after, until uint64) (heard []string) {
		for e, err := range s.Events(t.Context(), after) {
			if err != nil {
				t.Fatal(err)
			}
			if until > 0 && e.Seq > until {
				break
			}
			heard = append(heard, fmt.Sprintf("%d %s %s", e.Seq, e.Type, llm.MustMarshalJSON(&e)))
			if e.Type == view.EventExecuteComplete {
				break
			}
		}
		return heard
	}
	whole := follow(0, 0)
	last := must(b.store.Head(t.Context(), keyOf("s"))).Seq
	for cut := uint64(1); cut < last; cut++ {
		got := append(follow(0, cut), follow(cut, 0)...)
		if strings.Join(got, "\n") != strings.Join(whole, "\n") {
			t.Errorf("cut after frame %d: %d events, want %d", cut, len(got), len(whole))
		}
	}
}

// contract: S8, S9
func TestARuntimeThatClosesBeforeOrAfterAReceiptLosesNothing(t *testing.T) {
	t.Parallel()
	for _, at := range []int{999, 1000, 1001} {
		synctest.Test(t, func(t *testing.T) {
			slow := report("done")
			slow.DelayMS = 1000
			st := memory.New()
			b := newBedOn(t, st, slow)
			s := must(b.rt.Open(t.Context(), agent(), &aiagent.SessionOptions{ID: "s"}))
			s.Execute(t.Context(), aiagent.Prompt("hi"))
			time.Sleep(time.Duration(at) * time.Millisecond)
			b.crash()

			again := newBedOn(t, st, report("done"))
			again.rt.Wake("s")
			v := settledView(t, must(again.rt.Session(t.Context(), "s")))
			o := &outcome{archive: again.check("s")}
			if ends := facts[*kernel.RunEnd](o); v.Status != kernel.StatusCompleted || len(ends) != 1 {
				t.Errorf("closed after %d ms: %s, %d ends", at, v.Status, len(ends))
			}
			attempts := len(facts[*kernel.AttemptEnd](o))
			if want := 1; at > 1000 && attempts != want {
				t.Errorf("closed after %d ms: %d attempts, want %d", at, attempts, want)
			}
			if want := 2; at < 1000 && attempts != want {
				t.Errorf("closed after %d ms: %d attempts, want %d", at, attempts, want)
			}
			_ = again.rt.Close()
		})
	}
}

// contract: S9
func TestATakeOverBeforeOrAfterAnAppend(t *testing.T) {
	t.Parallel()
	for _, at := range []int{999, 1001} {
		synctest.Test(t, func(t *testing.T) {
			slow := report("done")
			slow.DelayMS = 1000
			st := memory.New()
			b := newBedOn(t, st, slow)
			s := must(b.rt.Open(t.Context(), agent(), &aiagent.SessionOptions{ID: "s"}))
			s.Execute(t.Context(), aiagent.Prompt("hi"))
			time.Sleep(time.Duration(at) * time.Millisecond)
			must(st.Acquire(t.Context(), keyOf("s"), "another", time.Now().Add(time.Hour).UnixMilli(), 1000))
			before := must(st.Head(t.Context(), keyOf("s")))
			time.Sleep(time.Minute)
			after := must(st.Head(t.Context(), keyOf("s")))
			if after.Seq != before.Seq {
				t.Errorf("taken over after %d ms: frame %d was appended", at, after.Seq)
			}
			if done := after.Status == kernel.StatusCompleted; done != (at > 1000) {
				t.Errorf("taken over after %d ms: %s", at, after.Status)
			}
			_ = b.rt.Close()
		})
	}
}
