package kernel

import (
	"github.com/ai-agent-go/ai-agent/dialect"
)

// Triggers and outcomes of the context guard.
const (
	TriggerTool   = "tool_preflight"
	TriggerTurn   = "turn_preflight"
	GuardSkipped  = "skipped_provider"
	GuardForced   = "forced_final"
	GuardDropped  = "tool_dropped"
	GuardExceeded = "sent_anyway"
)

func (x *step) schemaTokens(ask *dialect.Ask) int64 {
	if ask.Final {
		return x.s.Run.Config.FinalSchemaTokens
	}
	return x.s.Run.Config.SchemaTokens
}

// projected is what the request would hold (contract X2). Scratch tokens move
// into pending before every evaluation.
func (x *step) projected(ask *dialect.Ask) int64 {
	g := &x.s.Guard
	g.Pending += g.New
	g.New = 0
	return g.Current + g.Pending + ask.TailTokens() + x.schemaTokens(ask)
}

// chooseTarget picks the target of this attempt among those that fit, in their
// pinned order (contract R1, P11). When none fits the turn becomes the last
// one, with fewer tools; when none fits even then the request goes out all the
// same, with a warning (contract X6).
func (x *step) chooseTarget(ask *dialect.Ask) int64 {
	r := x.s.Run
	fitting := x.fitting(ask)
	if len(fitting) == 0 && !ask.Final {
		x.force(dialect.FinalContext)
		r.MaxTurns = r.Turn
		*ask = x.ask()
		fitting = x.fitting(ask)
	}
	if len(fitting) == 0 {
		x.guardFact(TriggerTurn, GuardExceeded, 0, x.projected(ask))
		x.log("WRN", "context_guard_forced_final", "context limit exceeded; the last request is sent all the same")
		for i := range r.Config.Targets {
			fitting = append(fitting, int64(i))
		}
	}
	if r.Cycle.Asked == 0 {
		r.Cycle.Size = int64(len(fitting))
	}
	return fitting[(r.Attempt-1)%int64(len(fitting))]
}

// fitting lists the targets that the request fits and records the others.
func (x *step) fitting(ask *dialect.Ask) []int64 {
	targets := x.s.Run.Config.Targets
	projected := x.projected(ask)
	fits := make([]int64, 0, len(targets))
	for i := range targets {
		if projected <= targets[i].Limit() {
			fits = append(fits, int64(i))
		}
	}
	outcome := GuardSkipped
	if len(fits) == 0 {
		outcome = GuardForced
	}
	for i := range targets {
		if projected > targets[i].Limit() {
			x.guardFact(TriggerTurn, outcome, i, projected)
		}
	}
	return fits
}

func (x *step) guardFact(trigger, outcome string, target int, projected int64) {
	t := &x.s.Run.Config.Targets[target]
	x.tell(&Guard{
		Turn: x.s.Run.Turn, Trigger: trigger, Outcome: outcome, Target: int64(target), Provider: t.Provider, Model: t.Model,
		Numbers: GuardNumbers{Projected: projected, Limit: t.Limit(), Remaining: max(0, t.Limit()-projected)},
	})
}

// contextExceeded is the model's word for a dropped result (contract X4).
const contextExceeded = "(tool failed: context window budget exceeded)"

// reserve admits a result of so many bytes to the context, or says with which
// numbers it does not fit. It fits when the most generous target takes it.
func (x *step) reserve(bytes int64) *GuardNumbers {
	g := &x.s.Guard
	tokens := messageTokens(bytes)
	var limit int64
	for i := range x.s.Run.Config.Targets {
		limit = max(limit, x.s.Run.Config.Targets[i].Limit())
	}
	projected := g.Current + g.Pending + g.New + x.s.Run.Config.SchemaTokens + tokens
	if projected <= limit {
		g.New += tokens
		return nil
	}
	return &GuardNumbers{
		Original: tokens, Replacement: messageTokens(int64(len(contextExceeded))), Projected: projected, Limit: limit,
		Remaining: max(0, limit-(projected-tokens)),
	}
}

// drop notes that a result was left out: the next turn is the last, so no new
// batch starts (contract X5, X6).
func (x *step) drop(numbers *GuardNumbers) {
	x.tell(&Guard{Turn: x.s.Run.Turn, Trigger: TriggerTool, Outcome: GuardDropped, Numbers: *numbers})
	x.force(dialect.FinalContext)
	x.s.Guard.New += numbers.Replacement
}
