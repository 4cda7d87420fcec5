package aiagent_test

// Tests that planted faults asked for (see sim/mutants), about what is
// durable, and about who is told of it.

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/replay"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/memory"
	"github.com/ai-agent-go/ai-agent/tool"
	"github.com/ai-agent-go/ai-agent/view"
)

// fullDisk is a store that can no longer write.
type fullDisk struct {
	store.Store
	full atomic.Bool
}

var errFull = errors.New("no space left")

func (d *fullDisk) Append(ctx context.Context, key journal.Key, batch store.Batch) error {
	if d.full.Load() {
		return errFull
	}
	return d.Store.Append(ctx, key, batch)
}

// contract: S8
func TestWhatCannotBeStoredDoesNotHappen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		disk := &fullDisk{Store: memory.New()}
		b := newBedOn(t, disk, report("never"))
		s := must(b.rt.Open(t.Context(), agent(), &aiagent.SessionOptions{ID: "s"}))
		ctx, cancel := context.WithCancel(t.Context())
		told := make(chan []view.EventType, 1)
		go func() {
			var all []view.EventType
			for e, err := range s.Events(ctx, 0) {
				if err != nil {
					break
				}
				all = append(all, e.Type)
			}
			told <- all
		}()
		synctest.Wait()
		disk.full.Store(true)
		if _, err := s.Execute(t.Context(), aiagent.Prompt("hi")).Result(); !errors.Is(err, errFull) {
			t.Errorf("the caller is told %v", err)
		}
		synctest.Wait()
		cancel()
		if all := <-told; len(all) != 1 || all[0] != view.EventSessionStart {
			t.Errorf("listeners are told %v", all)
		}
		recording.Lock()
		defer recording.Unlock()
		if n := len(b.provider.requests); n != 0 {
			t.Errorf("%d requests were sent", n)
		}
		_ = b.rt.Close()
	})
}

// contract: S3, S7
func TestWhoLagsBehindLosesNoFactAndHearsNothingTwice(t *testing.T) {
	t.Parallel()
	// A listener's queue holds 4,096 events. Where exactly it overflows decides
	// what is lost: a delta, the attempt's end, or something after it.
	for _, n := range []int{4000, 4086, 4087, 4088, 4089, 4090, 4091, 4092, 4093, 4094, 4095, 4096, 5000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			answer := script.Text(strings.Repeat("word ", n/5+1)[:n])
			answer.ChunkSize = 1
			b := newBed(t, answer, script.Text("short"))
			a := agent()
			a.Completion = spec.CompleteText
			s := must(b.rt.Open(t.Context(), a, &aiagent.SessionOptions{ID: "s"}))
			var text strings.Builder
			counts := make(map[view.EventType]int)
			for e, err := range s.Events(t.Context(), 0) {
				if err != nil {
					t.Fatal(err)
				}
				counts[e.Type]++
				if e.Type == view.EventTextDelta {
					text.WriteString(e.Delta)
				}
				// It does not listen while a run happens.
				if e.Type == view.EventSessionStart && e.Seq == 1 || e.Type == view.EventExecuteComplete && counts[e.Type] == 1 {
					must(s.Execute(t.Context(), aiagent.Prompt("hi")).Result())
				}
				if e.Type == view.EventExecuteComplete && e.Run == 2 {
					break
				}
			}
			if got := text.String(); got != answer.Text+"short" {
				t.Errorf("deltas of %d bytes, want %d", len(got), n+len("short"))
			}
			for _, kind := range []view.EventType{
				view.EventSessionStart, view.EventRunStart, view.EventAttemptEnd, view.EventFinalReport, view.EventSessionEnd,
			} {
				if counts[kind] != 2 {
					t.Errorf("%s was told %d times, want once for each of two runs", kind, counts[kind])
				}
			}
		})
	}
}

// contract: S3
func TestWhoLagsBehindInTheMiddleOfAMessageIsToldTheRestAtItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answer := script.Text(strings.Repeat("word ", 1200))
		answer.ChunkSize, answer.ChunkDelayMS = 1, 1
		b := newBed(t, answer)
		a := agent()
		a.Completion = spec.CompleteText
		s := must(b.rt.Open(t.Context(), a, &aiagent.SessionOptions{ID: "s"}))
		var text strings.Builder
		for e, err := range s.Execute(t.Context(), aiagent.Prompt("hi")).Events() {
			if err != nil {
				t.Fatal(err)
			}
			if e.Type != view.EventTextDelta {
				continue
			}
			if text.Len() == 0 {
				time.Sleep(5 * time.Second) // in a bubble of fake time: the message goes on for one more
			}
			text.WriteString(e.Delta)
		}
		if got := text.String(); got != answer.Text {
			t.Errorf("deltas of %d bytes are not the text of %d", len(got), len(answer.Text))
		}
		_ = b.rt.Close()
	})
}

// contract: A1
func TestTheTimeThatARequestTookIsAccountedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := report("done")
		slow.DelayMS = 3000
		b := newBed(t, slow)
		o := b.run(agent(), "hi")
		if got := o.Accounting[0].Latency; got != 3000 {
			t.Errorf("latency %d, want 3000", got)
		}
		if o.Accounting[0].CostUSD != nil {
			t.Errorf("a cost of %v that nobody knows", *o.Accounting[0].CostUSD)
		}
		_ = b.rt.Close()
	})
}

