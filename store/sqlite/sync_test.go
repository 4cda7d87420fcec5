package sqlite

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// proof tells for each acknowledged call whether a sync stands before it. What
// a call wrote is found by a text that only it has.
type proof struct{ calls, unsynced int }

// token is that text: call n's, and no other's.
func token(n int) []byte { return fmt.Appendf(nil, "<call %06d>", n) }

// prove goes through a log. For every acknowledgement there must be, in this
// order: the write that has the call's text, the write that commits it, the
// begin of a sync of that file, the end of the sync, the acknowledgement.
func prove(events []event) proof {
	var p proof
	for at, e := range events {
		if e.op != opAck {
			continue
		}
		p.calls++
		if !synced(events[:at], token(e.ack)) {
			p.unsynced++
		}
	}
	return p
}

func synced(before []event, text []byte) bool {
	head := 0 // the write before, which is the head of the page
	for at, e := range before {
		if e.op != opWrite || isMain(e.file.name) {
			continue
		}
		if !bytes.Contains(e.data, text) {
			head = at
			continue
		}
		committed := slices.IndexFunc(before[head:], isCommit)
		if committed < 0 {
			return false
		}
		committed += head
		return slices.ContainsFunc(before[committed:], func(s event) bool {
			return s.op == opSync && s.file == e.file && s.since > max(committed, at)
		})
	}
	return false
}

// isCommit tells whether a write to the log is the head of a page that ends a
// transaction: it says how many pages the file then has.
func isCommit(e event) bool {
	return e.op == opWrite && len(e.data) == 24 && binary.BigEndian.Uint32(e.data[4:]) != 0
}

// shared makes many sessions write at once and notes every acknowledgement.
func shared(t *testing.T, synchronous string, writers, rounds int) []event {
	t.Helper()
	d := newDevice(t)
	options := d.options()
	options.synchronous, options.CheckpointPages = synchronous, 100
	s, err := Open(newPath(t), options)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for w := range writers {
		key := journal.Key{Tenant: "acme", Session: strconv.Itoa(w)}
		batch := store.Batch{Lease: begin(t, s, key, "me")}
		frames := newChain(key)
		group.Go(func() {
			for i := range rounds {
				n := 2 * (w*rounds + i)
				item := store.Item{Key: fmt.Sprint(n), Record: journal.Record{Kind: "steer", Body: token(n)}}
				ticket, err := s.Put(t.Context(), key, item)
				if err != nil {
					t.Error(err)
					return
				}
				d.ack(n)
				frames.f.Input.Body = token(n + 1)
				batch.Frames = frames.next()
				batch.Answers = []store.Answer{{Position: ticket.Position}}
				if err := s.Append(t.Context(), key, batch); err != nil {
					t.Error(err)
					return
				}
				d.ack(n + 1)
			}
		})
	}
	group.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return d.events()
}

// contract: S8
func TestASyncStandsBeforeEveryAcknowledgement(t *testing.T) {
	t.Parallel()
	for _, writers := range []int{1, 12} {
		p := prove(shared(t, "FULL", writers, 120/writers))
		if p.calls != 240 || p.unsynced > 0 {
			t.Errorf("%d writers: %d of %d calls were acknowledged before a sync", writers, p.unsynced, p.calls)
		}
	}
}

func TestAMissingSyncIsNoticed(t *testing.T) {
	t.Parallel()
	if p := prove(shared(t, "NORMAL", 3, 10)); p.unsynced == 0 {
		t.Errorf("%d calls of a store that does not sync all pass the proof", p.calls)
	}
}

// syncs counts the syncs of the log and of the file.
func syncs(events []event) (log, file int) {
	for _, e := range events {
		switch {
		case e.op != opSync:
		case isMain(e.file.name):
			file++
		default:
			log++
		}
	}
	return log, file
}

// A call that is alone costs one sync, whatever it writes, and the thousandth
// costs as much as the first.
func TestACallAloneCostsOneSync(t *testing.T) {
	t.Parallel()
	d := newDevice(t)
	s, err := Open(madePath(t), d.options())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	batch := store.Batch{Lease: begin(t, s, testKey, "me")}
	frames := newChain(testKey)
	const calls = 100
	before := len(d.events())
	for i := range calls {
		batch.Frames = append(frames.next(), frames.next()...)
		batch.Blobs = []journal.Blob{
			journal.NewBlob(fmt.Appendf(nil, "small %d", i)), journal.NewBlob(fmt.Appendf(nil, "large %20000d", i)),
		}
		batch.State = fmt.Appendf(nil, "state %d", i)
		if err := s.Append(t.Context(), testKey, batch); err != nil {
			t.Fatal(err)
		}
	}
	log, file := syncs(d.events()[before:])
	t.Logf("%d appends: %d syncs of the log, %d of the file", calls, log, file)
	// Checkpoints are beside the calls: three syncs for each, at most.
	if log < calls || log+file > calls+calls/10 {
		t.Errorf("%d appends cost %d syncs of the log and %d of the file", calls, log, file)
	}
}

// Callers that come while a sync is under way share the next one.
func TestCallsThatComeTogetherShareASync(t *testing.T) {
	t.Parallel()
	const writers = 12
	d := newDevice(t)
	s, err := Open(madePath(t), d.options())
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	batches := make(map[journal.Key]store.Batch)
	for w := range writers {
		key := journal.Key{Tenant: "acme", Session: strconv.Itoa(w)}
		batches[key] = store.Batch{Lease: begin(t, s, key, "me"), Frames: newChain(key).next()}
	}
	before := len(d.events())
	first := true
	d.slowly(func(string) {
		for first && s.writer.waiting() < writers-1 {
			runtime.Gosched()
		}
		first = false
	})
	for key, batch := range batches {
		group.Go(func() {
			if err := s.Append(t.Context(), key, batch); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	d.slowly(nil)
	if log, _ := syncs(d.events()[before:]); log != 2 {
		t.Errorf("%d calls, of which all but one came during a sync, cost %d syncs, want 2", writers, log)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// waiting is how many requests are queued.
func (w *writer) waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.queue)
}
