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
	// leave gives back the place in a queue.
	leave func()
	// unwatch takes back the watch over an executor that may not stop.
	unwatch func() bool
	// panicked makes the delivery of an executor that panicked.
	panicked func(problem string) delivery

	mu   sync.Mutex
	over bool
	done chan struct{}
}

// graceMS is how long an executor may take to stop after it was told to.
const graceMS = 1000

// background runs an executor. A cancel effect ends the effort's context.
func (a *actor) background(id string, panicked func(problem string) delivery, f func(e *effort) delivery) {
	e := &effort{a: a, panicked: panicked, done: make(chan struct{})}
	e.ctx, e.cancel = context.WithCancelCause(a.h.ctx)
	a.cancels[id] = e.cancel
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

// watch makes sure that the effort ends soon after ctx does: gaveUp makes the
// delivery when the executor has not. leave, if not nil, is called at the end.
func (e *effort) watch(ctx context.Context, leave func(), gaveUp func() delivery) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.leave = leave
	e.unwatch = context.AfterFunc(ctx, func() {
		fired, stop := e.a.h.clock.Timer(graceMS)
		defer stop()
		select {
		case <-e.done:
		case <-fired:
			e.finish(gaveUp())
		}
	})
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
	close(e.done)
	e.cancel(context.Canceled)
	// When the host goes down, whoever comes next finds the intent.
	if e.a.h.ctx.Err() == nil {
		e.a.deliver(d)
	}
	e.a.h.wg.Done()
}
