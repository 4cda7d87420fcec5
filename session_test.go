package aiagent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/memory"
	"github.com/ai-agent-go/ai-agent/tool"
	"github.com/ai-agent-go/ai-agent/view"
)

// hold is a tool that waits until it is let go.
func hold() (t tool.Tool, started, release chan struct{}) {
	started, release = make(chan struct{}), make(chan struct{})
	t = tool.Must(tool.New("hold", "Waits.", func(ctx context.Context, _ struct{}) (string, error) {
		close(started)
		select {
		case <-release:
			return "held", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}))
	return t, started, release
}

// contract: S10
func TestWhatIsSaidDuringARunIsQueuedAndNeverLost(t *testing.T) {
	t.Parallel()
	h, started, release := hold()
	b := newBed(t, script.Calls(ask("c", "hold", nil)), report("first"), report("second"))
	s := must(b.rt.Open(t.Context(), agent(h), &aiagent.SessionOptions{ID: "s"}))
	first := s.Execute(t.Context(), aiagent.Prompt("one"))
	<-started
	if err := s.Steer(t.Context(), "faster"); err != nil {
		t.Fatal(err)
	}
	second := s.Execute(t.Context(), aiagent.Prompt("two"))
	close(release)
	r1, r2 := must(first.Result()), must(second.Result())
	if r1.Report.Text() != "first" || r2.Report.Text() != "second" {
		t.Errorf("reports %q and %q", r1.Report.Text(), r2.Report.Text())
	}
	v := must(s.View(t.Context()))
	var said []string
	for _, m := range v.Messages {
		said = append(said, string(m.Role)+":"+m.Content)
	}
	want := `user:one assistant: tool:held user:faster assistant: tool:{"ok": true} user:two assistant: tool:{"ok": true}`
	if got := strings.Join(said, " "); got != want {
		t.Errorf("conversation %q, want %q", got, want)
	}
	b.check("s")
}

// contract: S11, V2, V5, R10
func TestAnAbortLeavesAValidConversationWithAnAbortedMessage(t *testing.T) {
	t.Parallel()
	h, started, _ := hold()
	b := newBed(t, script.Calls(ask("c", "hold", nil), askWeather("w", "Athens")), report("after"), report("after"))
	s := must(b.rt.Open(t.Context(), agent(h, weather()), &aiagent.SessionOptions{ID: "s"}))
	st := s.Execute(t.Context(), aiagent.Prompt("one"))
	<-started
	if err := s.Abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := must(st.Result())
	if r.Status != kernel.StatusError || r.Report.Status != "failure" || string(r.Report.Metadata) != `{"reason":"aborted"}` {
		t.Errorf("%+v, %+v", r, r.Report)
	}
	v := must(s.View(t.Context()))
	last := v.Messages[len(v.Messages)-1]
	if last.StopReason != "aborted" || last.ErrorMessage == "" {
		t.Errorf("last message %+v", last)
	}
	if v.Messages[2].Content != "(tool failed: aborted)" {
		t.Errorf("the held call is answered %q", v.Messages[2].Content)
	}
	// The session goes on, and the model never sees how the run ended.
	if r := must(s.Execute(t.Context(), aiagent.Prompt("again")).Result()); r.Report.Text() != "after" {
		t.Errorf("after the abort: %+v", r)
	}
	for _, m := range b.provider.last().History {
		if strings.Contains(m.Content(), "aborted") && m.Role != llm.RoleTool {
			t.Errorf("the model is shown %q", m.Content())
		}
	}
	b.check("s")
}

// contract: S11, R10, E1
func TestAnAbortInTheMiddleOfAStreamEndsItAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := script.Text(strings.Repeat("word ", 100))
		slow.ChunkSize, slow.ChunkDelayMS = 5, 1000
		b := newBed(t, slow)
		a := agent()
		a.Completion = spec.CompleteText
		ctx, cancel := context.WithTimeout(t.Context(), 5500*time.Millisecond)
		defer cancel()
		start := time.Now()
		result := b.rt.Run(ctx, a, "hi", &aiagent.RunOptions{SessionID: "s"})
		if took := time.Since(start); took > 6*time.Second {
			t.Errorf("took %v", took)
		}
		if result.Success || string(result.FinalReport.Metadata) != `{"reason":"aborted"}` {
			t.Errorf("%s", result.FinalReport.Metadata)
		}
		last := result.Conversation[len(result.Conversation)-1]
		if last.StopReason != "aborted" || !strings.HasPrefix(last.Content, "word word") {
			t.Errorf("last message %+v", last)
		}
		if n := len(result.Accounting); n != 1 || result.Accounting[0].ErrorClass != string(llm.ClassAborted) {
			t.Errorf("accounting %+v", result.Accounting)
		}
		b.check("s")
		_ = b.rt.Close()
	})
}

