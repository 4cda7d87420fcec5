package tool

import (
	"context"
	"fmt"
	"runtime"
)

// Queues bound how many executions run at once, by name, over all sessions of
// a process (contract T8).
type Queues struct {
	slots map[string]chan struct{}
}

// DefaultQueue is the queue of tools that name none. It always exists.
const DefaultQueue = "default"

// NewQueues makes queues of the given sizes. The default queue, when it is not
// among them, takes twice the number of processors and at most 64.
func NewQueues(sizes map[string]int) (*Queues, error) {
	q := &Queues{slots: make(map[string]chan struct{}, len(sizes)+1)}
	q.slots[DefaultQueue] = make(chan struct{}, min(64, 2*runtime.GOMAXPROCS(0)))
	for name, size := range sizes {
		if size < 1 {
			return nil, fmt.Errorf("queue %q: %d executions at once, want at least 1", name, size)
		}
		q.slots[name] = make(chan struct{}, size)
	}
	return q, nil
}

// Has reports whether a queue exists.
func (q *Queues) Has(name string) bool { return q.slots[name] != nil }

// Enter waits for a place and returns what gives it back. It fails only when
// ctx ends first or when there is no such queue.
func (q *Queues) Enter(ctx context.Context, name string) (leave func(), err error) {
	slots := q.slots[name]
	if slots == nil {
		return nil, fmt.Errorf("queue %q does not exist", name)
	}
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("queue %q: %w", name, context.Cause(ctx))
	}
}
