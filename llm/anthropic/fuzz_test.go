package anthropic_test

import (
	"bytes"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/anthropic"
)

// FuzzAnswers feeds the adapter with whatever: there is always one receipt, what
// was shown is what is kept, and a failure has a class.
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
		p, err := anthropic.New(nil, &anthropic.Config{Transport: canned{kind, body}})
		if err != nil {
			t.Fatal(err)
		}
		m := llm.Text(llm.RoleUser, "Hello?")
		var c llm.Collector
		var receipt *llm.Receipt
		for d, r := range p.Generate(t.Context(), &llm.Request{Provider: "p", Model: "m", Stream: stream, History: []*llm.Message{&m}}) {
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
	})
}
