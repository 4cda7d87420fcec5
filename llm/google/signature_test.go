package google_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-agent-go/ai-agent/llm"
)

// parts returns the parts of one content of the last request.
func parts(t *testing.T, c *canned, index int) []any {
	t.Helper()
	var body struct {
		Contents []struct{ Parts []any }
	}
	if err := json.Unmarshal(c.sent, &body); err != nil {
		t.Fatal(err)
	}
	return body.Contents[index].Parts
}

// Signatures sit on any part and go back to where they were.
//
// contract: V4
func TestSignaturesGoBackWhereTheyCameFrom(t *testing.T) {
	t.Parallel()
	c := &canned{kind: "text/event-stream", body: []byte(
		`data: {"candidates":[{"content":{"parts":[{"text":"Hm","thought":true}]}}],"responseId":"r"}` + "\n\n" +
			`data: {"candidates":[{"content":{"parts":[{"text":".","thought":true,"thoughtSignature":"Zmlyc3Q="}]}}]}` + "\n\n" +
			`data: {"candidates":[{"content":{"parts":[{"text":"Look:"},{"text":"","thoughtSignature":"dGV4dA=="}]}}]}` + "\n\n" +
			`data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"x":1}},"thoughtSignature":"Y2FsbA=="},{"functionCall":{"name":"f"}}]},` +
			`"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1}}` + "\n\n",
	)}
	p := provider(t, c)
	request := hello("gemini-3-pro")
	receipt := llm.Call(t.Context(), p, request)
	said := receipt.Output.Message()
	request.History = append(request.History, &said)
	llm.Call(t.Context(), p, request)
	f := func(args map[string]any) map[string]any { return map[string]any{"name": "f", "args": args} }
	want := []any{
		map[string]any{"text": "Hm.", "thought": true, "thoughtSignature": "Zmlyc3Q="},
		map[string]any{"text": "Look:"},
		map[string]any{"text": "", "thoughtSignature": "dGV4dA=="},
		map[string]any{"functionCall": f(map[string]any{"x": 1.0}), "thoughtSignature": "Y2FsbA=="},
		map[string]any{"functionCall": f(map[string]any{})},
	}
	if diff := cmp.Diff(want, parts(t, c, 1)); diff != "" {
		t.Error(diff)
	}
	request.Model = "gemini-2.5-pro"
	llm.Call(t.Context(), p, request)
	want = []any{
		map[string]any{"text": "Hm."},
		map[string]any{"text": "Look:"},
		map[string]any{"functionCall": f(map[string]any{"x": 1.0})},
		map[string]any{"functionCall": f(map[string]any{})},
	}
	if diff := cmp.Diff(want, parts(t, c, 1)); diff != "" {
		t.Error(diff)
	}
}

// From the third generation on the first call of a message needs a signature,
// and there is a word for not having one. What is not base64 is none.
//
// contract: V2, V4
func TestUnsignedCallsGetTheSentinel(t *testing.T) {
	t.Parallel()
	a, b := llm.NewToolCall("a", "f", "{}"), llm.NewToolCall("b", "f", "{}")
	a.Signature = "not base64!"
	m := &llm.Message{
		Role: llm.RoleAssistant, Origin: &llm.Origin{Provider: "p", Model: "gemini-3-pro"},
		Parts: []llm.Part{{Kind: llm.PartToolCall, Call: &a}, {Kind: llm.PartToolCall, Call: &b}},
	}
	c := &canned{kind: "application/json", body: []byte(`{}`)}
	request := hello("gemini-3-pro")
	request.History = append(request.History, m)
	llm.Call(t.Context(), provider(t, c), request)
	call := map[string]any{"name": "f", "args": map[string]any{}}
	want := []any{
		map[string]any{"functionCall": call, "thoughtSignature": "skip_thought_signature_validator"},
		map[string]any{"functionCall": call},
	}
	if diff := cmp.Diff(want, parts(t, c, 1)); diff != "" {
		t.Error(diff)
	}
}

// contract: R8
func TestThinkingIsALevelOrABudget(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		model    string
		sampling llm.Sampling
		want     any
	}{
		"unset":         {"gemini-3-pro", llm.Sampling{}, nil},
		"level":         {"gemini-3-pro", llm.Sampling{ReasoningEffort: "low"}, map[string]any{"thinkingLevel": "low", "includeThoughts": true}},
		"share":         {"gemini-2.5-pro", llm.Sampling{ReasoningEffort: "medium", MaxTokens: new(int64(10000))}, map[string]any{"thinkingBudget": 5000.0, "includeThoughts": true}},
		"share, capped": {"gemini-2.5-pro", llm.Sampling{ReasoningEffort: "high", MaxTokens: new(int64(100000))}, map[string]any{"thinkingBudget": 32768.0, "includeThoughts": true}},
		"tokens":        {"gemini-3-pro", llm.Sampling{ReasoningEffort: "low", ReasoningTokens: new(int64(77))}, map[string]any{"thinkingBudget": 77.0, "includeThoughts": true}},
		"none":          {"gemini-2.5-pro", llm.Sampling{ReasoningEffort: "none"}, map[string]any{"thinkingBudget": 0.0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &canned{kind: "application/json", body: []byte(`{}`)}
			request := hello(test.model)
			request.Sampling = test.sampling
			llm.Call(t.Context(), provider(t, c), request)
			var body struct{ GenerationConfig map[string]any }
			if err := json.Unmarshal(c.sent, &body); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, body.GenerationConfig["thinkingConfig"]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A prompt that is blocked has no candidates, only a verdict.
func TestABlockedPromptIsARefusal(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"application/json", "text/event-stream"} {
		body := `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":4}}`
		if kind == "text/event-stream" {
			body = "data: " + body + "\n\n"
		}
		r := llm.Call(t.Context(), provider(t, &canned{kind: kind, body: []byte(body)}), hello("m"))
		if r.Error == nil || r.Error.Class != llm.ClassRefusal || r.Finish != (llm.Finish{Reason: llm.FinishContentFilter, Raw: "PROHIBITED_CONTENT"}) {
			t.Errorf("%s: %+v, %v", kind, r.Finish, r.Error)
		}
	}
}

func TestTheModelIsPartOfThePath(t *testing.T) {
	t.Parallel()
	c := &canned{kind: "application/json", body: []byte(`{}`)}
	llm.Call(t.Context(), provider(t, c), hello("tuned/../x?y"))
	if c.path != "/v1beta/models/tuned%2F..%2Fx%3Fy:streamGenerateContent?alt=sse" {
		t.Error(c.path)
	}
}
