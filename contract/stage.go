package contract

import (
	"slices"

	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/spec"
)

// checkStages: advisors are heard before the first turn; after a handoff nobody
// but its agent answers; a run that hands over never shows its own report; and
// a run without stages has none.
func checkStages(t *trace) {
	var (
		run     *spec.Run
		advised int
		passed  *kernel.Handoff
		answer  *kernel.ChildEnd
	)
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.RunStart:
			run, advised, passed, answer = t.run(s.seq, f.Config), 0, nil, nil
		case *kernel.StageStart:
			checkStage(t, s, run, f, passed)
			if f.Stage == kernel.StageAdvisor {
				advised++
			}
		case *kernel.ChildEnd:
			if f.Stage == kernel.StageAdvisor {
				advised--
			} else if f.Stage != "" {
				answer = f
			}
		case *kernel.TurnStart:
			if advised > 0 {
				t.fail(s.seq, "turn %d begins and %d advisors are not heard", f.Turn, advised)
			}
		case *kernel.Handoff:
			passed, answer = f, nil
		case *kernel.AttemptStart:
			if passed != nil {
				t.fail(s.seq, "the model is asked again after it handed over to %s", passed.To)
			}
		case *kernel.FinalReport:
			checkAnswer(t, s, run, f, passed, answer)
		}
	})
}

// checkStage: an agent is asked because the configuration says so.
func checkStage(t *trace, s *step, run *spec.Run, f *kernel.StageStart, passed *kernel.Handoff) {
	if run == nil {
		return
	}
	ok := false
	switch f.Stage {
	case kernel.StageAdvisor:
		ok = slices.Contains(run.Advisors, f.Agent)
	case kernel.StageRouter:
		ok = slices.ContainsFunc(run.Router, func(d spec.Destination) bool { return d.Agent == f.Agent })
	case kernel.StageHandoff:
		ok = run.Handoff == f.Agent
	}
	if !ok {
		t.fail(s.seq, "agent %s plays %s, which nobody configured", f.Agent, f.Stage)
	}
	if f.Stage != kernel.StageAdvisor && (passed == nil || passed.To != f.Agent) {
		t.fail(s.seq, "agent %s is to answer and nobody handed over to it", f.Agent)
	}
}

// checkAnswer: an answer is the agent's that was to give it.
func checkAnswer(t *trace, s *step, run *spec.Run, f *kernel.FinalReport, passed *kernel.Handoff, answer *kernel.ChildEnd) {
	switch {
	case f.Source == kernel.SourceHandoff && (passed == nil || answer == nil || !answer.OK):
		t.fail(s.seq, "another agent's answer, and none was given")
	case f.OK && f.Source != kernel.SourceHandoff && passed != nil:
		t.fail(s.seq, "a report of %s's own after it handed over to %s", passed.From, passed.To)
	case f.OK && f.Source != kernel.SourceHandoff && run != nil && run.Handoff != "":
		t.fail(s.seq, "a report is shown that was to be handed over to %s", run.Handoff)
	}
}

// checkChildren: a child is a session of its own and ends once; a failed one is
// a failed tool.
func checkChildren(t *trace) {
	sessions := make(map[string]bool)
	open := make(map[string]bool)
	for i := range t.steps {
		s := &t.steps[i]
		for _, fact := range s.facts {
			end, ok := fact.(*kernel.ChildEnd)
			if !ok {
				continue
			}
			if !open[end.Effect] {
				t.fail(s.seq, "child %s ends and is not open", end.Session)
			}
			delete(open, end.Effect)
			if end.Stage == "" && !toolEnds(s, end) {
				t.fail(s.seq, "child %s ended, success %t, and its call says otherwise", end.Session, end.OK)
			}
		}
		for _, e := range s.effects {
			c, ok := e.Body.(*kernel.Child)
			if !ok {
				continue
			}
			if sessions[c.Session] || c.Session == t.archive.Key.Session {
				t.fail(s.seq, "session %s is started twice", c.Session)
			}
			sessions[c.Session], open[e.ID] = true, true
		}
	}
}

func toolEnds(s *step, end *kernel.ChildEnd) bool {
	for _, fact := range s.facts {
		if f, ok := fact.(*kernel.ToolEnd); ok && f.Effect == end.Effect {
			return (f.Status == kernel.ToolOK) == end.OK
		}
	}
	return false
}
