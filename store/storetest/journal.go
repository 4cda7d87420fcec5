package storetest

import (
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

func journalScenarios() []scenario {
	return []scenario{
		{"a session without frames has a head", emptyHead},
		{"frames are read back as they were written", readsBack},
		{"reading starts at the number asked for", readsFrom},
		{"reading shows the session as of the call", readsAsOfTheCall},
		{"a reader may stop early", stopsEarly},
		{"head follows the last frame and summary", headFollows},
		{"head gives the newest saved state", headState},
		{"what callers do to their bytes changes nothing", keepsCopies},
		{"an unknown session is not found", unknownSession},
	}
}

func emptyHead(t *testing.T, s store.Store) {
	put(t, s, mainKey, command("create", "hello"))
	same(t, "head", head(t, s, mainKey), store.Head{Created: epoch, Updated: epoch})
	if frames := read(t, s, mainKey, 1); len(frames) != 0 {
		t.Errorf("read %d frames, want none", len(frames))
	}
}

func readsBack(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	want := w.next("one", "two", "three")
	w.append(t, store.Batch{Frames: want})
	more := w.next("four")
	w.append(t, store.Batch{Frames: more})
	same(t, "frames", read(t, s, mainKey, 1), append(want, more...))
}

func readsFrom(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	all := w.next("one", "two", "three")
	w.append(t, store.Batch{Frames: all})
	for from, want := range [][]store.Frame{all, all, all[1:], all[2:], nil, nil} {
		same(t, "frames", read(t, s, mainKey, uint64(from)), want)
	}
	same(t, "frames from the largest number on", read(t, s, mainKey, ^uint64(0)), nil)
}

func readsAsOfTheCall(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	w.append(t, store.Batch{Frames: w.next("one", "two")})
	frames := s.Read(t.Context(), mainKey, 1)
	w.append(t, store.Batch{Frames: w.next("three")})
	var last uint64
	for f, err := range frames {
		if err != nil {
			t.Fatal(err)
		}
		last = f.Seq
		if f.Seq == 1 {
			w.append(t, store.Batch{Frames: w.next("four")})
		}
	}
	if last != 2 {
		t.Errorf("reading ended with frame %d, want 2: later ones came after the call", last)
	}
	if n := len(read(t, s, mainKey, 1)); n != 4 {
		t.Errorf("a new read gives %d frames, want 4", n)
	}
}

func stopsEarly(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	w.append(t, store.Batch{Frames: w.next("one", "two", "three")})
	// Often, so that a store that lends out something scarce runs dry.
	for range 64 {
		for _, err := range s.Read(t.Context(), mainKey, 1) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	w.append(t, store.Batch{Frames: w.next("four")})
}

func headFollows(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	first := store.Summary{Status: "running", Agent: "sage", Title: "A talk", Parent: "p", Active: true, WakeAt: epoch + 9, Cost: 7}
	w.append(t, store.Batch{Frames: w.next("one", "two"), Summary: first})
	same(t, "head", head(t, s, mainKey), store.Head{Summary: first, Created: epoch, Updated: epoch + 2, Seq: 2, Hash: w.head})

	second := store.Summary{Status: "done"}
	w.append(t, store.Batch{Frames: w.next("three"), Summary: second})
	same(t, "head", head(t, s, mainKey), store.Head{Summary: second, Created: epoch, Updated: epoch + 3, Seq: 3, Hash: w.head})
}

func headState(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	steps := []struct {
		state    []byte
		want     string
		stateSeq uint64
	}{
		{nil, "", 0},
		{[]byte("after two"), "after two", 2},
		{nil, "after two", 2},
		{[]byte("after four"), "after four", 4},
	}
	for _, step := range steps {
		w.append(t, store.Batch{Frames: w.next("more"), State: step.state})
		h := head(t, s, mainKey)
		same(t, "state", string(h.State), step.want)
		same(t, "number of the frame before the state", h.StateSeq, step.stateSeq)
	}
}

func keepsCopies(t *testing.T, s store.Store) {
	blob := journal.NewBlob([]byte("blob"))
	item := command("create", "hello")
	item.Blobs = []journal.Blob{{Ref: blob.Ref, Data: []byte("blob")}}
	put(t, s, mainKey, item)
	spoil(item.Record.Body, item.Blobs[0].Data)

	w := take(t, s, mainKey)
	other := put(t, s, mainKey, command("other", "body"))
	frames := w.next("one")
	batch := store.Batch{
		Frames: frames, State: []byte("state"),
		Blobs:   []journal.Blob{journal.NewBlob([]byte("second"))},
		Answers: []store.Answer{{Position: other.Position, Body: []byte("answer")}},
	}
	second := batch.Blobs[0].Ref
	w.append(t, batch)
	spoil(frames[0].Data, batch.State, batch.Blobs[0].Data, batch.Answers[0].Body)

	// Twice: the first round spoils what it was given.
	for range 2 {
		f := read(t, s, mainKey, 1)[0]
		h := head(t, s, mainKey)
		it := pending(t, s, mainKey, 0)[0]
		ticket := put(t, s, mainKey, command("other", "body"))
		b1, err1 := s.Blob(t.Context(), mainKey, blob.Ref)
		b2, err2 := s.Blob(t.Context(), mainKey, second)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		same(t, "hash of the frame's data", journal.RefOf(f.Data), f.Hash)
		same(t, "state", string(h.State), "state")
		same(t, "record", string(it.Record.Body), "hello")
		same(t, "the command's blob", string(it.Blobs[0].Data), "blob")
		same(t, "answer", string(ticket.Answer), "answer")
		same(t, "blobs", string(b1)+string(b2), "blobsecond")
		spoil(f.Data, h.State, it.Record.Body, it.Blobs[0].Data, ticket.Answer, b1, b2)
	}
}

func spoil(all ...[]byte) {
	for _, b := range all {
		for i := range b {
			b[i] ^= 0xff
		}
	}
}

func unknownSession(t *testing.T, s store.Store) {
	put(t, s, named("known"), command("create", "hello"))
	notFound(t, s, mainKey)
}

// notFound checks that a session is nowhere to be found.
func notFound(t *testing.T, s store.Store, key journal.Key) {
	t.Helper()
	ctx := t.Context()
	lease := store.Lease{Key: key, Owner: "writer", Token: 1, Expires: epoch + term}
	item := command("late", "hello")
	item.Create = false
	_, errHead := s.Head(ctx, key)
	_, errPutBlob := s.PutBlob(ctx, key, []byte("blob"))
	_, errBlob := s.Blob(ctx, key, journal.RefOf([]byte("blob")))
	_, errPut := s.Put(ctx, key, item)
	_, errPending := s.Pending(ctx, key, 1)
	_, errTicket := s.Ticket(ctx, key, "create")
	_, errAcquire := s.Acquire(ctx, key, "writer", epoch, term)
	_, errRenew := s.Renew(ctx, lease, epoch, term)
	var errRead, errWatch error
	for _, errRead = range s.Read(ctx, key, 1) {
	}
	for _, errWatch = range s.Watch(ctx, key) {
	}
	for what, err := range map[string]error{
		"append": s.Append(ctx, key, store.Batch{Lease: lease}),
		"read":   errRead, "head": errHead, "delete": s.Delete(ctx, key),
		"put blob": errPutBlob, "blob": errBlob,
		"put": errPut, "pending": errPending, "ticket": errTicket,
		"acquire": errAcquire, "renew": errRenew, "watch": errWatch,
	} {
		fails(t, what, err, store.ErrNotFound)
	}
	if err := s.Release(ctx, lease); err != nil {
		t.Errorf("release: %v, want no error: there is nothing left to release", err)
	}
}
