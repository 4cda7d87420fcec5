package kernel_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
)

// Version 0 is an older version of the kernel that never was: it kept its state
// as JSON. What its frames tell is told as today.

// encodeV0 and decodeV0 are how version 0 wrote its state. Reading it is all
// that a newer version must know of an older one.
func encodeV0(s *kernel.State) []byte {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return data
}

func decodeV0(data []byte) (kernel.State, error) {
	var s kernel.State
	err := json.Unmarshal(data, &s)
	return s, err
}

// asV0 is the session up to a frame as version 0 would have journaled it.
func asV0(a *journal.Archive, all []kernel.State, frames int) ([]journal.Frame, []byte) {
	prev := journal.Genesis(a.Key)
	var old []journal.Frame
	var state []byte
	for i := range frames {
		f := a.Frames[i]
		state = encodeV0(&all[i+1])
		f.Kernel, f.Prev, f.State = 0, prev, journal.RefOf(state)
		prev = f.Hash()
		old = append(old, f)
	}
	return old, state
}

// contract: P10
func TestASessionOfAnOlderVersionGoesOnAfterAMigration(t *testing.T) {
	t.Parallel()
	a := recorded(t)
	all := states(t, a)
	for n := 1; n <= len(a.Frames); n++ {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			frames, state := asV0(a, all, n)
			frames = goOn(t, a, frames, state)

			// A reader that knows nothing of version 0 says so, and goes on from the
			// migration bit for bit.
			r := kernel.NewReplayer(a.Key)
			for i := range frames {
				_, err := r.Next(&frames[i])
				if old := i < n; old != errors.Is(err, kernel.ErrVersion) || !old && err != nil {
					t.Fatalf("frame %d: %v", i+1, err)
				}
			}
			got, want := r.State(), all[len(all)-1]
			if got.Status() != want.Status() || got.Transcript.Entries != want.Transcript.Entries || got.Totals != want.Totals {
				t.Errorf("the session ends as %s with %d messages, %+v; it was %s with %d, %+v",
					got.Status(), got.Transcript.Entries, got.Totals, want.Status(), want.Transcript.Entries, want.Totals)
			}
		})
	}
}

// goOn migrates a session and leads it on as it was led.
func goOn(t *testing.T, a *journal.Archive, frames []journal.Frame, state []byte) []journal.Frame {
	t.Helper()
	n := len(frames)
	old, err := decodeV0(state)
	if err != nil {
		t.Fatal(err)
	}
	inputs := []kernel.Input{kernel.NewInput(old.Time, &kernel.Migrate{Before: frames[n-1].State, State: old.Encode(nil)})}
	for i := n; i < len(a.Frames); i++ {
		body, err := kernel.DecodeInput(a.Frames[i].Input)
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := body.(*kernel.Receipt); ok {
			r.Effect = shifted(r.Effect, n)
		}
		in := kernel.NewInput(a.Frames[i].Time, body)
		in.Blobs = a.Frames[i].Blobs
		inputs = append(inputs, in)
	}
	var current kernel.State
	prev := frames[n-1].Hash()
	for _, in := range inputs {
		next, out := kernel.Step(current, in)
		if !out.Answer.OK {
			t.Fatalf("frame %d: %s: %s", next.Seq, out.Answer.Code, out.Answer.Message)
		}
		f := kernel.NewFrame(prev, &next, in, &out)
		frames = append(frames, f)
		current, prev = next, f.Hash()
	}
	return frames
}

// shifted is an effect's id when a migration stands between: frames after it
// have moved by one.
func shifted(id string, after int) string {
	frame, place, _ := strings.Cut(id, ".")
	n, err := strconv.Atoi(frame)
	if err != nil || n <= after {
		return id
	}
	return fmt.Sprintf("%d.%s", n+1, place)
}

// contract: P10
func TestAMigrationThatDoesNotFollowIsNoticed(t *testing.T) {
	t.Parallel()
	a := recorded(t)
	all := states(t, a)
	frames, state := asV0(a, all, 3)
	frames = goOn(t, a, frames, state)
	broken := func(change func(m *kernel.Migrate)) error {
		body, err := kernel.DecodeInput(frames[3].Input)
		if err != nil {
			t.Fatal(err)
		}
		m, ok := body.(*kernel.Migrate)
		if !ok {
			t.Fatalf("frame 4 is %T", body)
		}
		change(m)
		in := kernel.NewInput(frames[3].Time, m)
		next, out := kernel.Step(kernel.State{}, in)
		f := kernel.NewFrame(frames[2].Hash(), &next, in, &out)
		f.Seq = 4
		r := kernel.NewReplayer(a.Key)
		for i := range 3 {
			_, _ = r.Next(&frames[i])
		}
		_, err = r.Next(&f)
		return err
	}
	for name, change := range map[string]func(*kernel.Migrate){
		"another state before": func(m *kernel.Migrate) { m.Before = journal.RefOf([]byte("x")) },
		"half a state":         func(m *kernel.Migrate) { m.State = m.State[:len(m.State)/2] },
		"a newer version":      func(m *kernel.Migrate) { m.From = kernel.Version + 1 },
	} {
		if err := broken(change); err == nil {
			t.Errorf("%s: nobody notices", name)
		}
	}
	if err := broken(func(*kernel.Migrate) {}); err != nil {
		t.Errorf("the good one: %v", err)
	}
	// A session of this version has nothing to migrate.
	_, out := kernel.Step(all[3], kernel.NewInput(0, &kernel.Migrate{State: all[2].Encode(nil)}))
	if out.Answer.OK {
		t.Error("a session of this version was migrated")
	}
	// Without a migration nothing after another version's frames is comparable.
	frames[3] = a.Frames[3]
	frames[3].Prev = frames[2].Hash()
	r := kernel.NewReplayer(a.Key)
	for i := range 4 {
		if _, err := r.Next(&frames[i]); !errors.Is(err, kernel.ErrVersion) {
			t.Errorf("frame %d: %v", i+1, err)
		}
	}
}
