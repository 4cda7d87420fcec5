package view

import (
	"fmt"
	"strings"

	"github.com/ai-agent-go/ai-agent/kernel"
)

// logRequest tells of a request, with the guard's numbers (contract X7), and,
// once in a run, that it is a last turn's.
func (s *Session) logRequest(at int64, f *kernel.AttemptStart) {
	o := s.turn.request(f.Effect)
	if f.Final && !s.turn.final {
		s.turn.final = true
		e := s.line(at, SeverityWarning, f.Turn, o, "agent:final-turn", "final_turn_detected")
		e.Message = "this is the last turn: " + string(f.Reason)
		e.Details["reason"] = string(f.Reason)
		s.addLog(e)
	}
	e := s.line(at, SeverityVerbose, f.Turn, o, s.asked.request(f), "llm_request_prepared")
	e.Direction = request
	pct := int64(0)
	if f.Window > 0 {
		pct = (f.Expected + f.Window - f.Limit) * 100 / f.Window
	}
	e.Message = s.words([]string{"LLM request prepared [tokens: ctx ", ", new ", ", schema ", ", expected ", ", ", "%]"},
		f.Context, f.New, f.Schema, f.Expected, pct)
	e.Details["ctx_tokens"], e.Details["new_tokens"], e.Details["schema_tokens"] = f.Context, f.New, f.Schema
	e.Details["expected_tokens"], e.Details["context_window"], e.Details["context_pct"] = f.Expected, f.Window, pct
	e.Details["attempt"] = f.Attempt
	s.addLog(e)
}

// logResponse tells how an attempt ended: what was thought, what came back, what
// the provider remarked, and why it failed if it did.
func (s *Session) logResponse(at int64, f *kernel.AttemptEnd) {
	o := s.turn.request(f.Effect)
	remote := s.asked.remote
	if e := s.peekEnvelope(f.Output); e != nil {
		if thought := reasoning(e); thought != "" {
			t := s.line(at, SeverityThinking, f.Turn, o, "thinking", "llm_thinking")
			t.Message = thought
			t.Details["model"] = remote
			s.addLog(t)
		}
	}
	e := s.line(at, SeverityVerbose, f.Turn, o, remote, responseCode(f))
	e.Message = s.words([]string{
		"LLM response " + string(f.Outcome) + ", " + string(f.Finish.Reason) + " [", "ms]",
	}, f.LatencyMS)
	e.Details["outcome"], e.Details["latency_ms"], e.Details["attempt"] = string(f.Outcome), f.LatencyMS, f.Attempt
	e.Details["stop_reason"] = string(f.Finish.Reason)
	if f.Late {
		e.Details["late"] = true
	}
	if f.Outcome != kernel.OutcomeAccepted {
		e.Severity = SeverityWarning
		e.Details["slugs"] = s.turn.failed
	}
	if f.Error != nil {
		e.Message = f.Error.Error()
		e.Details["error_class"] = string(f.Error.Class)
	}
	s.addLog(e)
	for _, warning := range f.Warnings {
		w := s.line(at, SeverityWarning, f.Turn, o, "agent:llm-params", "llm_warning")
		w.Message, w.Details["model"] = warning, remote
		s.addLog(w)
	}
	if f.Outcome == kernel.OutcomeRejected || f.Outcome == kernel.OutcomeUnknown {
		s.logFailure(at, f, o)
	}
}

// logFailure tells of a failed attempt what a person needs to see why, the raw
// response included.
func (s *Session) logFailure(at int64, f *kernel.AttemptEnd, o *op) {
	e := s.line(at, SeverityWarning, f.Turn, o, "agent:turn-failure", "turn_failure")
	of := ""
	if limit := s.config().Limits.MaxRetries; limit > 0 {
		of = fmt.Sprintf(" of %d", limit)
		e.Details["max_retries"] = limit
	}
	e.Message = fmt.Sprintf("Turn %d failed after %d attempt(s)%s (maxTurns=%d); last_error=%s", f.Turn, f.Attempt, of,
		s.turn.max, lastError(f))
	e.Details["slugs"], e.Details["provider"], e.Details["model"] = s.turn.failed, f.Provider, f.Model
	raw := s.peek(f.Raw)
	if raw == nil {
		raw = s.peek(f.Output)
	}
	if raw != nil {
		e.Details["raw_response"] = clipBytes(string(raw), maxLogPayload)
	}
	s.addLog(e)
}

// responseCode is the stable code of a response that was not accepted.
func responseCode(f *kernel.AttemptEnd) string {
	switch {
	case f.Outcome == kernel.OutcomeAccepted:
		return "llm_response"
	case f.Error != nil:
		return "llm_" + string(f.Error.Class)
	case len(f.Slugs) == 0:
		return "llm_" + string(f.Outcome)
	}
	switch slug := string(f.Slugs[0]); slug {
	case "content_without_tools_or_report":
		return "plain_text_ignored"
	case "empty_response":
		return "empty_response_without_tools"
	default:
		return slug
	}
}

// lastError says in words why an attempt failed.
func lastError(f *kernel.AttemptEnd) string {
	if f.Error != nil {
		return f.Error.Error()
	}
	return joinSlugs(f)
}

func joinSlugs(f *kernel.AttemptEnd) string {
	if len(f.Slugs) == 0 {
		return string(f.Outcome)
	}
	words := make([]string, len(f.Slugs))
	for i, slug := range f.Slugs {
		words[i] = string(slug)
	}
	return strings.Join(words, ", ")
}
