package host

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// effort is an executor at work on one effect, in a goroutine of its own. It
// ends with exactly one delivery: what the executor brings, or what stands for
// it when the executor panics, or does not stop when it is told to. Somebody's
// code that does not listen must not hold a session up.
type effort struct {
	a      *actor
	ctx    context.Context //nolint:containedctx // the effort's own life
	cancel context.CancelCauseFunc
	// panicked makes the delivery of an executor that panicked.
	panicked func(problem string) delivery

	mu   sync.Mutex
	over bool
	// gaveUp makes the delivery of an executor that does not stop, and leave
	// gives back its place in a queue.
	gaveUp func() delivery
	leave  func()
	// unwatch ends the wait for an executor that was told to stop.
	unwatch func()
}

// graceMS is how long an executor may take to stop after it was told to.
const graceMS = 1000

// background runs an executor. A cancel effect ends the effort's context.
func (a *actor) background(id string, panicked func(problem string) delivery, f func(e *effort) delivery) {
	e := &effort{a: a, panicked: panicked}
	e.ctx, e.cancel = context.WithCancelCause(a.h.ctx)
	a.cancels[id] = e.stop
	a.h.wg.Add(1)
	a.h.workers.do(func() {
		defer func() {
			if r := recover(); r != nil {
				e.finish(e.panicked(fmt.Sprintf("%v\n%s", r, debug.Stack())))
			}
		}()
		e.finish(f(e))
	})
}

// workers are goroutines that have worked before: their stacks have grown, and
// growing them is a good part of what a short effort costs. A few wait for more
// to do; all others end when they are done.
type workers struct {
	work chan func()
	// idle bounds those who wait.
	idle chan struct{}
	done <-chan struct{}
}

// maxIdle is how many workers wait at most, for all sessions together.
const maxIdle = 16

func newWorkers(done <-chan struct{}) workers {
	return workers{work: make(chan func()), idle: make(chan struct{}, maxIdle), done: done}
}

// do runs f at once, in a goroutine that is not the caller's.
func (w *workers) do(f func()) {
	select {
	case w.work <- f:
	default:
		go w.run(f)
	}
}

func (w *workers) run(f func()) {
	for {
		f()
		select {
		case w.idle <- struct{}{}:
		default:
			return
		}
		select {
		case f = <-w.work:
			<-w.idle
		case <-w.done:
			return
		}
	}
}

// watch says what is delivered when the executor does not stop, and what is
// called at the end, if it is not nil.
func (e *effort) watch(leave func(), gaveUp func() delivery) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.leave, e.gaveUp = leave, gaveUp
	if e.ctx.Err() != nil {
		e.arm()
	}
}

// stop tells the executor to stop, and does not wait for it for ever.
func (e *effort) stop(cause error) {
	e.cancel(cause)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.arm()
}

// arm begins to wait for an executor that was told to stop. The mutex is held.
func (e *effort) arm() {
	if e.over || e.unwatch != nil || e.gaveUp == nil {
		return
	}
	gaveUp := e.gaveUp
	e.unwatch = e.a.h.clock.After(graceMS, func() { e.finish(gaveUp()) })
}

// finish ends the effort, once.
func (e *effort) finish(d delivery) {
	e.mu.Lock()
	if e.over {
		e.mu.Unlock()
		return
	}
	e.over = true
	if e.unwatch != nil {
		e.unwatch()
	}
	e.mu.Unlock()
	if e.leave != nil {
		e.leave()
	}
	e.cancel(context.Canceled)
	// When the host goes down, whoever comes next finds the intent.
	if e.a.h.ctx.Err() == nil {
		e.a.deliver(d)
	}
	e.a.h.wg.Done()
}
