package storetest

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

func fenceScenarios() []scenario {
	return []scenario{
		{"a late writer is refused although its lease looks good", lateWriter},
		{"an owner that comes back fences off its former self", sameOwner},
		{"a lease opens one session only", wrongSession},
		{"a made-up lease is refused", madeUpLease},
		{"the newest lease writes even after its end", expiredButNewest},
		{"a released lease writes no more", releasedLease},
		{"of many writers with one lease exactly one wins a number", oneLeaseManyWriters},
		{"of many leases only the newest writes", manyLeases},
		{"writers that take over from each other leave one chain", contest},
	}
}

// contract: S9
func lateWriter(t *testing.T, s store.Store) {
	old := newWriter(t, s, mainKey)
	old.append(t, store.Batch{Frames: old.next("one")})
	young := old.takeOver(t, "other")

	// Whatever the late writer believes about time, the token decides.
	old.lease.Expires = epoch + 1000*term
	blob := journal.NewBlob([]byte("late"))
	err := old.try(t, store.Batch{
		Frames: old.next("late"), Blobs: []journal.Blob{blob},
		Answers: []store.Answer{{Position: 1}}, Summary: store.Summary{Status: "late"},
	})
	fails(t, "late append", err, store.ErrFenced)
	if _, err := s.Blob(t.Context(), mainKey, blob.Ref); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the late writer's blob is there: %v", err)
	}
	same(t, "pending", positions(pending(t, s, mainKey, 0)), []uint64{1})
	same(t, "status", head(t, s, mainKey).Status, "")

	young.append(t, store.Batch{Frames: young.next("two")})
	// The frames would even fit by now.
	old.seq, old.head = young.seq, young.head
	fails(t, "late append", old.try(t, store.Batch{Frames: old.next("three")}), store.ErrFenced)
	same(t, "frames", len(read(t, s, mainKey, 1)), 2)
}

// contract: S9
func sameOwner(t *testing.T, s store.Store) {
	old := newWriter(t, s, mainKey)
	young := *old
	young.lease = acquire(t, s, mainKey, old.lease.Owner, epoch)
	fails(t, "append of the former self", old.try(t, store.Batch{Frames: old.next("one")}), store.ErrFenced)
	young.append(t, store.Batch{Frames: young.next("one")})
}

// contract: S9
func wrongSession(t *testing.T, s store.Store) {
	w, other := newWriter(t, s, mainKey), newWriter(t, s, named("other"))
	other.lease = w.lease
	fails(t, "append with another session's lease", other.try(t, store.Batch{Frames: other.next("one")}), store.ErrFenced)
	other.lease.Key = other.key
	fails(t, "append with a relabelled lease", other.try(t, store.Batch{Frames: other.next("one")}), store.ErrFenced)
	w.append(t, store.Batch{Frames: w.next("one")})
}

// contract: S9
func madeUpLease(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	for what, change := range map[string]func(*store.Lease){
		"none at all":   func(l *store.Lease) { *l = store.Lease{} },
		"no token":      func(l *store.Lease) { l.Token = 0 },
		"a later token": func(l *store.Lease) { l.Token++ },
		"a huge token":  func(l *store.Lease) { l.Token = ^uint64(0) },
		"another owner": func(l *store.Lease) { l.Owner = "other" },
	} {
		forger := *w
		change(&forger.lease)
		fails(t, what, forger.try(t, store.Batch{Frames: forger.next("one")}), store.ErrFenced)
	}
	w.append(t, store.Batch{Frames: w.next("one")})
}

func expiredButNewest(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	w.lease.Expires = 0
	w.append(t, store.Batch{Frames: w.next("one")})
}

func releasedLease(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	w.release(t)
	fails(t, "append after release", w.try(t, store.Batch{Frames: w.next("one")}), store.ErrFenced)
}

// contract: S9
func oneLeaseManyWriters(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	const writers, rounds = 8, 4
	for round := range rounds {
		var won atomic.Int32
		var group sync.WaitGroup
		for i := range writers {
			frames := w.next(strconv.Itoa(i))
			group.Go(func() {
				err := s.Append(t.Context(), mainKey, store.Batch{Lease: w.lease, Frames: frames})
				switch {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, journal.ErrCorrupt):
					t.Errorf("a writer that came second: %v, want %v", err, journal.ErrCorrupt)
				}
			})
		}
		group.Wait()
		if won.Load() != 1 {
			t.Fatalf("round %d: %d writers won, want 1", round, won.Load())
		}
		h := head(t, s, mainKey)
		w.seq, w.head = h.Seq, h.Hash
	}
	same(t, "frames", len(read(t, s, mainKey, 1)), rounds)
}

// contract: S9
func manyLeases(t *testing.T, s store.Store) {
	writers := []*writer{newWriter(t, s, mainKey)}
	for i := range 7 {
		writers = append(writers, writers[i].takeOver(t, strconv.Itoa(i)))
	}
	newest := writers[len(writers)-1]
	var group sync.WaitGroup
	for _, w := range writers {
		group.Go(func() {
			err := w.try(t, store.Batch{Frames: w.next(w.lease.Owner)})
			if w == newest && err != nil {
				t.Errorf("the newest writer: %v", err)
			}
			if w != newest {
				fails(t, "writer "+w.lease.Owner, err, store.ErrFenced)
			}
		})
	}
	group.Wait()
	same(t, "frames", len(read(t, s, mainKey, 1)), 1)
}

// contest lets writers do what hosts do when each believes the other dead:
// take the session over, look where it stands, append.
//
// contract: S9
func contest(t *testing.T, s store.Store) {
	put(t, s, mainKey, command("create", "hello"))
	const writers, rounds = 4, 12
	var won atomic.Int32
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			w := &writer{s: s, key: mainKey}
			for round := range rounds {
				// Far apart, so that every lease of the past has ended.
				now := epoch + int64(round+1)*1000*term
				lease, err := s.Acquire(t.Context(), mainKey, strconv.Itoa(i), now, term)
				if errors.Is(err, store.ErrLeased) {
					continue
				}
				h, errHead := s.Head(t.Context(), mainKey)
				if err != nil || errHead != nil {
					t.Errorf("acquire and head: %v, %v", err, errHead)
					return
				}
				w.lease, w.seq, w.head = lease, h.Seq, h.Hash
				if h.Seq == 0 {
					w.head = journal.Genesis(mainKey)
				}
				err = w.try(t, store.Batch{Frames: w.next(strconv.Itoa(i))})
				switch {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, store.ErrFenced):
					t.Errorf("append: %v, want it done or fenced", err)
				}
			}
		})
	}
	group.Wait()
	same(t, "frames in the journal and appends that succeeded", len(read(t, s, mainKey, 1)), int(won.Load()))
}
