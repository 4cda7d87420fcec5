package host

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/replay"
	"github.com/ai-agent-go/ai-agent/store"
)

// load takes the session's lease and brings its state back: the saved one, and
// the frames since.
func (a *actor) load() error {
	lease, err := a.h.store.Acquire(a.h.ctx, a.key, a.h.owner, a.h.clock.Now(), a.h.leaseMS)
	if err != nil {
		return fmt.Errorf("session %s: take lease: %w", a.key, err)
	}
	a.lease = lease
	head, err := a.h.store.Head(a.h.ctx, a.key)
	if err != nil {
		return fmt.Errorf("session %s: read head: %w", a.key, err)
	}
	a.head = journal.Genesis(a.key)
	from := uint64(1)
	var again *replay.Replayer
	if head.State == nil {
		again = replay.New(a.key)
	} else {
		state, err := kernel.DecodeState(head.State)
		if err != nil {
			return fmt.Errorf("session %s: saved state: %w", a.key, err)
		}
		f, err := a.frame(head.StateSeq)
		if err != nil {
			return err
		}
		if f.State != journal.RefOf(head.State) {
			return fmt.Errorf("session %s: %w: saved state does not match frame %d", a.key, journal.ErrCorrupt, f.Seq)
		}
		again = replay.Resume(state, f.Hash())
		from, a.saved = head.StateSeq+1, state.Seq
	}
	for f, err := range a.h.store.Read(a.h.ctx, a.key, from) {
		if errors.Is(err, store.ErrNotFound) {
			break // no frames yet
		}
		if err != nil {
			return fmt.Errorf("session %s: read journal: %w", a.key, err)
		}
		frame, err := journal.DecodeFrame(f.Data)
		if err != nil {
			return fmt.Errorf("session %s: %w", a.key, err)
		}
		if _, err := again.Next(&frame); err != nil {
			return fmt.Errorf("session %s: %w", a.key, err)
		}
	}
	a.state, a.head = again.State(), again.Head()
	return nil
}

func (a *actor) frame(seq uint64) (*journal.Frame, error) {
	for f, err := range a.h.store.Read(a.h.ctx, a.key, seq) {
		if err != nil {
			return nil, fmt.Errorf("session %s: read frame %d: %w", a.key, seq, err)
		}
		frame, err := journal.DecodeFrame(f.Data)
		if err != nil {
			return nil, fmt.Errorf("session %s: %w", a.key, err)
		}
		return &frame, nil
	}
	return nil, fmt.Errorf("session %s: %w: frame %d is missing", a.key, journal.ErrCorrupt, seq)
}

// recoverEffects answers for effects that were under way when their host went
// away, by the kernel's rules.
func (a *actor) recoverEffects() error {
	for _, r := range a.state.Recover() {
		if r.Receipt != nil {
			a.deliver(delivery{receipt: r.Receipt})
			continue
		}
		body, err := a.effect(r.Effect)
		if err != nil {
			return err
		}
		a.start(kernel.Effect{ID: r.Effect, Body: body})
	}
	return nil
}

// effect finds an effect in the journal by its id, which names its frame.
func (a *actor) effect(id string) (kernel.EffectBody, error) {
	seq, err := strconv.ParseUint(strings.SplitN(id, ".", 2)[0], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("session %s: effect id %q: %w", a.key, id, err)
	}
	f, err := a.frame(seq)
	if err != nil {
		return nil, err
	}
	effects, err := kernel.DecodeEffects(f)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", a.key, err)
	}
	for _, e := range effects {
		if e.ID == id {
			return e.Body, nil
		}
	}
	return nil, fmt.Errorf("session %s: %w: effect %s is missing", a.key, journal.ErrCorrupt, id)
}
