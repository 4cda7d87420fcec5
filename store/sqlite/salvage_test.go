package sqlite

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// saved is what a salvage got out, in numbers.
type saved struct{ sessions, frames, blobs, damage int }

// salvageBytes salvages a file of these bytes and checks all that comes out.
func salvageBytes(tb testing.TB, file []byte) (saved, error) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "sessions.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		tb.Fatal(err)
	}
	var n saved
	for s, err := range Salvage(tb.Context(), path) {
		if err != nil {
			return n, err
		}
		n.sessions++
		n.frames += len(s.Frames)
		n.blobs += len(s.Blobs)
		n.damage += len(s.Damage)
		tail := store.NewTail(s.Key)
		if err := errors.Join(tail.Follow(s.Frames), store.CheckBlobs(s.Blobs)); err != nil {
			tb.Errorf("salvaged what is damaged: %v", err)
		}
		for i := range s.Frames {
			if err := s.Frames[i].Check(); err != nil {
				tb.Errorf("salvaged what is damaged: %v", err)
			}
		}
		for _, d := range s.Damage {
			if d.Key != s.Key {
				tb.Errorf("damage of %s is told of %s", d.Key, s.Key)
			}
		}
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(after, file) {
		tb.Errorf("the file was changed: %v", err)
	}
	return n, nil
}

func TestASoundFileIsSalvagedWhole(t *testing.T) {
	t.Parallel()
	sm := newSample(t, false)
	n, err := salvageBytes(t, sm.file)
	if want := (saved{sessions: 3, frames: 18, blobs: 18}); err != nil || n != want {
		t.Errorf("salvaged %+v, %v, want %+v", n, err, want)
	}
}

// One page after another is overwritten: what is not on it comes out.
func TestADamagedPageCostsOnlyWhatWasOnIt(t *testing.T) {
	t.Parallel()
	sm := newSample(t, false)
	rng := rand.New(rand.NewPCG(7, 8)) //nolint:gosec // a fixed seed
	var total saved
	pages, tried, lost, hurt := len(sm.file)/pageSize, 0, 0, 0
	for page := 1; page < pages; page += min(slowdown, 5) { // the first is the schema
		tried++
		file := bytes.Clone(sm.file)
		copy(file[page*pageSize:], noise(pageSize, rng))
		n, err := salvageBytes(t, file)
		if err != nil {
			lost++
			continue
		}
		if n.damage > 0 {
			hurt++
		} else if n != (saved{sessions: 3, frames: 18, blobs: 18}) {
			t.Errorf("page %d: %+v came out and no damage is told", page, n)
		}
		total.sessions += n.sessions
		total.frames += n.frames
		total.blobs += n.blobs
	}
	read := tried - lost
	t.Logf("%d pages damaged one by one: %d files could not be read at all, %d had losses; on average %.1f of 3 sessions, %.1f of 18 frames, %.1f of 18 blobs",
		tried, lost, hurt, float64(total.sessions)/float64(read), float64(total.frames)/float64(read), float64(total.blobs)/float64(read))
	if lost > max(tried/10, 2) || total.frames < read*16 || total.blobs < read*15 {
		t.Errorf("of %d damaged files %d could not be read; %+v came out of the others", tried, lost, total)
	}
}

func TestWhatCannotBeSalvagedIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := salvageBytes(t, bytes.Repeat([]byte{0xa5}, 10_000)); !errors.Is(err, journal.ErrCorrupt) {
		t.Errorf("noise: %v, want %v", err, journal.ErrCorrupt)
	}
	for _, err := range Salvage(t.Context(), filepath.Join(t.TempDir(), "nothing.db")) {
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("no file: %v", err)
		}
	}
}

func TestASalvageMayStopEarly(t *testing.T) {
	t.Parallel()
	n := 0
	for range Salvage(t.Context(), written(t)) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d sessions", n)
	}
}
