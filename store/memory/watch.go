package memory

import (
	"context"
	"fmt"
	"iter"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// ring wakes whoever watches the session; the lock is held.
func (ss *session) ring() {
	if ss.changed != nil {
		close(ss.changed)
		ss.changed = nil
	}
}

// Watch implements [store.Index].
func (s *Store) Watch(ctx context.Context, key journal.Key) iter.Seq2[store.Change, error] {
	return func(yield func(store.Change, error) bool) {
		var last store.Change
		for first := true; ctx.Err() == nil; {
			change, changed, err := s.look(key)
			if err != nil {
				yield(store.Change{}, fmt.Errorf("watch: %w", err))
				return
			}
			if first || change != last {
				if !yield(change, nil) {
					return
				}
				first, last = false, change
				continue // more may have come while the caller was busy
			}
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	}
}

// look tells where a session stands, with a channel that closes when it moves.
func (s *Store) look(key journal.Key) (store.Change, <-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ss, err := s.session(key)
	if err != nil {
		return store.Change{}, nil, err
	}
	if ss.changed == nil {
		ss.changed = make(chan struct{})
	}
	return store.Change{Seq: ss.seq(), Position: ss.position}, ss.changed, nil
}
