package sqlite

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// suspend stores sessions that wait for a remote result: each with a command,
// two frames, a blob, a saved state and no lease; every tenth has a timer.
// Many share a transaction, for it is not the writing that is looked at.
func suspend(tb testing.TB, s *Store, from, to int) {
	tb.Helper()
	for from < to {
		until := min(from+500, to)
		err := s.writer.do(tb.Context(), func(c *conn) error {
			for i := from; i < until; i++ {
				if err := suspendOne(c, i); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
		from = until
	}
}

func suspendOne(c *conn, i int) error {
	key := sleeper(i)
	item := store.Item{Key: "create", Create: true, At: int64(i), Record: journal.Record{Kind: "prompt", Body: []byte("hello")}}
	if _, err := putItem(c, key, &item, item.Digest()); err != nil {
		return err
	}
	ss, err := findSession(c, key)
	if err != nil {
		return err
	}
	lease := store.Lease{Key: key, Owner: "me", Token: uint64(i) + 1, Expires: 1} //nolint:gosec // small
	if err := writeLease(c, &ss, lease); err != nil {
		return err
	}
	frames := newChain(key)
	batch := store.Batch{
		Lease: lease, Frames: append(frames.next(), frames.next()...),
		Blobs:   []journal.Blob{journal.NewBlob(fmt.Appendf(nil, "message of %d", i))},
		Answers: []store.Answer{{Position: 1, Body: []byte("accepted")}},
		Summary: store.Summary{Status: "awaiting_tool_execution", Agent: "agent"},
		State:   make([]byte, 2048),
	}
	if i%10 == 0 {
		batch.Summary.WakeAt = 1_000_000 + int64(i)
	}
	return appendBatch(c, key, &batch)
}

func sleeper(i int) journal.Key { return journal.Key{Tenant: "acme", Session: fmt.Sprintf("s%07d", i)} }

// heap is what is in use after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) //nolint:gosec // small
}

// resident is the memory that the process has, where that can be told.
func resident() string {
	status, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return "unknown"
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(status), &size, &pages); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%d MB", pages*int64(os.Getpagesize())>>20)
}

// Suspended sessions are rows and nothing else: neither the process nor the
// questions that are asked all the time grow with their number. Run it with
// SCALE_SESSIONS=100000 and -v for figures.
//
// Not parallel: it looks at the memory of the whole process.
//
// contract: S6, S8
func TestSuspendedSessionsCostNoMemory(t *testing.T) { //nolint:paralleltest // see above
	many := 3000 / slowdown
	if text := os.Getenv("SCALE_SESSIONS"); text != "" {
		var err error
		if many, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	few := many / 30
	d := newDevice(t)
	d.deaf = true
	path := madePath(t)
	s, err := Open(path, d.options())
	if err != nil {
		t.Fatal(err)
	}
	suspend(t, s, 0, few)
	ask(t, s, few)
	before := heap()
	start := time.Now()
	suspend(t, s, few, many)
	t.Logf("%d sessions stored in %v", many-few, time.Since(start).Round(time.Millisecond))
	ask(t, s, many)
	grown := heap() - before
	t.Logf("heap grew by %d KB from %d sessions to %d; resident %s", grown>>10, few, many, resident())
	if limit := int64(1 << 20); grown > limit {
		t.Errorf("the heap grew by %d bytes with %d sessions, want at most %d", grown, many-few, limit)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	start = time.Now()
	if s, err = Open(path, d.options()); err != nil {
		t.Fatal(err)
	}
	t.Logf("opened in %v", time.Since(start).Round(100*time.Microsecond))
	ask(t, s, many)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// ask asks what a host asks all the time, and once for each page of a list.
func ask(t *testing.T, s *Store, sessions int) {
	t.Helper()
	ctx := t.Context()
	timed := func(what string, f func() error) {
		start := time.Now()
		if err := f(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		t.Logf("%d sessions: %s in %v", sessions, what, time.Since(start).Round(10*time.Microsecond))
	}
	timed("nothing due", func() error {
		due, err := s.Due(ctx, 1000, 64)
		if len(due) != 0 {
			t.Errorf("%d sessions are due", len(due))
		}
		return err
	})
	timed("64 of all timers due", func() error {
		due, err := s.Due(ctx, 1<<40, 64)
		if len(due) != min(64, (sessions+9)/10) {
			t.Errorf("%d sessions are due", len(due))
		}
		return err
	})
	timed("next wake-up", func() error {
		at, err := s.NextWake(ctx, 1000)
		if at != 1_000_000 {
			t.Errorf("next wake-up at %d", at)
		}
		return err
	})
	timed("head", func() error {
		head, err := s.Head(ctx, sleeper(sessions/2))
		if head.Seq != 2 {
			t.Errorf("head %+v", head)
		}
		return err
	})
	timed("list, all pages", func() error {
		n := 0
		for query := (store.Query{Status: "awaiting_tool_execution", Limit: 1000}); ; {
			page, err := s.List(ctx, "acme", query)
			n += len(page.Sessions)
			if query.Cursor = page.Cursor; err != nil || page.Cursor == "" {
				if n != sessions {
					t.Errorf("%d sessions in the list", n)
				}
				return err
			}
		}
	})
}
