package view_test

import (
	"fmt"
	"testing"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/view"
)

// turnFacts are the facts of one turn with two tool calls.
func turnFacts(blobs map[journal.Ref][]byte, turn int64) []kernel.Fact {
	keep := func(data []byte) journal.Ref {
		ref := journal.RefOf(data)
		blobs[ref] = data
		return ref
	}
	env := &llm.Envelope{
		AssistantText: fmt.Sprintf("Let me look at it, turn %d.", turn),
		Reasoning:     []llm.Reasoning{{Text: "I had better ask the tools."}},
		ToolCalls: []llm.ToolCall{
			{ID: "a", Name: "weather", Arguments: []byte(`{"city":"Athens"}`)},
			{ID: "b", Name: "weather", Arguments: []byte(`{"city":"Berlin"}`)},
		},
	}
	data := llm.MustMarshalJSON(env)
	output := keep(data)
	result := kernel.Content{Ref: keep(fmt.Appendf(nil, "sun %02d", turn)), Bytes: 6}
	id := func(n int) string { return fmt.Sprintf("%d.%d", turn, n) }
	facts := []kernel.Fact{
		&kernel.TurnStart{Turn: turn, MaxTurns: 10},
		&kernel.AttemptStart{
			Effect: id(0), Turn: turn, Attempt: 1, Provider: "script", Model: "demo", Context: 1000, New: 100, Schema: 50,
			Expected: 1150, Window: 131072, Limit: 100000,
		},
		&kernel.AttemptEnd{
			Effect: id(0), Turn: turn, Attempt: 1, Provider: "script", Model: "demo", Outcome: kernel.OutcomeAccepted,
			Finish: llm.Finish{Reason: llm.FinishToolCalls}, Usage: &llm.Usage{Input: 1000, Output: 100}, Cost: 1000,
			CostKnown: true, LatencyMS: 321, Output: output,
		},
		&kernel.Message{Turn: turn, Entry: kernel.Entry{Kind: dialect.ItemAssistant, Ref: output, Bytes: int64(len(data))}},
	}
	for i, call := range []string{"a", "b"} {
		facts = append(facts, &kernel.ToolStart{
			Effect: id(i + 1), Turn: turn, CallID: call, Name: "weather", Server: "local", Kind: spec.ToolLocal, ArgsBytes: 17,
			Output: output, Index: int64(i), Item: -1,
		})
	}
	for i, call := range []string{"a", "b"} {
		facts = append(facts, &kernel.ToolEnd{
			Effect: id(i + 1), Turn: turn, CallID: call, Name: "weather", Status: kernel.ToolOK, Output: result, LatencyMS: 12,
		})
	}
	for _, call := range []string{"a", "b"} {
		facts = append(facts, &kernel.ToolEntry{
			Turn: turn, CallID: call, Name: "weather", Server: "local", OK: true, LatencyMS: 12, CharsIn: 17, CharsOut: 6,
		})
	}
	for _, call := range []string{"a", "b"} {
		facts = append(facts, &kernel.Message{Turn: turn, Entry: kernel.Entry{
			Kind: dialect.ItemResult, Ref: result.Ref, Bytes: 6, CallID: call, Name: "weather",
		}})
	}
	return facts
}

func BenchmarkTurn(b *testing.B) {
	blobs := make(map[journal.Ref][]byte)
	read := func(ref journal.Ref) ([]byte, error) { return blobs[ref], nil }
	start := []kernel.Fact{
		&kernel.SessionStart{Identity: kernel.Identity{Session: "s", Origin: "s", Agent: "agent", CallPath: "agent"}},
		&kernel.RunStart{Run: 1, Agent: "agent", MaxTurns: 10},
	}
	// More turns than a fold remembers contents of.
	turns := make([][]kernel.Fact, 32)
	for i := range turns {
		turns[i] = turnFacts(blobs, int64(i))
	}
	n := 0
	next := func() []kernel.Fact {
		n++
		return turns[n%len(turns)]
	}
	for _, fold := range []struct {
		name string
		new  func() func(kernel.Fact) error
	}{
		{"session", func() func(kernel.Fact) error {
			s := view.NewSession(read)
			return func(f kernel.Fact) error { defer trim(s); return s.Apply(1, f) }
		}},
		{"session,logs=no", func() func(kernel.Fact) error {
			s := view.NewSession(read)
			s.NoLogs = true
			return func(f kernel.Fact) error { defer trim(s); return s.Apply(1, f) }
		}},
		{"stream", func() func(kernel.Fact) error {
			s := view.NewStream(read)
			return func(f kernel.Fact) error { defer trim(s.Session); _, err := s.Fact(1, 1, f); return err }
		}},
		{"stream,logs=no", func() func(kernel.Fact) error {
			s := view.NewStream(read)
			s.NoLogs = true
			return func(f kernel.Fact) error { defer trim(s.Session); _, err := s.Fact(1, 1, f); return err }
		}},
	} {
		b.Run("fold="+fold.name, func(b *testing.B) {
			b.ReportAllocs()
			apply := fold.new()
			for _, f := range start {
				_ = apply(f)
			}
			for b.Loop() {
				for _, f := range next() {
					if err := apply(f); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// trim keeps a long benchmark from filling the memory.
func trim(s *view.Session) {
	if len(s.Messages) > 3000 {
		s.Messages, s.Logs, s.Accounting = s.Messages[:0], s.Logs[:0], s.Accounting[:0]
	}
}
