package anthropic_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/anthropic"
)

// traffic reads a section of every file of wire traffic.
func traffic(t *testing.T, section string, each func(t *testing.T, name string, text []byte)) {
	t.Helper()
	for name, text := range sections(t, section) {
		each(t, name, text)
	}
}

// sections returns a section of every file by the file's name.
func sections(t testing.TB, section string) map[string][]byte {
	t.Helper()
	all := make(map[string][]byte)
	files, err := filepath.Glob("testdata/wire/*.txtar")
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
	seen := 0
	traffic(t, "sent", func(t *testing.T, name string, text []byte) {
		seen++
		_, body, _ := bytes.Cut(text, []byte("\n\n"))
		var ours map[string]any
		if err := json.Unmarshal(body, &ours); err != nil {
			t.Fatal(err)
		}
		// The SDK streams by calling another method, and knows no made-up options.
		for _, field := range []string{"stream", "nested", "number"} {
			delete(ours, field)
		}
		var params sdk.MessageNewParams
		if err := json.Unmarshal(body, &params); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := json.Marshal(params)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var theirs map[string]any
		if err := json.Unmarshal(again, &theirs); err != nil {
			t.Fatal(err)
		}
		delete(theirs, "stream")
		if diff := cmp.Diff(ours, theirs); diff != "" {
			t.Errorf("%s (-ours +theirs):\n%s", name, diff)
		}
	})
	if seen < 15 {
		t.Errorf("only %d requests seen", seen)
	}
}

// canned answers every request with the same bytes.
type canned struct {
	kind string
	body []byte
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {c.kind}},
		Body: io.NopCloser(bytes.NewReader(c.body)), Request: r,
	}, nil
}

// ask gives a provider an answer to read.
func ask(t testing.TB, c canned, stream bool) *llm.Receipt {
	t.Helper()
	p, err := anthropic.New(llm.FixedKey("secret-key"), &anthropic.Config{Transport: c})
	if err != nil {
		t.Fatal(err)
	}
	m := llm.Text(llm.RoleUser, "Hello?")
	return llm.Call(t.Context(), p, &llm.Request{Provider: "p", Model: "m", Stream: stream, History: []*llm.Message{&m}})
}

// What we read is what the vendor's own types read.
func TestTheVendorsTypesReadWhatWeRead(t *testing.T) {
	t.Parallel()
	seen := 0
	traffic(t, "stream", func(t *testing.T, name string, text []byte) {
		head, body, _ := bytes.Cut(text, []byte("\n\n"))
		if !bytes.HasPrefix(head, []byte("200 text/event-stream")) || bytes.Contains(body, []byte("\n@")) || bytes.Contains(body, []byte("{{")) {
			return
		}
		var theirs sdk.Message
		for line := range strings.Lines(string(body)) {
			data, ok := strings.CutPrefix(line, "data:")
			if !ok {
				continue
			}
			var event sdk.MessageStreamEventUnion
			if err := json.Unmarshal([]byte(data), &event); err != nil {
				return // not for them, either
			}
			if err := theirs.Accumulate(event); err != nil {
				return // they want indexes without gaps
			}
		}
		ours := ask(t, canned{"text/event-stream", body}, true)
		if ours.Error != nil || name == "bad-arguments" {
			return // they read those as no arguments at all
		}
		seen++
		compare(t, name, &theirs, ours)
	})
	if seen < 10 {
		t.Errorf("only %d answers seen", seen)
	}
}

func compare(t *testing.T, name string, theirs *sdk.Message, ours *llm.Receipt) {
	t.Helper()
	var text strings.Builder
	var calls, reasoning []string
	for _, b := range theirs.Content {
		switch b.Type {
		case "text":
			text.WriteString(b.Text)
		case "tool_use":
			calls = append(calls, b.Name+string(b.Input))
		case "thinking":
			reasoning = append(reasoning, b.Thinking+"|"+b.Signature)
		case "redacted_thinking":
			reasoning = append(reasoning, "|"+b.Data)
		}
	}
	var ourCalls, ourReasoning []string
	for _, c := range ours.Output.ToolCalls {
		ourCalls = append(ourCalls, c.Name+string(c.Arguments)+c.Raw)
	}
	for _, r := range ours.Output.Reasoning {
		ourReasoning = append(ourReasoning, r.Text+"|"+r.Signature+r.Redacted)
	}
	for _, pair := range [][2]any{
		{text.String(), ours.Output.AssistantText},
		{calls, ourCalls},
		{reasoning, ourReasoning},
		{theirs.ID, ours.ResponseID},
		{string(theirs.StopReason), ours.Finish.Raw},
		{theirs.Model, ours.ActualModel},
	} {
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
			t.Errorf("%s (-theirs +ours):\n%s", name, diff)
		}
	}
	if ours.Usage != nil && ours.Usage.Output != theirs.Usage.OutputTokens {
		t.Errorf("%s: %d tokens of output, theirs %d", name, ours.Usage.Output, theirs.Usage.OutputTokens)
	}
}
