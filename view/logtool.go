package view

import (
	"fmt"
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
)

// logTool tells of tools: executions, results kept aside, status.
func (s *Session) logTool(at int64, fact kernel.Fact) {
	switch f := fact.(type) {
	case *kernel.ToolStart:
		e := s.toolLine(at, SeverityVerbose, f.Turn, s.turn.call(f.CallID), f.Name, "tool_started")
		e.Direction = request
		e.Message = s.words([]string{f.Name + " (", " bytes)"}, f.ArgsBytes)
		e.Details["call_id"] = f.CallID
		s.addLog(e)
	case *kernel.ToolEnd:
		severity, code := SeverityVerbose, "tool_finished"
		if f.Status != kernel.ToolOK {
			severity, code = SeverityWarning, codeToolFailed
		}
		e := s.toolLine(at, severity, f.Turn, s.turn.call(f.CallID), f.Name, code)
		e.Message = s.words([]string{f.Name + " " + string(f.Status) + " [", "ms, ", " bytes]"}, f.LatencyMS, f.Output.Bytes)
		if f.Error != "" {
			e.Message += ": " + f.Error
		}
		e.Details["call_id"], e.Details["status"], e.Details["latency_ms"] = f.CallID, string(f.Status), f.LatencyMS
		s.addLog(e)
	case *kernel.OutputStored:
		e := s.toolLine(at, SeverityWarning, f.Turn, s.turn.call(f.CallID), f.Name, "tool_output_stored")
		e.Message = fmt.Sprintf("the result of %s is kept as %s (%s): %d bytes, %d lines, %d tokens",
			f.Name, f.Handle, f.Reason, f.Output.Bytes, f.Lines, f.Tokens)
		e.Details["handle"], e.Details["reason"], e.Details["bytes"] = f.Handle, f.Reason, f.Output.Bytes
		e.Details["lines"], e.Details["tokens"], e.Details["tool"] = f.Lines, f.Tokens, f.Name
		s.addLog(e)
	case *kernel.Progress:
		e := s.line(at, SeverityVerbose, f.Turn, nil, "agent:progress", "task_status")
		e.Message = statusLine(&f.Status)
		e.Details["status"], e.Details["call_id"] = f.Status.Status, f.CallID
		s.addLog(e)
	}
}

// statusLine is a model's word on its work, on one line.
func statusLine(t *dialect.TaskStatus) string {
	parts := make([]string, 0, 4)
	for _, p := range [...]struct{ name, text string }{
		{"", t.Status}, {"now: ", t.Now}, {"done: ", t.Done}, {"pending: ", t.Pending},
	} {
		if p.text != "" {
			parts = append(parts, p.name+p.text)
		}
	}
	return strings.Join(parts, " | ")
}
