package google

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// settings are the API's names of the sampling settings.
var settings = wire.Settings{
	Temperature: "temperature", TopP: "topP", TopK: "topK", RepeatPenalty: "frequencyPenalty",
	MaxTokens: "maxOutputTokens", Stop: "stopSequences",
}

// encode makes the call of a request.
func (p *Provider) encode(request *llm.Request) (*wire.Call, error) {
	history := p.memory.Take(request.Provider+"\x00"+request.Model, request.History)
	written := &history.Transcript
	written.modern = modern(request.Model)
	history.Append(request.History, func(m *llm.Message) { written.message(m, request) })
	defer p.memory.Keep(history) // others may go on with it from then
	tail := written.forTail(request.Tail)
	for _, m := range request.Tail {
		tail.message(m, request)
	}
	tail.close()

	call := &wire.Call{Path: "/models/" + url.PathEscape(request.Model) + ":generateContent", Stream: request.Stream, Request: request}
	if request.Stream {
		call.Path = "/models/" + url.PathEscape(request.Model) + ":streamGenerateContent?alt=sse"
	}
	var f wire.Fields
	if strings.TrimSpace(request.System) != "" {
		f.Raw("systemInstruction", []byte(`{"parts":[`+string(textPart(request.System))+`]}`))
	}
	if err := tools(&f, request); err != nil {
		return nil, err
	}
	var config wire.Fields
	call.Warnings = settings.Put(&config, &request.Sampling)
	if err := thinking(&config, request); err != nil {
		return nil, err
	}
	format, err := wire.FormatOf(request)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what it is
	}
	if format != nil {
		config.Text("responseMimeType", "application/json")
		if format.Schema != nil {
			config.Raw("responseJsonSchema", format.Schema)
		}
	}
	if config.Len() > 0 {
		f.Raw("generationConfig", config.Object())
	}
	options, err := wire.Options(request, p.config.Name)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what it is
	}
	if err := f.Merge(options, "model", "contents"); err != nil {
		return nil, err //nolint:wrapcheck // it says what it is
	}
	call.Body.Add(f.Open("contents"), []byte("["), written.text, tail.text, []byte("]}"))
	return call, nil
}

// modern reports whether a model is of the third generation or later.
func modern(model string) bool {
	_, version, ok := strings.Cut(model, "gemini-")
	return ok && version != "" && version[0] >= '3' && version[0] <= '9'
}

// The bounds of a thinking budget that is made of an effort. A budget that is
// configured as a number is sent as it is.
const (
	minBudget = 1024
	maxBudget = 32_768
	// assumedTokens is what an effort is a share of where no limit is set.
	assumedTokens = 8192
)

// shares are the budgets of the efforts, in percent of the output tokens.
var shares = map[string]int64{"minimal": 0, "low": 20, "medium": 50, "high": 80}

// thinking sets what the request says about thinking.
func thinking(config *wire.Fields, request *llm.Request) error {
	sampling := &request.Sampling
	effort := sampling.ReasoningEffort
	share, known := shares[effort]
	switch {
	case sampling.ReasoningTokens != nil:
		budget := *sampling.ReasoningTokens
		config.Any("thinkingConfig", map[string]any{"thinkingBudget": budget, "includeThoughts": budget != 0})
	case effort == "":
	case effort == "none":
		config.Any("thinkingConfig", map[string]any{"thinkingBudget": 0})
	case modern(request.Model):
		config.Any("thinkingConfig", map[string]any{"thinkingLevel": effort, "includeThoughts": true})
	case !known:
		return fmt.Errorf("reasoning effort %q has no budget; know none, %s", effort, strings.Join(slices.Sorted(maps.Keys(shares)), ", "))
	default:
		limit := int64(assumedTokens)
		if sampling.MaxTokens != nil {
			limit = *sampling.MaxTokens
		}
		budget := min(max(limit*share/100, minBudget), maxBudget)
		config.Any("thinkingConfig", map[string]any{"thinkingBudget": budget, "includeThoughts": true})
	}
	return nil
}

// modes are the API's names of the tool choices.
var modes = map[llm.ToolChoice]string{llm.ToolChoiceAuto: "AUTO", llm.ToolChoiceRequired: "ANY", llm.ToolChoiceNone: "NONE"}

func tools(f *wire.Fields, request *llm.Request) error {
	if len(request.Tools) == 0 {
		return nil
	}
	list := make([][]byte, len(request.Tools))
	for i := range request.Tools {
		tool := &request.Tools[i]
		schema, err := wire.Parameters(tool)
		if err != nil {
			return err //nolint:wrapcheck // it says what it is
		}
		var d wire.Fields
		d.Text("name", wire.Fit(tool.Name, wire.MaxToolName))
		if tool.Description != "" {
			d.Text("description", tool.Description)
		}
		d.Raw("parametersJsonSchema", schema)
		list[i] = d.Object()
	}
	f.Raw("tools", []byte(`[{"functionDeclarations":`+string(wire.List(list...))+`}]`))
	if mode, ok := modes[request.ToolChoice]; ok {
		f.Any("toolConfig", map[string]any{"functionCallingConfig": map[string]string{"mode": mode}})
	}
	return nil
}
