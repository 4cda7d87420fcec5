package sim

import (
	"slices"

	"github.com/ai-agent-go/ai-agent/contract"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Shrunk is what is left of a script that breaks a clause.
type Shrunk struct {
	Script    *Script
	Violation contract.Violation
	// Plays is how often a script was played to get there.
	Plays int
}

// maxPlays bounds a shrinking: sessions are short, but not free.
const maxPlays = 3_000

// Shrink takes everything out of a script that is not needed to break a clause.
// It is greedy: it takes away halves, then quarters, then single entries, then
// makes what is left simpler, until nothing more can go.
func Shrink(s *Script, clause string) *Shrunk {
	return ShrinkWhile(s, func(s *Script) (contract.Violation, bool) { return Play(s).Broken(clause) })
}

// ShrinkWhile makes a script smaller while it is broken in the way that is
// looked for.
func ShrinkWhile(s *Script, broken func(*Script) (contract.Violation, bool)) *Shrunk {
	k := &shrinker{best: s, broken: broken, tried: make(map[string]bool)}
	k.try(s)
	for again := true; again && k.plays < maxPlays; {
		before := k.best
		k.lists()
		k.agents()
		k.entries()
		again = k.best != before
	}
	return &Shrunk{Script: k.best, Violation: k.violation, Plays: k.plays}
}

type shrinker struct {
	best      *Script
	violation contract.Violation
	broken    func(*Script) (contract.Violation, bool)
	plays     int
	// tried are the scripts that were played: none is played twice.
	tried map[string]bool
}

// try plays a smaller script and keeps it if it is still broken.
func (k *shrinker) try(s *Script) bool {
	text := s.String()
	if k.plays >= maxPlays || len(s.Agents) == 0 || k.tried[text] {
		return false
	}
	k.tried[text] = true
	k.plays++
	v, ok := k.broken(s)
	if ok {
		k.best, k.violation = s, v
	}
	return ok
}

// change tries a copy of the best script with something changed. With fewer
// entries there are fewer frames: where a fault belongs to a frame, it is also
// tried on an earlier one.
func (k *shrinker) change(f func(*Script)) bool {
	shifts := []int64{0}
	if n := len(k.best.Faults); n > 0 && n <= 2 {
		shifts = []int64{0, 1, 2, 3, 4, 5, 6, 8, 10, 12}
	}
	for _, shift := range shifts {
		s := *k.best
		s.Faults = slices.Clone(s.Faults)
		for i := range s.Faults {
			s.Faults[i].Frame = max(1, s.Faults[i].Frame-shift)
		}
		f(&s)
		if k.try(&s) {
			return true
		}
	}
	return false
}

// lists takes entries out of every list.
func (k *shrinker) lists() {
	cut(k, func(s *Script) *[]Fault { return &s.Faults })
	cut(k, func(s *Script) *[]Command { return &s.Commands })
	cut(k, func(s *Script) *[]Command { return &s.Answers })
	cut(k, func(s *Script) *[]Conduct { return &s.Conducts })
	cut(k, func(s *Script) *[]Reply { return &s.Replies })
	cut(k, func(s *Script) *[]llm.Message { return &s.History })
	cut(k, func(s *Script) *[]spec.Agent { return &s.Agents })
	k.change(func(s *Script) { s.Abandon = false })
}

// cut takes stretches out of a list, long ones first.
func cut[T any](k *shrinker, list func(*Script) *[]T) {
	for size := len(*list(k.best)); size > 0; size /= 2 {
		for at := 0; at+size <= len(*list(k.best)); {
			if !k.change(func(s *Script) {
				l := list(s)
				*l = slices.Delete(slices.Clone(*l), at, at+size)
			}) {
				at += size
			}
		}
	}
}

// agents makes configurations simpler.
func (k *shrinker) agents() {
	for i := range k.best.Agents {
		agent := func(f func(*spec.Agent)) {
			k.change(func(s *Script) {
				s.Agents = slices.Clone(s.Agents)
				f(&s.Agents[i])
			})
		}
		for j := range slices.Backward(k.best.Agents[i].Tools) {
			agent(func(a *spec.Agent) { a.Tools = slices.Delete(slices.Clone(a.Tools), j, j+1) })
		}
		for j := len(k.best.Agents[i].Targets) - 1; j > 0; j-- {
			agent(func(a *spec.Agent) { a.Targets = slices.Delete(slices.Clone(a.Targets), j, j+1) })
		}
		for _, f := range simpler() {
			agent(f)
		}
	}
}

// simpler lists changes that make a configuration a plain one.
func simpler() []func(*spec.Agent) {
	return []func(*spec.Agent){
		func(a *spec.Agent) { a.System = "" },
		func(a *spec.Agent) { a.Format, a.Schema = spec.FormatText, nil },
		func(a *spec.Agent) { a.Transport = spec.TransportNative },
		func(a *spec.Agent) { a.Completion = spec.CompleteReport },
		func(a *spec.Agent) { a.Capture, a.ToolChoice, a.NoStream = spec.CaptureNone, "", false },
		func(a *spec.Agent) { a.Batch = false },
		func(a *spec.Agent) { a.ToolOutput = false },
		func(a *spec.Agent) { a.NoProgress = true },
		func(a *spec.Agent) { a.OnAuthError = spec.AuthFail },
		func(a *spec.Agent) { a.Profiles = nil },
		func(a *spec.Agent) {
			a.Limits = spec.Limits{
				MaxTurns: a.Limits.MaxTurns, MaxRetries: a.Limits.MaxRetries, MaxToolCallsPerTurn: a.Limits.MaxToolCallsPerTurn,
			}
		},
		func(a *spec.Agent) { a.Limits.MaxTurns, a.Limits.MaxRetries = 2, 1 },
		func(a *spec.Agent) { a.Limits.MaxToolCallsPerTurn = 3 },
		func(a *spec.Agent) {
			for i := range a.Targets {
				a.Targets = slices.Clone(a.Targets)
				a.Targets[i] = spec.Target{Provider: "p", Model: a.Targets[i].Model, Window: 50_000}
			}
		},
	}
}

// entries makes what is left simpler: sooner, shorter, once.
func (k *shrinker) entries() {
	each(k, func(s *Script) *[]Command { return &s.Commands }, func(c *Command) { c.At = 0 }, func(c *Command) { c.Text = "x" })
	each(k, func(s *Script) *[]Command { return &s.Answers }, func(c *Command) { c.At = 0 }, func(c *Command) { c.Pick = 0 })
	each(k, func(s *Script) *[]Conduct { return &s.Conducts },
		func(c *Conduct) { *c = Conduct{Kind: "ok", Text: "x", After: c.After} }, func(c *Conduct) { c.Twice = false })
	each(k, func(s *Script) *[]Fault { return &s.Faults }, func(f *Fault) { f.MS = 0 }, func(f *Fault) { f.Saved = false })
	each(k, func(s *Script) *[]Reply { return &s.Replies },
		func(r *Reply) { r.After = 0 }, func(r *Reply) { r.Twice = false }, func(r *Reply) { r.Usage, r.Cost = nil, nil },
		func(r *Reply) { r.Finish = llm.FinishStop })
	for i := range k.best.Replies {
		cut(k, func(s *Script) *[]Block {
			s.Replies = slices.Clone(s.Replies)
			return &s.Replies[min(i, len(s.Replies)-1)].Blocks
		})
	}
}

// each tries changes on every entry of a list.
func each[T any](k *shrinker, list func(*Script) *[]T, changes ...func(*T)) {
	for i := range *list(k.best) {
		for _, change := range changes {
			k.change(func(s *Script) {
				l := list(s)
				*l = slices.Clone(*l)
				change(&(*l)[i])
			})
		}
	}
}
