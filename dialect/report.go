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
	// Call is the id of the call that made it, empty for a tag.
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
	// Tag says that the report came by XML tag and not by tool call.
	Tag bool
	// Unclosed says that the tag had no end and that nobody knows why the
	// response ended; Truncated that the output limit cut it off (contract M6).
	Unclosed  bool
	Truncated bool
}

func reject(slug Slug, format string, args ...any) Report {
	return Report{Slug: slug, Detail: clip(fmt.Sprintf(format, args...), 1000)}
}

// callReport reads a report made by tool call.
func (l *listener) callReport(tc *llm.ToolCall) (Report, *spec.ReportPayload) {
	if tc.Bad {
		return reject(SlugReportDecode, "the arguments are not a JSON object"), nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(tc.Arguments, &fields); err != nil {
		return reject(SlugReportDecode, "%v", err), nil
	}
	report, body := l.fieldsReport(fields)
	l.settle(&report, stringOf(first(fields, "report_format", "format")), stringOf(fields["status"]))
	if report.Fit {
		if m := fields["metadata"]; len(m) > 0 && m[0] == '{' {
			body.Metadata = m
		}
	}
	return report, body
}

// settle applies the rule for a report that names another format: it does not
// matter when the payload fits, and is the reason when it does not (contract
// F3).
func (l *listener) settle(r *Report, format, status string) {
	r.ModelStatus = clip(status, 40)
	if format == "" || format == string(l.ts.format) {
		return
	}
	if r.Normalised = r.Fit; !r.Fit {
		*r = Report{
			Slug: SlugFormatMismatch, ModelStatus: r.ModelStatus,
			Detail: clip(fmt.Sprintf("expected %s, received %s: %s", l.ts.format, clip(format, 40), r.Detail), 1000),
		}
	}
}

// fieldsReport reads the content of a report from the fields of a tool call.
func (l *listener) fieldsReport(fields map[string]json.RawMessage) (Report, *spec.ReportPayload) {
	switch l.ts.format {
	case spec.FormatJSON:
		return l.jsonReport(first(fields, "content_json", "report_content", "content"), SlugJSONRequired)
	case spec.FormatSlack:
		return l.slackReport(first(fields, "messages", "report_content", "content"))
	default:
		var content string
		if err := json.Unmarshal(first(fields, "report_content", "content"), &content); err != nil {
			return reject(SlugContentMissing, "report_content must be a string"), nil
		}
		if stringOf(fields["encoding"]) == "base64" {
			decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(content))
			if err != nil {
				return reject(SlugReportDecode, "report_content is not base64: %v", err), nil
			}
			content = strings.ToValidUTF8(string(decoded), "\uFFFD")
		}
		return l.plainReport(content)
	}
}

// plainReport takes text as it is.
func (l *listener) plainReport(content string) (Report, *spec.ReportPayload) {
	if strings.TrimSpace(content) == "" {
		return reject(SlugContentMissing, "the report is empty"), nil
	}
	return Report{Fit: true}, &spec.ReportPayload{Format: l.ts.format, Content: content}
}

// tagReport reads a report made by tag. One that has no closing tag is judged
// by why the response ended (contract M6): a normal end accepts it, the output
// limit does not, and when nobody knows it is accepted with a mark.
func (l *listener) tagReport(t *reportTag) (Report, *spec.ReportPayload) {
	report, body := l.payloadReport(t.payload)
	l.settle(&report, attribute(t.attrs, "format"), attribute(t.attrs, "status"))
	if !t.closed {
		switch l.finish {
		case llm.FinishStop, llm.FinishToolCalls:
		case llm.FinishUnknown, "":
			report.Unclosed = true
		case llm.FinishLength:
			l.keepTruncated(t.payload)
			report, body = reject(SlugTagTruncated, "the tag has no end: the output limit was reached"), nil
			report.Truncated = true
		default:
			report, body = reject(SlugTagUnclosed, "the tag has no end: the response ended with %s", l.finish), nil
		}
	}
	report.Tag, report.Bytes = true, int64(len(t.payload))
	return report, body
}

// payloadReport reads the content of a report from its tag (contract M5).
func (l *listener) payloadReport(payload string) (Report, *spec.ReportPayload) {
	switch {
	case payload == "":
		return reject(SlugContentMissing, "the tag is empty"), nil
	case l.ts.format == spec.FormatJSON:
		return l.jsonReport(json.RawMessage(payload), SlugTagNotJSON)
	case l.ts.format == spec.FormatSlack:
		return l.slackReport(json.RawMessage(payload))
	default:
		return l.plainReport(payload)
	}
}

// keepTruncated keeps what there is of a text report, for the case that no
// attempt brings a better one. A part of a JSON document is of no use.
func (l *listener) keepTruncated(payload string) {
	if payload == "" || l.ts.format == spec.FormatJSON || l.ts.format == spec.FormatSlack {
		return
	}
	l.TextReport = &Report{Fit: true, Tag: true, Truncated: true, Bytes: int64(len(payload))}
	l.TextPayload = &spec.ReportPayload{Format: l.ts.format, Content: payload + "\n\n" + say("report.truncated")}
}

// textReport judges plain text as a report: the last resort of a final turn
// (contract F1), and the answer itself where completion is text.
func (l *listener) textReport(text string) (Report, *spec.ReportPayload) {
	var report Report
	var body *spec.ReportPayload
	switch l.ts.format {
	case spec.FormatJSON:
		report, body = l.jsonText(text)
	case spec.FormatSlack:
		report, body = l.slackText(text)
	default:
		report, body = l.plainReport(text)
	}
	report.Bytes = int64(len(text))
	return report, body
}

func first(fields map[string]json.RawMessage, names ...string) json.RawMessage {
	for _, n := range names {
		if v := fields[n]; len(v) > 0 && string(v) != "null" {
			return v
		}
	}
	return nil
}

// stringOf reads a JSON string, empty when it is none.
func stringOf(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}
