package bench

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/replay"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/memory"
	"github.com/ai-agent-go/ai-agent/store/sqlite"
)

// replayStore reads a session from its store and replays it, every frame decoded,
// hashed and compared. It returns the number of frames.
func replayStore(tb testing.TB, st store.Store) int {
	tb.Helper()
	key := journal.Key{Tenant: "default", Session: "bench"}
	r := replay.New(key)
	n := 0
	for f, err := range st.Read(tb.Context(), key, 1) {
		if err != nil {
			tb.Fatal(err)
		}
		frame, err := journal.DecodeFrame(f.Data)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := r.Next(&frame); err != nil {
			tb.Fatal(err)
		}
		n++
	}
	return n
}

// replayStores are where sessions of a thousand turns are replayed from, and how
// many frames a second are asked of each.
func replayStores(tb testing.TB) map[string]struct {
	store.Store
	least float64
} {
	tb.Helper()
	file, err := sqlite.Open(filepath.Join(tb.TempDir(), "s.db"), nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = file.Close() })
	return map[string]struct {
		store.Store
		least float64
	}{"memory": {memory.New(), 30_000}, "sqlite": {file, 10_000}}
}

// Replay is fast enough that a session can be rebuilt whenever somebody asks.
// What others do on the machine only makes it slower, so the best of several
// counts, and time in which the process did not run does not.
//
// contract: P10
func TestReplayIsFast(t *testing.T) { //nolint:paralleltest // measures time
	if raceEnabled {
		t.Skip("the race detector makes it some ten times slower")
	}
	for name, st := range replayStores(t) {
		run(t, st.Store, newCaller(1000))
		best := 0.0
		for range 7 {
			start, used := time.Now(), cpu(t)
			n := replayStore(t, st)
			best = max(best, float64(n)/min(time.Since(start), cpu(t)-used).Seconds())
		}
		t.Logf("replay from %s: %.0f frames a second", name, best)
		if best < st.least {
			t.Errorf("replay from %s: %.0f frames a second, want at least %.0f", name, best, st.least)
		}
	}
}

// BenchmarkReplay replays a session of a thousand turns.
func BenchmarkReplay(b *testing.B) {
	for name, st := range replayStores(b) {
		run(b, st.Store, newCaller(1000))
		b.Run("store="+name, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n += replayStore(b, st)
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "frames/s")
		})
	}
}
