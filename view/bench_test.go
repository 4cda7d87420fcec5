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
	result := kernel.Content{Ref: keep([]byte("sunny")), Bytes: 5}
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
			Turn: turn, CallID: call, Name: "weather", Server: "local", OK: true, LatencyMS: 12, CharsIn: 17, CharsOut: 5,
		})
	}
	for _, call := range []string{"a", "b"} {
		facts = append(facts, &kernel.Message{Turn: turn, Entry: kernel.Entry{
			Kind: dialect.ItemResult, Ref: result.Ref, Bytes: 5, CallID: call, Name: "weather",
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
	facts := turnFacts(blobs, 1)
	b.Run("fold=session", func(b *testing.B) {
		b.ReportAllocs()
		s := view.NewSession(read)
		for _, f := range start {
			_ = s.Apply(1, f)
		}
		for b.Loop() {
			for _, f := range facts {
				if err := s.Apply(1, f); err != nil {
					b.Fatal(err)
				}
			}
			if len(s.Messages) > 3000 {
				s.Messages, s.Logs, s.Accounting = s.Messages[:0], s.Logs[:0], s.Accounting[:0]
			}
		}
	})
	b.Run("fold=stream", func(b *testing.B) {
		b.ReportAllocs()
		s := view.NewStream(read)
		for _, f := range start {
			_, _ = s.Fact(1, 1, f)
		}
		for b.Loop() {
			for _, f := range facts {
				if _, err := s.Fact(1, 1, f); err != nil {
					b.Fatal(err)
				}
			}
			if len(s.Messages) > 3000 {
				s.Messages, s.Logs, s.Accounting = s.Messages[:0], s.Logs[:0], s.Accounting[:0]
			}
		}
	})
}
