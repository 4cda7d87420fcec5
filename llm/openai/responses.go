package openai

import (
	"context"
	"iter"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// Responses asks models through the Responses API. It may be used concurrently.
type Responses struct {
	base
	memory wire.Memory[itemTranscript, *itemTranscript]
}

var _ llm.Provider = (*Responses)(nil)

// NewResponses makes a provider. The key is asked for at every call; nil sends
// none. The configuration may be nil and is copied.
func NewResponses(key llm.Key, config *Config) (*Responses, error) {
	b, err := newBase(key, config)
	if err != nil {
		return nil, err
	}
	return &Responses{base: b}, nil
}

// Generate implements [llm.Provider].
func (p *Responses) Generate(ctx context.Context, request *llm.Request) iter.Seq2[llm.Delta, *llm.Receipt] {
	return func(yield func(llm.Delta, *llm.Receipt) bool) {
		answer := wire.NewAnswer(func(d llm.Delta) bool { return yield(d, nil) })
		call, err := p.encode(request)
		if err != nil {
			yield(llm.Delta{}, answer.Unsent(request, err))
			return
		}
		d := &itemDecoder{answer: answer, names: wire.NamesOf(request.Tools)}
		if receipt := p.client.Exchange(ctx, call, d, answer); receipt != nil {
			yield(llm.Delta{}, receipt)
		}
	}
}

// responsesSettings are the API's names of the sampling settings.
var responsesSettings = wire.Settings{Temperature: "temperature", TopP: "top_p", MaxTokens: "max_output_tokens"}

// encode makes the call of a request.
func (p *Responses) encode(request *llm.Request) (*wire.Call, error) {
	history := p.memory.Take(request.Provider+"\x00"+request.Model, request.History)
	written := &history.Transcript
	history.Append(request.History, func(m *llm.Message) { written.message(m, request) })
	defer p.memory.Keep(history) // others may go on with it from then
	tail := written.forTail(request.Tail)
	for _, m := range request.Tail {
		tail.message(m, request)
	}
	tail.answered()

	call := &wire.Call{Path: "/responses", Stream: request.Stream, Request: request}
	var f wire.Fields
	f.Text("model", request.Model)
	if strings.TrimSpace(request.System) != "" {
		f.Text("instructions", request.System)
	}
	call.Warnings = responsesSettings.Put(&f, &request.Sampling)
	call.Warnings = append(call.Warnings, p.reasoning(&f, &request.Sampling)...)
	// Nothing is kept on the server: the conversation is ours.
	f.Bool("store", false)
	if request.Stream {
		f.Bool("stream", true)
	}
	if err := responsesTools(&f, request); err != nil {
		return nil, err
	}
	if err := responsesFormat(&f, request); err != nil {
		return nil, err
	}
	options, err := wire.Options(request, p.config.Name)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what it is
	}
	if err := f.Merge(options, "model", "input", "stream"); err != nil {
		return nil, err //nolint:wrapcheck // it says what it is
	}
	call.Body.Add(f.Open("input"), []byte("["), written.text, tail.text, []byte("]}"))
	return call, nil
}

// reasoning asks for an effort, and for the reasoning in the encrypted form in
// which it can be given back.
func (p *Responses) reasoning(f *wire.Fields, sampling *llm.Sampling) (warnings []string) {
	if sampling.ReasoningTokens != nil {
		warnings = append(warnings, wire.LeftOut("reasoning_tokens", "the service has no such setting"))
	}
	if sampling.ReasoningEffort == "" {
		return warnings
	}
	var r wire.Fields
	r.Text("effort", sampling.ReasoningEffort)
	if sampling.ReasoningEffort != "none" {
		if p.config.ReasoningSummary != "-" {
			r.Text("summary", p.config.ReasoningSummary)
		}
		f.Raw("include", []byte(`["reasoning.encrypted_content"]`))
	}
	f.Raw("reasoning", r.Object())
	return warnings
}

func responsesTools(f *wire.Fields, request *llm.Request) error {
	if len(request.Tools) == 0 {
		return nil
	}
	list := make([][]byte, len(request.Tools))
	for i := range request.Tools {
		tool, err := functionOf(&request.Tools[i])
		if err != nil {
			return err
		}
		tool.Text("type", "function")
		// Unless told not to, the API makes every schema strict, and refuses
		// those that cannot be.
		tool.Bool("strict", false)
		list[i] = tool.Object()
	}
	f.Raw("tools", wire.List(list...))
	if request.ToolChoice != llm.ToolChoiceUnset {
		f.Text("tool_choice", string(request.ToolChoice))
	}
	return nil
}

func responsesFormat(f *wire.Fields, request *llm.Request) error {
	format, err := wire.FormatOf(request)
	if err != nil || format == nil {
		return err //nolint:wrapcheck // it says what it is
	}
	var inner, text wire.Fields
	if format.Schema == nil {
		inner.Text("type", "json_object")
	} else {
		inner.Text("type", "json_schema")
		inner.Text("name", wire.Fit(format.Name, 64))
		inner.Raw("schema", format.Schema)
		if format.Strict != nil {
			inner.Bool("strict", *format.Strict)
		}
	}
	text.Raw("format", inner.Object())
	f.Raw("text", text.Object())
	return nil
}
