package ollama

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// settings are the names of the sampling settings inside options.
var settings = wire.Settings{
	Temperature: "temperature", TopP: "top_p", TopK: "top_k", RepeatPenalty: "repeat_penalty", MaxTokens: "num_predict", Stop: "stop",
}

// encode makes the call of a request.
func (p *Provider) encode(request *llm.Request) (*wire.Call, error) {
	history := p.memory.Take(request.Provider+"\x00"+request.Model, request.History)
	written := &history.Transcript
	history.Append(request.History, func(m *llm.Message) { written.message(m, request) })
	defer p.memory.Keep(history) // others may go on with it from then
	tail := written.forTail(request.Tail)
	for _, m := range request.Tail {
		tail.message(m, request)
	}
	tail.answered()

	call := &wire.Call{Path: "/chat", Stream: request.Stream, Lines: true, Request: request}
	var f, sampling wire.Fields
	f.Text("model", request.Model)
	f.Bool("stream", request.Stream) // it streams unless told not to
	call.Warnings = settings.Put(&sampling, &request.Sampling)
	call.Warnings = append(call.Warnings, thinking(&f, &request.Sampling)...)
	if err := tools(&f, request); err != nil {
		return nil, err
	}
	format, err := wire.FormatOf(request)
	switch {
	case err != nil:
		return nil, err //nolint:wrapcheck // it says what it is
	case format != nil && format.Schema == nil:
		f.Text("format", "json")
	case format != nil:
		f.Raw("format", format.Schema)
	}
	if request.ToolChoice == llm.ToolChoiceRequired || request.ToolChoice == llm.ToolChoiceNone {
		call.Warnings = append(call.Warnings, wire.LeftOut("tool_choice", "the service has no such setting"))
	}
	options, err := wire.Options(request, p.config.Name)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what it is
	}
	if err := f.Merge(options, "model", "messages", "stream"); err != nil {
		return nil, err //nolint:wrapcheck // it says what it is
	}
	if sampling.Len() > 0 {
		// Provider options are the ground here, and what was configured for
		// every provider stands on it.
		if err := f.Merge([]byte(`{"options":` + string(sampling.Object()) + `}`)); err != nil {
			return nil, err //nolint:wrapcheck // it says what it is
		}
	}
	call.Body.Add(f.Open("messages"), []byte("["), system(request, written.Size()+len(tail.text) > 0), written.text, tail.text, []byte("]}"))
	return call, nil
}

// thinking says whether the model should, and how much where it is told in
// words.
func thinking(f *wire.Fields, sampling *llm.Sampling) (warnings []string) {
	if sampling.ReasoningTokens != nil {
		warnings = append(warnings, wire.LeftOut("reasoning_tokens", "the service has no such setting"))
	}
	switch sampling.ReasoningEffort {
	case "":
	case "none":
		f.Bool("think", false)
	default:
		f.Text("think", sampling.ReasoningEffort)
	}
	return warnings
}

func tools(f *wire.Fields, request *llm.Request) error {
	if len(request.Tools) == 0 || request.ToolChoice == llm.ToolChoiceNone {
		return nil
	}
	list := make([][]byte, len(request.Tools))
	for i := range request.Tools {
		tool := &request.Tools[i]
		schema, err := wire.Parameters(tool)
		if err != nil {
			return fmt.Errorf("ollama: %w", err)
		}
		var function, outer wire.Fields
		function.Text("name", wire.Fit(tool.Name, wire.MaxToolName))
		if tool.Description != "" {
			function.Text("description", tool.Description)
		}
		function.Raw("parameters", schema)
		outer.Text("type", "function")
		outer.Raw("function", function.Object())
		list[i] = outer.Object()
	}
	f.Raw("tools", wire.List(list...))
	return nil
}

// system is the first message; more says that others follow.
func system(request *llm.Request, more bool) []byte {
	if strings.TrimSpace(request.System) == "" {
		return nil
	}
	var f wire.Fields
	f.Text("role", "system")
	f.Text("content", request.System)
	if more {
		return append(f.Object(), ',')
	}
	return f.Object()
}

// imageData is a picture as the service takes it, nil when there is none: it
// does not fetch addresses.
func imageData(image *llm.Image) []byte {
	if image == nil || len(image.Data) == 0 {
		return nil
	}
	return wire.AppendString(nil, base64.StdEncoding.EncodeToString(image.Data))
}
