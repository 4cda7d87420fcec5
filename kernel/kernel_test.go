package kernel_test

import (
	"bytes"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorded is a real session: a source of states and inputs.
func recorded(tb testing.TB) *journal.Archive {
	tb.Helper()
	data, err := os.ReadFile("../contract/testdata/demo-1.aiagent")
	if err != nil {
		tb.Fatal(err)
	}
	a, err := journal.ReadArchive(bytes.NewReader(data))
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// states are the states of a session, the empty one first.
func states(tb testing.TB, a *journal.Archive) []kernel.State {
	tb.Helper()
	all := []kernel.State{{}}
	r := replay.New(a.Key)
	for i := range a.Frames {
		if _, err := r.Next(&a.Frames[i]); err != nil {
			tb.Fatal(err)
		}
		all = append(all, r.State())
	}
	return all
}

// contract: P10
func TestAStateIsReadBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	for i, s := range states(t, recorded(t)) {
		data := s.Encode(nil)
		read, err := kernel.DecodeState(data)
		if err != nil {
			t.Fatalf("state %d: %v", i, err)
		}
		if !bytes.Equal(read.Encode(nil), data) {
			t.Errorf("state %d is not what was written", i)
		}
	}
}

// contract: P10
func TestStepDoesNotChangeTheStateThatItIsGiven(t *testing.T) {
	t.Parallel()
	a := recorded(t)
	all := states(t, a)
	for i := range a.Frames {
		before := all[i].Encode(nil)
		body, err := kernel.DecodeInput(a.Frames[i].Input)
		if err != nil {
			t.Fatal(err)
		}
		kernel.Step(all[i], kernel.NewInput(a.Frames[i].Time, body))
		if !bytes.Equal(all[i].Encode(nil), before) {
			t.Errorf("input %d changed the state that it was applied to", i+1)
		}
	}
}

// contract: P10, S8
func TestReplayGoesOnFromAnySavedState(t *testing.T) {
	t.Parallel()
	a := recorded(t)
	all := states(t, a)
	for from := 1; from < len(a.Frames); from++ {
		r := replay.Resume(all[from], a.Frames[from-1].Hash())
		for i := from; i < len(a.Frames); i++ {
			if _, err := r.Next(&a.Frames[i]); err != nil {
				t.Fatalf("from state %d: %v", from, err)
			}
		}
		if got := r.State(); got.Hash() != all[len(all)-1].Hash() {
			t.Errorf("from state %d the session ends elsewhere", from)
		}
	}
}

// contract: S6
func TestAnInputThatMeansNothingIsAnsweredAndChangesNothing(t *testing.T) {
	t.Parallel()
	a := recorded(t)
	for i, s := range states(t, a) {
		for _, body := range []kernel.InputBody{
			&kernel.ToolResult{CallID: "nobody"}, &kernel.Decision{CallID: "nobody", Allow: true},
			&kernel.Receipt{Effect: "99.9", Timer: &kernel.TimerFired{}}, &kernel.Receipt{Effect: "99.9"},
			&kernel.ChildWaits{Effect: "99.9"},
		} {
			next, out := kernel.Step(s, kernel.NewInput(s.Time, body))
			if out.Answer.OK || len(out.Effects) != 0 {
				t.Errorf("state %d: %T was obeyed: %+v", i, body, out.Answer)
			}
			next.Seq = s.Seq
			if next.Hash() != s.Hash() {
				t.Errorf("state %d: %T changed something", i, body)
			}
		}
	}
}

// FuzzStep applies whatever decodes as an input to real states: Step is total.
func FuzzStep(f *testing.F) {
	a := recorded(f)
	all := states(f, a)
	for i := range a.Frames {
		f.Add(a.Frames[i].Input.Kind, a.Frames[i].Input.Body, i)
	}
	f.Fuzz(func(t *testing.T, kind string, body []byte, at int) {
		input, err := kernel.DecodeInput(journal.Record{Kind: kind, Body: body})
		if err != nil {
			return
		}
		if at < 0 || at >= len(all) {
			return
		}
		s := all[at]
		in := kernel.NewInput(s.Time+1, input)
		next, out := kernel.Step(s, in)
		frame := kernel.NewFrame(journal.Ref{}, &next, in, &out)
		if _, err := kernel.DecodeFacts(&frame); err != nil {
			t.Fatalf("facts cannot be read back: %v", err)
		}
		if _, err := kernel.DecodeEffects(&frame); err != nil {
			t.Fatalf("effects cannot be read back: %v", err)
		}
		data := next.Encode(nil)
		if again, err := kernel.DecodeState(data); err != nil || again.Hash() != next.Hash() {
			t.Fatalf("the state cannot be read back: %v", err)
		}
	})
}
