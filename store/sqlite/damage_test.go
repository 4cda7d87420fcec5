package sqlite

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// mark is found in the file, in the frame that carries it.
var mark = []byte("the quick brown fox")

// written returns the path of a closed store with a session of some frames.
func written(t *testing.T) string {
	t.Helper()
	path := madePath(t)
	s := openAt(t, path)
	batch := store.Batch{Lease: begin(t, s, testKey, "me")}
	frames := newChain(testKey)
	for i := range 200 {
		frames.f.Input.Kind = "test"
		if i == 100 {
			frames.f.Input.Kind = string(mark)
		}
		batch.Frames = append(batch.Frames, frames.next()...)
	}
	if err := s.Append(t.Context(), testKey, batch); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func damage(t *testing.T, path string, change func(data []byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestADamagedFileGivesAClearError(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func([]byte) []byte{
		"cut off":           func(data []byte) []byte { return data[:len(data)/2] },
		"cut off in a page": func(data []byte) []byte { return data[:5000] },
		"another header":    func(data []byte) []byte { copy(data, "This is a text, is it not?"); return data },
		"noise":             func(data []byte) []byte { return bytes.Repeat([]byte{0xa5}, len(data)) },
		"a garbled schema":  func(data []byte) []byte { clear(data[100:4096]); return data },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := written(t)
			damage(t, path, change)
			_, err := Open(path, nil)
			if !errors.Is(err, journal.ErrCorrupt) || !strings.Contains(err.Error(), path) {
				t.Errorf("open: %v, want an error that names the path and is %q", err, journal.ErrCorrupt)
			}
		})
	}
}

func TestAChangedFrameIsNoticed(t *testing.T) {
	t.Parallel()
	path := written(t)
	damage(t, path, func(data []byte) []byte {
		at := bytes.Index(data, mark)
		if at < 0 {
			t.Fatal("the mark is not in the file")
		}
		data[at] ^= 1
		return data
	})
	s := openAt(t, path)
	var last uint64
	var err error
	for f, e := range s.Read(t.Context(), testKey, 1) {
		last, err = max(last, f.Seq), e
	}
	if !errors.Is(err, journal.ErrCorrupt) || last > 100 {
		t.Errorf("reading ended after frame %d with %v, want %v at frame 101", last, err, journal.ErrCorrupt)
	}
}

func TestLostRowsAreNoticed(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"a frame in the middle": "DELETE FROM frame WHERE seq = 150",
		"the last frames":       "DELETE FROM frame WHERE seq > 64",
		"swapped frames":        "UPDATE frame SET seq = -seq; UPDATE frame SET seq = iif(seq IN (-10, -11), 21 + seq, -seq)",
		"a changed command":     "UPDATE inbox SET body = x'00'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openAt(t, written(t))
			err := s.write(t.Context(), "spoil", testKey, func(c *conn) error { return c.script(script) })
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range s.Read(t.Context(), testKey, 1) {
				err = e
			}
			_, errPending := s.Pending(t.Context(), testKey, 0)
			if err = errors.Join(err, errPending); !errors.Is(err, journal.ErrCorrupt) {
				t.Errorf("reading: %v, want %v", err, journal.ErrCorrupt)
			}
		})
	}
}

func TestADeleteDuringAReadIsNoDamage(t *testing.T) {
	t.Parallel()
	s := openAt(t, written(t))
	var err error
	for f, e := range s.Read(t.Context(), testKey, 1) {
		if f.Seq == 1 {
			if err := s.Delete(t.Context(), testKey); err != nil {
				t.Fatal(err)
			}
		}
		err = e
	}
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("reading ended with %v, want %v", err, store.ErrNotFound)
	}
}
