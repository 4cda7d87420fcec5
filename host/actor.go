package host

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/store"
)

// actor drives one session while it has something to do. All fields below the
// mutex are guarded by it; the others belong to the actor's own goroutine.
type actor struct {
	h   *Host
	key journal.Key
	hub *hub

	state kernel.State
	head  journal.Ref
	lease store.Lease
	// saved is the number of the last frame that the store has the state of.
	saved   int64
	project projection
	framer  kernel.Framer
	work    work
	alarm   alarm
	cancels map[string]context.CancelCauseFunc

	wakeup chan struct{}

	mu       sync.Mutex
	inbox    bool
	receipts []delivery
}

// delivery is a receipt with the contents that it refers to.
type delivery struct {
	receipt *kernel.Receipt
	blobs   []journal.Blob
	// envelope is the output of a request, so that it need not be read back.
	envelope *llm.Envelope
	// finish, if not nil, makes the delivery what it is to be. The actor calls
	// it: what it takes is done on a stack that has grown already.
	finish func() delivery
}

func newActor(h *Host, key journal.Key) *actor {
	a := &actor{
		h: h, key: key, wakeup: make(chan struct{}, 1), cancels: make(map[string]context.CancelCauseFunc),
		project: projection{host: h, key: key},
	}
	a.work.a = a
	return a
}

// ring tells the actor to look at its inbox.
func (a *actor) ring() {
	a.mu.Lock()
	a.inbox = true
	a.mu.Unlock()
	a.poke()
}

// deliver hands in a receipt.
func (a *actor) deliver(d delivery) {
	a.mu.Lock()
	a.receipts = append(a.receipts, d)
	a.mu.Unlock()
	a.poke()
}

func (a *actor) poke() {
	select {
	case a.wakeup <- struct{}{}:
	default:
	}
}

// rung reports whether something came in since the actor last looked.
func (a *actor) rung() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.inbox || len(a.receipts) > 0
}

// take empties the mailbox.
func (a *actor) take() (receipts []delivery, inbox bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	receipts, inbox = a.receipts, a.inbox
	a.receipts, a.inbox = nil, false
	return receipts, inbox
}

// run is the actor's life.
func (a *actor) run() {
	a.hub = a.h.hub(a.key)
	defer a.hub.release()
	err := a.safely(a.live)
	a.alarm.stop()
	for _, cancel := range a.cancels {
		cancel(context.Canceled)
	}
	if a.lease.Token != 0 {
		// The host's context may be gone; giving the lease back must not be.
		_ = a.h.store.Release(context.WithoutCancel(a.h.ctx), a.lease)
	}
	switch {
	case err == nil:
		a.h.park(a.key, nil)
		err = errRetired
	case !errors.Is(err, ErrClosed) && !errors.Is(err, store.ErrLeased) && !errors.Is(err, store.ErrFenced):
		a.h.park(a.key, err)
	}
	a.h.drop(a)
	a.h.failWaiters(a.key, err)
	a.h.ringWheel()
}

// safely turns a panic into an error: one session must not take the others with
// it. The session is parked, and its journal has everything that was durable.
func (a *actor) safely(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("session %s: the actor panicked: %v", a.key, r)
		}
	}()
	return f()
}

func (a *actor) live() error {
	if err := a.load(); err != nil {
		return err
	}
	if err := a.recoverEffects(); err != nil {
		return err
	}
	for {
		more, err := a.advance()
		if err != nil {
			return err
		}
		if more {
			continue
		}
		if !a.state.Active() && a.h.retire(a) {
			return nil
		}
		if err := a.wait(); err != nil {
			return err
		}
	}
}

// wait sleeps until something comes in, a timer is due, or the lease wants
// renewal.
func (a *actor) wait() error {
	now := a.h.clock.Now()
	ms := max(a.lease.Expires-now-a.h.leaseMS/2, 1)
	if at := a.state.WakeAt(); at > 0 {
		ms = min(ms, max(at-now, 1))
	}
	a.alarm.set(a.h.clock, now+ms)
	select {
	case <-a.wakeup:
		// Whoever else is about to deliver goes first: what comes together is
		// appended together.
		runtime.Gosched()
	case <-a.alarm.fired:
		a.alarm.stop()
	case <-a.h.ctx.Done():
		return ErrClosed
	}
	return a.renew()
}

