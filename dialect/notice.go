package dialect

import (
	"strings"

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
)

// plainTextIgnored is fixed by the contract, word for word (R7).
const plainTextIgnored = "System notice: plain text responses without tool calls are ignored. " +
	"Use final_report to provide your answer."

// priority orders slugs; at most two reasons are shown, the gravest first.
func (s Slug) priority() int {
	switch s {
	case SlugTruncated, SlugFinalNoReport:
		return 0
	case SlugFormatMismatch, SlugContentMissing, SlugJSONRequired, SlugMessagesMissing, SlugSchemaFailed, SlugReportDecode:
		return 1
	default:
		return 2
	}
}

func (s Slug) text() string {
	switch s {
	case SlugEmpty, SlugTextOnly:
		return plainTextIgnored
	case SlugTruncated:
		return "System notice: your last response was cut off at the output limit and was discarded. Answer more briefly."
	case SlugFinalNoReport:
		return "System notice: this was the last turn and it held no final report. Give the final report now; no other tool can be used."
	case SlugFormatMismatch:
		return "System notice: the final report was rejected because its format is not the one asked for."
	case SlugContentMissing:
		return "System notice: the final report was rejected because it was empty."
	case SlugJSONRequired:
		return "System notice: the final report was rejected because it must be a JSON object."
	case SlugMessagesMissing:
		return "System notice: the final report was rejected because it holds no array of messages."
	case SlugSchemaFailed:
		return "System notice: the final report was rejected because it does not fit its schema."
	case SlugReportDecode:
		return "System notice: the final report was rejected because it could not be decoded."
	case SlugReasoningOnly:
		return "System notice: your last response held reasoning only. Give the final report now."
	case SlugNoCallExecutable:
		return "System notice: none of your tool calls could be executed."
	case SlugTooManyCalls:
		return "System notice: your last response held too many tool calls and was discarded. Make fewer at a time."
	default:
		return "System notice: your last response could not be used."
	}
}

func (r FinalReason) text() string {
	switch r {
	case FinalContext:
		return "the context window is full"
	case FinalUserStop:
		return "the user asked to stop"
	case FinalBudget:
		return "the budget is used up"
	case FinalReportFailed:
		return "an earlier final report was rejected"
	case FinalTaskCompleted:
		return "the task was declared complete"
	case FinalTaskOnly:
		return "several turns only reported a status"
	case FinalRetries:
		return "the attempts of the previous turn were used up"
	case FinalMaxTurns, FinalNone:
		return "the maximum number of turns was reached"
	default:
		return string(r)
	}
}

// maxShown is how many reasons one request explains; more confuse.
const maxShown = 2

// tail is the text that goes out with this request alone.
func (a *Ask) tail() string {
	var parts []string
	shown := 0
	for p := 0; p <= 2; p++ {
		for _, n := range a.Notices {
			if n.Slug.priority() != p || shown == maxShown {
				continue
			}
			text := n.Slug.text()
			if n.Detail != "" {
				text += " Reason: " + n.Detail
			}
			parts = append(parts, text)
			shown++
		}
	}
	if a.Final {
		last := "System notice: this is the last turn, because " + a.Reason.text() + ". "
		if a.Completion.IsText() {
			last += "Answer now with what you know; no tool can be used."
		} else {
			last += "Provide the final report now with what you know, and say what is missing; no other tool can be used."
		}
		parts = append(parts, last)
	}
	return strings.Join(parts, "\n")
}

// TailTokens estimates what the ephemeral text of a request adds to it.
func (a *Ask) TailTokens() int64 {
	text := a.tail()
	if text == "" {
		return 0
	}
	return MessageTokens(int64(len(text)))
}

func (a *Ask) tailMessages() []*llm.Message {
	text := a.tail()
	if text == "" {
		return nil
	}
	m := llm.Text(llm.RoleUser, text)
	return []*llm.Message{&m}
}
