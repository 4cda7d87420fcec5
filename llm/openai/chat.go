package openai

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// Chat asks models through Chat Completions. It may be used concurrently.
type Chat struct {
	base
	accent *accent
	memory wire.Memory[chatTranscript, *chatTranscript]
}

var _ llm.Provider = (*Chat)(nil)

// NewChat makes a provider. The key is asked for at every call; nil sends none,
// as for a server of one's own. The configuration may be nil and is copied.
func NewChat(key llm.Key, config *Config) (*Chat, error) {
	b, err := newBase(key, config)
	if err != nil {
		return nil, err
	}
	return &Chat{base: b, accent: flavors[b.config.Flavor]}, nil
}

// Generate implements [llm.Provider].
func (c *Chat) Generate(ctx context.Context, request *llm.Request) iter.Seq2[llm.Delta, *llm.Receipt] {
	return func(yield func(llm.Delta, *llm.Receipt) bool) {
		answer := wire.NewAnswer(func(d llm.Delta) bool { return yield(d, nil) })
		call, err := c.encode(request)
		if err != nil {
			yield(llm.Delta{}, answer.Unsent(request, err))
			return
		}
		d := &chatDecoder{answer: answer, names: wire.NamesOf(request.Tools)}
		if receipt := c.client.Exchange(ctx, call, d, answer); receipt != nil {
			yield(llm.Delta{}, receipt)
		}
	}
}

// encode makes the call of a request.
func (c *Chat) encode(request *llm.Request) (*wire.Call, error) {
	history := c.memory.Take(request.Provider+"\x00"+request.Model, request.History)
	written := &history.Transcript
	written.chat = c
	history.Append(request.History, func(m *llm.Message) { written.message(m, request) })
	defer c.memory.Keep(history) // others may go on with it from then
	tail := written.forTail(request.Tail)
	for _, m := range request.Tail {
		tail.message(m, request)
	}
	tail.close()

	call := &wire.Call{Path: "/chat/completions", Headers: c.accent.headers, Stream: request.Stream, Request: request}
	var f wire.Fields
	f.Text("model", request.Model)
	call.Warnings = c.settings(&f, &request.Sampling)
	if request.Stream {
		f.Bool("stream", true)
		if !c.config.NoStreamUsage {
			f.Raw("stream_options", []byte(`{"include_usage":true}`))
		}
	}
	if c.accent.countUsage {
		f.Raw("usage", []byte(`{"include":true}`))
	}
	if err := c.tools(&f, request, written); err != nil {
		return nil, err
	}
	if len(request.ResponseFormat) > 0 {
		if _, err := wire.FormatOf(request); err != nil {
			return nil, err //nolint:wrapcheck // it says what it is
		}
		f.Raw("response_format", request.ResponseFormat)
	}
	options, err := wire.Options(request, c.config.Name)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what it is
	}
	if err := f.Merge(options, "model", "messages", "stream"); err != nil {
		return nil, err //nolint:wrapcheck // it says what it is
	}
	call.Body.Add(f.Open("messages"), []byte("["))
	call.Body.Add(system(request, written.Size()+len(tail.text) > 0))
	call.Body.Add(written.text, tail.text, []byte("]}"))
	return call, nil
}

// settings adds sampling and reasoning, and returns what could not be sent.
func (c *Chat) settings(f *wire.Fields, sampling *llm.Sampling) []string {
	warnings := c.accent.settings.Put(f, sampling)
	switch budget, effort := sampling.ReasoningTokens, sampling.ReasoningEffort; {
	case budget != nil && c.accent.budget != "":
		deep(f, c.accent.budget, *budget)
	case budget != nil && effort == "":
		warnings = append(warnings, wire.LeftOut("reasoning_tokens", "the service has no such setting"))
	case effort != "" && c.accent.effort != "":
		deep(f, c.accent.effort, effort)
	case effort != "":
		warnings = append(warnings, wire.LeftOut("reasoning_effort", "the service has no such setting"))
	}
	return warnings
}

// deep sets a field, or the field of an object when its name has a dot.
func deep(f *wire.Fields, name string, value any) {
	if object, field, ok := strings.Cut(name, "."); ok {
		f.Any(object, map[string]any{field: value})
		return
	}
	f.Any(name, value)
}

func (c *Chat) tools(f *wire.Fields, request *llm.Request, history *chatTranscript) error {
	if len(request.Tools) == 0 {
		if history.calls && c.accent.emptyTools {
			f.Raw("tools", []byte("[]"))
		}
		return nil
	}
	list := make([][]byte, len(request.Tools))
	for i := range request.Tools {
		function, err := functionOf(&request.Tools[i])
		if err != nil {
			return err
		}
		var tool wire.Fields
		tool.Text("type", "function")
		tool.Raw("function", function.Object())
		list[i] = tool.Object()
	}
	f.Raw("tools", wire.List(list...))
	if request.ToolChoice != llm.ToolChoiceUnset {
		f.Text("tool_choice", string(request.ToolChoice))
	}
	return nil
}

// functionOf is a tool as both APIs describe it.
func functionOf(tool *llm.Tool) (*wire.Fields, error) {
	schema, err := wire.Parameters(tool)
	if err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	f := new(wire.Fields)
	f.Text("name", wire.Fit(tool.Name, wire.MaxToolName))
	if tool.Description != "" {
		f.Text("description", tool.Description)
	}
	f.Raw("parameters", schema)
	return f, nil
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
