package spec

import (
	"encoding/json"

	"github.com/ai-agent-go/ai-agent/llm"
)

// ReportPayload is the content of a final report, by format: Content for text
// formats, ContentJSON for json, Messages for Slack. Fields of the payload that
// happen to be called status or format stay what they are (contract F8).
type ReportPayload struct {
	Format      Format          `json:"format"`
	Content     string          `json:"content,omitempty"`
	ContentJSON json.RawMessage `json:"content_json,omitempty"`
	Messages    json.RawMessage `json:"messages,omitempty"`
	Metadata    json.RawMessage `json:"metadata,omitempty"`
}

// Text is the answer as one string: what a command prints.
func (p *ReportPayload) Text() string {
	switch {
	case len(p.ContentJSON) > 0:
		return string(p.ContentJSON)
	case len(p.Messages) > 0:
		return string(p.Messages)
	default:
		return p.Content
	}
}

// FailurePayload is a report that says why there is no other, in the form that was
// asked for.
func FailurePayload(format Format, reason, message string) *ReportPayload {
	p := &ReportPayload{
		Format: format, Metadata: llm.MustMarshalJSON(map[string]string{"reason": reason}),
	}
	switch format {
	case FormatJSON:
		p.ContentJSON = llm.MustMarshalJSON(map[string]string{"error": message, "reason": reason})
	case FormatSlack:
		p.Messages = llm.MustMarshalJSON([]map[string]any{{"blocks": []map[string]any{{
			"type": "section", "text": map[string]any{"type": "mrkdwn", "text": message},
		}}}})
	default:
		p.Content = message
	}
	return p
}
