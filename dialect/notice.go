package dialect

import (
	"slices"

	"github.com/ai-agent-go/ai-agent/llm"
)

// Notice is something that the model is told with one request: a slug that
// names the text, and a detail that completes it.
type Notice struct {
	Slug   Slug
	Detail string
}

// Slug names a reason why an attempt failed. Slugs are stable: logs and tests
// match them, never the texts.
type Slug string

// The slugs. Trouble with a provider has none: the model is never told of it.
const (
	SlugTruncated        Slug = "output_truncated"
	SlugFinalNoReport    Slug = "final_turn_no_report"
	SlugFormatMismatch   Slug = "final_report_format_mismatch"
	SlugContentMissing   Slug = "final_report_content_missing"
	SlugJSONRequired     Slug = "final_report_json_required"
	SlugMessagesMissing  Slug = "final_report_slack_messages_missing"
	SlugSchemaFailed     Slug = "final_report_schema_validation_failed"
	SlugReportDecode     Slug = "final_report_decode_failed"
	SlugTextOnly         Slug = "content_without_tools_or_report"
	SlugEmpty            Slug = "empty_response"
	SlugReasoningOnly    Slug = "reasoning_only_final"
	SlugNoCallExecutable Slug = "no_tools"
	SlugTooManyCalls     Slug = "too_many_calls"
	SlugStatusOnly       Slug = "task_status_only"
)

// The slugs of the XML transports.
const (
	SlugTagTruncated   Slug = "xml_structured_output_truncated"
	SlugWrapperAsTool  Slug = "xml_wrapper_as_tool"
	SlugTagNotJSON     Slug = "xml_final_report_not_json"
	SlugPayloadNotJSON Slug = "xml_tool_payload_not_json"
	SlugSlotMismatch   Slug = "xml_slot_mismatch"
	SlugTagUnclosed    Slug = "xml_missing_closing_tag"
	SlugTagMalformed   Slug = "xml_malformed_mismatch"
)

// priority orders slugs; at most two reasons are shown, the gravest first.
func (s Slug) priority() int {
	switch s {
	case SlugTruncated, SlugFinalNoReport, SlugTagTruncated:
		return 0
	case SlugFormatMismatch, SlugContentMissing, SlugJSONRequired, SlugMessagesMissing, SlugSchemaFailed, SlugReportDecode,
		SlugWrapperAsTool, SlugTagNotJSON, SlugPayloadNotJSON:
		return 1
	default:
		return lowestPriority
	}
}

const lowestPriority = 2

func (n *Notice) text() string {
	text, known := texts["notice."+string(n.Slug)]
	if !known {
		text = say("notice")
	}
	if n.Detail != "" {
		text = say("notice.detail", text, n.Detail)
	}
	return text
}

func (r FinalReason) text() string {
	if r == FinalNone {
		r = FinalMaxTurns
	}
	if text, known := texts["final."+string(r)]; known {
		return text
	}
	return string(r)
}

// maxShown is how many reasons one request explains; more confuse.
const maxShown = 2

// warnings are the notices that the model is shown and, on the last turn, the
// order to finish.
func (a *Ask) warnings() []string {
	var shown []string
	for p := 0; p <= lowestPriority; p++ {
		for i := range a.Notices {
			if a.Notices[i].Slug.priority() != p || len(shown) == maxShown {
				continue
			}
			if text := a.Notices[i].text(); !slices.Contains(shown, text) {
				shown = append(shown, text)
			}
		}
	}
	if a.Final {
		key := "last.report"
		switch {
		case a.Completion.IsText():
			key = "last.text"
		case a.tagged():
			key = "last.tag"
		}
		text := say(key, a.Reason.text())
		if a.Routes {
			text += say("last.route")
		}
		shown = append(shown, text)
	}
	return shown
}

// TailTokens estimates the ephemeral text of a request, byte for byte what goes
// out with it. What that text says of tools and of the report's schema is
// counted by [Toolset.SchemaTokens], as tool definitions are.
func (a *Ask) TailTokens() int64 {
	text := a.tail()
	if text == "" {
		return 0
	}
	return MessageTokens(int64(len(text)))
}

func (a *Ask) tailMessages(ts *Toolset) []*llm.Message {
	text := a.tail()
	if text == "" {
		return nil
	}
	m := llm.Text(llm.RoleUser, text+ts.listing(a))
	return []*llm.Message{&m}
}
