package kernel

import (
	"errors"
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
)

// Migrate carries a session over from an older version of this package: it is
// the first input that the newer version applies, and the state comes with it.
// What the older version did before is in the journal, with its facts, and is
// not comparable any more; from here on replay is bit for bit again.
//
// Whoever makes it has read the older version's state, of which Before is the
// hash in that version's last frame, and has written it as this version does.
type Migrate struct {
	// From is the version that made the frames before.
	From int64
	// Before names the state that was read: the hash in the last frame.
	Before journal.Ref
	// State is that state in this version's encoding.
	State []byte
}

// migrate takes over a state. It is for a session of which this version has
// applied nothing yet.
func (x *step) migrate(m *Migrate) {
	at := x.s.Time
	if x.s.Identity.Session != "" {
		x.refuse(CodeBadInput, "the session is of this version already")
		return
	}
	state, err := DecodeState(m.State)
	if err != nil || state.Identity.Session == "" || m.From > Version {
		x.refuse(CodeBadInput, "this is not the state of an older version's session")
		return
	}
	*x.s = state.clone()
	x.s.Seq++
	x.s.Time = max(state.Time, at)
	x.accept(CodeAccepted)
	x.log("VRB", "migrated", fmt.Sprintf("the session goes on in version %d, until here it was %d", Version, m.From))
}

// errLost is a migration that does not follow from the frame before it.
var errLost = errors.New("the migration does not begin with the state that the journal has")

// over makes a replayer go on after frames that it could not compare.
func (r *Replayer) over(m *Migrate) error {
	if !r.other {
		return nil // Step says that it means nothing here
	}
	if m.Before != r.before {
		return errLost
	}
	r.state, r.other = State{}, false
	return nil
}