// contract: S2, S3, S4
func TestEventsComeInOrderAndDeltasAddUpToTheWhole(t *testing.T) {
	t.Parallel()
	first := script.Calls(askWeather("c", "Athens"))
	first.Reasoning = []llm.Reasoning{{Text: "I think, therefore"}}
	first.Text = "Let me see."
	first.ChunkSize = 3
	o := newBed(t, first, report("done")).run(agent(weather()), "hi")
	open := map[string]bool{}
	var text, thinking strings.Builder
	for _, e := range o.events {
		kind, phase := string(e.Type), ""
		if i := strings.LastIndexByte(kind, '_'); i > 0 {
			kind, phase = kind[:i], kind[i+1:]
		}
		switch phase {
		case "start":
			if kind == "session" || kind == "run" {
				continue
			}
			if kind != "tool_execution" && open[kind] {
				t.Errorf("%s starts twice", kind)
			}
			open[kind] = true
		case "end":
			if kind != "session" && kind != "attempt" && kind != "tool_execution" && !open[kind] {
				t.Errorf("%s ends without a start", kind)
			}
			open[kind] = false
		}
		switch e.Type {
		case view.EventTextDelta:
			text.WriteString(e.Delta)
		case view.EventTextEnd:
			if e.Text != text.String() || e.Text != "Let me see." {
				t.Errorf("text %q, deltas %q", e.Text, text.String())
			}
		case view.EventThinkingDelta:
			thinking.WriteString(e.Delta)
		case view.EventThinkingEnd:
			if e.Thinking != thinking.String() {
				t.Errorf("thinking %q, deltas %q", e.Thinking, thinking.String())
			}
		}
	}
	for kind, is := range open {
		if is {
			t.Errorf("%s never ends", kind)
		}
	}
	if o.events[0].Type != view.EventSessionStart || o.events[0].SessionID != "s" {
		t.Errorf("first event %+v", o.events[0])
	}
	if last := o.events[len(o.events)-1]; last.Type != view.EventExecuteComplete || last.Status != kernel.StatusCompleted {
		t.Errorf("last event %+v", last)
	}
}

// contract: S3
func TestWhoComesLateIsToldTheMessageFromItsBeginning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := script.Text("one two three four five")
		slow.ChunkSize, slow.ChunkDelayMS = 4, 1000
		b := newBed(t, slow)
		a := agent()
		a.Completion = spec.CompleteText
		s := must(b.rt.Open(t.Context(), a, &aiagent.SessionOptions{ID: "s"}))
		st := s.Execute(t.Context(), aiagent.Prompt("hi"))
		time.Sleep(2500 * time.Millisecond) // in a bubble of fake time
		var text strings.Builder
		for e, err := range s.Events(t.Context(), 0) {
			if err != nil {
				t.Error(err)
				break
			}
			if e.Type == view.EventTextDelta {
				text.WriteString(e.Delta)
			}
			if e.Type == view.EventExecuteComplete {
				break
			}
		}
		if got := text.String(); got != "one two three four five" {
			t.Errorf("deltas add up to %q", got)
		}
		if _, err := st.Result(); err != nil {
			t.Error(err)
		}
		_ = b.rt.Close()
	})
}

// crash ends a runtime the way a killed process does: nothing that is under way
// is written down.
func (b *bed) crash() { _ = b.rt.Close() }

// contract: S8, V2
func TestAfterACrashTheSessionGoesOnAndNothingRunsTwice(t *testing.T) {
	t.Parallel()
	for name, safe := range map[string]bool{"a tool that must not run twice": false, "a tool that may": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := memory.New()
			runs := 0
			started := make(chan struct{})
			h := tool.Must(tool.New("hold", "Waits.", func(ctx context.Context, _ struct{}) (string, error) {
				if runs++; runs == 1 {
					close(started)
					<-ctx.Done()
					return "", ctx.Err()
				}
				return "second run", nil
			}))
			h.ReplaySafe = safe
			turns := []script.Step{script.Calls(ask("c", "hold", nil)), report("done")}
			b := newBedOn(t, st, turns...)
			s := must(b.rt.Open(t.Context(), agent(h), &aiagent.SessionOptions{ID: "s"}))
			s.Execute(t.Context(), aiagent.Prompt("hi"))
			<-started
			b.crash()

			again := newBedOn(t, st, turns...)
			again.rt.Register(agent(h))
			again.rt.Wake("s")
			s = must(again.rt.Session(t.Context(), "s"))
			v := settledView(t, s)
			want, wantRuns := "(tool failed: interrupted)", 1
			if safe {
				want, wantRuns = "second run", 2
			}
			if v.Messages[2].Content != want || runs != wantRuns {
				t.Errorf("the call is answered %q after %d runs, want %q after %d", v.Messages[2].Content, runs, want, wantRuns)
			}
			if v.Status != kernel.StatusCompleted {
				t.Errorf("status %s", v.Status)
			}
			again.check("s")
		})
	}
}

// settledView follows a session until its run has ended.
func settledView(t *testing.T, s *aiagent.Session) *view.Session {
	t.Helper()
	for e, err := range s.Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == view.EventExecuteComplete {
			break
		}
	}
	return must(s.View(t.Context()))
}

// contract: S8, R9
func TestACrashDuringARequestIsAnAttemptOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	st := memory.New()
	slow := report("never")
	slow.DelayMS = 1_000_000
	b := newBedOn(t, st, slow)
	s := must(b.rt.Open(t.Context(), agent(), &aiagent.SessionOptions{ID: "s"}))
	s.Execute(t.Context(), aiagent.Prompt("hi"))
	b.crash()

	again := newBedOn(t, st, report("done"))
	again.rt.Wake("s")
	v := settledView(t, must(again.rt.Session(t.Context(), "s")))
	if v.Status != kernel.StatusCompleted || len(v.Accounting) != 3 || v.Accounting[0].ErrorClass != string(llm.ClassUnknown) {
		t.Errorf("status %s, accounting %+v", v.Status, v.Accounting)
	}
	again.check("s")
}

func TestASessionThatIsNotThereIsNotFound(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, id := range []string{"nobody", "../etc/passwd", ""} {
		if _, err := b.rt.Session(t.Context(), id); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("session %q: %v", id, err)
		}
	}
}
