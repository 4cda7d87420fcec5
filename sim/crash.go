package sim

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/replay"
	"github.com/ai-agent-go/ai-agent/transcript"
)

// crashAt finds the crash that comes with one of these frames. Each comes once.
func (w *world) crashAt(frames []journal.Frame) *Fault {
	for i := range w.script.Faults {
		f := &w.script.Faults[i]
		if f.Kind == FaultClock || w.faulted[i] {
			continue
		}
		for j := range frames {
			if int64(frames[j].Seq) == f.Frame { //nolint:gosec // small
				w.faulted[i] = true
				return f
			}
		}
	}
	return nil
}

// jumpClock moves the host's clock where the script says so.
func (w *world) jumpClock() {
	for i := range w.script.Faults {
		f := &w.script.Faults[i]
		if f.Kind == FaultClock && !w.faulted[i] && f.Frame <= w.state.Seq {
			w.faulted[i] = true
			w.skew += f.MS
			w.count("clock jump")
		}
	}
}

// loseEffects notes requests that were intended and never went out.
func (w *world) loseEffects(effects []kernel.Effect) {
	for _, e := range effects {
		if _, ok := e.Body.(*kernel.Generate); ok {
			w.lost++
		}
	}
}

// crash ends the process and starts another. Everything on its way is lost,
// commands in the inbox apart; the state comes back from what is durable, and
// must be what it was (contract S8, P10). What was under way is answered for by
// the kernel's rules, as a host does when it loads a session.
func (w *world) crash(f *Fault) {
	w.count(f.Kind)
	w.queue.lose()
	clear(w.flying)
	w.history, w.last = transcript.History{}, nil
	w.now += f.MS
	state, head, err := w.rebuild(f.Saved)
	if err != nil {
		w.breaks("P10", w.state.Seq, "the state cannot be rebuilt: %v", err)
		return
	}
	if !bytes.Equal(state.Encode(nil), w.state.Encode(nil)) {
		w.breaks("P10", w.state.Seq, "the state that was rebuilt is not the one that was")
	}
	if head != w.head {
		w.breaks("P10", w.state.Seq, "the journal that was read ends elsewhere than the one that was written")
	}
	w.state = state
	for _, r := range w.state.Recover() {
		if r.Receipt != nil && !w.plant.rerun {
			// Before anything else that is in the inbox, as a host has it.
			e := &event{at: w.now, receipt: r.Receipt}
			w.flying[r.Effect] = e
			w.queue.put(e)
			w.count("recovered")
			continue
		}
		w.count("run again")
		w.start(kernel.Effect{ID: r.Effect, Body: w.effect(r.Effect)})
	}
}

// rebuild brings the state back: from the journal's beginning, or from a saved
// state and the frames since.
func (w *world) rebuild(fromSaved bool) (kernel.State, journal.Ref, error) {
	again := replay.New(w.archive.Key)
	frames := w.archive.Frames
	if fromSaved && w.saved != nil {
		state, err := kernel.DecodeState(w.saved)
		if err != nil {
			return state, journal.Ref{}, err //nolint:wrapcheck // the caller says what failed
		}
		again = replay.Resume(state, frames[state.Seq-1].Hash())
		frames = frames[state.Seq:]
	}
	for i := range frames {
		// Through bytes and back, as a store has it.
		f, err := journal.DecodeFrame(frames[i].Encode())
		if err == nil {
			_, err = again.Next(&f)
		}
		if err != nil {
			return kernel.State{}, journal.Ref{}, err //nolint:wrapcheck // as above
		}
	}
	return again.State(), again.Head(), nil
}

// effect finds an effect in the journal by its id, which names its frame.
func (w *world) effect(id string) kernel.EffectBody {
	number, _, _ := strings.Cut(id, ".")
	seq, err := strconv.Atoi(number)
	if err != nil || seq < 1 || seq > len(w.archive.Frames) {
		w.breaks("S8", w.state.Seq, "effect %q is open and not in the journal", id)
		return nil
	}
	effects, err := kernel.DecodeEffects(&w.archive.Frames[seq-1])
	for i := range effects {
		if effects[i].ID == id {
			return effects[i].Body
		}
	}
	w.breaks("S8", w.state.Seq, "effect %q is open and not in frame %d: %v", id, seq, err)
	return nil
}
