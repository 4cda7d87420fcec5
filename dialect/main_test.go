package dialect

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with a file whose first lines, up to a line of dashes,
// say what it protects.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, want, ok := strings.Cut(string(data), "\n---\n")
	if !ok {
		t.Fatalf("%s: no line of dashes after the head", path)
	}
	got += "\n"
	if *update {
		if err := os.WriteFile(path, []byte(head+"\n---\n"+got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	same(t, want, got)
}

// same fails when a value is not what it should be.
func same(t rapid.TB, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("difference (-want +got):\n%s", diff)
	}
}

const nonce = "ab12cd34"

// newRun is a run with two tools. The changes are applied last.
func newRun(transport spec.Transport, changes ...func(*spec.Run)) *spec.Run {
	run := &spec.Run{
		Agent: "agent", System: "You are helpful.", Format: spec.FormatMarkdown, Transport: transport,
		Completion: spec.CompleteReport, Progress: true,
		Targets: []spec.Target{{Provider: "p", Model: "m"}},
		Tools: []spec.Tool{
			{
				Name: "web__search", Description: "Searches the web.", Kind: spec.ToolLocal, Server: "web", Queue: "default",
				Parameters: json.RawMessage(`{"properties":{"limit":{"type":"integer"},"q":{"type":"string"}},"required":["q"],"type":"object"}`),
			},
			{
				Name: "files__read", Description: "Reads a file.", Kind: spec.ToolRemote, Server: "files", Queue: "default",
				TimeoutMS: 5, ReplaySafe: true, Approval: true,
				Parameters: json.RawMessage(`{"properties":{"path":{"type":"string"}},"required":["path"],"type":"object"}`),
			},
		},
	}
	for _, change := range changes {
		change(run)
	}
	return run
}

func newTools(t rapid.TB, run *spec.Run) *Toolset {
	t.Helper()
	ts, err := NewToolset(run)
	if err != nil {
		t.Fatal(err)
	}
	return ts
}

// newAsk is the first request of a turn.
func newAsk(run *spec.Run) *Ask {
	return &Ask{
		Transport: run.Transport, Format: run.Format, Completion: run.Completion, Nonce: nonce, Slot: 3, Slots: 4,
		Turn: 2, MaxTurns: 10, Attempt: 1, MaxAttempts: 3, ContextPct: 12,
	}
}

func finalAsk(run *spec.Run) *Ask {
	ask := newAsk(run)
	ask.Final, ask.Reason = true, FinalMaxTurns
	return ask
}

func batch(run *spec.Run)     { run.Batch = true }
func textOnly(run *spec.Run)  { run.Completion = spec.CompleteText }
func withJSON(run *spec.Run)  { run.Format = spec.FormatJSON }
func withSlack(run *spec.Run) { run.Format = spec.FormatSlack }

func withSchema(schema string) func(*spec.Run) {
	return func(run *spec.Run) { run.Format, run.Schema = spec.FormatJSON, json.RawMessage(schema) }
}

// native makes an envelope of calls: name and arguments in turn.
func native(pairs ...string) llm.Envelope {
	var e llm.Envelope
	for pair := range slices.Chunk(pairs, 2) {
		id := "call_" + strconv.Itoa(len(e.ToolCalls)+1)
		e.ToolCalls = append(e.ToolCalls, llm.NewToolCall(id, pair[0], pair[1]))
	}
	return e
}

func said(text string) llm.Envelope { return llm.Envelope{AssistantText: text} }

var stopped = llm.Finish{Reason: llm.FinishStop}

// observe observes a normal response.
func observe(t rapid.TB, run *spec.Run, e llm.Envelope) Observed {
	t.Helper()
	return Observe(newTools(t, run), newAsk(run), e, stopped)
}

// tagged is a report by tag.
func tagged(payload string) string { return tag(nonce, slotFinal, ` format="markdown"`, payload) }

// slot is a call by tag.
func slot(name, tool, payload string) string { return tag(nonce, name, ` tool="`+tool+`"`, payload) }

// only returns the one call of a response.
func only(t rapid.TB, o *Observed) *Call {
	t.Helper()
	if len(o.Calls) != 1 {
		t.Fatalf("%d calls, want one: %+v", len(o.Calls), o.Calls)
	}
	return &o.Calls[0]
}
