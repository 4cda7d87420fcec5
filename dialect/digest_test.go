package dialect

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
)

// contract: P6, P10
func TestEverythingInARequestIsInItsDigest(t *testing.T) {
	t.Parallel()
	full := func() *llm.Request {
		number, fraction := int64(7), 0.5
		image := llm.Image{MediaType: "a", Data: []byte("b"), URL: "c"}
		m := func() *llm.Message {
			return &llm.Message{Role: "user", Origin: &llm.Origin{Provider: "p", Model: "m"}, Parts: []llm.Part{
				{Kind: "text", Text: "t", Reasoning: &llm.Reasoning{Text: "a", Signature: "b", Redacted: "c", ID: "d"}},
				{Kind: "tool_call", Call: &llm.ToolCall{
					ID: "a", Name: "b", Arguments: json.RawMessage(`{}`), ProviderCallID: "c", OriginalName: "d", Raw: "e",
					Bad: true, Signature: "f", Source: "g",
				}},
				{Kind: "tool_result", Result: &llm.ToolResult{CallID: "a", Name: "b", Content: "c", Failed: true, Images: []llm.Image{image}}},
				{Kind: "image", Image: &image},
			}}
		}
		return &llm.Request{
			CorrelationID: "c", Provider: "p", Model: "m", System: "s", History: []*llm.Message{m()}, Tail: []*llm.Message{m()},
			Tools: []llm.Tool{{Name: "t", Description: "d", Parameters: json.RawMessage(`{}`)}}, ToolChoice: "auto",
			Sampling: llm.Sampling{
				Temperature: &fraction, TopP: &fraction, TopK: &number, RepeatPenalty: &fraction, MaxTokens: &number,
				ReasoningEffort: "e", ReasoningTokens: &number, Stop: []string{"x"},
			},
			Stream: true, TimeoutMS: 9, Options: json.RawMessage(`{}`), ResponseFormat: json.RawMessage(`{}`),
		}
	}
	digest := func(r *llm.Request) string {
		var d digester
		d.advance(r.History)
		return fmt.Sprintf("%x", d.sum(r))
	}
	want := digest(full())
	if digest(full()) != want {
		t.Fatal("one request has two digests")
	}
	// Take away one thing after the other, wherever it is.
	for n := 0; ; n++ {
		r := full()
		left := n
		path, found := clear1(reflect.ValueOf(r).Elem(), "request", &left)
		if !found {
			if n < 50 {
				t.Errorf("only %d things were tried", n)
			}
			return
		}
		if digest(r) == want {
			t.Errorf("the digest does not know of %s", path)
		}
	}
}

// clear1 empties the value number left of all that v holds.
func clear1(v reflect.Value, path string, left *int) (string, bool) {
	if v.IsZero() {
		return "", false
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if p, ok := clear1(v.Field(i), path+"."+v.Type().Field(i).Name, left); ok {
				return p, true
			}
		}
		return "", false
	case reflect.Pointer:
		if p, ok := clear1(v.Elem(), path, left); ok || v.Type() == reflect.TypeFor[*llm.Message]() {
			return p, ok
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				if p, ok := clear1(v.Index(i), fmt.Sprintf("%s[%d]", path, i), left); ok {
					return p, true
				}
			}
		}
	default:
	}
	if *left == 0 {
		v.SetZero()
		return path, true
	}
	*left--
	return "", false
}
