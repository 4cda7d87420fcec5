package sim

import (
	"container/heap"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
)

// event is something that will come in: a command from outside, news of a
// child, or the receipt of an effect. What is in the inbox is durable and
// survives a crash; receipts are on their way in a process and do not.
type event struct {
	at  int64
	tie uint64

	// command is what somebody does, body what is in the inbox because of it.
	// News of children is in the inbox from the start.
	command *Command
	body    kernel.InputBody
	blobs   []journal.Blob

	// receipt is what an executor delivers; everything else is in the inbox.
	receipt *kernel.Receipt
	// answer says that the event is what the world does about a wait.
	answer bool
	// gone says that the event was taken out of the queue.
	gone bool
}

// queue orders events by time; chance decides between those of one time.
type queue []*event

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].tie < q[j].tie
}

func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push and Pop serve container/heap; callers use put, peek and take.
func (q *queue) Push(x any) { *q = append(*q, x.(*event)) } //nolint:forcetypeassert // only put calls it

// Pop removes the last event.
func (q *queue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	*q = (*q)[:last]
	return e
}

func (q *queue) put(e *event) { heap.Push(q, e) }

// peek is the time of the next event.
func (q *queue) peek() (int64, bool) {
	for len(*q) > 0 && (*q)[0].gone {
		heap.Pop(q)
	}
	if len(*q) == 0 {
		return 0, false
	}
	return (*q)[0].at, true
}

// take removes everything that is due.
func (q *queue) take(now int64) []*event {
	var due []*event
	for {
		at, some := q.peek()
		if !some || at > now {
			return due
		}
		due = append(due, heap.Pop(q).(*event)) //nolint:forcetypeassert // the queue holds nothing else
	}
}

// lose removes every receipt: the process that would have delivered it died.
func (q *queue) lose() {
	for _, e := range *q {
		if e.receipt != nil {
			e.gone = true
		}
	}
}
