package dialect

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Report is the verdict on a report.
type Report struct {
	// Call is the id of the call that made it.
	Call string
	// Fit says that it can be accepted; otherwise Slug and Detail say why not.
	Fit    bool
	Slug   Slug
	Detail string
	// ModelStatus is the model's own verdict, kept and never trusted
	// (contract F2).
	ModelStatus string
	// Normalised says that the model named another format but the payload fits
	// the one that was asked for (contract F3).
	Normalised bool
	Bytes      int64
}

func reject(slug Slug, format string, args ...any) Report {
	return Report{Slug: slug, Detail: clip(fmt.Sprintf(format, args...), 1000)}
}

// callReport reads a report made by tool call.
func (ts *Toolset) callReport(_ *Ask, tc *llm.ToolCall) (Report, *spec.ReportPayload) {
	if tc.Bad {
		return reject(SlugReportDecode, "the arguments are not a JSON object"), nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(tc.Arguments, &fields); err != nil {
		return reject(SlugReportDecode, "%v", err), nil
	}
	report, payload := ts.reportOf(fields)
	var status, format string
	_ = json.Unmarshal(fields["status"], &status)
	_ = json.Unmarshal(first(fields, "report_format", "format"), &format)
	report.ModelStatus = clip(status, 40)
	report.Normalised = report.Fit && format != string(ts.format)
	if report.Fit {
		if m := fields["metadata"]; len(m) > 0 && m[0] == '{' {
			payload.Metadata = m
		}
	}
	return report, payload
}

func (ts *Toolset) reportOf(fields map[string]json.RawMessage) (Report, *spec.ReportPayload) {
	payload := &spec.ReportPayload{Format: ts.format}
	switch ts.format {
	case spec.FormatJSON:
		return ts.jsonReport(first(fields, "content_json", "report_content", "content"))
	case spec.FormatSlack:
		messages := first(fields, "messages", "report_content", "content")
		if len(messages) == 0 || messages[0] != '[' || string(messages) == "[]" {
			return reject(SlugMessagesMissing, "messages must be a non-empty array"), nil
		}
		payload.Messages = messages
	default:
		var content, encoding string
		if err := json.Unmarshal(first(fields, "report_content", "content"), &content); err != nil {
			return reject(SlugContentMissing, "report_content must be a string"), nil
		}
		_ = json.Unmarshal(fields["encoding"], &encoding)
		if encoding == "base64" {
			decoded, err := base64.StdEncoding.DecodeString(content)
			if err != nil {
				return reject(SlugReportDecode, "report_content is not base64: %v", err), nil
			}
			content = strings.ToValidUTF8(string(decoded), "\uFFFD")
		}
		if strings.TrimSpace(content) == "" {
			return reject(SlugContentMissing, "report_content is empty"), nil
		}
		payload.Content = content
	}
	return Report{Fit: true}, payload
}

// maxRepairs bounds the rounds in which stringified JSON is unpacked
// (contract F5).
const maxRepairs = 4

// jsonReport checks a json report against the run's schema. A string where the
// schema wants something else is tried as JSON itself: models like to encode
// twice.
func (ts *Toolset) jsonReport(raw json.RawMessage) (Report, *spec.ReportPayload) {
	if len(raw) == 0 {
		return reject(SlugContentMissing, "content_json is missing"), nil
	}
	value, err := decode(raw)
	if err != nil {
		return reject(SlugJSONRequired, "invalid_json: %v", err), nil
	}
	if s, ok := value.(string); ok {
		if value, err = decode([]byte(s)); err != nil {
			return reject(SlugJSONRequired, "invalid_json: %v", err), nil
		}
	}
	if _, ok := value.(map[string]any); !ok {
		return reject(SlugJSONRequired, "got %s", jsonType(value)), nil
	}
	if ts.schema != nil {
		all := ts.schema.check(value)
		for round := 0; len(all) > 0 && round < maxRepairs && unpack(value, all[0].path); round++ {
			all = ts.schema.check(value)
		}
		if len(all) > 0 {
			return reject(SlugSchemaFailed, "schema_mismatch: %s", describe(all)), nil
		}
	}
	return Report{Fit: true}, &spec.ReportPayload{Format: ts.format, ContentJSON: llm.MustMarshalJSON(value)}
}

// unpack replaces the string at path by the JSON that it holds and reports
// whether there was any.
func unpack(value any, path []string) bool {
	if len(path) == 0 {
		return false
	}
	key, rest := path[0], path[1:]
	m, ok := value.(map[string]any)
	if !ok {
		return false
	}
	if len(rest) > 0 {
		return unpack(m[key], rest)
	}
	s, ok := m[key].(string)
	if !ok {
		return false
	}
	inner, err := decode([]byte(s))
	if err != nil {
		return false
	}
	m[key] = inner
	return true
}

func jsonType(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case []any:
		return "an array"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	default:
		return "a number"
	}
}

// textReport judges plain text as a report: the last resort of a final turn
// (contract F1), and the answer itself where completion is text.
func (ts *Toolset) textReport(text string) (Report, *spec.ReportPayload) {
	r := Report{Fit: true, Bytes: int64(len(text))}
	switch ts.format {
	case spec.FormatJSON:
		report, payload := ts.jsonReport(json.RawMessage(strings.TrimSpace(text)))
		report.Bytes = r.Bytes
		return report, payload
	case spec.FormatSlack:
		block := []map[string]any{{"blocks": []map[string]any{{
			"type": "section", "text": map[string]any{"type": "mrkdwn", "text": text},
		}}}}
		return r, &spec.ReportPayload{Format: ts.format, Messages: llm.MustMarshalJSON(block)}
	default:
		return r, &spec.ReportPayload{Format: ts.format, Content: text}
	}
}

func first(fields map[string]json.RawMessage, names ...string) json.RawMessage {
	for _, n := range names {
		if v := fields[n]; len(v) > 0 && string(v) != "null" {
			return v
		}
	}
	return nil
}
