package sqlite

import (
	"fmt"
	"runtime"
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
// transactions, on the disk that there is.
func BenchmarkAppendTogether(b *testing.B) {
	for _, sessions := range []int{2, 8, 64} {
		b.Run(fmt.Sprintf("sessions=%d", sessions), func(b *testing.B) {
			together(b, openAt(b, newPath(b)), sessions)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
		})
	}
}

// BenchmarkSyncs counts the syncs of an append, alone and together, in a log
// that is not really synced.
func BenchmarkSyncs(b *testing.B) {
	for _, sessions := range []int{2, 8, 64} {
		b.Run(fmt.Sprintf("sessions=%d", sessions), func(b *testing.B) {
			d := newDevice(b)
			d.deaf = true
			s, err := Open(newPath(b), d.options())
			if err != nil {
				b.Fatal(err)
			}
			together(b, s, sessions)
			log, file := d.counts()
			b.ReportMetric(float64(log)/float64(b.N), "log-syncs/op")
			b.ReportMetric(float64(file)/float64(b.N), "file-syncs/op")
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// together has some sessions append b.N frames in all.
func together(b *testing.B, s *Store, sessions int) {
	b.Helper()
	b.ReportAllocs()
	b.SetParallelism(max(sessions/runtime.GOMAXPROCS(0), 1))
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
}

// BenchmarkRead measures reading a journal from its start, as replay does.
func BenchmarkRead(b *testing.B) {
	const length = 2000
	b.ReportAllocs()
	s := openAt(b, newPath(b))
	frames := newChain(testKey)
	batch := store.Batch{Lease: begin(b, s, testKey, "me")}
	for range length {
		batch.Frames = append(batch.Frames, frames.next()...)
	}
	if err := s.Append(b.Context(), testKey, batch); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if n := count(b, s, testKey); n != length {
			b.Fatalf("%d frames", n)
		}
	}
	b.ReportMetric(length*float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}

// BenchmarkTurn measures what a turn of a session costs the store: a request's
// frame and its receipt's with a message, and the state every eighth time;
// early in the session's life and late.
func BenchmarkTurn(b *testing.B) {
	for _, before := range []int{0, 1000} {
		b.Run(fmt.Sprintf("turns=%d", before), func(b *testing.B) {
			b.ReportAllocs()
			d := newDevice(b)
			d.deaf = true
			s, err := Open(newPath(b), d.options())
			if err != nil {
				b.Fatal(err)
			}
			lease, frames := begin(b, s, testKey, "me"), newChain(testKey)
			turn := func(i int) {
				for half := range 2 {
					batch := store.Batch{Lease: lease, Frames: frames.next()}
					if half == 1 {
						batch.Blobs = []journal.Blob{journal.NewBlob(fmt.Appendf(nil, "%d %2000d", i, 0))}
					}
					if frames.f.Seq%16 == 0 {
						batch.State = make([]byte, 8<<10)
					}
					if err := s.Append(b.Context(), testKey, batch); err != nil {
						b.Fatal(err)
					}
				}
			}
			for i := range before {
				turn(-1 - i)
			}
			logBefore, fileBefore := d.counts()
			for i := 0; b.Loop(); i++ {
				turn(i)
			}
			log, file := d.counts()
			b.ReportMetric(float64(log-logBefore)/float64(b.N), "log-syncs/op")
			b.ReportMetric(float64(file-fileBefore)/float64(b.N), "file-syncs/op")
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
