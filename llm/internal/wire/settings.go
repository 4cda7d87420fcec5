package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/ai-agent-go/ai-agent/llm"
)

// Settings says under which name a service takes each sampling setting. An
// empty name means that it takes none: the setting is left out and the receipt
// says so. What is unset is never sent (contract R8, P9).
type Settings struct {
	Temperature, TopP, TopK, RepeatPenalty, MaxTokens, Stop string
}

// Put adds the settings to the fields, exactly as they are, and returns what
// could not be sent.
func (s *Settings) Put(f *Fields, sampling *llm.Sampling) (warnings []string) {
	put := func(name, setting string, value []byte) {
		if name == "" {
			warnings = append(warnings, LeftOut(setting, "the service has no such setting"))
			return
		}
		f.Raw(name, value)
	}
	float := func(name, setting string, value *float64) {
		if value != nil {
			put(name, setting, llm.MustMarshalJSON(*value))
		}
	}
	count := func(name, setting string, value *int64) {
		if value != nil {
			put(name, setting, strconv.AppendInt(nil, *value, 10))
		}
	}
	count(s.MaxTokens, "max_tokens", sampling.MaxTokens)
	float(s.Temperature, "temperature", sampling.Temperature)
	float(s.TopP, "top_p", sampling.TopP)
	count(s.TopK, "top_k", sampling.TopK)
	float(s.RepeatPenalty, "repeat_penalty", sampling.RepeatPenalty)
	if len(sampling.Stop) > 0 {
		put(s.Stop, "stop", llm.MustMarshalJSON(sampling.Stop))
	}
	return warnings
}

// LeftOut is the warning that a setting was not sent.
func LeftOut(setting, why string) string {
	return fmt.Sprintf("%s was left out: %s", setting, why)
}

// Format is a request for structured output: the response format of a request,
// {"type": "json_object"} or {"type": "json_schema", "json_schema": {"name",
// "schema", "strict"}}, taken apart.
type Format struct {
	// Schema is empty when any JSON object will do.
	Schema json.RawMessage
	Name   string
	Strict *bool
}

// FormatOf reads the response format of a request, nil when it has none.
func FormatOf(request *llm.Request) (*Format, error) {
	if len(request.ResponseFormat) == 0 || string(request.ResponseFormat) == "null" {
		return nil, nil //nolint:nilnil // none was asked for
	}
	var in struct {
		Type       string
		JSONSchema struct {
			Name   string
			Schema json.RawMessage
			Strict *bool
		} `json:"json_schema"`
	}
	if err := json.Unmarshal(request.ResponseFormat, &in); err != nil {
		return nil, fmt.Errorf("response format: %w", err)
	}
	f := &Format{Schema: in.JSONSchema.Schema, Name: in.JSONSchema.Name, Strict: in.JSONSchema.Strict}
	switch {
	case in.Type == "text":
		return nil, nil //nolint:nilnil // text is what comes anyway
	case in.Type == "json_object":
		f.Schema = nil
	case in.Type != "json_schema":
		return nil, fmt.Errorf("response format: unknown type %q; know text, json_object and json_schema", in.Type)
	case !IsObject(f.Schema):
		return nil, errors.New("response format: json_schema.schema is no object")
	}
	return f, nil
}
