package dialect

import (
	"encoding/json"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// maxRepairs bounds the rounds in which stringified JSON is unpacked
// (contract F5).
const maxRepairs = 4

// jsonReport reads a json report and checks it against the run's schema. slug
// is what a payload that is no JSON object is rejected with.
func (l *listener) jsonReport(raw json.RawMessage, slug Slug) (Report, *spec.ReportPayload) {
	if len(raw) == 0 {
		return reject(SlugContentMissing, "content_json is missing"), nil
	}
	object, _, ok := l.repair.read(string(raw), '{')
	if !ok {
		value, err := decode(raw)
		if err != nil {
			return reject(slug, "invalid_json: %v", err), nil
		}
		if s, quoted := value.(string); quoted {
			_, err := decode([]byte(s))
			return reject(slug, "invalid_json: a string that holds no JSON object (%v)", err), nil
		}
		return reject(SlugJSONRequired, "got %s", jsonType(value)), nil
	}
	return l.objectReport(object)
}

// jsonText takes a report from plain text, as it is or out of the words around
// it. Nothing is guessed here: text that is not JSON was not meant as a report.
func (l *listener) jsonText(text string) (Report, *spec.ReportPayload) {
	body := unfence(text)
	object, ok := strict(body, '{')
	if !ok {
		object, ok = firstValue(body, '{')
	}
	if !ok {
		return reject(SlugJSONRequired, "invalid_json: the text holds no JSON object"), nil
	}
	return l.objectReport(object)
}

func (l *listener) objectReport(object json.RawMessage) (Report, *spec.ReportPayload) {
	if l.ts.schema != nil {
		value, err := decode(object)
		if err != nil {
			return reject(SlugJSONRequired, "invalid_json: %v", err), nil
		}
		if all := l.ts.schema.fit(value, maxRepairs); len(all) > 0 {
			return reject(SlugSchemaFailed, "schema_mismatch: %s", describe(all)), nil
		}
		object = llm.MustMarshalJSON(value)
	}
	return Report{Fit: true}, &spec.ReportPayload{Format: l.ts.format, ContentJSON: object}
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
