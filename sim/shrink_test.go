package sim

import (
	"testing"

	"github.com/ai-agent-go/ai-agent/contract"
)

// What is not needed is taken away: of a script that is long and full of
// trouble nothing is left but a prompt, the reply and the crash that were asked
// for.
func TestShrinkingLeavesWhatIsNeeded(t *testing.T) {
	t.Parallel()
	both := func(s *Script) (contract.Violation, bool) {
		o := Play(s)
		return contract.Violation{Clause: "both"}, o.Faults["reply rate_limit"] > 0 && o.Faults[FaultCrashAfter] > 0
	}
	tried := 0
	for seed := uint64(1); tried < 3; seed++ {
		s := Draw(seed)
		if _, yes := both(s); !yes {
			continue
		}
		tried++
		k := ShrinkWhile(s, both)
		left := k.Script
		if _, yes := both(left); !yes {
			t.Fatalf("seed %d: what is left does not do it any more:\n%s", seed, left)
		}
		if len(left.Commands) > 1 || len(left.Replies) > 1 || len(left.Faults) > 1 || len(left.Answers)+len(left.Conducts) > 0 ||
			len(left.Agents) > 1 || len(left.Agents[0].Tools) > 0 {
			t.Errorf("seed %d: after %d plays there is more left than is needed:\n%s", seed, k.Plays, left)
		}
		if k.Plays > maxPlays {
			t.Errorf("seed %d: %d plays", seed, k.Plays)
		}
	}
}
