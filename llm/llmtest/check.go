package llmtest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-agent-go/ai-agent/llm"
)

// listener is whoever reads a stream. It folds the deltas by itself, so that it
// does not share the collector's mistakes.
type listener struct {
	blocks  []llm.Delta
	receipt *llm.Receipt
}

func (l *listener) delta(t *testing.T, d llm.Delta) {
	t.Helper()
	if l.receipt != nil {
		t.Error("a delta after the receipt")
	}
	for len(l.blocks) <= d.Block {
		l.blocks = append(l.blocks, llm.Delta{})
	}
	b := &l.blocks[d.Block]
	if b.Kind != "" && b.Kind != d.Kind {
		t.Errorf("block %d is %s and %s", d.Block, b.Kind, d.Kind)
	}
	b.Kind = d.Kind
	b.Text += d.Text
	b.Name += d.Name
	if d.CallID != "" {
		b.CallID = d.CallID
	}
}

func (l *listener) end(t *testing.T, r *llm.Receipt) {
	t.Helper()
	if l.receipt != nil {
		t.Fatal("two receipts")
	}
	l.receipt = r
}

// check makes sure of what holds for every answer: the deltas are the output
// (contract S3), the raw output is what came over the wire (P7), and the key is
// nowhere (B7).
func (l *listener) check(t *testing.T, s *server) {
	t.Helper()
	r := l.receipt
	if r == nil {
		t.Fatal("no receipt")
	}
	var text strings.Builder
	var reasoning []string
	var calls []llm.Delta
	for _, b := range l.blocks {
		switch b.Kind {
		case llm.DeltaText:
			text.WriteString(b.Text)
		case llm.DeltaReasoning:
			reasoning = append(reasoning, b.Text)
		case llm.DeltaToolCall:
			calls = append(calls, b)
		}
	}
	if diff := cmp.Diff(text.String(), r.Output.AssistantText); diff != "" {
		t.Errorf("the deltas' text and the output's (-deltas +output):\n%s", diff)
	}
	var kept []string
	for _, x := range r.Output.Reasoning {
		if x.Text != "" {
			kept = append(kept, x.Text)
		}
	}
	if diff := cmp.Diff(reasoning, kept); diff != "" {
		t.Errorf("the deltas' reasoning and the output's (-deltas +output):\n%s", diff)
	}
	if len(calls) != len(r.Output.ToolCalls) {
		t.Fatalf("%d calls in the deltas, %d in the output", len(calls), len(r.Output.ToolCalls))
	}
	for i := range calls {
		want := llm.NewToolCall(calls[i].CallID, calls[i].Name, calls[i].Text)
		got := r.Output.ToolCalls[i]
		if want.Name != got.Name || !bytes.Equal(want.Arguments, got.Arguments) || want.Raw != got.Raw {
			t.Errorf("call %d is %+v in the deltas and %+v in the output", i, want, got)
		}
	}
	s.mu.Lock()
	wrote := bytes.ReplaceAll(s.written.Bytes(), []byte(Secret), []byte("[redacted]"))
	s.mu.Unlock()
	if !bytes.HasPrefix(wrote, r.Raw) {
		t.Errorf("the raw output is not what was sent:\n%s\n-- sent --\n%s", r.Raw, wrote)
	}
	all, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(all, []byte(Secret)) || bytes.Contains(r.Raw, []byte(Secret)) {
		t.Errorf("the key is in the receipt: %s", all)
	}
}

// check compares a receipt with what the case wants. Opaque fields, which only
// their provider can read, are reduced to whether there are any.
func (c *testCase) check(t *testing.T, a *Adapter, r *llm.Receipt, request *llm.Request) {
	t.Helper()
	should := c.want
	should.Opaque = should.Opaque && !a.NoSignatures
	if should.Usage != nil && a.NoCache {
		should.Usage = &llm.Usage{Input: should.Usage.Input + should.Usage.CacheRead, Output: should.Usage.Output}
	}
	got := want{Finish: r.Finish.Reason, Usage: r.Usage, Envelope: r.Output}
	if r.Error != nil {
		got.Class, got.Status, got.RetryAfterMS = r.Error.Class, r.Error.Status, r.Error.RetryAfterMS
		if r.Error.Class != llm.ClassRefusal {
			got.Usage = nil // some count at the start of an answer, some at its end
		}
		if len(r.Error.Message) == 0 || strings.Contains(r.Error.Message, "\n") || len([]rune(r.Error.Message)) > 200 {
			t.Errorf("the message is not one line of up to 200 characters: %q", r.Error.Message)
		}
	}
	origin := &llm.Origin{Provider: request.Provider, Model: request.Model}
	if diff := cmp.Diff(origin, got.Envelope.Origin); diff != "" {
		t.Errorf("origin (-want +got):\n%s", diff)
	}
	got.Envelope.Origin = nil
	got.Envelope.Reasoning = nil
	for _, x := range r.Output.Reasoning {
		if x.Signature != "" || x.Redacted != "" || x.ID != "" {
			got.Opaque = true
		}
		if x.Text != "" {
			got.Envelope.Reasoning = append(got.Envelope.Reasoning, llm.Reasoning{Text: x.Text})
		}
	}
	got.Envelope.ToolCalls = nil
	for _, call := range r.Output.ToolCalls {
		got.Opaque = got.Opaque || call.Signature != ""
		call.Signature = ""
		got.Envelope.ToolCalls = append(got.Envelope.ToolCalls, call)
	}
	if !should.Opaque {
		got.Opaque = false
	}
	if diff := cmp.Diff(should, got); diff != "" {
		t.Errorf("the answer (-want +got):\n%s\nerror: %v", diff, r.Error)
	}
	if r.Error == nil && r.ResponseID == "" && !c.anonymous && !a.NoIDs {
		t.Error("no response id")
	}
	if r.ProviderID != ProviderName || r.ActualModel == "" || r.ActualProvider == "" {
		t.Errorf("who answered: %q, %q, %q", r.ProviderID, r.ActualProvider, r.ActualModel)
	}
}
