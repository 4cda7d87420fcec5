package sim

import (
	"maps"

	"github.com/ai-agent-go/ai-agent/contract"
	"github.com/ai-agent-go/ai-agent/journal"
)

// Outcome is what became of a session.
type Outcome struct {
	Script *Script
	// Archive is the session as a store would hold it.
	Archive *journal.Archive
	// Frames, Runs, Turns, Attempts and Executions say how much happened.
	Frames, Runs, Turns, Attempts, Executions int
	// Status is the session's at the end.
	Status string
	// Faults counts what went wrong on purpose, by kind: replies, conducts,
	// commands out of place, crashes, jumps.
	Faults map[string]int
	// MaxState is the size of the largest state, in bytes.
	MaxState   int
	Violations []contract.Violation
}

// Broken reports whether a clause was broken, and how it shows first.
func (o *Outcome) Broken(clause string) (contract.Violation, bool) {
	for _, v := range o.Violations {
		if v.Clause == clause {
			return v, true
		}
	}
	return contract.Violation{}, false
}

// Totals adds up outcomes.
type Totals struct {
	Sessions, Frames, Runs, Turns, Attempts, Executions, MaxState, Large int
	Faults, Statuses                                                     map[string]int
}

// largeState is what a state usually stays below, hugeState what it always
// does.
const (
	largeState = 8 << 10
	hugeState  = 32 << 10
)

// Add counts one more session.
func (t *Totals) Add(o *Outcome) {
	t.Merge(&Totals{
		Sessions: 1, Frames: o.Frames, Runs: o.Runs, Turns: o.Turns, Attempts: o.Attempts, Executions: o.Executions,
		MaxState: o.MaxState, Large: btoi(o.MaxState > largeState), Faults: o.Faults, Statuses: map[string]int{o.Status: 1},
	})
}

// Merge adds another sum.
func (t *Totals) Merge(u *Totals) {
	t.Sessions += u.Sessions
	t.Frames += u.Frames
	t.Runs += u.Runs
	t.Turns += u.Turns
	t.Attempts += u.Attempts
	t.Executions += u.Executions
	t.Large += u.Large
	t.MaxState = max(t.MaxState, u.MaxState)
	t.Faults = sum(t.Faults, u.Faults)
	t.Statuses = sum(t.Statuses, u.Statuses)
}

func sum(a, b map[string]int) map[string]int {
	a = maps.Clone(a)
	if a == nil {
		a = make(map[string]int, len(b))
	}
	for k, n := range b {
		a[k] += n
	}
	return a
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
