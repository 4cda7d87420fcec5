package google_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"google.golang.org/genai"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/google"
)

// sections returns a section of every file of wire traffic by the file's name.
func sections(t testing.TB, section string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/wire/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no traffic", err)
	}
	all := make(map[string][]byte)
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

// sentBody is a request as far as the vendor has types for its parts.
type sentBody struct {
	Contents          []*genai.Content        `json:"contents"`
	SystemInstruction *genai.Content          `json:"systemInstruction,omitempty"`
	Tools             []*genai.Tool           `json:"tools,omitempty"`
	ToolConfig        *genai.ToolConfig       `json:"toolConfig,omitempty"`
	GenerationConfig  *genai.GenerationConfig `json:"generationConfig,omitempty"`
}

// What we send is what the vendor's own types would send: they read it and
// write it again without loss.
//
// contract: P9
func TestTheVendorsTypesReadWhatWeSend(t *testing.T) {
	t.Parallel()
	all := sections(t, "sent")
	for name, text := range all {
		_, body, _ := bytes.Cut(text, []byte("\n\n"))
		var theirs sentBody
		if err := json.Unmarshal(body, &theirs); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := json.Marshal(theirs)
		if err != nil {
			t.Fatal(err)
		}
		var want, got map[string]any
		if json.Unmarshal(body, &want) != nil || json.Unmarshal(again, &got) != nil {
			t.Fatal("not JSON")
		}
		for _, made := range []string{"metadata", "nested", "number"} {
			delete(want, made) // options that the vendor does not know
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-ours +theirs):\n%s", name, diff)
		}
	}
	if len(all) < 15 {
		t.Errorf("only %d requests seen", len(all))
	}
}

// canned answers every request with the same bytes, and keeps the last one.
type canned struct {
	kind       string
	body, sent []byte
	path       string
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	c.sent, _ = io.ReadAll(r.Body)
	c.path = r.URL.RequestURI()
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {c.kind}},
		Body: io.NopCloser(bytes.NewReader(c.body)), Request: r,
	}, nil
}

func provider(t testing.TB, c *canned) *google.Provider {
	t.Helper()
	p, err := google.New(llm.FixedKey("secret-key"), &google.Config{Transport: c})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func hello(model string) *llm.Request {
	m := llm.Text(llm.RoleUser, "Hello?")
	return &llm.Request{Provider: "p", Model: model, Stream: true, History: []*llm.Message{&m}}
}

// What we read is what the vendor's own types read.
func TestTheVendorsTypesReadWhatWeRead(t *testing.T) {
	t.Parallel()
	seen := 0
	for name, text := range sections(t, "whole") {
		head, body, _ := bytes.Cut(text, []byte("\n\n"))
		var theirs genai.GenerateContentResponse
		if !bytes.HasPrefix(head, []byte("200 application/json")) || json.Unmarshal(body, &theirs) != nil {
			continue
		}
		ours := llm.Call(t.Context(), provider(t, &canned{kind: "application/json", body: body}), hello("gemini-test-1"))
		if ours.Error != nil {
			continue
		}
		seen++
		if theirs.ResponseID != ours.ResponseID || len(theirs.FunctionCalls()) != len(ours.Output.ToolCalls) || theirs.Text() != ours.Output.AssistantText {
			t.Errorf("%s: theirs %q, %d calls; ours %q, %d calls", name, theirs.Text(), len(theirs.FunctionCalls()), ours.Output.AssistantText, len(ours.Output.ToolCalls))
		}
		if ours.Usage != nil && ours.Usage.Total() != int64(theirs.UsageMetadata.TotalTokenCount) {
			t.Errorf("%s: %d tokens, theirs %d", name, ours.Usage.Total(), theirs.UsageMetadata.TotalTokenCount)
		}
	}
	if seen < 8 {
		t.Errorf("only %d answers seen", seen)
	}
}

// FuzzAnswers feeds the adapter with whatever: there is always one receipt, and
// a failure has a class.
func FuzzAnswers(f *testing.F) {
	for _, section := range []string{"stream", "whole"} {
		for _, text := range sections(f, section) {
			if _, body, ok := bytes.Cut(text, []byte("\n\n")); ok {
				f.Add(body, section == "stream")
			}
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, stream bool) {
		kind := map[bool]string{true: "text/event-stream", false: "application/json"}[stream]
		var c llm.Collector
		var receipt *llm.Receipt
		for d, r := range provider(t, &canned{kind: kind, body: body}).Generate(t.Context(), hello("m")) {
			if receipt != nil {
				t.Fatal("something after the receipt")
			}
			if receipt = r; r == nil {
				c.Add(d)
			}
		}
		if receipt == nil || receipt.Finish.Reason == "" || receipt.Error != nil && (receipt.Error.Class == "" || receipt.Error.Message == "") {
			t.Fatalf("receipt %+v", receipt)
		}
		if shown := c.Envelope(nil); shown.AssistantText != receipt.Output.AssistantText || len(shown.ToolCalls) != len(receipt.Output.ToolCalls) {
			t.Fatalf("shown %+v, kept %+v", shown, receipt.Output)
		}
	})
}
