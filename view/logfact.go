package view

import (
	"fmt"
	"strings"

	"github.com/ai-agent-go/ai-agent/kernel"
)

// log writes what a fact says, one entry or a few.
func (s *Session) log(at int64, fact kernel.Fact) {
	switch f := fact.(type) {
	case *kernel.SessionStart:
		e := s.line(at, SeverityVerbose, 0, nil, "agent:init", "session_started")
		e.Message = "session " + f.Identity.Session + " of agent " + f.Identity.Agent
		s.addLog(e)
	case *kernel.ProfileRequested, *kernel.ProfileResolved, *kernel.ProfileFailed:
		s.logProfile(at, fact)
	case *kernel.RunStart:
		s.logRunStart(at, f)
	case *kernel.TurnStart:
		e := s.line(at, SeverityVerbose, f.Turn, nil, "agent:turn-start", "turn_started")
		e.Message = s.words([]string{"turn ", " of "}, f.Turn, f.MaxTurns)
		s.addLog(e)
	case *kernel.AttemptStart:
		s.logRequest(at, f)
	case *kernel.AttemptEnd:
		s.logResponse(at, f)
	case *kernel.ToolStart, *kernel.ToolEnd, *kernel.OutputStored, *kernel.Progress:
		s.logTool(at, fact)
	case *kernel.StageStart, *kernel.Handoff, *kernel.ChildEnd:
		s.logFamily(at, fact)
	case *kernel.Wait:
		e := s.line(at, SeverityWarning, f.Turn, nil, "agent:retry", "llm_rate_limit_backoff")
		e.Message = fmt.Sprintf("every target is rate-limited; waiting %d ms", f.WaitMS)
		e.Details["wait_ms"], e.Details["attempt"], e.Details["source"] = f.WaitMS, f.Attempt, f.Source
		s.addLog(e)
	case *kernel.Guard:
		s.logGuard(at, f)
	case *kernel.ForcedFinal:
		e := s.line(at, SeverityWarning, f.Turn, nil, "agent:orchestrator", "final_turn_forced")
		e.Message = "the next turn is the last: " + string(f.Reason)
		e.Details["reason"], e.Details["max_turns"] = string(f.Reason), f.MaxTurns
		s.addLog(e)
	case *kernel.Awaiting:
		e := s.line(at, SeverityVerbose, s.turn.number, nil, "agent:suspended", "awaiting_tool_execution")
		e.Message = fmt.Sprintf("%d calls wait for somebody outside", len(f.Calls))
		e.Details["calls"] = len(f.Calls)
		s.addLog(e)
	case *kernel.QueueUpdate:
		e := s.line(at, SeverityVerbose, s.turn.number, nil, "agent:input", "queue_update")
		e.Message = fmt.Sprintf("%d messages wait for the next request, %d for the next run", f.Steer, f.FollowUp)
		e.Details["steer"], e.Details["follow_up"] = f.Steer, f.FollowUp
		s.addLog(e)
	case *kernel.Ignored:
		e := s.line(at, SeverityVerbose, s.turn.number, nil, "agent:input", "input_ignored")
		e.Message = "an input changed nothing: " + f.Reason
		e.Details["reason"], e.Details["effect"] = f.Reason, f.Effect
		s.addLog(e)
	case *kernel.Log:
		s.logNote(at, f)
	case *kernel.FinalReport:
		s.logReport(at, f)
	case *kernel.RunEnd:
		s.logEnd(at, f)
	}
}

func (s *Session) logProfile(at int64, fact kernel.Fact) {
	e := s.line(at, SeverityVerbose, 0, nil, "agent:settings", kernel.FactKind(fact))
	switch f := fact.(type) {
	case *kernel.ProfileRequested:
		e.Message = "profiles asked for: " + strings.Join(f.Profiles, ", ")
	case *kernel.ProfileResolved:
		e.Message = "profiles give the targets " + strings.Join(f.Targets, ", ")
	case *kernel.ProfileFailed:
		e.Severity, e.Message, e.Details["code"] = SeverityError, f.Message, f.Code
	}
	s.addLog(e)
}

func (s *Session) logRunStart(at int64, f *kernel.RunStart) {
	e := s.line(at, SeverityVerbose, 0, nil, "agent:start", "run_started")
	e.Bold = true
	e.Message = fmt.Sprintf("run %d of %s: %s", f.Run, s.identity.CallPath, strings.Join(f.Targets, ", "))
	e.Details["run"], e.Details["format"], e.Details["max_turns"] = f.Run, string(f.Format), f.MaxTurns
	s.addLog(e)
}

func (s *Session) logGuard(at int64, f *kernel.Guard) {
	code := "context_guard_" + f.Outcome
	if f.Outcome == kernel.GuardDropped {
		code = "tool_output_dropped"
	}
	e := s.line(at, SeverityWarning, f.Turn, nil, "agent:context", code)
	target := "every target"
	if f.Provider != "" {
		target = f.Provider + ":" + f.Model
		e.Details["provider"], e.Details["model"] = f.Provider, f.Model
	}
	e.Message = fmt.Sprintf("context guard (%s): %s for %s, projected %d, limit %d", f.Trigger, f.Outcome, target,
		f.Numbers.Projected, f.Numbers.Limit)
	e.Details["trigger"], e.Details["outcome"] = f.Trigger, f.Outcome
	e.Details["projected_tokens"], e.Details["limit_tokens"] = f.Numbers.Projected, f.Numbers.Limit
	e.Details["remaining_tokens"] = f.Numbers.Remaining
	s.addLog(e)
}
