package llm_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/llm"
)

// contract: P8
func TestAnEnvelopeInTheUsualOrderNeedsNoLayout(t *testing.T) {
	t.Parallel()
	var c llm.Collector
	c.Add(llm.Delta{Kind: llm.DeltaReasoning, Block: 0, Text: "hm"})
	c.Add(llm.Delta{Kind: llm.DeltaText, Block: 1, Text: "hi"})
	c.Add(llm.Delta{Kind: llm.DeltaToolCall, Block: 2, CallID: "a", Name: "t"})
	e := c.Envelope(&llm.Origin{Provider: "p", Model: "m"})
	if e.Layout != nil {
		t.Errorf("layout is %v, want none", e.Layout)
	}
	m := e.Message()
	same(t, llm.RoleAssistant, m.Role)
	same(t, "reasoning text tool_call", kinds(m))
	same(t, &llm.Origin{Provider: "p", Model: "m"}, m.Origin)
}

// contract: P8
func TestAnEnvelopeKeepsTheOrderInWhichTheModelSpoke(t *testing.T) {
	t.Parallel()
	var c llm.Collector
	c.Add(llm.Delta{Kind: llm.DeltaText, Block: 0, Text: "first, "})
	c.Add(llm.Delta{Kind: llm.DeltaToolCall, Block: 1, CallID: "a", Name: "t"})
	c.Add(llm.Delta{Kind: llm.DeltaReasoning, Block: 2, Text: "hm"})
	c.Add(llm.Delta{Kind: llm.DeltaText, Block: 3, Text: "zweitens ü"})
	c.Add(llm.Delta{Kind: llm.DeltaToolCall, Block: 4, CallID: "b", Name: "t"})
	e := c.Envelope(nil)
	same(t, "first, zweitens ü", e.AssistantText)
	m := e.Message()
	same(t, "text tool_call reasoning text tool_call", kinds(m))
	same(t, "first, ", m.Parts[0].Text)
	same(t, "zweitens ü", m.Parts[3].Text)
	same(t, "b", m.Parts[4].Call.ID)
}

func TestAnEmptyEnvelopeIsAMessageWithoutParts(t *testing.T) {
	t.Parallel()
	var e llm.Envelope
	if m := e.Message(); !e.Empty() || len(m.Parts) != 0 || m.Parts == nil {
		t.Errorf("got %+v", m)
	}
	for _, e := range []llm.Envelope{
		{AssistantText: "x"}, {ToolCalls: []llm.ToolCall{{}}}, {Reasoning: []llm.Reasoning{{Text: "x"}}},
	} {
		if e.Empty() {
			t.Errorf("%+v is called empty", e)
		}
	}
}

func TestALayoutThatDoesNotFitItsEnvelopeIsNoPanic(t *testing.T) {
	t.Parallel()
	e := llm.Envelope{
		AssistantText: "abc",
		Layout: []llm.LayoutItem{
			{Kind: llm.PartText, Index: 99},
			{Kind: llm.PartText, Index: 2},
			{Kind: llm.PartText, Index: 1},
			{Kind: llm.PartReasoning, Index: 0},
			{Kind: llm.PartToolCall, Index: -1},
			{Kind: llm.PartImage},
			{Kind: "later", Index: 1},
		},
	}
	m := e.Message()
	same(t, "text", kinds(m))
	same(t, "ab", m.Content())
}

// A message must say what was streamed, in its order, also after it was
// stored: offsets are bytes, so text must not change its length on the way.
//
// contract: P8
func TestAnEnvelopeReadFromJSONIsTheSameMessage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var c llm.Collector
		for i := range rapid.IntRange(0, 8).Draw(t, "blocks") {
			kind := rapid.SampledFrom([]llm.DeltaKind{llm.DeltaText, llm.DeltaReasoning, llm.DeltaToolCall}).Draw(t, "kind")
			text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "text")) // UTF-8 or not
			c.Add(llm.Delta{Kind: kind, Block: i, Text: text, CallID: text, Name: text})
		}
		before := c.Envelope(nil)
		after := throughJSON(t, before)
		same(t, before, after)
		same(t, before.Message(), after.Message())
		m := before.Message()
		same(t, before.AssistantText, m.Content())
	})
}

func kinds(m llm.Message) string {
	s := ""
	for i, p := range m.Parts {
		if i > 0 {
			s += " "
		}
		s += fmt.Sprint(p.Kind)
	}
	return s
}
