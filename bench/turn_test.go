package bench

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/replay"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/memory"
	"github.com/ai-agent-go/ai-agent/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// caller is a model that makes two tool calls a turn until it has made its
// turns, then reports. mark is told when a turn begins.
type caller struct {
	turns int
	turn  int
	mark  func(turn int)
	calls []llm.ToolCall
}

// newCaller makes its calls once: what a model costs is not what is measured.
func newCaller(turns int) *caller {
	return &caller{turns: turns, calls: []llm.ToolCall{
		llm.NewToolCall("a", "echo", `{"text":"some text of a usual length, for the tool to return"}`),
		llm.NewToolCall("b", "echo", `{"text":"another text of a usual length, for the tool to return"}`),
	}}
}

func (c *caller) Generate(_ context.Context, _ *llm.Request) iter.Seq2[llm.Delta, *llm.Receipt] {
	return func(yield func(llm.Delta, *llm.Receipt) bool) {
		c.turn++
		if c.mark != nil {
			c.mark(c.turn)
		}
		r := &llm.Receipt{
			Finish: llm.Finish{Reason: llm.FinishToolCalls},
			Usage:  &llm.Usage{Input: 1000, Output: 50},
		}
		r.Output.ToolCalls = c.calls
		if c.turn > c.turns {
			r.Output.ToolCalls = []llm.ToolCall{llm.NewToolCall("r", "agent__final_report",
				`{"report_format":"markdown","report_content":"done"}`)}
		}
		yield(llm.Delta{}, r)
	}
}

type echo struct {
	Text string `json:"text"`
}

func echoAgent(turns int) *aiagent.Agent {
	return &aiagent.Agent{
		Targets: []aiagent.Target{{Provider: "bench", Model: "bench", Window: 1 << 40}},
		Limits:  aiagent.Limits{MaxTurns: int64(turns) + 1},
		Tools: []tool.Tool{tool.Must(tool.New("echo", "Returns its text.",
			func(_ context.Context, in echo) (string, error) { return in.Text, nil }))},
	}
}

func run(tb testing.TB, st store.Store, c *caller) {
	tb.Helper()
	rt, err := aiagent.New(aiagent.Config{Store: st, Providers: map[string]llm.Provider{"bench": c}})
	if err != nil {
		tb.Fatal(err)
	}
	defer rt.Close() //nolint:errcheck // memory
	s, err := rt.Open(tb.Context(), echoAgent(c.turns), &aiagent.SessionOptions{ID: "bench"})
	if err != nil {
		tb.Fatal(err)
	}
	result, err := s.Execute(tb.Context(), aiagent.Prompt("go")).Result()
	if err != nil || result.Status != kernel.StatusCompleted {
		tb.Fatalf("run: %+v, %v", result, err)
	}
}

// BenchmarkTurn is a turn with two tools in memory: what the library adds.
func BenchmarkTurn(b *testing.B) {
	for _, turns := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("turns=%d", turns), func(b *testing.B) {
			b.ReportAllocs()
			total := 0
			before := cpu(b)
			for b.Loop() {
				run(b, memory.New(), newCaller(turns))
				total += turns
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(total), "ns/turn")
			b.ReportMetric(float64((cpu(b)-before).Nanoseconds())/float64(total), "cpu-ns/turn")
		})
	}
}

// BenchmarkBareTurn is the same model and the same tools in a loop of one's own,
// without conversation, journal, limits or events: what is left of BenchmarkTurn
// when it is taken away is what the library adds.
func BenchmarkBareTurn(b *testing.B) {
	b.ReportAllocs()
	model := newCaller(1 << 30)
	tools := echoAgent(1).Tools
	before := cpu(b)
	for b.Loop() {
		receipt := llm.Call(b.Context(), model, &llm.Request{})
		for i := range receipt.Output.ToolCalls {
			call := &receipt.Output.ToolCalls[i]
			for _, result := range tools[0].Execute(b.Context(), tool.Call{ID: call.ID, Arguments: call.Arguments}) {
				if result != nil && result.Err != nil {
					b.Fatal(result.Err)
				}
			}
		}
	}
	b.ReportMetric(float64((cpu(b)-before).Nanoseconds())/float64(b.N), "cpu-ns/turn")
}

// cpu is the processor time that this process has used, in all its threads.
func cpu(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// The state must not grow with the turns, and a turn must not cost more because
// there were many before it.
func TestAThousandTurnsCostTheSameEachAndLeaveTheStateSmall(t *testing.T) { //nolint:paralleltest // counts the process's allocations
	const turns = 1000
	var marks [turns + 2]uint64
	c := newCaller(turns)
	c.mark = func(turn int) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		marks[turn] = m.TotalAlloc
	}
	st := memory.New()
	run(t, st, c)

	early := marks[200] - marks[100]
	late := marks[1000] - marks[900]
	t.Logf("bytes allocated per turn: %d in turns 100-200, %d in turns 900-1000", early/100, late/100)
	if float64(late) > 1.3*float64(early) {
		t.Errorf("turns 900-1000 allocate %d bytes, turns 100-200 %d: the cost of a turn grows", late, early)
	}

	key := journal.Key{Tenant: "default", Session: "bench"}
	largest := 0
	r := replay.New(key)
	for f, err := range st.Read(t.Context(), key, 1) {
		if err != nil {
			t.Fatal(err)
		}
		frame, err := journal.DecodeFrame(f.Data)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(&frame); err != nil {
			t.Fatal(err)
		}
		state := r.State()
		largest = max(largest, len(state.Encode(nil)))
	}
	t.Logf("largest state: %d bytes", largest)
	if largest > 8<<10 {
		t.Errorf("the state reaches %d bytes, want at most 8 KB", largest)
	}
}
