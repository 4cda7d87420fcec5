package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// Time is data: the suite's clock starts here and moves only when a scenario
// says so. Leases of writers end at epoch + term.
const (
	epoch = int64(1_700_000_000_000)
	term  = int64(60_000)
)

var mainKey = journal.Key{Tenant: "acme", Session: "main"}

// named is a session of the usual tenant.
func named(session string) journal.Key { return journal.Key{Tenant: mainKey.Tenant, Session: session} }

// command is a command that may create its session.
func command(key, body string) store.Item {
	return store.Item{Key: key, At: epoch, Create: true, Record: journal.Record{Kind: "prompt", Body: []byte(body)}}
}

func put(t *testing.T, s store.Store, key journal.Key, item store.Item) store.Ticket {
	t.Helper()
	ticket, err := s.Put(t.Context(), key, item)
	if err != nil {
		t.Fatalf("put %q into %s: %v", item.Key, key, err)
	}
	return ticket
}

func acquire(t *testing.T, s store.Store, key journal.Key, owner string, now int64) store.Lease {
	t.Helper()
	lease, err := s.Acquire(t.Context(), key, owner, now, term)
	if err != nil {
		t.Fatalf("acquire %s for %s: %v", key, owner, err)
	}
	return lease
}

// writer appends to one session under one lease.
type writer struct {
	s     store.Store
	key   journal.Key
	lease store.Lease
	seq   uint64
	head  journal.Ref
}

// newWriter creates a session with one pending command, keyed "create", and
// leases it.
func newWriter(t *testing.T, s store.Store, key journal.Key) *writer {
	t.Helper()
	put(t, s, key, command("create", "hello"))
	return take(t, s, key)
}

// take leases a session without frames.
func take(t *testing.T, s store.Store, key journal.Key) *writer {
	t.Helper()
	return &writer{s: s, key: key, lease: acquire(t, s, key, "writer", epoch), head: journal.Genesis(key)}
}

// takeOver leases the session for somebody else after the lease's end. The
// newcomer goes on where w is.
func (w *writer) takeOver(t *testing.T, owner string) *writer {
	t.Helper()
	n := *w
	n.lease = acquire(t, w.s, w.key, owner, w.lease.Expires)
	return &n
}

// next makes the frames that follow, one per body, without writing them.
func (w *writer) next(bodies ...string) []store.Frame {
	frames := make([]store.Frame, len(bodies))
	seq, head := w.seq, w.head
	for i, body := range bodies {
		seq++
		frames[i] = store.Encode(&journal.Frame{
			Seq: seq, Time: epoch + int64(seq), Prev: head, //nolint:gosec // small
			Input: journal.Record{Kind: "test", Body: []byte(body)},
		})
		head = frames[i].Hash
	}
	return frames
}

// try appends under the writer's lease.
func (w *writer) try(t *testing.T, batch store.Batch) error {
	t.Helper()
	batch.Lease = w.lease
	err := w.s.Append(t.Context(), w.key, batch)
	if n := len(batch.Frames); err == nil && n > 0 {
		w.seq, w.head = batch.Frames[n-1].Seq, batch.Frames[n-1].Hash
	}
	return err
}

func (w *writer) append(t *testing.T, batch store.Batch) {
	t.Helper()
	if err := w.try(t, batch); err != nil {
		t.Fatalf("append to %s: %v", w.key, err)
	}
}

// quiet makes a session with one frame, no pending command and no lease.
func quiet(t *testing.T, s store.Store, key journal.Key, summary store.Summary) *writer {
	t.Helper()
	w := newWriter(t, s, key)
	w.append(t, store.Batch{Frames: w.next("first"), Answers: []store.Answer{{Position: 1}}, Summary: summary})
	w.release(t)
	return w
}

func (w *writer) release(t *testing.T) {
	t.Helper()
	if err := w.s.Release(t.Context(), w.lease); err != nil {
		t.Fatalf("release %s: %v", w.key, err)
	}
}

// read collects a session's frames and checks their chain when it reads all.
func read(t *testing.T, s store.Store, key journal.Key, from uint64) []store.Frame {
	t.Helper()
	var frames []store.Frame
	chain := journal.NewChain(key)
	for f, err := range s.Read(t.Context(), key, from) {
		if err != nil {
			t.Fatalf("read %s from %d: %v", key, from, err)
		}
		frames = append(frames, f)
		if from > 1 {
			continue
		}
		decoded, err := journal.DecodeFrame(f.Data)
		if err == nil {
			err = chain.Next(&decoded, f.Data)
		}
		if err != nil {
			t.Fatalf("read %s: frame %d: %v", key, f.Seq, err)
		}
	}
	return frames
}

func head(t *testing.T, s store.Store, key journal.Key) store.Head {
	t.Helper()
	h, err := s.Head(t.Context(), key)
	if err != nil {
		t.Fatalf("head of %s: %v", key, err)
	}
	return h
}

func pending(t *testing.T, s store.Store, key journal.Key, limit int) []store.Item {
	t.Helper()
	items, err := s.Pending(t.Context(), key, limit)
	if err != nil {
		t.Fatalf("pending of %s: %v", key, err)
	}
	return items
}

// positions are the places of commands.
func positions(items []store.Item) []uint64 {
	out := make([]uint64, len(items))
	for i := range items {
		out[i] = items[i].Position
	}
	return out
}

// same fails the test when two values differ. Nil and empty slices differ for
// it, so byte strings that may be either are compared as strings.
func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func fails(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got error %v, want one that is %q", what, err, want)
	}
}

// numbered is a short name that sorts as its number does.
func numbered(prefix string, n int) string { return fmt.Sprintf("%s%04d", prefix, n) }
