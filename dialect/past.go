package dialect

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// assistant projects an assistant message.
func (p *Projector) assistant(e *llm.Envelope) *llm.Message {
	m := e.Message()
	parts := m.Parts[:0]
	for i := range m.Parts {
		part := m.Parts[i]
		switch {
		case part.Kind == llm.PartToolCall && p.transport == spec.TransportXML:
			// The report of an earlier native run is the answer that the user
			// saw: it must not be lost.
			if part.Call.Name != spec.FinalReportTool || part.Call.Source == SourceXML {
				continue
			}
			part = llm.Part{Kind: llm.PartText, Text: reportText(part.Call)}
		case part.Kind == llm.PartText && p.transport != spec.TransportXML:
			part.Text = p.plainText(part.Text, e.ToolCalls)
		}
		// Some providers refuse a message with a blank text.
		if part.Kind != llm.PartText || strings.TrimSpace(part.Text) != "" {
			parts = append(parts, part)
		}
	}
	m.Parts = parts
	return &m
}

// plainText takes the tags of calls out of a text that stands beside the calls
// themselves, and where no tag is written any more those of a report: what a
// model sees in its own past it does again.
func (p *Projector) plainText(text string, calls []llm.ToolCall) string {
	if !strings.Contains(text, "ai-agent-") {
		return text
	}
	for i := range calls {
		if calls[i].Source != SourceXML {
			continue
		}
		name := "ai-agent-" + calls[i].ID
		from := strings.Index(text, "<"+name)
		if from < 0 {
			continue
		}
		if size := strings.Index(text[from:], "</"+name+">"); size >= 0 {
			text = text[:from] + text[from+size+len("</"+name+">"):]
		}
	}
	if p.transport != spec.TransportXMLFinal {
		text = reportTags.ReplaceAllString(text, "")
	}
	return text
}

var reportTags = regexp.MustCompile(`</?ai-agent-[0-9a-f]{8}-FINAL(?:\s[^<>]*)?>`)

// reportText is the content of a report that was made by tool call.
func reportText(call *llm.ToolCall) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(call.Arguments, &fields); err != nil {
		return string(call.Arguments)
	}
	content := first(fields, "report_content", "content", "content_json", "messages")
	if s := stringOf(content); s != "" {
		return s
	}
	return string(content)
}

// maxPast bounds request and response of a call, each, in the message that
// tells of them.
const maxPast = 4096

// appendPast adds what became of a call to its turn's message. The report has
// no place there (contract M8).
func appendPast(past []string, call *llm.ToolCall, r *llm.ToolResult) []string {
	if call.Name == spec.FinalReportTool {
		return past
	}
	request := string(call.Arguments)
	if call.Bad {
		request = call.Raw
	}
	return append(past, say("past.section", call.ID, call.Name, capped(request), capped(r.Content)))
}

// capped cuts a text to maxPast bytes, the sign that it was cut included.
func capped(s string) string {
	if len(s) <= maxPast {
		return s
	}
	return clip(s, maxPast-len("…"))
}

// pastMessage is XML-PAST: the results of one turn.
func pastMessage(past []string) *llm.Message {
	m := llm.Text(llm.RoleUser, say("past.title")+strings.Join(past, ""))
	return &m
}
