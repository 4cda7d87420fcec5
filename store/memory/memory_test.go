package memory

import (
	"context"
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStoreKeepsTheContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) store.Store { return New() })
}

// CorruptBlob makes the store a [storetest.Corrupter].
func (s *Store) CorruptBlob(_ context.Context, key journal.Key, ref journal.Ref) error {
	data, err := s.content(key, ref)
	if err != nil {
		return err
	}
	data[len(data)/2] ^= 1
	return nil
}

// What nobody can read any more must not stay in memory either, which cannot
// be seen through the interface.
func TestDeletedSessionsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	s := New()
	shared, own := journal.NewBlob([]byte("shared")), journal.NewBlob([]byte("own"))
	first, second := journal.Key{Tenant: "t", Session: "1"}, journal.Key{Tenant: "t", Session: "2"}
	for range 2 { // the same content twice is still held once
		for _, key := range []journal.Key{first, second} {
			item := store.Item{Key: "create", Create: true, Blobs: []journal.Blob{shared, shared}}
			if _, err := s.Put(t.Context(), key, item); err != nil {
				t.Fatal(err)
			}
			if _, err := s.PutBlob(t.Context(), key, shared.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := s.PutBlob(t.Context(), first, own.Data); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if blobs := s.tenants["t"].blobs; len(blobs) != 1 || blobs[shared.Ref] == nil {
		t.Errorf("%d blobs are left, want the shared one", len(blobs))
	}
	if err := s.Delete(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if len(s.tenants) != 0 || len(s.sessions) != 0 || len(s.wanting) != 0 {
		t.Errorf("left are %d tenants, %d sessions, %d wanting sessions", len(s.tenants), len(s.sessions), len(s.wanting))
	}
}

var benchKey = journal.Key{Tenant: "t", Session: "s"}

// leased returns a store with one leased session.
func leased(tb testing.TB) (*Store, store.Lease) {
	tb.Helper()
	s := New()
	if _, err := s.Put(tb.Context(), benchKey, store.Item{Key: "create", Create: true}); err != nil {
		tb.Fatal(err)
	}
	lease, err := s.Acquire(tb.Context(), benchKey, "me", 0, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return s, lease
}

// batches makes appends that follow one another, each with some frames and
// some small blobs that nobody has seen before.
func batches(count, frames, blobs int) []store.Batch {
	out := make([]store.Batch, count)
	f := journal.Frame{Prev: journal.Genesis(benchKey), Input: journal.Record{Kind: "bench", Body: make([]byte, 512)}}
	for i := range out {
		for range frames {
			f.Seq++
			out[i].Frames = append(out[i].Frames, store.Encode(&f))
			f.Prev = f.Hash()
		}
		for j := range blobs {
			out[i].Blobs = append(out[i].Blobs, journal.NewBlob(fmt.Appendf(nil, "%d/%d %1000d", i, j, 0)))
		}
	}
	return out
}

func TestAnAppendAllocatesLittle(t *testing.T) { //nolint:paralleltest // counts the allocations of the whole process
	const runs = 500
	for _, c := range []struct{ frames, blobs, want int }{
		{1, 0, 1}, // the pack
		{3, 3, 4}, // and a header for each blob; maps and slices grow now and then
	} {
		s, lease := leased(t)
		all := batches(runs+1, c.frames, c.blobs)
		i := 0
		got := testing.AllocsPerRun(runs, func() {
			all[i].Lease = lease
			if err := s.Append(t.Context(), benchKey, all[i]); err != nil {
				t.Fatal(err)
			}
			i++
		})
		if got > float64(c.want) {
			t.Errorf("appending %d frames and %d blobs allocates %.1f times, want %d", c.frames, c.blobs, got, c.want)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct{ frames, blobs int }{{1, 0}, {1, 2}, {3, 3}} {
		b.Run(fmt.Sprintf("frames=%d/blobs=%d", c.frames, c.blobs), func(b *testing.B) {
			b.ReportAllocs()
			all := batches(4096, c.frames, c.blobs)
			s, lease := leased(b)
			for i := 0; b.Loop(); i++ {
				if i == len(all) { // begin anew, or memory would grow with b.N
					b.StopTimer()
					s, lease = leased(b)
					i = 0
					b.StartTimer()
				}
				all[i].Lease = lease
				if err := s.Append(b.Context(), benchKey, all[i]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
