package sim

import (
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
)

// fact counts what the journal says and holds it against what the world saw.
func (a *auditor) fact(s *kernel.State, fact kernel.Fact) {
	switch f := fact.(type) {
	case *kernel.TurnStart:
		a.w.out.Turns++
	case *kernel.Wait:
		a.until = f.Until
	case *kernel.AttemptStart:
		a.w.out.Attempts++
		a.starts++
		if s.Time < a.until {
			a.w.breaks("R3", s.Seq, "an attempt %d ms before its wait is over", a.until-s.Time)
		}
		a.until = 0
	case *kernel.AttemptEnd:
		a.ends++
		if f.Cost < 0 {
			a.w.breaks("A5", s.Seq, "an attempt costs %v", f.Cost)
		}
	case *kernel.Message:
		if f.Entry.Kind == dialect.ItemUser {
			a.owed[f.Entry.Ref]--
		}
	case *kernel.RunEnd:
		a.runEnd(s, f)
	}
}

// runEnd: an abort is called one (contract R10) and does not take longer than
// the slowest executor needs to stop (contract S11); money is never earned.
func (a *auditor) runEnd(s *kernel.State, f *kernel.RunEnd) {
	if a.aborted > 0 && f.Reason != kernel.ReasonAborted && f.Reason != kernel.ReasonShutdown {
		a.w.breaks("R10", s.Seq, "an aborted run ends with %q", f.Reason)
	}
	if took := s.Time - a.aborted; a.aborted > 0 && took > graceMS && len(a.w.script.Faults) == 0 {
		a.w.breaks("S11", s.Seq, "an aborted run ends after %d ms", took)
	}
	a.aborted, a.until = 0, 0
	a.w.out.Runs++
	if f.Cost < 0 || f.Total < a.total {
		a.w.breaks("A5", s.Seq, "a run costs %v and the session %v after %v", f.Cost, f.Total, a.total)
	}
	a.total = f.Total
}

// budget: with what is reserved, no request and no child makes a run or a
// session cost more than it may (contract A5).
func (a *auditor) budget(s *kernel.State, effects []kernel.Effect) {
	if s.Run == nil {
		return
	}
	spends := false
	for i := range effects {
		switch effects[i].Body.(type) {
		case *kernel.Generate, *kernel.Child:
			spends = true
		}
	}
	if !spends {
		return
	}
	reserved := llm.Money(0)
	for i := range s.Run.Open {
		reserved += s.Run.Open[i].Reserved
	}
	l := &s.Run.Config.Limits
	if l.MaxCost > 0 && s.Run.Cost+reserved > l.MaxCost {
		a.w.breaks("A5", s.Seq, "the run has cost %v, %v is reserved, and %v is all it may cost", s.Run.Cost, reserved, l.MaxCost)
	}
	if l.MaxSessionCost > 0 && s.Totals.Cost+reserved > l.MaxSessionCost {
		a.w.breaks("A5", s.Seq, "the session has cost %v, %v is reserved, and %v is all it may cost", s.Totals.Cost, reserved, l.MaxSessionCost)
	}
}

// effects: a tool that needs approval runs when a person has just allowed this
// very call, and at no other time (contract T17).
func (a *auditor) effects(s *kernel.State, body kernel.InputBody, effects []kernel.Effect) {
	for i := range effects {
		t, ok := effects[i].Body.(*kernel.Tool)
		if !ok || t.Kind == kernel.ToolAwaitsApproval || !a.needsApproval(t) {
			continue
		}
		if d, ok := body.(*kernel.Decision); !ok || !d.Allow || d.CallID != t.CallID {
			a.w.breaks("T17", s.Seq, "%s runs and nobody allowed it", t.Name)
		}
	}
}

func (a *auditor) needsApproval(t *kernel.Tool) bool {
	p := a.w.configs[t.Config]
	if p == nil {
		return false
	}
	for i := range p.run.Tools {
		if p.run.Tools[i].Name == t.Name {
			return p.run.Tools[i].Approval
		}
	}
	return false
}

// end: no message is lost (contract S10), and what went over the wire is what
// the accounts say (contract R9).
func (a *auditor) end() {
	s := a.replay.State()
	for i := range s.FollowUps {
		a.owed[s.FollowUps[i].Content.Ref]--
	}
	open := 0
	if s.Run != nil && !s.Run.Said {
		a.owed[s.Run.Prompt.Ref]--
	}
	if s.Run != nil {
		for _, c := range s.Run.Steers {
			a.owed[c.Ref]--
		}
		for i := range s.Run.Open {
			open += btoi(s.Run.Open[i].Class == "generate")
		}
	}
	a.w.auditHolds(&s)
	lost, twice := 0, 0
	for _, n := range a.owed {
		lost += max(n, 0)
		twice += max(-n, 0)
	}
	if lost > 0 {
		a.w.breaks("S10", s.Seq, "%d messages of users were taken and are nowhere", lost)
	}
	if twice > 0 {
		a.w.breaks("S10", s.Seq, "%d messages of users are in the conversation and nobody sent them", twice)
	}
	if a.w.wire+a.w.lost != a.starts {
		a.w.breaks("R9", s.Seq, "%d requests went out and %d were prevented, the journal has %d", a.w.wire, a.w.lost, a.starts)
	}
	if a.starts != a.ends+open {
		a.w.breaks("R9", s.Seq, "%d attempts began, %d ended and %d are open", a.starts, a.ends, open)
	}
	if ended := int(s.Runs) - btoi(s.Run != nil); a.w.out.Runs != ended {
		a.w.breaks("B4", s.Seq, "%d runs ended with a report, the state says %d", a.w.out.Runs, ended)
	}
}
