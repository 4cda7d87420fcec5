package bench

import (
	"bufio"
	"context"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/sqlite"
)

// The process that is killed: its store, and how many sessions it is to begin.
const (
	envVictim   = "RECOVER_VICTIM"
	envSessions = "RECOVER_SESSIONS"
)

// silent is a model that never answers, and says when it was asked.
type silent struct{ asked atomic.Int64 }

func (s *silent) Generate(ctx context.Context, _ *llm.Request) iter.Seq2[llm.Delta, *llm.Receipt] {
	return func(yield func(llm.Delta, *llm.Receipt) bool) {
		s.asked.Add(1)
		<-ctx.Done()
		yield(llm.Delta{}, &llm.Receipt{Error: &llm.Error{Class: llm.ClassAborted, Message: "aborted"}})
	}
}

func victimAgent() *aiagent.Agent {
	return &aiagent.Agent{
		System: "You are asked something.", Targets: []aiagent.Target{{Provider: "bench", Model: "bench"}}, Transport: "native",
	}
}

// TestVictim is not a test: it is the life of the process that is killed.
func TestVictim(t *testing.T) { //nolint:paralleltest // it is a process of its own
	path := os.Getenv(envVictim)
	if path == "" {
		t.Skip("it is started by the test of recovery")
	}
	n, err := strconv.Atoi(os.Getenv(envSessions))
	if err != nil {
		t.Fatal(err)
	}
	st, err := sqlite.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	model := new(silent)
	rt, err := aiagent.New(aiagent.Config{Store: st, Providers: map[string]llm.Provider{"bench": model}})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	turn := make(chan struct{}, 128)
	for i := range n {
		turn <- struct{}{}
		wg.Go(func() {
			defer func() { <-turn }()
			s, err := rt.Open(t.Context(), victimAgent(), &aiagent.SessionOptions{ID: fmt.Sprintf("s%06d", i)})
			if err == nil {
				err = s.Send(t.Context(), aiagent.Prompt("hi"))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for model.asked.Load() < int64(n) {
		runtime.Gosched()
	}
	fmt.Println("ready")
	select {} // until it is killed
}

// Sessions whose process was killed are taken up by the next one, all of them and
// each once, in bounded memory. RECOVER_SESSIONS says how many.
//
// contract: S8
func TestInterruptedSessionsAreRecoveredAfterAKill(t *testing.T) { //nolint:paralleltest // measures time and memory
	n := 300
	if raceEnabled {
		n = 30
	}
	if s := os.Getenv(envSessions); s != "" {
		n, _ = strconv.Atoi(s)
	}
	path := filepath.Join(t.TempDir(), "s.db")
	kill(t, path, n)

	st, err := sqlite.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close() //nolint:errcheck // a temporary file
	before := memory0(t)
	start := time.Now()
	model := script.New(script.Calls(script.Call{ID: "r", Name: "agent__final_report", Arguments: map[string]any{
		"report_format": "markdown", "report_content": "done",
	}}))
	rt, err := aiagent.New(aiagent.Config{Store: st, Providers: map[string]llm.Provider{"bench": model}})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close() //nolint:errcheck // as above
	rt.Register(victimAgent())
	peak := waitForAll(t, st, n)
	took := time.Since(start)
	t.Logf("%d interrupted sessions recovered in %v (%.0f a second); heap %d KB before, %d KB at most", n, took.Round(time.Millisecond),
		float64(n)/took.Seconds(), before>>10, peak>>10)
}

// kill lets a process begin sessions and kills it in the middle of all of them.
func kill(t *testing.T, path string, n int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestVictim$", "-test.timeout=10m")
	c.Env = append(os.Environ(), envVictim+"="+path, envSessions+"="+strconv.Itoa(n))
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "ready" {
		t.Log(lines.Text())
	}
	if err := c.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
}

func memory0(t *testing.T) uint64 {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// waitForAll waits until every session has its answer and returns how large the
// heap was at most.
func waitForAll(t *testing.T, st store.Store, n int) uint64 {
	t.Helper()
	var peak uint64
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("not all were recovered")
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		peak = max(peak, m.HeapAlloc)
		page, err := st.List(t.Context(), "default", store.Query{Status: kernel.StatusRunning, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Sessions) > 0 {
			continue
		}
		tick.Stop()
		done := 0
		for q := (store.Query{Status: kernel.StatusCompleted, Limit: 1000}); ; q.Cursor = page.Cursor {
			if page, err = st.List(t.Context(), "default", q); err != nil {
				t.Fatal(err)
			}
			done += len(page.Sessions)
			if page.Cursor == "" {
				break
			}
		}
		if done != n {
			t.Fatalf("%d of %d sessions have their answer", done, n)
		}
		return peak
	}
}
