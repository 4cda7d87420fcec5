package contract

import (
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// after returns the facts of a step that follow the given one.
func after(s *step, fact kernel.Fact) []kernel.Fact {
	for i, f := range s.facts {
		if f == fact {
			return s.facts[i+1:]
		}
	}
	return nil
}

// has reports whether there is a fact of one type among some.
func has[F kernel.Fact](facts []kernel.Fact) bool {
	for _, f := range facts {
		if _, ok := f.(F); ok {
			return true
		}
	}
	return false
}

// checkFatalErrors: a failure of credentials or quota ends the run at once.
func checkFatalErrors(t *trace) {
	var run *spec.Run
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.RunStart:
			run = t.run(s.seq, f.Config)
		case *kernel.AttemptEnd:
			if f.Error == nil || f.Outcome == kernel.OutcomeAborted {
				return
			}
			fatal := f.Error.Class == llm.ClassQuota ||
				f.Error.Class == llm.ClassAuth && (run == nil || run.OnAuthError != spec.AuthSkip)
			if fatal && !has[*kernel.RunEnd](after(s, fact)) {
				t.fail(s.seq, "the run goes on after %s", f.Error.Class)
			}
		}
	})
}

// pays reports that the step asks shared accounts for the money of a request.
func (s *step) pays() bool {
	for _, e := range s.effects {
		if _, ok := e.Body.(*kernel.Ledger); ok {
			return true
		}
	}
	return false
}

// checkNoDelay: trouble that is not a rate limit is followed by the next
// request, a new turn or the end, in the same step.
func checkNoDelay(t *trace) {
	t.each(func(s *step, fact kernel.Fact) {
		f, ok := fact.(*kernel.AttemptEnd)
		if !ok || f.Outcome != kernel.OutcomeRejected || f.Error != nil && f.Error.Class == llm.ClassRateLimit {
			return
		}
		rest := after(s, fact)
		if has[*kernel.Wait](rest) {
			return // the round over the targets held a rate limit; R3 looks at it
		}
		if !has[*kernel.AttemptStart](rest) && !has[*kernel.RunEnd](rest) && !has[*kernel.Handoff](rest) && !s.pays() {
			t.fail(s.seq, "nothing follows the failed attempt %d of turn %d", f.Attempt, f.Turn)
		}
	})
}

// checkNotices: a response that could not be used is explained to the model
// with the next attempt of the turn, and only with that one.
func checkNotices(t *trace) {
	var want []dialect.Slug
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.TurnStart:
			// A new turn takes over what the last attempt of the old one said.
		case *kernel.RunStart:
			want = nil
		case *kernel.AttemptEnd:
			want = f.Slugs
		case *kernel.AttemptStart:
			if len(want) > 0 && len(f.Slugs) == 0 {
				t.fail(s.seq, "the model is not told of %v", want)
			}
			if len(want) == 0 && len(f.Slugs) > 0 && f.Attempt == 1 {
				t.fail(s.seq, "a first attempt with the notices %v", f.Slugs)
			}
			want = nil
		}
	})
}

// checkTextReports: text is the report where text was asked for, or at the very
// end.
func checkTextReports(t *trace) {
	var run *spec.Run
	var last *kernel.AttemptStart
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.RunStart:
			run = t.run(s.seq, f.Config)
		case *kernel.AttemptStart:
			last = f
		case *kernel.FinalReport:
			if f.Source != kernel.SourceText || run == nil || run.Completion.IsText() || last == nil {
				return
			}
			if !last.Final || last.Attempt != run.Limits.MaxRetries {
				t.fail(s.seq, "text is taken as the report on attempt %d of turn %d, which is not the last of all", last.Attempt, last.Turn)
			}
		}
	})
}

// checkCollapse: after a report was rejected there is one more turn at most.
func checkCollapse(t *trace) {
	var limit int64
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.RunStart:
			limit = 0
		case *kernel.Log:
			if f.Code == "final_report_rejected" && limit == 0 {
				limit = f.Turn + 1
			}
		case *kernel.TurnStart:
			if limit > 0 && f.Turn > limit {
				t.fail(s.seq, "turn %d, although a report was rejected in turn %d", f.Turn, limit-1)
			}
		}
	})
}

// checkGuardOutcomes: a request over the limit is sent only as the warned last
// one, and after a drop no new batch starts.
func checkGuardOutcomes(t *trace) {
	var dropped, warned bool
	var droppedTurn int64
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.RunStart:
			dropped, warned = false, false
		case *kernel.Guard:
			switch f.Outcome {
			case kernel.GuardDropped:
				dropped, droppedTurn = true, f.Turn
			case kernel.GuardExceeded:
				warned = true
			}
		case *kernel.AttemptStart:
			if f.Expected > f.Limit && !warned {
				t.fail(s.seq, "a request of %d tokens, the limit is %d", f.Expected, f.Limit)
			}
			if f.Expected > f.Limit && !f.Final {
				t.fail(s.seq, "a request over the limit that is not the last")
			}
			warned = false
		case *kernel.ToolStart:
			if dropped && f.Turn > droppedTurn {
				t.fail(s.seq, "a new batch after a result was dropped")
			}
		case *kernel.ToolEntry:
			if f.Guard != nil && (f.OK || f.Error != "context_budget_exceeded") {
				t.fail(s.seq, "a dropped result is accounted as %q", f.Error)
			}
		}
	})
}
