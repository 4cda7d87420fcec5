package wire

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ai-agent-go/ai-agent/llm"
)

// This file is where adapters meet the clock. Fake time, as in testing/synctest,
// reaches everything through it.

// now is the time that dates in headers are measured by.
func now() time.Time { return time.Now() }

// errLate is the cause of a context that our own limit ended, and nobody else.
var errLate = errors.New("time limit")

// watch ends a call that takes too long. While an answer streams it measures
// silence: it stops when something arrived and starts again when more is waited
// for, so that a slow listener is not taken for a slow provider. Otherwise it
// measures the whole call (contract R13).
type watch struct {
	limit  time.Duration
	timer  *time.Timer
	resets bool
	armed  bool
}

// newWatch starts to measure. A limit of zero is none.
func newWatch(ms int64, resets bool, cancel context.CancelCauseFunc) *watch {
	w := &watch{limit: time.Duration(min(ms, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond, resets: resets, armed: true}
	if ms > 0 {
		w.timer = time.AfterFunc(w.limit, func() { cancel(errLate) })
	}
	return w
}

// wait is called before more is waited for.
func (w *watch) wait() {
	if w.timer != nil && !w.armed {
		w.timer.Reset(w.limit)
		w.armed = true
	}
}

// heard is called when the provider said something.
func (w *watch) heard() {
	if w.timer != nil && w.armed && w.resets {
		w.timer.Stop()
		w.armed = false
	}
}

func (w *watch) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// late is the failure that the watch found.
func (w *watch) late() *llm.Error {
	message := fmt.Sprintf("no answer within %d ms", w.limit.Milliseconds())
	if w.resets {
		message = fmt.Sprintf("nothing came for %d ms", w.limit.Milliseconds())
	}
	return &llm.Error{Class: llm.ClassTimeout, Message: message}
}
