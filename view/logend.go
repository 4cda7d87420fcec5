package view

import (
	"fmt"
	"maps"

	"github.com/ai-agent-go/ai-agent/kernel"
)

// logReport says which report ended the run, and how.
func (s *Session) logReport(at int64, f *kernel.FinalReport) {
	e := s.line(at, SeverityVerbose, f.Turn, nil, "agent:final-report-accepted", "final_report_accepted")
	e.Message = fmt.Sprintf("final report accepted (%s, %s)", f.Format, f.Source)
	if !f.OK {
		e = s.line(at, SeverityError, f.Turn, nil, "agent:failure-report", "failure_report")
		e.Message = "no report from the model: " + f.Reason
		e.Details["reason"] = f.Reason
	}
	e.Details["source"], e.Details["format"] = f.Source, string(f.Format)
	s.addLog(e)
}

// reasonOf says in words why a run ended.
func reasonOf(f *kernel.RunEnd) string {
	if f.OK {
		return "the final report was accepted"
	}
	return f.Error
}

// logEnd writes the one exit marker and the two summaries that every run has,
// however it ended (contract B4).
func (s *Session) logEnd(at int64, f *kernel.RunEnd) {
	severity := SeverityVerbose
	if !f.OK {
		severity = SeverityError
	}
	e := s.line(at, severity, f.Turns, nil, "agent:"+f.Exit, f.Exit)
	e.Fatal = !f.OK
	e.Message = fmt.Sprintf("%s: %s (fatal=%t)", f.Exit, reasonOf(f), !f.OK)
	if f.Reason != "" {
		e.Details["reason"] = f.Reason
	}
	s.addLog(e)
	s.logLLMSummary(at, f)
	s.logToolSummary(at, f)
}

func (s *Session) logLLMSummary(at int64, f *kernel.RunEnd) {
	t := &s.totals
	e := s.line(at, SeverityFinal, f.Turns, nil, "summary", "llm_summary")
	e.Message = fmt.Sprintf("requests=%d failed=%d, tokens prompt=%d output=%d cacheR=%d cacheW=%d total=%d, "+
		"cost total=$%.5f upstream=$%.5f, latency sum=%dms avg=%dms, providers/models: %s%s",
		t.requests, t.failed, t.usage.Input, t.usage.Output, t.usage.CacheRead, t.usage.CacheWrite, t.usage.Total(),
		t.cost.USD(), t.upstream.USD(), t.latency, t.average(), t.models, t.stopReasons())
	maps.Copy(e.Details, map[string]any{
		"requests": t.requests, "failed": t.failed, "tokens_prompt": t.usage.Input, "tokens_output": t.usage.Output,
		"tokens_cache_read": t.usage.CacheRead, "tokens_cache_write": t.usage.CacheWrite, "tokens_total": t.usage.Total(),
		"cost_usd": t.cost.USD(), "cost_upstream_usd": t.upstream.USD(), "latency_sum_ms": t.latency,
		"latency_avg_ms": t.average(),
	})
	for reason, n := range t.stops {
		e.Details["stop_reason_"+reason] = n
	}
	s.addLog(e)
}

func (s *Session) logToolSummary(at int64, f *kernel.RunEnd) {
	t := &s.totals
	e := s.line(at, SeverityFinal, f.Turns, nil, "summary", "tool_summary")
	e.Type = typeTool
	e.Message = fmt.Sprintf("requests=%d, failed=%d, capped=%d, bytes in=%d out=%d, providers/tools: %s",
		t.tools, t.toolsFailed, t.capped, t.in, t.out, t.commands)
	e.Details["requests"], e.Details["failed"], e.Details["capped"] = t.tools, t.toolsFailed, t.capped
	e.Details["bytes_in"], e.Details["bytes_out"] = t.in, t.out
	s.addLog(e)
}
