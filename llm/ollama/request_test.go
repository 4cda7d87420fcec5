package ollama_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/ollama"
)

// canned answers every request with the same bytes, and keeps the last one.
type canned struct {
	kind       string
	body, sent []byte
	url        string
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	c.sent, _ = io.ReadAll(r.Body)
	c.url = r.URL.String()
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {c.kind}},
		Body: io.NopCloser(bytes.NewReader(c.body)), Request: r,
	}, nil
}

func call(t testing.TB, base string, c *canned, change func(r *llm.Request)) *llm.Receipt {
	t.Helper()
	p, err := ollama.New(&ollama.Config{BaseURL: base, Transport: c})
	if err != nil {
		t.Fatal(err)
	}
	m := llm.Text(llm.RoleUser, "Hello?")
	request := &llm.Request{Provider: "p", Model: "m", Stream: true, History: []*llm.Message{&m}}
	change(request)
	return llm.Call(t.Context(), p, request)
}

func TestAnyAddressOfTheServerLeadsToItsChat(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"":                       "http://localhost:11434/api/chat",
		"http://box:11434":       "http://box:11434/api/chat",
		"http://box:11434/":      "http://box:11434/api/chat",
		"http://box:11434/v1":    "http://box:11434/api/chat",
		"http://box:11434/v1/":   "http://box:11434/api/chat",
		"http://box:11434/api/":  "http://box:11434/api/chat",
		"http://box/deep/ollama": "http://box/deep/ollama/api/chat",
	} {
		c := new(canned)
		call(t, base, c, func(*llm.Request) {})
		if c.url != want {
			t.Errorf("%q leads to %q, want %q", base, c.url, want)
		}
	}
}

// Provider options are the ground, and what is configured for every provider
// stands on it.
//
// contract: R8, P9
func TestSettingsAreLaidOverOptions(t *testing.T) {
	t.Parallel()
	c := new(canned)
	r := call(t, "", c, func(r *llm.Request) {
		r.Sampling = llm.Sampling{Temperature: new(0.0), MaxTokens: new(int64(9)), ReasoningTokens: new(int64(5)), ReasoningEffort: "low"}
		r.Options = json.RawMessage(`{"ollama":{"keep_alive":"5m","options":{"temperature":1,"num_ctx":4096}},"openai":{"x":1}}`)
	})
	var body map[string]any
	if err := json.Unmarshal(c.sent, &body); err != nil {
		t.Fatal(err)
	}
	delete(body, "messages")
	want := map[string]any{
		"model": "m", "stream": true, "think": "low", "keep_alive": "5m",
		"options": map[string]any{"temperature": 0.0, "num_predict": 9.0, "num_ctx": 4096.0},
	}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Error(diff)
	}
	if len(r.Warnings) != 1 {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// FuzzAnswers feeds the adapter with whatever: there is always one receipt, and
// a failure has a class.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`{"message":{"content":"Hi.","thinking":"Hm."},"done":true,"done_reason":"stop"}`), true)
	f.Add([]byte(`{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"x":1}}}]},"done":true}`), false)
	f.Add([]byte("{\"message\":{\"content\":\"a\"}}\n{\"error\":\"e\"}\n"), true)
	f.Fuzz(func(t *testing.T, body []byte, stream bool) {
		kind := map[bool]string{true: "application/x-ndjson", false: "application/json"}[stream]
		r := call(t, "", &canned{kind: kind, body: body}, func(r *llm.Request) { r.Stream = stream })
		if r.Finish.Reason == "" || r.Error != nil && (r.Error.Class == "" || r.Error.Message == "") {
			t.Fatalf("receipt %+v", r)
		}
	})
}
