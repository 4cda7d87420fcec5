package sim

import (
	"regexp"
	"slices"
	"testing"

	"github.com/ai-agent-go/ai-agent/contract"
	"github.com/ai-agent-go/ai-agent/spec"
)

// finding is a promise that the simulator saw broken, with the least that
// breaks it.
type finding struct {
	name   string
	clause string
	// detail matches the violations that have this cause, in scripts that hold
	// what it takes.
	detail string
	when   func(*Script) bool
	// permuted says that two orders of results are compared.
	permuted bool
	script   string
	// why is the cause.
	why string
}

func (f *finding) accountsFor(s *Script, v contract.Violation) bool {
	return v.Clause == f.clause && regexp.MustCompile(f.detail).MatchString(v.Detail) && (f.when == nil || f.when(s))
}

// met reports whether a script comes upon the finding.
func (f *finding) met(s *Script) (contract.Violation, bool) {
	if f.permuted {
		return Permute(s, otherOrder)
	}
	for _, v := range Play(s).Violations {
		if f.accountsFor(s, v) {
			return v, true
		}
	}
	return contract.Violation{}, false
}

func (f *finding) broken(t testing.TB) (contract.Violation, bool) {
	t.Helper()
	s, err := ParseScript(f.script)
	if err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	return f.met(s)
}

// stillBroken lists the findings that are not put right yet. TestSeeds meets
// them again and again and has nothing new to say about them.
func stillBroken(t testing.TB) []finding {
	t.Helper()
	var broken []finding
	for _, f := range findings() {
		if _, yes := f.broken(t); yes {
			broken = append(broken, f)
		}
	}
	return broken
}

// What was found stays put right; what is not put right yet is skipped with its
// cause.
func TestFindings(t *testing.T) {
	t.Parallel()
	for _, f := range findings() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			if v, yes := f.broken(t); yes {
				t.Skipf("still broken: %s\n%s", v, f.why)
			}
		})
	}
}

func hasCommand(do ...Deed) func(*Script) bool {
	return func(s *Script) bool {
		is := func(c Command) bool { return slices.Contains(do, c.Do) }
		return slices.ContainsFunc(s.Commands, is) || slices.ContainsFunc(s.Answers, is)
	}
}

func hasFault(kind string) func(*Script) bool {
	return func(s *Script) bool {
		return slices.ContainsFunc(s.Faults, func(f Fault) bool { return f.Kind == kind })
	}
}

// hasHugeUsage: no provider counts like this, but nothing keeps one from it.
func hasHugeUsage(s *Script) bool {
	return slices.ContainsFunc(s.Replies, func(r Reply) bool { return r.Usage != nil && r.Usage.Total() > 1<<60 })
}

func hasBudget(s *Script) bool {
	for i := range s.Agents {
		if l := &s.Agents[i].Limits; l.MaxCost > 0 || l.MaxSessionCost > 0 {
			return true
		}
	}
	return false
}

func hasTwice(s *Script) bool {
	return slices.ContainsFunc(s.Replies, func(r Reply) bool { return r.Twice })
}

// hasTail: in the XML transports every request ends with text of its own.
func hasTail(s *Script) bool {
	return slices.ContainsFunc(s.Agents, func(a spec.Agent) bool { return a.Transport != spec.TransportNative })
}
