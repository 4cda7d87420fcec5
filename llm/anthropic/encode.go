package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// settings are the API's names of the sampling settings.
var settings = wire.Settings{Temperature: "temperature", TopP: "top_p", TopK: "top_k", MaxTokens: "max_tokens", Stop: "stop_sequences"}

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
	tail.close()

	head := &head{provider: p, request: request, fields: new(wire.Fields), stream: request.Stream}
	if err := head.write(written); err != nil {
		return nil, err
	}
	call := &wire.Call{
		Path: "/v1/messages", Headers: p.headers(request, head.budget > 0), Stream: head.stream,
		Request: request, Warnings: head.warnings,
	}
	call.Body.Add(head.fields.Open("messages"), []byte("["))
	p.mark(&call.Body, written)
	call.Body.Add(tail.text, []byte("]}"))
	return call, nil
}

// mark adds the encoded history with its cache marks: on the user's last block,
// and on the one that was the last a request ago, so that it is found again
// however many blocks have come since.
func (p *Provider) mark(body *wire.Body, history *transcript) {
	start := 0
	if p.config.Cache == CacheFull {
		for _, end := range [...]int{history.lastMark, history.mark} {
			if end > start+1 {
				// The mark goes inside the block: before its closing bracket.
				body.Add(history.text[start:end-1], []byte(`,"cache_control":`), p.cacheControl())
				start = end - 1
			}
		}
	}
	body.Add(history.text[start:])
}

func (p *Provider) cacheControl() []byte {
	var f wire.Fields
	f.Text("type", "ephemeral")
	if p.config.CacheTTL != "" && p.own {
		f.Text("ttl", p.config.CacheTTL)
	}
	return f.Object()
}

// head is everything but the messages.
type head struct {
	provider *Provider
	request  *llm.Request
	fields   *wire.Fields
	stream   bool
	// budget is the tokens for thinking, zero when there is none, or when the
	// model decides it.
	budget int64
	// thinks says that the model will think.
	thinks   bool
	warnings []string
}

func (h *head) warn(format string, args ...any) {
	h.warnings = append(h.warnings, fmt.Sprintf(format, args...))
}

func (h *head) write(history *transcript) error {
	r := h.request
	h.fields.Text("model", r.Model)
	sampling := r.Sampling
	if err := h.thinking(&sampling, history); err != nil {
		return err
	}
	if sampling.MaxTokens == nil {
		limit := int64(DefaultMaxTokens)
		if sampling.ReasoningTokens != nil {
			limit += h.budget
		}
		sampling.MaxTokens = &limit
		h.warn("max_tokens is not configured and the API demands it: %d was sent", limit)
	}
	h.warnings = append(h.warnings, settings.Put(h.fields, &sampling)...)
	// The service closes connections on which it has to be silent for long.
	if h.thinks && *sampling.MaxTokens >= 21_333 {
		h.stream = true
	}
	if h.stream {
		h.fields.Bool("stream", true)
	}
	h.system()
	if err := h.tools(history); err != nil {
		return err
	}
	if err := h.format(); err != nil {
		return err
	}
	options, err := wire.Options(r, h.provider.config.Name)
	if err != nil {
		return err //nolint:wrapcheck // it says what it is
	}
	return h.fields.Merge(options, "model", "messages", "stream") //nolint:wrapcheck // it says what it is
}

func (h *head) system() {
	if strings.TrimSpace(h.request.System) == "" {
		return
	}
	var block wire.Fields
	block.Text("type", "text")
	block.Text("text", h.request.System)
	h.cache(&block)
	h.fields.Raw("system", wire.List(block.Object()))
}

func (h *head) cache(block *wire.Fields) {
	if h.provider.config.Cache == CacheFull {
		block.Raw("cache_control", h.provider.cacheControl())
	}
}

func (h *head) tools(history *transcript) error {
	tools := h.request.Tools
	if len(tools) == 0 {
		if history.calls {
			// Services in between refuse calls in the history without it.
			h.fields.Raw("tools", []byte("[]"))
		}
		return nil
	}
	blocks := make([][]byte, len(tools))
	for i := range tools {
		var f wire.Fields
		f.Text("name", wire.Fit(tools[i].Name, wire.MaxToolName))
		if tools[i].Description != "" {
			f.Text("description", tools[i].Description)
		}
		schema, err := wire.Parameters(&tools[i])
		if err != nil {
			return err //nolint:wrapcheck // it says what it is
		}
		f.Raw("input_schema", schema)
		if i == len(tools)-1 {
			h.cache(&f)
		}
		blocks[i] = f.Object()
	}
	h.fields.Raw("tools", wire.List(blocks...))
	if choice, ok := choices[h.request.ToolChoice]; ok {
		if h.thinks && h.request.ToolChoice == llm.ToolChoiceRequired {
			h.warn("%s", wire.LeftOut("tool_choice required", "no tool can be forced while the model thinks"))
			choice = choices[llm.ToolChoiceAuto]
		}
		h.fields.Raw("tool_choice", []byte(`{"type":"`+choice+`"}`))
	}
	return nil
}

// choices are the API's names of the tool choices.
var choices = map[llm.ToolChoice]string{llm.ToolChoiceAuto: "auto", llm.ToolChoiceRequired: "any", llm.ToolChoiceNone: "none"}

func (h *head) format() error {
	format, err := wire.FormatOf(h.request)
	switch {
	case err != nil:
		return err //nolint:wrapcheck // it says what it is
	case format == nil:
		return nil
	case format.Schema == nil:
		h.warn("%s", wire.LeftOut("response_format json_object", "the service wants a schema"))
		return nil
	}
	out, err := json.Marshal(map[string]any{"format": map[string]any{"type": "json_schema", "schema": format.Schema}})
	if err != nil {
		return fmt.Errorf("response format: %w", err)
	}
	return h.fields.Merge(json.RawMessage(`{"output_config":` + string(out) + `}`)) //nolint:wrapcheck // it says what it is
}