// alarm is an actor's timer. It stays set from one wait to the next: ringing too
// early does no harm, and most waits are over long before.
type alarm struct {
	at     int64
	fired  <-chan time.Time
	cancel func()
}

// set makes sure that the alarm rings at a time, or before.
func (t *alarm) set(clock Clock, at int64) {
	if t.cancel != nil && t.at <= at {
		return
	}
	t.stop()
	t.at = at
	t.fired, t.cancel = clock.Timer(max(at-clock.Now(), 1))
}

func (t *alarm) stop() {
	if t.cancel != nil {
		t.cancel()
		t.cancel = nil
	}
}

func (a *actor) renew() error {
	now := a.h.clock.Now()
	if a.lease.Expires-now > a.h.leaseMS/2 {
		return nil
	}
	lease, err := a.h.store.Renew(a.h.ctx, a.lease, now, a.h.leaseMS)
	if err != nil {
		return fmt.Errorf("session %s: renew lease: %w", a.key, err)
	}
	a.lease = lease
	return nil
}

// maxInputs bounds what one append carries.
const maxInputs = 64

// saveEvery is how many frames may follow a saved state.
const saveEvery = 16

// advance applies everything that has come in: it steps all inputs, appends
// their frames at once, and only then tells the facts and starts the effects.
// It reports whether there may be more.
func (a *actor) advance() (bool, error) {
	receipts, inbox := a.take()
	w := &a.work
	w.reset()
	for i := range receipts {
		d := &receipts[i]
		if d.finish != nil {
			*d = d.finish()
		}
		delete(a.cancels, d.receipt.Effect)
		w.step(d.receipt, d.blobs)
		if d.envelope != nil {
			a.project.know(d.receipt.Generated.Output, d.envelope)
		}
	}
	w.dueTimers()
	more := false
	if inbox {
		items, err := a.h.store.Pending(a.h.ctx, a.key, maxInputs)
		if err != nil {
			return false, fmt.Errorf("session %s: read inbox: %w", a.key, err)
		}
		for i := range items {
			w.command(&items[i])
		}
		if more = len(items) == maxInputs; more {
			a.ring()
		}
	}
	if len(w.frames) == 0 {
		return more, nil
	}
	return true, w.commit()
}

// work is one turn of the actor's loop: inputs stepped, not yet durable.
type work struct {
	a       *actor
	state   kernel.State
	head    journal.Ref
	frames  []store.Frame
	outputs []kernel.Output
	blobs   []journal.Blob
	answers []store.Answer
	settled []settled
	// inherit is what a fork takes over with its first frame.
	inherit store.Inherit
}

// reset makes ready for the next turn. What the last one made is with others
// now, its lists are not.
func (w *work) reset() {
	clear(w.outputs)
	clear(w.blobs)
	*w = work{
		a: w.a, state: w.a.state, head: w.a.head, frames: w.frames[:0], outputs: w.outputs[:0], blobs: w.blobs[:0],
		answers: w.answers[:0], settled: w.settled[:0],
	}
}

// step applies one input. An input that makes the kernel panic is recorded as
// a fault and never applied again (contract E1).
func (w *work) step(body kernel.InputBody, blobs []journal.Blob) *kernel.Output {
	in := kernel.NewInput(max(w.a.h.clock.Now(), w.state.Time), body, blobs...)
	if inherit := inherited(body, blobs); inherit.Session != "" {
		w.inherit = inherit
		in.Blobs = append(in.Blobs, inherit.Refs...)
	}
	next, out, err := safeStep(w.state, in)
	if err != nil {
		fault := &kernel.Fault{Message: err.Error()}
		if rc, ok := body.(*kernel.Receipt); ok {
			fault.Effect = rc.Effect
		}
		in = kernel.NewInput(in.At, fault, blobs...)
		next, out = kernel.Step(w.state, in)
	}
	frame := w.a.framer.Frame(w.head, &next, in, &out)
	encoded := store.Encode(&frame)
	w.state, w.head = next, encoded.Hash
	w.frames = append(w.frames, encoded)
	w.outputs = append(w.outputs, out)
	w.blobs = append(append(w.blobs, blobs...), out.Blobs...)
	return &w.outputs[len(w.outputs)-1]
}

