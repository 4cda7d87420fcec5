package sim

import (
	"testing"

	"github.com/ai-agent-go/ai-agent/contract"
)

// otherOrder is any order but the first.
const otherOrder = 0xfeed

// Which result of a batch comes first changes neither the conversation nor a
// byte of the next request.
//
// contract: T7, P10
func TestTheOrderOfResultsChangesNothing(t *testing.T) {
	t.Parallel()
	for i := range min(*seeds, 2_000) {
		s := Draw(uint64(*from + i)) //nolint:gosec // a seed
		v, differs := Permute(s, otherOrder)
		if !differs {
			continue
		}
		k := ShrinkWhile(s, func(s *Script) (contract.Violation, bool) { return Permute(s, otherOrder) })
		t.Fatalf("seed %d: %s\nshrunk in %d plays: %s\n%s", s.Seed, v, k.Plays, k.Violation, k.Script.calm())
	}
}
