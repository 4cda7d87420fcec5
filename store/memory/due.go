package memory

import (
	"context"
	"fmt"

	"github.com/ai-agent-go/ai-agent/store"
)

// Due implements [store.Index]. A limit below one is no limit.
func (s *Store) Due(ctx context.Context, now int64, limit int) ([]store.Due, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("due sessions: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, fmt.Errorf("due sessions: %w", store.ErrClosed)
	}
	var due []store.Due
	for ss := range s.wanting {
		wants := ss.wants()
		if d, ok := wants.Due(now); ok {
			due = append(due, d)
		}
	}
	return store.Longest(due, limit), nil
}

// NextWake implements [store.Index]. The end of a lease counts for every
// session that would be due without it, so that a command or a timer whose
// actor died is not forgotten.
func (s *Store) NextWake(ctx context.Context, now int64) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("next wake-up: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return 0, fmt.Errorf("next wake-up: %w", store.ErrClosed)
	}
	var next int64
	add := func(at int64) {
		if at > now && (next == 0 || at < next) {
			next = at
		}
	}
	for ss := range s.wanting {
		wake := ss.summary.WakeAt
		if wake != 0 {
			add(wake)
		}
		if ss.lease.Expires > now && (ss.summary.Active || len(ss.pending) > 0 || wake <= now) {
			add(ss.lease.Expires)
		}
	}
	return next, nil
}