func safeStep(s kernel.State, in kernel.Input) (next kernel.State, out kernel.Output, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the kernel panicked: %v", r)
		}
	}()
	next, out = kernel.Step(s, in)
	return next, out, nil
}

// dueTimers fires the timers whose time has come.
func (w *work) dueTimers() {
	for {
		at := w.state.WakeAt()
		if at == 0 || at > w.a.h.clock.Now() {
			return
		}
		for i := range w.state.Run.Open {
			if o := &w.state.Run.Open[i]; o.Wake == at {
				w.step(&kernel.Receipt{Effect: o.ID, Timer: &kernel.TimerFired{}}, nil)
				break
			}
		}
	}
}

// command applies an item of the inbox.
func (w *work) command(item *store.Item) {
	body, err := kernel.DecodeInput(item.Record)
	answer := kernel.Answer{Code: kernel.CodeBadInput}
	if err != nil {
		// Nothing that we put can be like this. Settle it so that it does not
		// stand in the way for ever.
		answer.Message = err.Error()
		if len(w.frames) == 0 {
			w.step(&kernel.Fault{Message: err.Error()}, nil)
		}
	} else {
		answer = w.step(body, item.Blobs).Answer
	}
	w.answers = append(w.answers, store.Answer{Position: item.Position, Body: answer.Encode()})
	w.settled = append(w.settled, settled{position: item.Position, answer: answer})
}

// commit makes the work durable, then lets it show.
func (w *work) commit() error {
	a := w.a
	batch := store.Batch{
		Lease: a.lease, Frames: w.frames, Blobs: w.blobs, Answers: w.answers, Inherit: w.inherit,
		Summary: store.Summary{
			Status: w.state.Status(), Agent: w.state.Identity.Agent, Parent: w.state.Identity.Parent,
			Active: w.state.Active(), WakeAt: w.state.WakeAt(), Cost: int64(w.state.Totals.Cost),
		},
	}
	if w.state.Seq-a.saved >= saveEvery || !w.state.Active() {
		batch.State = w.state.Encode(nil)
	}
	a.project.remember(w.blobs)
	post := postman{a: a, id: &w.state.Identity}
	post.collect(w.outputs)
	batch.Letters = post.letters
	if err := a.h.store.Append(a.h.ctx, a.key, batch); err != nil {
		return fmt.Errorf("session %s: append frame %d: %w", a.key, w.frames[0].Seq, err)
	}
	if batch.State != nil {
		a.saved = w.state.Seq
	}
	a.state, a.head = w.state, w.head
	for i := range w.outputs {
		a.hub.publish(w.frames[i].Seq, w.frames[i].Time, w.outputs[i].Facts)
	}
	a.h.settle(a.key, w.settled)
	post.deliverLetters()
	for i := range w.outputs {
		for _, e := range w.outputs[i].Effects {
			a.start(e)
		}
	}
	return nil
}

// start begins an effect. Timers need nothing: the state knows them.
func (a *actor) start(e kernel.Effect) {
	switch body := e.Body.(type) {
	case *kernel.Generate:
		a.startGenerate(e.ID, body)
	case *kernel.Tool:
		if body.Kind == kernel.ToolAwaitsApproval || body.Kind == "remote" {
			return
		}
		a.startTool(e.ID, body)
	case *kernel.Lookup:
		a.startLookup(e.ID, body)
	case *kernel.Ledger:
		a.startLedger(e.ID, body)
	case *kernel.Forward: // its letter is on its way
		a.deliver(delivery{receipt: &kernel.Receipt{Effect: e.ID, Forward: &kernel.Forwarded{}}})
	case *kernel.Cancel:
		if cancel := a.cancels[body.Effect]; cancel != nil {
			cancel(errCancelled)
		}
	}
}

// errCancelled is why an effect's context ends when the kernel cancels it.
var errCancelled = errors.New("cancelled")
