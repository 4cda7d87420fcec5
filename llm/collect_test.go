package llm_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/llm"
)

func call(block int, id, name, text string) llm.Delta {
	return llm.Delta{Kind: llm.DeltaToolCall, Block: block, CallID: id, Name: name, Text: text}
}

func collect(deltas ...llm.Delta) llm.Envelope {
	var c llm.Collector
	for _, d := range deltas {
		c.Add(d)
	}
	return c.Envelope(nil)
}

// contract: P8
func TestBlocksMayInterleave(t *testing.T) {
	t.Parallel()
	e := collect(
		llm.Delta{Kind: llm.DeltaText, Block: 0, Text: "one "},
		call(1, "a", "left", `{"x":`),
		call(2, "b", "right", `{"y":`),
		llm.Delta{Kind: llm.DeltaText, Block: 0, Text: "two"},
		call(1, "", "", `1}`),
		call(2, "", "", `2}`),
	)
	same(t, "one two", e.AssistantText)
	same(t, []llm.ToolCall{
		{ID: "a", Name: "left", Arguments: []byte(`{"x":1}`)},
		{ID: "b", Name: "right", Arguments: []byte(`{"y":2}`)},
	}, e.ToolCalls)
}

// contract: P8
func TestHowDeltasAreCutDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.String(), 1, 12).Draw(t, "texts")
		kind := rapid.SampledFrom([]llm.DeltaKind{llm.DeltaText, llm.DeltaReasoning, llm.DeltaToolCall})
		var whole, cut llm.Collector
		var pieces []llm.Delta
		rest := make([]string, len(texts))
		for i, text := range texts {
			d := llm.Delta{Kind: kind.Draw(t, "kind"), Block: i, CallID: fmt.Sprint("id", i), Name: "t"}
			pieces = append(pieces, d)
			d.Text, rest[i] = text, text
			whole.Add(d)
		}
		for _, d := range pieces {
			cut.Add(d)
		}
		// Bytes, not runes, one at a time, from any block that has some left.
		for left := len(texts); left > 0; {
			i := rapid.IntRange(0, len(texts)-1).Draw(t, "block")
			if rest[i] == "" {
				left--
				for j := range rest {
					cut.Add(llm.Delta{Kind: pieces[j].Kind, Block: j, Text: rest[j]})
					rest[j] = ""
				}
				continue
			}
			cut.Add(llm.Delta{Kind: pieces[i].Kind, Block: i, Text: rest[i][:1]})
			rest[i] = rest[i][1:]
		}
		same(t, whole.Envelope(nil), cut.Envelope(nil))
	})
}

// contract: P8
func TestCallsWithoutAnIdOfTheirOwnAreGivenOne(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ ids, want, provider []string }{
		"the model's own are kept":      {[]string{"x", "y"}, []string{"x", "y"}, []string{"", ""}},
		"missing":                       {[]string{"", ""}, []string{"call_1", "call_2"}, []string{"", ""}},
		"repeated":                      {[]string{"x", "x", "x"}, []string{"x", "call_2", "call_3"}, []string{"", "x", "x"}},
		"ours never takes the model's":  {[]string{"", "call_1"}, []string{"call_2", "call_1"}, []string{"", ""}},
		"nor one that is repeated":      {[]string{"call_2", "call_2"}, []string{"call_2", "call_3"}, []string{"", "call_2"}},
		"nor does ours repeat our own":  {[]string{"call_2", "", ""}, []string{"call_2", "call_3", "call_4"}, []string{"", "", ""}},
		"an id that is not valid UTF-8": {[]string{"\xff"}, []string{"\uFFFD"}, []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c llm.Collector
			for i, id := range test.ids {
				c.Add(call(i, id, "t", ""))
			}
			var got, provider []string
			for _, call := range c.Envelope(nil).ToolCalls {
				got, provider = append(got, call.ID), append(provider, call.ProviderCallID)
			}
			same(t, test.want, got)
			same(t, test.provider, provider)
		})
	}
}

