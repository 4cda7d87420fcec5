package llm_test

import (
	"go/build"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
)

func TestContentJoinsTextPartsAndNothingElse(t *testing.T) {
	t.Parallel()
	one := llm.Text(llm.RoleUser, "hello")
	same(t, "hello", one.Content())
	same(t, llm.RoleUser, one.Role)
	many := llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{
		{Kind: llm.PartReasoning, Reasoning: &llm.Reasoning{Text: "secret"}},
		{Kind: llm.PartText, Text: "a"},
		{Kind: llm.PartToolCall, Call: &llm.ToolCall{ID: "1", Name: "t"}},
		{Kind: llm.PartText, Text: "b"},
		{Kind: llm.PartToolResult, Result: &llm.ToolResult{Content: "no"}},
	}}
	same(t, "ab", many.Content())
	same(t, "", (&llm.Message{}).Content())
}

// contract: P6
func TestAMessageIsReadFromJSONAsItWasWritten(t *testing.T) {
	t.Parallel()
	want := llm.Message{
		Role: llm.RoleAssistant,
		Parts: []llm.Part{
			{Kind: llm.PartText, Text: "a <b> & \"c\" \u2028 \x00 é 😀"},
			{Kind: llm.PartReasoning, Reasoning: &llm.Reasoning{Text: "hm", Signature: "s", Redacted: "r", ID: "i"}},
			{Kind: llm.PartToolCall, Call: &llm.ToolCall{
				ID: "c1", Name: "n", Arguments: []byte(`{"a":1.50}`), ProviderCallID: "p",
				OriginalName: "o", Signature: "s",
			}},
			{Kind: llm.PartToolCall, Call: &llm.ToolCall{ID: "c2", Name: "n", Raw: "{", Bad: true}},
			{Kind: llm.PartToolResult, Result: &llm.ToolResult{
				CallID: "c1", Name: "n", Content: "x", Failed: true,
				Images: []llm.Image{{MediaType: "image/png", Data: []byte{0, 255}}},
			}},
			{Kind: llm.PartImage, Image: &llm.Image{URL: "https://example.com/a.png"}},
		},
		Origin: &llm.Origin{Provider: "p", Model: "m"},
	}
	same(t, want, throughJSON(t, want))
}

// contract: P6
func TestARequestIsReadFromJSONAsItWasWritten(t *testing.T) {
	t.Parallel()
	half, many := 0.5, int64(7)
	tail := llm.Text(llm.RoleUser, "notice")
	want := llm.Request{
		CorrelationID: "s/1/2/3", Provider: "p", Model: "m", System: "be good",
		Tail:       []*llm.Message{&tail},
		Tools:      []llm.Tool{{Name: "t", Description: "d", Parameters: []byte(`{"type":"object"}`)}},
		ToolChoice: llm.ToolChoiceRequired,
		Sampling: llm.Sampling{
			Temperature: &half, TopP: &half, TopK: &many, RepeatPenalty: &half, MaxTokens: &many,
			ReasoningEffort: "high", ReasoningTokens: &many, Stop: []string{"END"},
		},
		Stream: true, TimeoutMS: 1000,
		Options:        []byte(`{"p":{"x":1}}`),
		ResponseFormat: []byte(`{"type":"json_object"}`),
	}
	same(t, want, throughJSON(t, want))
}

// contract: R8
func TestSamplingThatIsUnsetIsLeftOut(t *testing.T) {
	t.Parallel()
	same(t, `{}`, string(llm.MustMarshalJSON(llm.Sampling{})))
	zero := 0.0
	same(t, `{"temperature":0}`, string(llm.MustMarshalJSON(llm.Sampling{Temperature: &zero})))
}

// contract: P13
func TestTheVocabularyImportsNothingOfAgents(t *testing.T) {
	t.Parallel()
	pkg, err := build.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range pkg.Imports {
		if strings.Contains(path, ".") {
			t.Errorf("package llm imports %s, want the standard library alone", path)
		}
		switch strings.SplitN(path, "/", 2)[0] {
		case "net", "os", "sync":
			t.Errorf("package llm imports %s, but it is pure", path)
		}
	}
}
