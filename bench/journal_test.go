package bench

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/memory"
	"github.com/ai-agent-go/ai-agent/store/sqlite"
	"github.com/ai-agent-go/ai-agent/tool"
)

// writer is a model whose turns are as long as those of agents at work: a
// paragraph, and two calls whose results have some pages.
type writer struct {
	turns, turn int
	said        int64
}

// paragraph is what the model says besides its calls; page is a tool's result.
var (
	paragraph = strings.Repeat("I look at the next two files and compare them. ", 20)
	page      = strings.Repeat("a line of a file that a tool has read\n", 160)
)

func (w *writer) Generate(_ context.Context, _ *llm.Request) iter.Seq2[llm.Delta, *llm.Receipt] {
	return func(yield func(llm.Delta, *llm.Receipt) bool) {
		w.turn++
		r := &llm.Receipt{Finish: llm.Finish{Reason: llm.FinishToolCalls}, Usage: &llm.Usage{Input: 1000, Output: 50}}
		if w.turn > w.turns {
			r.Output.ToolCalls = []llm.ToolCall{llm.NewToolCall("r", spec.FinalReportTool,
				`{"report_format":"markdown","report_content":"done"}`)}
		} else {
			// No two turns are alike: what is the same is stored once.
			one, two := fmt.Sprintf("a%05d", w.turn), fmt.Sprintf("b%05d", w.turn)
			r.Output.AssistantText = one + paragraph
			r.Output.ToolCalls = []llm.ToolCall{
				llm.NewToolCall(one, "read", `{"text":"`+one+`"}`), llm.NewToolCall(two, "read", `{"text":"`+two+`"}`),
			}
			w.said += int64(len(one+paragraph) + 2*len(`{"text":"a00000"}`) + 2*len(one+page))
		}
		// A provider's own payload says it once more, in its own words.
		r.Raw = llm.MustMarshalJSON(map[string]any{"id": "response", "output": []any{&r.Output}})
		yield(llm.Delta{}, r)
	}
}

// tally is a store that counts what is journaled and how often it is asked to
// make something durable.
type tally struct {
	store.Store
	frames, blobs, writes atomic.Int64
	seen                  map[journal.Ref]bool
}

func (c *tally) Append(ctx context.Context, key journal.Key, b store.Batch) error {
	c.writes.Add(1)
	for i := range b.Frames {
		c.frames.Add(int64(len(b.Frames[i].Data)))
	}
	for _, blob := range b.Blobs {
		if !c.seen[blob.Ref] { // one actor at a time appends to the one session
			c.seen[blob.Ref] = true
			c.blobs.Add(int64(len(blob.Data)))
		}
	}
	return c.Store.Append(ctx, key, b)
}

func (c *tally) Put(ctx context.Context, key journal.Key, item store.Item) (store.Ticket, error) {
	c.writes.Add(1)
	return c.Store.Put(ctx, key, item)
}

// journalled runs turns of a usual size and returns what they held and what was
// journaled.
func journalled(t *testing.T, capture spec.Capture, turns int) (content int64, c *tally) {
	t.Helper()
	c = &tally{Store: memory.New(), seen: make(map[journal.Ref]bool)}
	w := &writer{turns: turns}
	rt, err := aiagent.New(aiagent.Config{Store: c, Providers: map[string]llm.Provider{"bench": w}})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close() //nolint:errcheck // memory
	a := echoAgent(turns)
	a.Capture = capture
	a.Tools = []tool.Tool{tool.Must(tool.New("read", "Reads.", func(_ context.Context, in echo) (string, error) {
		return in.Text + page, nil
	}))}
	if r := rt.Run(t.Context(), a, "go", nil); !r.Success {
		t.Fatal(r.Error)
	}
	return w.said, c
}

// What a turn journals is what was said in it and little more. The contents are
// of a usual size: an agent that says three words a turn pays for the frames
// around them.
func TestATurnJournalsLittleMoreThanItsContent(t *testing.T) {
	t.Parallel()
	const turns = 200
	for _, capture := range []spec.Capture{spec.CaptureNone, spec.CaptureAll} {
		content, c := journalled(t, capture, turns)
		total := c.frames.Load() + c.blobs.Load()
		ratio := float64(total) / float64(content)
		t.Logf("raw capture %s: %d bytes of content a turn, %d journaled (frames %d, contents %d): %.2f times",
			capture, content/turns, total/turns, c.frames.Load()/turns, c.blobs.Load()/turns, ratio)
		if capture == spec.CaptureNone && ratio > 1.3 {
			t.Errorf("%.2f times the content is journaled, want at most 1.3", ratio)
		}
	}
}

// A full turn on SQLite costs the same after a thousand turns as after a hundred,
// in processor time and in writes that wait for the disk. Each write is one sync
// when nobody shares it, as the store's own tests prove.
func TestATurnOnSQLiteCostsTheSameAfterAThousand(t *testing.T) { //nolint:paralleltest // measures the process's time
	if raceEnabled {
		t.Skip("the race detector makes SQLite some thirty times slower")
	}
	const turns, span = 1000, 100
	best := 0.0
	for range 3 { // others on the machine make it uneven
		dir := t.TempDir()
		file, err := sqlite.Open(filepath.Join(dir, "s.db"), nil)
		if err != nil {
			t.Fatal(err)
		}
		c := &tally{Store: file, seen: make(map[journal.Ref]bool)}
		var used [turns + 2]time.Duration
		var writes [turns + 2]int64
		model := newCaller(turns)
		model.mark = func(turn int) { used[turn], writes[turn] = cpu(t), c.writes.Load() }
		run(t, c, model)
		info, err := os.Stat(filepath.Join(dir, "s.db"))
		if err != nil {
			t.Fatal(err)
		}
		_ = file.Close()
		early, late := used[100+span]-used[100], used[turns]-used[turns-span]
		syncs, lastSyncs := writes[100+span]-writes[100], writes[turns]-writes[turns-span]
		t.Logf("turns 100-200: %v CPU and %.2f syncs a turn; turns 900-1000: %v and %.2f; the file has %d bytes a turn",
			early/span, float64(syncs)/span, late/span, float64(lastSyncs)/span, info.Size()/turns)
		if float64(lastSyncs) > 1.1*float64(syncs) {
			t.Errorf("%d syncs in turns 900-1000, %d in turns 100-200", lastSyncs, syncs)
		}
		if ratio := float64(early) / float64(late); ratio > best {
			best = ratio
		}
	}
	if best < 1/1.5 {
		t.Errorf("turns 900-1000 take %.2f times the processor time of turns 100-200", 1/best)
	}
}
