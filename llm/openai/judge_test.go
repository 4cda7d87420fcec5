package openai_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/openai"
)

// traffic reads a section of every file of wire traffic.
func traffic(t *testing.T, dir, section string, each func(t *testing.T, name string, text []byte)) {
	t.Helper()
	for name, text := range sections(t, dir, section) {
		each(t, name, text)
	}
}

// sections returns a section of every file by the file's name.
func sections(t testing.TB, dir, section string) map[string][]byte {
	t.Helper()
	all := make(map[string][]byte)
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no traffic", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if f.Name == section {
				all[strings.TrimSuffix(filepath.Base(file), ".txtar")] = f.Data
			}
		}
	}
	return all
}

// What we send is what the vendor's own types would send: they read it and
// write it again without loss.
//
// contract: P9
func TestTheVendorsTypesReadWhatWeSend(t *testing.T) {
	t.Parallel()
	for dir, params := range map[string]func() any{
		"chat":      func() any { return new(sdk.ChatCompletionNewParams) },
		"responses": func() any { return new(responses.ResponseNewParams) },
	} {
		seen := 0
		traffic(t, dir, "sent", func(t *testing.T, name string, text []byte) {
			seen++
			_, body, _ := bytes.Cut(text, []byte("\n\n"))
			theirs := params()
			if err := json.Unmarshal(body, theirs); err != nil {
				t.Fatalf("%s/%s: %v", dir, name, err)
			}
			again, err := json.Marshal(theirs)
			if err != nil {
				t.Fatalf("%s/%s: %v", dir, name, err)
			}
			if diff := cmp.Diff(plain(t, body), plain(t, again)); diff != "" {
				t.Errorf("%s/%s (-ours +theirs):\n%s", dir, name, diff)
			}
		})
		if seen < 15 {
			t.Errorf("%s: only %d requests seen", dir, seen)
		}
	}
}

// plain is a request without what the vendor's types leave to others: streaming
// is another method, made-up options are unknown, and null is nothing.
func plain(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"stream", "nested", "number"} {
		delete(v, field)
	}
	if messages, ok := v["messages"].([]any); ok {
		for _, m := range messages {
			if m, ok := m.(map[string]any); ok && m["content"] == nil {
				delete(m, "content")
			}
		}
	}
	return v
}

// canned answers every request with the same bytes, and keeps the last one.
type canned struct {
	kind string
	body []byte
	sent []byte
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	c.sent, _ = io.ReadAll(r.Body)
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {c.kind}},
		Body: io.NopCloser(bytes.NewReader(c.body)), Request: r,
	}, nil
}

func hello() *llm.Request {
	m := llm.Text(llm.RoleUser, "Hello?")
	return &llm.Request{Provider: "p", Model: "m", Stream: true, History: []*llm.Message{&m}}
}

func chat(t testing.TB, config openai.Config) *openai.Chat {
	t.Helper()
	p, err := openai.NewChat(llm.FixedKey("secret-key"), &config)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newResponses(t testing.TB, config openai.Config) *openai.Responses {
	t.Helper()
	p, err := openai.NewResponses(llm.FixedKey("secret-key"), &config)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What we read is what the vendor's own types read.
func TestTheVendorsTypesReadWhatWeRead(t *testing.T) {
	t.Parallel()
	seen := 0
	traffic(t, "chat", "stream", func(t *testing.T, name string, text []byte) {
		body, ok := goodStream(text)
		if !ok {
			return
		}
		var theirs sdk.ChatCompletionAccumulator
		for _, data := range events(body) {
			var chunk sdk.ChatCompletionChunk
			if data == "[DONE]" {
				continue
			}
			if err := json.Unmarshal([]byte(data), &chunk); err != nil || !theirs.AddChunk(chunk) {
				return
			}
		}
		ours := llm.Call(t.Context(), chat(t, openai.Config{Transport: &canned{kind: "text/event-stream", body: body}}), hello())
		if ours.Error != nil || len(theirs.Choices) == 0 {
			return
		}
		seen++
		m := theirs.Choices[0].Message
		if m.Content != ours.Output.AssistantText || theirs.ID != ours.ResponseID || len(m.ToolCalls) != len(ours.Output.ToolCalls) && name != "interleaved" {
			t.Errorf("%s: theirs %q, %d calls; ours %q, %d calls", name, m.Content, len(m.ToolCalls), ours.Output.AssistantText, len(ours.Output.ToolCalls))
		}
		if ours.Usage != nil && ours.Usage.Total() != theirs.Usage.TotalTokens {
			t.Errorf("%s: %d tokens, theirs %d", name, ours.Usage.Total(), theirs.Usage.TotalTokens)
		}
	})
	traffic(t, "responses", "whole", func(t *testing.T, name string, text []byte) {
		head, body, _ := bytes.Cut(text, []byte("\n\n"))
		var theirs responses.Response
		if !bytes.HasPrefix(head, []byte("200 application/json")) || json.Unmarshal(body, &theirs) != nil {
			return
		}
		ours := llm.Call(t.Context(), newResponses(t, openai.Config{Transport: &canned{kind: "application/json", body: body}}), hello())
		if ours.Error != nil {
			return
		}
		seen++
		var calls []string
		for _, item := range theirs.Output {
			if item.Type == "function_call" {
				calls = append(calls, item.Name+item.AsFunctionCall().Arguments)
			}
		}
		if theirs.OutputText() != ours.Output.AssistantText || len(calls) != len(ours.Output.ToolCalls) || theirs.ID != ours.ResponseID {
			t.Errorf("%s: theirs %q %v, ours %q %v", name, theirs.OutputText(), calls, ours.Output.AssistantText, ours.Output.ToolCalls)
		}
		if ours.Usage != nil && ours.Usage.Total() != theirs.Usage.TotalTokens {
			t.Errorf("%s: %d tokens, theirs %d", name, ours.Usage.Total(), theirs.Usage.TotalTokens)
		}
	})
	if seen < 20 {
		t.Errorf("only %d answers seen", seen)
	}
}

func goodStream(text []byte) ([]byte, bool) {
	head, body, _ := bytes.Cut(text, []byte("\n\n"))
	return body, bytes.HasPrefix(head, []byte("200 text/event-stream")) && !bytes.Contains(body, []byte("\n@")) && !bytes.Contains(body, []byte("{{"))
}

func events(body []byte) (data []string) {
	for line := range strings.Lines(string(body)) {
		if text, ok := strings.CutPrefix(line, "data:"); ok {
			data = append(data, strings.TrimSpace(text))
		}
	}
	return data
}
