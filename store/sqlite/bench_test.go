package sqlite

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// BenchmarkAppend measures one writer: what a frame costs when nobody shares
// the sync with it.
func BenchmarkAppend(b *testing.B) {
	for _, blobs := range []int{0, 2} {
		b.Run(fmt.Sprintf("frames=1/blobs=%d", blobs), func(b *testing.B) {
			b.ReportAllocs()
			s := openAt(b, newPath(b))
			batch := store.Batch{Lease: begin(b, s, testKey, "me"), Blobs: make([]journal.Blob, blobs)}
			frames := newChain(testKey)
			for i := 0; b.Loop(); i++ {
				batch.Frames = frames.next()
				for j := range batch.Blobs {
					batch.Blobs[j] = journal.NewBlob(fmt.Appendf(nil, "%d/%d %1000d", i, j, 0))
				}
				if err := s.Append(b.Context(), testKey, batch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAppendTogether measures many sessions at once, whose appends share
// transactions.
func BenchmarkAppendTogether(b *testing.B) {
	for _, sessions := range []int{8, 64} {
		b.Run(fmt.Sprintf("sessions=%d", sessions), func(b *testing.B) {
			b.ReportAllocs()
			s := openAt(b, newPath(b))
			b.SetParallelism(sessions / 2)
			var n atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				key := journal.Key{Tenant: "acme", Session: fmt.Sprint(n.Add(1))}
				batch := store.Batch{Lease: begin(b, s, key, "me")}
				frames := newChain(key)
				for pb.Next() {
					batch.Frames = frames.next()
					if err := s.Append(b.Context(), key, batch); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
