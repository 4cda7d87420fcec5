package spec

import "encoding/json"

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
