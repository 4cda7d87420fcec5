package view

import (
	"strings"

	"github.com/ai-agent-go/ai-agent/kernel"
)

// logNote writes a remark of the kernel. The content that it is about is logged
// whole, up to what a log line may hold: it is the evidence (contract T4, F6).
func (s *Session) logNote(at int64, f *kernel.Log) {
	e := s.line(at, Severity(f.Severity), f.Turn, nil, noteRemote(f.Code), f.Code)
	e.Message = f.Message
	if strings.HasPrefix(f.Code, "tool_") || f.Code == "llm_invalid_tool_parameters" {
		e.Type = typeTool
	}
	if data := s.peek(f.Ref); data != nil {
		e.Details["payload"] = clipBytes(string(data), maxLogPayload)
	}
	s.addLog(e)
}

// noteRemote is the part of the agent that a remark comes from.
func noteRemote(code string) string {
	switch code {
	case "tool_autocorrected", "tool_payload_sanitized", "llm_invalid_tool_parameters", "xml_warning",
		"final_report_format_normalised":
		return "agent:sanitizer"
	case "tool_limit_exceeded", codeTruncated:
		return "agent:limits"
	case "turns_collapsed", "progress_only_threshold", "final_report_rejected", "handoff_failed", "router_handoff_failed":
		return orchestrator
	case "context_guard_forced_final":
		return "agent:context"
	case "text_fallback":
		return "agent:fallback-report"
	case "tool_approved":
		return "agent:tools"
	case "invariant":
		return "agent:error"
	default:
		return "agent:" + code
	}
}

// maxLogPayload is how much of a content a log entry holds.
const maxLogPayload = 131_072

// clipBytes cuts a text to a number of bytes, never inside a character.
func clipBytes(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && text[limit]&0xC0 == 0x80 {
		limit--
	}
	return text[:limit] + "…"
}
