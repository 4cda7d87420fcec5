package sqlite

import (
	"sync"

	"github.com/ai-agent-go/ai-agent/journal"
)

// bells wake watchers. There is one for each session that is watched.
type bells struct {
	mu  sync.Mutex
	all map[journal.Key]*bell
}

type bell struct {
	watchers int
	rung     chan struct{} // closed, and replaced, when the bell rings
}

// join finds a session's bell. Leave must follow.
func (b *bells) join(key journal.Key) *bell {
	b.mu.Lock()
	defer b.mu.Unlock()
	x := b.all[key]
	if x == nil {
		x = &bell{rung: make(chan struct{})}
		if b.all == nil {
			b.all = make(map[journal.Key]*bell)
		}
		b.all[key] = x
	}
	x.watchers++
	return x
}

func (b *bells) leave(key journal.Key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	x := b.all[key]
	if x.watchers--; x.watchers == 0 {
		delete(b.all, key)
	}
}

// listen returns a channel that closes when the bell rings next.
func (b *bells) listen(x *bell) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return x.rung
}

func (b *bells) ring(key journal.Key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if x := b.all[key]; x != nil {
		x.ring()
	}
}

func (b *bells) ringAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, x := range b.all {
		x.ring()
	}
}

func (x *bell) ring() {
	close(x.rung)
	x.rung = make(chan struct{})
}
