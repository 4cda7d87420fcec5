package view

import (
	"fmt"

	"github.com/ai-agent-go/ai-agent/kernel"
)

// orchestrator is where remarks on other agents come from.
const orchestrator = "agent:orchestrator"

// logFamily tells of the sessions that work for this one (contract B5, T14). The
// codes of stages are advisor_started, advisor_finished, advisor_failed and so
// on; those of agents that the model called are child_finished and child_failed,
// their start being the tool's.
func (s *Session) logFamily(at int64, fact kernel.Fact) {
	switch f := fact.(type) {
	case *kernel.StageStart:
		e := s.line(at, SeverityVerbose, s.turn.number, nil, orchestrator, string(f.Stage)+"_started")
		e.Direction, e.Path = request, s.openings[f.Child].label
		e.Message = "agent " + f.Agent + " is asked as " + string(f.Stage)
		e.Details["agent"], e.Details["child"] = f.Agent, f.Child
		s.addLog(e)
	case *kernel.Handoff:
		e := s.line(at, SeverityVerbose, f.Turn, nil, orchestrator, "handed_over")
		e.Message = f.From + " hands over to " + f.To
		e.Details["from"], e.Details["to"], e.Details["stage"] = f.From, f.To, string(f.Stage)
		s.addLog(e)
	case *kernel.ChildEnd:
		s.logChildEnd(at, f)
	}
}

func (s *Session) logChildEnd(at int64, f *kernel.ChildEnd) {
	end := &s.ended
	if end.err != nil {
		e := s.line(at, SeverityWarning, s.turn.number, nil, orchestrator, "child_unreadable")
		e.Path = end.label
		e.Message = "what child session " + f.Session + " did could not be read: " + end.err.Error()
		e.Details["child"] = f.Session
		s.addLog(e)
	}
	code, severity, how := "child", SeverityVerbose, "_finished"
	if f.Stage != "" {
		code = string(f.Stage)
	}
	if !f.OK {
		severity, how = SeverityWarning, "_failed"
	}
	e := s.line(at, severity, s.turn.number, s.turn.call(f.CallID), orchestrator, code+how)
	if end.label != "" {
		e.Path = end.label
	}
	e.Message = fmt.Sprintf("child session %s ended, ok=%t, %s", f.Session, f.OK, f.Cost)
	if f.Error != "" {
		e.Message += ": " + f.Error
		e.Details["error"] = f.Error
	}
	e.Details["child"], e.Details["cost_usd"] = f.Session, f.Cost.USD()
	if f.Agent != "" {
		e.Details["agent"] = f.Agent
	}
	s.addLog(e)
}
