package sim

import (
	"testing"

	"github.com/ai-agent-go/ai-agent/contract"
)

// finding is a promise that the simulator saw broken, with the least that
// broke it.
type finding struct {
	name   string
	clause string
	// permuted says that two orders of results are compared.
	permuted bool
	script   string
	// why is the cause.
	why string
}

// broken plays the script again: no promise of any kind may break.
func (f *finding) broken(t testing.TB) (contract.Violation, bool) {
	t.Helper()
	s, err := ParseScript(f.script)
	if err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	if f.permuted {
		return Permute(s, otherOrder)
	}
	if found := Play(s).Violations; len(found) > 0 {
		return found[0], true
	}
	return contract.Violation{}, false
}

// What was found stays put right.
func TestFindings(t *testing.T) {
	t.Parallel()
	for _, f := range findings() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			if v, yes := f.broken(t); yes {
				t.Errorf("broken again: %s\n%s", v, f.why)
			}
		})
	}
}
