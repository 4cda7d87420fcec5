package view

import (
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// eyes says what of a run's responses is for people's eyes. Models may speak in
// tags, which are part of the conversation and which nobody is shown (contract
// M10).
type eyes struct {
	ask      dialect.Ask
	format   spec.Format
	preamble bool
}

func eyesOf(f *kernel.RunStart) eyes {
	return eyes{
		ask:    dialect.Ask{Transport: f.Transport, Nonce: f.Nonce, Completion: f.Completion, Format: f.Format},
		format: f.Format, preamble: f.Preamble,
	}
}

// filter is what the deltas of a response went through.
func (y *eyes) filter() *dialect.Filter { return dialect.NewFilter(&y.ask, y.format, y.preamble) }

// read is all of a text that a person can read, without the tags.
func (y *eyes) read(text string) string {
	if y.ask.Nonce == "" || !strings.Contains(text, y.ask.Nonce) {
		return text
	}
	// Every format makes sense when it is whole.
	f := dialect.NewFilter(&y.ask, spec.FormatText, true)
	var b strings.Builder
	collect := func(shown []dialect.Shown) {
		for i := range shown {
			b.WriteString(shown[i].Delta.Text)
		}
	}
	collect(f.Push(llm.Delta{Kind: llm.DeltaText, Text: text}))
	collect(f.Close())
	return b.String()
}
