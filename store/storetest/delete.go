package storetest

import (
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

func deleteScenarios() []scenario {
	return []scenario{
		{"a deleted session is nowhere", deleteAll},
		{"blobs that another session holds survive", deleteShared},
		{"a blob that nobody holds any more is gone", deleteOrphans},
		{"a new session may take the name", deleteAndCreate},
		{"a writer from a former life is fenced off", deleteFences},
		{"a leased session may be deleted", deleteLeased},
	}
}

func remove(t *testing.T, s store.Store, key journal.Key) {
	t.Helper()
	if err := s.Delete(t.Context(), key); err != nil {
		t.Fatalf("delete %s: %v", key, err)
	}
}

func deleteAll(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	w.append(t, store.Batch{
		Frames: w.next("one"), Blobs: []journal.Blob{journal.NewBlob([]byte("blob"))},
		Summary: store.Summary{Status: "running", Active: true, WakeAt: epoch + 1}, State: []byte("state"),
	})
	put(t, s, mainKey, command("pending", "body"))
	remove(t, s, mainKey)
	notFound(t, s, mainKey) // deleting twice is part of this
	wantDue(t, s, later)
	wantWake(t, s, epoch, 0)
	same(t, "list", listed(list(t, s, store.Query{})), "")
}

func deleteShared(t *testing.T, s store.Store) {
	blobs := func(sizes ...int) (out []journal.Blob) {
		for _, size := range sizes {
			out = append(out, journal.NewBlob(pattern(size)))
		}
		return out
	}
	// The first brings what the second shares, in frames and in commands.
	first := newWriter(t, s, named("first"))
	first.append(t, store.Batch{Frames: first.next("one", "two"), Blobs: blobs(1, 10, 20, 30, 20_000)})
	item := command("more", "body")
	item.Blobs = blobs(40, 30_000)
	put(t, s, first.key, item)
	second := newWriter(t, s, named("second"))
	second.append(t, store.Batch{Frames: second.next("one"), Blobs: blobs(10, 30, 20_000, 40, 30_000, 50)})

	remove(t, s, first.key)
	for _, size := range []int{10, 30, 20_000, 40, 30_000, 50} {
		wantBlob(t, s, second.key, pattern(size))
	}
	for _, size := range []int{1, 20} {
		wantNoBlob(t, s, second.key, pattern(size))
	}

	// And once more, now that they have changed hands.
	third := newWriter(t, s, named("third"))
	third.append(t, store.Batch{Frames: third.next("one"), Blobs: blobs(10, 20_000, 50)})
	remove(t, s, second.key)
	for _, size := range []int{10, 20_000, 50} {
		wantBlob(t, s, third.key, pattern(size))
	}
	wantNoBlob(t, s, third.key, pattern(30))
}

func deleteOrphans(t *testing.T, s store.Store) {
	blobs := []journal.Blob{journal.NewBlob(pattern(10)), journal.NewBlob(pattern(20_000))}
	for range 2 { // the second life brings the same content again
		w := newWriter(t, s, mainKey)
		for _, b := range blobs {
			wantNoBlob(t, s, mainKey, b.Data)
		}
		w.append(t, store.Batch{Frames: w.next("one"), Blobs: blobs})
		for _, b := range blobs {
			wantBlob(t, s, mainKey, b.Data)
		}
		remove(t, s, mainKey)
	}
}

func deleteAndCreate(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	w.append(t, store.Batch{
		Frames: w.next("one"), Answers: []store.Answer{{Position: 1, Body: []byte("answer")}},
		Summary: store.Summary{Status: "done", Active: true}, State: []byte("state"),
	})
	remove(t, s, mainKey)

	item := command("create", "another body")
	item.At = epoch + 5
	if ticket := put(t, s, mainKey, item); ticket.Repeated || ticket.Settled {
		t.Errorf("ticket %+v: the former life's key counts as used", ticket)
	}
	same(t, "head", head(t, s, mainKey), store.Head{Created: epoch + 5, Updated: epoch + 5})
	same(t, "frames", len(read(t, s, mainKey, 1)), 0)
	v := take(t, s, mainKey)
	v.append(t, store.Batch{Frames: v.next("one")})
}

// contract: S9
func deleteFences(t *testing.T, s store.Store) {
	old := newWriter(t, s, mainKey)
	remove(t, s, mainKey)
	fails(t, "append to a deleted session", old.try(t, store.Batch{Frames: old.next("one")}), store.ErrNotFound)

	// The same name, the same owner, the same first frame: only the token of
	// the lease can tell the two lives apart.
	young := newWriter(t, s, mainKey)
	if young.lease.Token <= old.lease.Token {
		t.Errorf("token %d follows token %d of a former life", young.lease.Token, old.lease.Token)
	}
	fails(t, "append from a former life", old.try(t, store.Batch{Frames: old.next("one")}), store.ErrFenced)
	_, err := s.Renew(t.Context(), old.lease, epoch, term)
	fails(t, "renewal from a former life", err, store.ErrFenced)
	old.release(t)
	young.append(t, store.Batch{Frames: young.next("one")})
}

func deleteLeased(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	remove(t, s, mainKey)
	put(t, s, mainKey, command("create", "hello"))
	other := *w
	other.lease = acquire(t, s, mainKey, "other", epoch)
	other.append(t, store.Batch{Frames: other.next("one")})
}