// contract: P8
func TestCallIdsAreUniqueWhateverTheModelSends(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOf(rapid.SampledFrom([]string{"", "a", "call_1", "call_2", "call_3"})).Draw(t, "ids")
		var c llm.Collector
		for i, id := range ids {
			c.Add(call(i, id, "t", ""))
		}
		seen := make(map[string]bool)
		for i, call := range c.Envelope(nil).ToolCalls {
			if call.ID == "" || seen[call.ID] {
				t.Fatalf("call %d of %q has the id %q", i, ids, call.ID)
			}
			seen[call.ID] = true
			if kept := call.ID == ids[i] || call.ProviderCallID == ids[i]; !kept {
				t.Fatalf("call %d of %q has lost the model's id", i, ids)
			}
		}
	})
}

// contract: P8
func TestArgumentsAreACanonicalObjectOrMarkedBad(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                             "{}",
		" \n\t":                        "{}",
		"{}":                           "{}",
		` { "b" : 1.0, "a" : [ ] } `:   `{"a":[],"b":1.0}`,
		`{"big":12345678901234567890}`: `{"big":12345678901234567890}`,
		`{"a":1,"a":2}`:                `{"a":2}`,
		`{"html":"<&>"}`:               `{"html":"<&>"}`,
		"{\"a\":\"\xff\"}":             "{\"a\":\"\uFFFD\"}",
	} {
		same(t, llm.ToolCall{ID: "i", Name: "n", Arguments: []byte(want)}, llm.NewToolCall("i", "n", text))
	}
	for _, text := range []string{"null", "[]", "1", `"{}"`, `{"a":`, "{} {}", "{}x", "{'a':1}", "\xff"} {
		got := llm.NewToolCall("i", "n", text)
		if !got.Bad || got.Arguments != nil {
			t.Errorf("%q is not marked bad: %+v", text, got)
		}
		if text != "\xff" && got.Raw != text {
			t.Errorf("%q is kept as %q", text, got.Raw)
		}
	}
}

func TestSignaturesStayWithTheirBlock(t *testing.T) {
	t.Parallel()
	var c llm.Collector
	c.Add(llm.Delta{Kind: llm.DeltaReasoning, Block: 0, Text: "hm"})
	c.Sign(0, llm.DeltaReasoning, "sig", "", "item")
	c.Sign(0, llm.DeltaReasoning, "", "", "")
	c.Sign(1, llm.DeltaReasoning, "", "encrypted", "")
	c.Add(call(2, "a", "t", ""))
	c.Sign(2, llm.DeltaToolCall, "proof", "", "")
	e := c.Envelope(nil)
	same(t, []llm.Reasoning{{Text: "hm", Signature: "sig", ID: "item"}, {Redacted: "encrypted"}}, e.Reasoning)
	same(t, "proof", e.ToolCalls[0].Signature)
}

// contract: R7
func TestBlocksWithNothingInThemAreNoResponse(t *testing.T) {
	t.Parallel()
	e := collect(
		llm.Delta{Kind: llm.DeltaReasoning, Block: 0},
		llm.Delta{Kind: llm.DeltaText, Block: 1},
		llm.Delta{Block: 2, Text: "of no kind"},
	)
	if !e.Empty() {
		t.Errorf("got %+v", e)
	}
}

func TestBlocksOutOfBoundsAreDropped(t *testing.T) {
	t.Parallel()
	var c llm.Collector
	for _, block := range []int{-1, 4096, 1 << 40} {
		c.Add(llm.Delta{Kind: llm.DeltaText, Block: block, Text: "x"})
		c.Sign(block, llm.DeltaReasoning, "x", "x", "x")
	}
	c.Add(llm.Delta{Kind: llm.DeltaText, Block: 4095, Text: "last"})
	e := c.Envelope(nil)
	same(t, "last", e.AssistantText)
	if len(e.Reasoning) != 0 {
		t.Errorf("got reasoning %+v", e.Reasoning)
	}
}
