package storetest

import (
	"bytes"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

func blobScenarios() []scenario {
	return []scenario{
		{"blobs of all sizes come back, however they came in", blobSizes},
		{"many blobs travel in one batch", manyBlobs},
		{"a blob that comes twice is one blob", blobTwice},
		{"a blob is readable only by a session that holds it", blobHolders},
		{"a blob is readable ahead of its append", blobAhead},
		{"an unknown blob is not found", unknownBlob},
		{"a command with a blob under a wrong name is refused", refusesBadItemBlob},
		{"a damaged blob is noticed", damagedBlob},
	}
}

// pattern is content of a size that no other size shares.
func pattern(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i*7 + i>>8 + size) //nolint:gosec // any byte will do
	}
	return b
}

// sizes are those around which stores change their ways.
func sizes() []int {
	return []int{0, 1, 1000, 16<<10 - 1, 16 << 10, 16<<10 + 1, 100_000, 1<<20 + 1}
}

func wantBlob(t *testing.T, s store.Store, key journal.Key, data []byte) {
	t.Helper()
	got, err := s.Blob(t.Context(), key, journal.RefOf(data))
	if err != nil {
		t.Errorf("blob of %d bytes of %s: %v", len(data), key, err)
	} else if !bytes.Equal(got, data) {
		t.Errorf("blob of %d bytes of %s is not what was put in", len(data), key)
	}
}

func wantNoBlob(t *testing.T, s store.Store, key journal.Key, data []byte) {
	t.Helper()
	got, err := s.Blob(t.Context(), key, journal.RefOf(data))
	fails(t, "a blob that "+key.String()+" does not hold", err, store.ErrNotFound)
	if got != nil {
		t.Errorf("%d bytes came with the error", len(got))
	}
}

func blobSizes(t *testing.T, s store.Store) {
	byItem, byBatch, byPut := named("item"), named("batch"), named("put")
	item := command("create", "hello")
	var batch store.Batch
	w := newWriter(t, s, byBatch)
	put(t, s, byPut, command("create", "hello"))
	for _, size := range sizes() {
		item.Blobs = append(item.Blobs, journal.NewBlob(pattern(size)))
		batch.Blobs = append(batch.Blobs, journal.NewBlob(pattern(size)))
		ref, err := s.PutBlob(t.Context(), byPut, pattern(size))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "reference", ref, journal.RefOf(pattern(size)))
	}
	put(t, s, byItem, item)
	batch.Frames = w.next("one", "two")
	w.append(t, batch)
	for _, key := range []journal.Key{byItem, byBatch, byPut} {
		for _, size := range sizes() {
			wantBlob(t, s, key, pattern(size))
		}
	}
	for i, b := range pending(t, s, byItem, 1)[0].Blobs {
		same(t, "reference of the command's blob", b.Ref, item.Blobs[i].Ref)
		if !bytes.Equal(b.Data, item.Blobs[i].Data) {
			t.Errorf("the command's blob %d is not what was put in", i)
		}
	}
}

func manyBlobs(t *testing.T, s store.Store) {
	const count = 300
	w := newWriter(t, s, mainKey)
	var batch store.Batch
	for i := range count {
		batch.Blobs = append(batch.Blobs, journal.NewBlob(pattern(3000+i)))
	}
	batch.Frames = w.next("one")
	w.append(t, batch)
	for i := range count {
		wantBlob(t, s, mainKey, pattern(3000+i))
	}
}

func blobTwice(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	small, large := journal.NewBlob(pattern(10)), journal.NewBlob(pattern(20_000))
	for range 2 {
		w.append(t, store.Batch{Frames: w.next("more"), Blobs: []journal.Blob{small, large, small, large}})
	}
	if _, err := s.PutBlob(t.Context(), mainKey, small.Data); err != nil {
		t.Fatal(err)
	}
	wantBlob(t, s, mainKey, small.Data)
	wantBlob(t, s, mainKey, large.Data)
}

func blobHolders(t *testing.T, s store.Store) {
	w, other := newWriter(t, s, mainKey), newWriter(t, s, named("other"))
	for _, size := range []int{10, 20_000} {
		blob := journal.NewBlob(pattern(size))
		w.append(t, store.Batch{Frames: w.next("more"), Blobs: []journal.Blob{blob}})
		wantNoBlob(t, s, other.key, blob.Data)
		// Whoever brings the content holds it, though it was there before.
		other.append(t, store.Batch{Frames: other.next("more"), Blobs: []journal.Blob{blob}})
		wantBlob(t, s, other.key, blob.Data)
		wantBlob(t, s, mainKey, blob.Data)
	}
}

func blobAhead(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	data := pattern(2 << 20)
	ref, err := s.PutBlob(t.Context(), mainKey, data)
	if err != nil {
		t.Fatal(err)
	}
	wantBlob(t, s, mainKey, data)
	w.append(t, store.Batch{Frames: w.next("one"), Blobs: []journal.Blob{{Ref: ref, Data: data}}})
	wantBlob(t, s, mainKey, data)
}

func unknownBlob(t *testing.T, s store.Store) {
	newWriter(t, s, mainKey)
	wantNoBlob(t, s, mainKey, []byte("never seen"))
	_, err := s.Blob(t.Context(), mainKey, journal.Ref{})
	fails(t, "the zero reference", err, store.ErrNotFound)
}

func refusesBadItemBlob(t *testing.T, s store.Store) {
	item := command("create", "hello")
	item.Blobs = []journal.Blob{journal.NewBlob([]byte("good")), {Ref: journal.RefOf([]byte("this")), Data: []byte("that")}}
	_, err := s.Put(t.Context(), mainKey, item)
	fails(t, "put", err, journal.ErrCorrupt)
	notFound(t, s, mainKey)
}

func damagedBlob(t *testing.T, s store.Store) {
	c, ok := s.(Corrupter)
	if !ok {
		t.Skip("the store is no Corrupter")
	}
	item := command("create", "hello")
	item.Blobs = []journal.Blob{journal.NewBlob(pattern(30))}
	put(t, s, mainKey, item)
	w := take(t, s, mainKey)
	w.append(t, store.Batch{
		Frames: w.next("one"),
		Blobs:  []journal.Blob{journal.NewBlob(pattern(10)), journal.NewBlob(pattern(20)), journal.NewBlob(pattern(20_000))},
	})
	for _, size := range []int{20, 20_000, 30} {
		ref := journal.RefOf(pattern(size))
		if err := c.CorruptBlob(t.Context(), mainKey, ref); err != nil {
			t.Fatal(err)
		}
		got, err := s.Blob(t.Context(), mainKey, ref)
		fails(t, "a damaged blob", err, journal.ErrCorrupt)
		if got != nil {
			t.Errorf("%d damaged bytes came with the error", len(got))
		}
	}
	wantBlob(t, s, mainKey, pattern(10))
	_, err := s.Pending(t.Context(), mainKey, 1)
	fails(t, "a command whose blob is damaged", err, journal.ErrCorrupt)
}
