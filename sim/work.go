package sim

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
)

// work is inputs that were stepped and are not durable yet, as an actor's turn
// is in the host.
type work struct {
	w       *world
	state   kernel.State
	head    journal.Ref
	frames  []journal.Frame
	outputs []kernel.Output
	blobs   []journal.Blob
	taken   []*event
	// crashed says that the process died in commit: this work is over.
	crashed bool
}

func (w *world) newWork() *work { return &work{w: w, state: w.state, head: w.head} }

// take applies an event.
func (k *work) take(e *event) {
	k.taken = append(k.taken, e)
	if e.receipt != nil {
		if k.w.flying[e.receipt.Effect] == e {
			delete(k.w.flying, e.receipt.Effect)
		}
		k.step(e.receipt, e.blobs)
		return
	}
	if e.body == nil && e.command != nil {
		e.body, e.blobs = k.w.input(&k.state, e.command)
	}
	if e.body == nil {
		return
	}
	k.step(e.body, e.blobs)
}

// step applies one input. A panic is a broken promise; what follows it is what
// a host does (contract E1).
func (k *work) step(body kernel.InputBody, blobs []journal.Blob) {
	in := kernel.NewInput(max(k.w.wall(), k.state.Time), body, blobs...)
	var before []byte
	if k.state.Seq%5 == 0 { // each time would take too long
		before = k.state.Encode(nil)
	}
	next, out, problem := safeStep(k.state, in)
	if before != nil && !bytes.Equal(before, k.state.Encode(nil)) {
		k.w.breaks("P10", k.state.Seq+1, "Step changed the state that it was given")
	}
	if problem != "" {
		k.w.breaks("E1", k.state.Seq+1, "Step panics: %s", problem)
		fault := &kernel.Fault{Message: problem}
		if rc, ok := body.(*kernel.Receipt); ok {
			fault.Effect = rc.Effect
		}
		in = kernel.NewInput(in.At, fault, blobs...)
		if next, out, problem = safeStep(k.state, in); problem != "" {
			k.w.breaks("E1", k.state.Seq+1, "Step panics over the fault: %s", problem)
			return
		}
	}
	frame := kernel.NewFrame(k.head, &next, in, &out)
	if k.w.plant.frame != nil {
		k.w.plant.frame(&frame)
	}
	k.state, k.head = next, frame.Hash()
	k.frames = append(k.frames, frame)
	k.outputs = append(k.outputs, out)
	k.blobs = append(append(k.blobs, blobs...), out.Blobs...)
}

func safeStep(s kernel.State, in kernel.Input) (next kernel.State, out kernel.Output, problem string) {
	defer func() {
		if r := recover(); r != nil {
			problem = fmt.Sprintf("%v\n%s", r, culprit(string(debug.Stack())))
		}
	}()
	next, out = kernel.Step(s, in)
	return next, out, ""
}

// culprit is the part of a stack that says who panicked: the lines of our own
// code, without addresses, so that the same panic reads the same.
func culprit(stack string) string {
	var lines []string
	for line := range strings.Lines(stack) {
		if at := strings.Index(line, "/kernel/"); at >= 0 && strings.HasPrefix(line, "\t") {
			place, _, _ := strings.Cut(strings.TrimSpace(line[at+1:]), " ")
			lines = append(lines, place)
		}
	}
	return strings.Join(lines, " < ")
}

// dueTimers fires the timers whose time has come by the host's clock.
func (k *work) dueTimers() {
	for !k.crashed {
		at := k.state.WakeAt()
		if at == 0 || at > k.w.wall() {
			return
		}
		for i := range k.state.Run.Open {
			if o := &k.state.Run.Open[i]; o.Wake == at {
				k.w.count("timer " + string(o.Purpose))
				k.step(&kernel.Receipt{Effect: o.ID, Timer: &kernel.TimerFired{}}, nil)
				break
			}
		}
	}
}

// commit makes the work durable, then lets its effects start, unless the
// process dies before or between.
func (k *work) commit() {
	if k.crashed || len(k.frames) == 0 {
		return
	}
	w := k.w
	fault := w.crashAt(k.frames)
	if fault != nil && fault.Kind == FaultCrashBefore {
		k.crashed = true
		w.putBack(k.taken)
		w.crash(fault)
		return
	}
	w.archive.Frames = append(w.archive.Frames, k.frames...)
	for _, b := range k.blobs {
		w.archive.Blobs[b.Ref] = b.Data
	}
	w.state, w.head = k.state, k.head
	if w.saved == nil || w.ties.percent(20) {
		w.saved = w.state.Encode(nil)
	}
	w.jumpClock()
	for i := range k.outputs {
		for _, e := range k.outputs[i].Effects {
			w.post(e)
		}
	}
	if fault != nil {
		k.crashed = true
		for i := range k.outputs {
			w.loseEffects(k.outputs[i].Effects)
		}
		w.crash(fault)
		return
	}
	outputs := k.outputs
	k.frames, k.outputs, k.blobs, k.taken = nil, nil, nil, nil
	for i := range outputs {
		for _, e := range outputs[i].Effects {
			w.start(e)
		}
	}
}
