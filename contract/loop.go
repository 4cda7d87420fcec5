package contract

import (
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// checkTurns: turns are counted one by one and never beyond the limit.
func checkTurns(t *trace) {
	var turn, limit int64
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.RunStart:
			turn, limit = 0, f.MaxTurns
		case *kernel.TurnStart:
			if turn++; f.Turn != turn {
				t.fail(s.seq, "turn %d follows turn %d", f.Turn, turn-1)
			}
			if f.Turn > limit {
				t.fail(s.seq, "turn %d, at most %d are allowed", f.Turn, limit)
			}
		}
	})
}

// checkToolLimit: no more executions in a turn than are allowed.
func checkToolLimit(t *trace) {
	var limit, started int64
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.RunStart:
			if run := t.run(s.seq, f.Config); run != nil {
				limit = run.Limits.MaxToolCallsPerTurn
			}
		case *kernel.TurnStart:
			started = 0
		case *kernel.ToolStart:
			// A call that was approved starts a second time, and so may one that
			// a crash cut off.
			if f.Kind == kernel.ToolAwaitsApproval || f.Again != "" {
				return
			}
			if started++; started > limit {
				t.fail(s.seq, "execution %d of turn %d, at most %d are allowed", started, f.Turn, limit)
			}
		}
	})
}

// checkAttempts: no more attempts in a turn than are allowed.
func checkAttempts(t *trace) {
	var limit, attempt int64
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.RunStart:
			if run := t.run(s.seq, f.Config); run != nil {
				limit = run.Limits.MaxRetries
			}
		case *kernel.TurnStart:
			attempt = 0
		case *kernel.AttemptStart:
			if attempt++; f.Attempt != attempt {
				t.fail(s.seq, "attempt %d follows attempt %d", f.Attempt, attempt-1)
			}
			if f.Attempt > limit {
				t.fail(s.seq, "attempt %d of turn %d, at most %d are allowed", f.Attempt, f.Turn, limit)
			}
		}
	})
}

// checkFinalTurn: the last turn is announced as such and executes nothing.
func checkFinalTurn(t *trace) {
	var limit int64
	final := false
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.RunStart:
			limit = f.MaxTurns
		case *kernel.AttemptStart:
			final = f.Final
			if f.Turn == limit && !f.Final {
				t.fail(s.seq, "turn %d is the last and the model is not told", f.Turn)
			}
		case *kernel.ToolStart:
			if final {
				t.fail(s.seq, "tool %s is executed on the last turn", f.Name)
			}
		}
	})
	for i := range t.steps {
		for _, e := range t.steps[i].effects {
			g, ok := e.Body.(*kernel.Generate)
			if ok && g.Ask.Final && g.Ask.Reason == dialect.FinalNone {
				t.fail(t.steps[i].seq, "a last request without a reason")
			}
		}
	}
}

// checkOneAssistant: one assistant message a turn at most.
func checkOneAssistant(t *trace) {
	said := false
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.TurnStart:
			said = false
		case *kernel.Message:
			if f.Entry.Kind != dialect.ItemAssistant {
				return
			}
			if said && f.Turn > 0 {
				t.fail(s.seq, "a second assistant message in turn %d", f.Turn)
			}
			said = f.Turn > 0
		}
	})
}

// checkForcedOrder: a forced-final reason is only replaced by a stronger one.
func checkForcedOrder(t *trace) {
	reason := dialect.FinalNone
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.ProfileRequested, *kernel.RunEnd:
			reason = dialect.FinalNone
		case *kernel.ForcedFinal:
			if f.Reason.Rank() <= reason.Rank() {
				t.fail(s.seq, "reason %s replaces the stronger %s", f.Reason, reason)
			}
			reason = f.Reason
		}
	})
}

// checkTargetOrder: attempt N asks target (N-1) mod n of those that fit.
func checkTargetOrder(t *trace) {
	var run *spec.Run
	skipped := make(map[int64]bool)
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.RunStart:
			run = t.run(s.seq, f.Config)
			clear(skipped)
		case *kernel.Guard:
			if f.Trigger == kernel.TriggerTurn && f.Outcome == kernel.GuardSkipped {
				skipped[f.Target] = true
			}
			if f.Outcome == kernel.GuardForced {
				clear(skipped)
			}
		case *kernel.ForcedFinal:
			if f.Reason == dialect.FinalContext || f.Reason == dialect.FinalBudget {
				clear(skipped) // the turn is weighed again, with fewer tools
			}
		case *kernel.AttemptStart:
			if run == nil {
				return
			}
			var fitting []int64
			for j := range run.Targets {
				if !skipped[int64(j)] {
					fitting = append(fitting, int64(j))
				}
			}
			clear(skipped)
			if len(fitting) == 0 {
				t.fail(s.seq, "a request although no target fits")
				return
			}
			want := fitting[(f.Attempt-1)%int64(len(fitting))]
			if f.Target != want || f.Provider+"/"+f.Model != run.Targets[want].String() {
				t.fail(s.seq, "attempt %d asks target %d, %s/%s; its turn is %d, %s",
					f.Attempt, f.Target, f.Provider, f.Model, want, &run.Targets[want])
			}
		}
	})
}

// checkWaits: no wait is longer than a minute, and none follows the last
// attempt.
func checkWaits(t *trace) {
	var limit int64
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.RunStart:
			if run := t.run(s.seq, f.Config); run != nil {
				limit = run.Limits.MaxRetries
			}
		case *kernel.Wait:
			if f.WaitMS > 60_000 || f.WaitMS <= 0 {
				t.fail(s.seq, "a wait of %d ms", f.WaitMS)
			}
			if f.Attempt >= limit {
				t.fail(s.seq, "a wait after the last attempt")
			}
		}
	})
}

// checkAttemptsEnd: every request has exactly one end, and no end is without a
// request: requests, attempts and accounting entries are equal in number.
func checkAttemptsEnd(t *trace) {
	open := make(map[string]uint64)
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.AttemptStart:
			open[f.Effect] = s.seq
		case *kernel.AttemptEnd:
			if _, ok := open[f.Effect]; !ok {
				t.fail(s.seq, "the end of attempt %s, which is not open", f.Effect)
			}
			delete(open, f.Effect)
		case *kernel.RunEnd:
			for effect, seq := range open {
				t.fail(seq, "attempt %s has no end", effect)
			}
			clear(open)
		}
	})
}

// checkTruncated: calls of a message that was cut off never run.
func checkTruncated(t *trace) {
	cut := false
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.AttemptEnd:
			cut = f.Finish.Reason == llm.FinishLength
		case *kernel.ToolStart:
			if cut {
				t.fail(s.seq, "tool %s is executed from a message that was cut off", f.Name)
			}
		}
	})
}
