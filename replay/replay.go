// Package replay rebuilds sessions from their journals and checks every frame on
// the way: the chain, the effects, the facts and the hash of the state, bit for
// bit (contract P10). It decides nothing: it steps the kernel and compares.
package replay

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
)

// ErrVersion is wrapped by the error about a frame that another version of this
// program made: it cannot be compared, which is not the same as a mismatch.
var ErrVersion = errors.New("not comparable: made by another version")

// Mismatch is a frame that replay does not arrive at (contract P10).
type Mismatch struct {
	Seq uint64
	// What differs: state, effect 0, fact 2, …
	What string
	// Journal and Replay are kinds or hashes, for people.
	Journal, Replay string
}

// Error says which frame differs and how.
func (m *Mismatch) Error() string {
	return fmt.Sprintf("frame %d: %s differs: the journal has %s, replay arrives at %s", m.Seq, m.What, m.Journal, m.Replay)
}

// Replayer rebuilds a session from its journal, checking every frame: chain,
// effects, facts and the hash of the state, bit for bit. It needs nothing but
// the frames.
//
// A frame of another version gives [ErrVersion]: it is in its place, and that is
// all that can be said. A caller may go on: from a [kernel.Migrate] on frames are
// compared again.
type Replayer struct {
	chain  *journal.Chain
	state  kernel.State
	framer kernel.Framer
	// encoded is the last frame's bytes, whose room is used again.
	encoded []byte
	// other says that the last frame was another version's, before is the hash
	// of the state after it.
	other  bool
	before journal.Ref
}

// New starts at a session's beginning.
func New(key journal.Key) *Replayer { return &Replayer{chain: journal.NewChain(key)} }

// Resume goes on from a saved state; the frame that it follows has the
// hash head. Callers check the state against that frame's hash.
func Resume(state kernel.State, head journal.Ref) *Replayer {
	return &Replayer{
		chain: journal.ResumeChain(head, uint64(state.Seq), state.Time), //nolint:gosec // counted from 0
		state: state,
	}
}

// State is the state after the last frame.
func (r *Replayer) State() kernel.State { return r.state }

// Head is the hash of the last frame.
func (r *Replayer) Head() journal.Ref { return r.chain.Head() }

// Next replays one frame and returns what the kernel made of it.
func (r *Replayer) Next(f *journal.Frame) (*kernel.Output, error) {
	r.encoded = f.Append(r.encoded[:0])
	if err := r.chain.Next(f, r.encoded); err != nil {
		return nil, err //nolint:wrapcheck // it names the frame
	}
	if f.Kernel != kernel.Version || f.Dialect != dialect.Version {
		r.other, r.before = true, f.State
		return nil, fmt.Errorf("%w: frame %d is of kernel %d and dialect %d, this is %d and %d",
			ErrVersion, f.Seq, f.Kernel, f.Dialect, kernel.Version, dialect.Version)
	}
	in, err := kernel.ReadInput(f.Time, f.Input)
	if err != nil {
		return nil, fmt.Errorf("frame %d: %w", f.Seq, err)
	}
	if m, ok := in.Body.(*kernel.Migrate); ok {
		if err := r.over(m); err != nil {
			return nil, fmt.Errorf("frame %d: %w", f.Seq, err)
		}
	}
	if r.other {
		return nil, fmt.Errorf("%w: frame %d follows frames of another version without a migration", ErrVersion, f.Seq)
	}
	next, out := kernel.Step(r.state, in)
	again := r.framer.Frame(f.Prev, &next, in, &out)
	if err := compare(f, &again, len(out.Blobs)); err != nil {
		return nil, err
	}
	r.state = next
	return &out, nil
}

func compare(f, again *journal.Frame, made int) error {
	differ := func(what, a, b string) error { return &Mismatch{Seq: f.Seq, What: what, Journal: a, Replay: b} }
	if f.Seq != again.Seq || f.Time != again.Time {
		return differ("time", fmt.Sprint(f.Time), fmt.Sprint(again.Time))
	}
	if err := compareRecords("effect", f.Effects, again.Effects, differ); err != nil {
		return err
	}
	if err := compareRecords("fact", f.Facts, again.Facts, differ); err != nil {
		return err
	}
	if f.State != again.State {
		return differ("state", f.State.Short(), again.State.Short())
	}
	if len(f.Blobs) < made || !slices.Equal(f.Blobs[len(f.Blobs)-made:], again.Blobs) {
		return differ("blobs", fmt.Sprint(len(f.Blobs)), fmt.Sprint(made))
	}
	return nil
}

func compareRecords(what string, a, b []journal.Record, differ func(what, a, b string) error) error {
	for i := range max(len(a), len(b)) {
		name := func() string { return fmt.Sprintf("%s %d", what, i) }
		switch {
		case i >= len(a):
			return differ(name(), "nothing", b[i].Kind)
		case i >= len(b):
			return differ(name(), a[i].Kind, "nothing")
		case a[i].Kind != b[i].Kind:
			return differ(name(), a[i].Kind, b[i].Kind)
		case !bytes.Equal(a[i].Body, b[i].Body):
			return differ(name(), a[i].Kind+" "+journal.RefOf(a[i].Body).Short(), b[i].Kind+" "+journal.RefOf(b[i].Body).Short())
		}
	}
	return nil
}

// errLost is a migration that does not follow from the frame before it.
var errLost = errors.New("the migration does not begin with the state that the journal has")

// over makes a replayer go on after frames that it could not compare.
func (r *Replayer) over(m *kernel.Migrate) error {
	if !r.other {
		return nil // kernel.Step says that it means nothing here
	}
	if m.Before != r.before {
		return errLost
	}
	r.state, r.other = kernel.State{}, false
	return nil
}
