package openai_test

import (
	"bytes"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/openai"
)

// FuzzAnswers feeds both APIs with whatever: there is always one receipt, what
// was shown is what is kept, and a failure has a class.
func FuzzAnswers(f *testing.F) {
	for _, dir := range []string{"chat", "responses"} {
		for _, section := range []string{"stream", "whole"} {
			for _, body := range bodies(f, dir, section) {
				f.Add(body, section == "stream")
			}
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, stream bool) {
		kind := map[bool]string{true: "text/event-stream", false: "application/json"}[stream]
		for _, p := range []llm.Provider{
			chat(t, openai.Config{Transport: &canned{kind: kind, body: body}}),
			newResponses(t, openai.Config{Transport: &canned{kind: kind, body: body}}),
		} {
			check(t, p)
		}
	})
}

func check(t *testing.T, p llm.Provider) {
	t.Helper()
	var c llm.Collector
	var receipt *llm.Receipt
	for d, r := range p.Generate(t.Context(), hello()) {
		if receipt != nil {
			t.Fatal("something after the receipt")
		}
		if receipt = r; r == nil {
			c.Add(d)
		}
	}
	switch {
	case receipt == nil:
		t.Fatal("no receipt")
	case receipt.Error != nil && (receipt.Error.Class == "" || receipt.Error.Message == ""):
		t.Fatalf("a failure without a class or a word: %+v", receipt.Error)
	case receipt.Finish.Reason == "":
		t.Fatal("no reason to finish")
	}
	shown := c.Envelope(nil)
	if shown.AssistantText != receipt.Output.AssistantText || len(shown.ToolCalls) != len(receipt.Output.ToolCalls) {
		t.Fatalf("shown %+v, kept %+v", shown, receipt.Output)
	}
}

func bodies(t testing.TB, dir, section string) (list [][]byte) {
	t.Helper()
	for _, text := range sections(t, dir, section) {
		if _, body, ok := bytes.Cut(text, []byte("\n\n")); ok {
			list = append(list, body)
		}
	}
	return list
}