// bomb is a provider that panics.
type bomb struct{}

func (bomb) Generate(context.Context, *llm.Request) iter.Seq2[llm.Delta, *llm.Receipt] { panic("boom") }

// contract: E1, R9
func TestAnAdapterThatPanicsIsAFailedAttempt(t *testing.T) {
	t.Parallel()
	b := &bed{t: t, store: memory.New()}
	b.rt = must(aiagent.New(aiagent.Config{Store: b.store, Providers: map[string]llm.Provider{
		"bomb": bomb{}, "script": script.New(report("done")),
	}}))
	t.Cleanup(func() { _ = b.rt.Close() })
	a := agent()
	a.Targets = append([]aiagent.Target{{Provider: "bomb", Model: "m"}}, a.Targets...)
	o := b.run(a, "hi")
	if got, want := accounts(o), "failed:bomb/m ok:script/demo ok:agent/agent__final_report"; !o.Success || got != want {
		t.Errorf("%s, accounting %q, want %q", o.Error, got, want)
	}
}

// contract: S1, S11
func TestAnAbortedSessionWaitsForNobody(t *testing.T) {
	t.Parallel()
	b := newBed(t, script.Calls(ask("r", "remote", nil)))
	if o := b.run(agent(tool.Remote("remote", "Runs elsewhere.", nil)), "hi"); o.Status != kernel.StatusAwaiting {
		t.Fatalf("status %s", o.Status)
	}
	s := must(b.rt.Session(t.Context(), "s"))
	if err := s.Abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := must(s.View(t.Context())); v.Status != kernel.StatusError || len(v.Pending) != 0 {
		t.Errorf("status %s, pending %+v", v.Status, v.Pending)
	}
	b.check("s")
}

// opened is a session's state after its first input, with a model to ask.
func opened(name string) (kernel.State, kernel.Config) {
	config := kernel.Config{
		Agent: name, Targets: []kernel.Target{{Provider: "p", Model: "m", Window: 10_000}},
		Limits: spec.Limits{MaxTurns: 1, MaxRetries: 1},
	}
	s, _ := kernel.Step(kernel.State{}, kernel.NewInput(100, &kernel.Open{
		Identity: kernel.Identity{Session: "s"}, Nonce: "0badcafe", Config: config,
	}))
	return s, config
}

// contract: P3, P4
func TestARunsOwnConfigurationIsForThatRunAlone(t *testing.T) {
	t.Parallel()
	s, own := opened("session's")
	own.Agent = "run's"
	s, _ = kernel.Step(s, kernel.NewInput(101, &kernel.Prompt{Config: &own}))
	if s.Run == nil || s.Run.Config.Agent != "run's" || s.Config.Agent != "session's" {
		t.Errorf("the session has the configuration of %q, run %+v", s.Config.Agent, s.Run)
	}
}

// contract: P10
func TestTimeNeverRunsBackwards(t *testing.T) {
	t.Parallel()
	s, _ := opened("a")
	if s, _ = kernel.Step(s, kernel.NewInput(50, &kernel.Prompt{})); s.Time != 100 {
		t.Errorf("the time is %d after an input from before 100", s.Time)
	}
}

// contract: P10
func TestReplayNoticesAnotherState(t *testing.T) {
	t.Parallel()
	o := newBed(t, report("done")).run(agent(), "hi")
	last := len(o.archive.Frames) - 1
	o.archive.Frames[last].State[0]++
	r := replay.New(o.archive.Key)
	for i := range o.archive.Frames {
		_, err := r.Next(&o.archive.Frames[i])
		var m *replay.Mismatch
		switch {
		case i < last && err != nil:
			t.Fatal(err)
		case i == last && (!errors.As(err, &m) || m.What != "state"):
			t.Errorf("frame %d: %v", i+1, err)
		}
	}
}

// contract: P12
func TestEveryRequestThatIsSentIsNamedInTheJournal(t *testing.T) {
	t.Parallel()
	o := newBed(t, script.Turn(script.Fail(500, "x"), script.Calls(askWeather("c", "Athens"))), report("done")).run(agent(weather()), "hi")
	seen := make(map[journal.Ref]bool)
	for _, end := range facts[*kernel.AttemptEnd](o) {
		if end.Request.IsZero() || seen[end.Request] {
			t.Errorf("attempt %d of turn %d names the request %s", end.Attempt, end.Turn, end.Request.Short())
		}
		seen[end.Request] = true
	}
	if len(seen) != 3 {
		t.Errorf("%d requests, want 3", len(seen))
	}
}

// contract: S2
func TestAnExecutionWhoseEndIsLostEndsWithItsRun(t *testing.T) {
	t.Parallel()
	s := view.NewStream(func(journal.Ref) ([]byte, error) { return []byte("{}"), nil })
	ends := 0
	for i, f := range []kernel.Fact{
		&kernel.SessionStart{Identity: kernel.Identity{Session: "s"}}, &kernel.RunStart{Run: 1},
		&kernel.ToolStart{Effect: "2.0", CallID: "c", Name: "weather"}, &kernel.RunEnd{Run: 1, Status: kernel.StatusError},
	} {
		for _, e := range must(s.Fact(uint64(i+1), 1, f)) {
			if e.Type == view.EventToolEnd && e.ToolCallID == "c" {
				ends++
			}
		}
	}
	if ends != 1 {
		t.Errorf("the execution ended %d times", ends)
	}
}
