package provider_test

import (
	"bytes"
	"encoding/json"
	"testing"

	anthropic "github.com/anthropics/anthropic-sdk-go"
	"github.com/google/go-cmp/cmp"
	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"
)

// The vendors' own types are the judges: they read a request and write it again
// without loss.

func judgeMessages(t *testing.T, body []byte) {
	t.Helper()
	again(t, body, new(anthropic.MessageNewParams))
}

func judgeChat(t *testing.T, body []byte) {
	t.Helper()
	again(t, body, new(openai.ChatCompletionNewParams))
}

func judgeResponses(t *testing.T, body []byte) {
	t.Helper()
	again(t, body, new(responses.ResponseNewParams))
}

func judgeGenerate(t *testing.T, body []byte) {
	t.Helper()
	// The service takes this word in place of a signature; read as base64 of
	// the kind for addresses it is one, and the vendor's library knows only the
	// other kind.
	body = bytes.ReplaceAll(body, []byte("skip_thought_signature_validator"), []byte("skip/thought/signature/validator"))
	again(t, body, new(struct {
		Contents          []*genai.Content        `json:"contents"`
		SystemInstruction *genai.Content          `json:"systemInstruction,omitempty"`
		Tools             []*genai.Tool           `json:"tools,omitempty"`
		ToolConfig        *genai.ToolConfig       `json:"toolConfig,omitempty"`
		GenerationConfig  *genai.GenerationConfig `json:"generationConfig,omitempty"`
	}))
}

func again(t *testing.T, body []byte, theirs any) {
	t.Helper()
	if err := json.Unmarshal(body, theirs); err != nil {
		t.Fatalf("the vendor cannot read it: %v", err)
	}
	written, err := json.Marshal(theirs)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(value(t, body), value(t, written)); diff != "" {
		t.Errorf("(-ours +theirs):\n%s", diff)
	}
}

// value is a body without what the types leave to others: streaming is another
// method, null, an empty text and an object without fields are nothing, and reasoning goes back
// under the name that it came by.
func value(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	delete(v, "stream")
	each(v["messages"], func(m map[string]any) {
		delete(m, "reasoning_content")
		delete(m, "reasoning_details")
		if m["content"] == nil {
			delete(m, "content")
		}
	})
	each(v["contents"], func(c map[string]any) {
		each(c["parts"], func(p map[string]any) {
			if p["text"] == "" {
				delete(p, "text") // the place of a signature
			}
			if call, ok := p["functionCall"].(map[string]any); ok {
				if args, ok := call["args"].(map[string]any); ok && len(args) == 0 {
					delete(call, "args")
				}
			}
		})
	})
	return v
}

func each(list any, do func(object map[string]any)) {
	items, _ := list.([]any)
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			do(object)
		}
	}
}
