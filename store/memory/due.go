package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

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
		return nil, fmt.Errorf("due sessions: %w", errClosed)
	}
	var due []store.Due
	for ss := range s.wanting {
		if d, ok := ss.due(now); ok {
			due = append(due, d)
		}
	}
	slices.SortFunc(due, func(a, b store.Due) int {
		return cmp.Or(
			cmp.Compare(a.Since, b.Since),
			strings.Compare(a.Key.Tenant, b.Key.Tenant),
			strings.Compare(a.Key.Session, b.Key.Session))
	})
	if limit > 0 && len(due) > limit {
		due = due[:limit]
	}
	return due, nil
}

// due tells whether a session needs an actor, why, and since when. The reason
// is the first that holds; the time is that of the oldest, for the session
// has been waiting since then.
func (ss *session) due(now int64) (store.Due, bool) {
	if ss.leased(now) {
		return store.Due{}, false
	}
	d := store.Due{Key: ss.key}
	add := func(reason store.DueReason, since int64) {
		if d.Reason == "" {
			d.Reason, d.Since = reason, since
		}
		d.Since = min(d.Since, since)
	}
	if w := ss.summary.WakeAt; w != 0 && w <= now {
		add(store.DueWake, w)
	}
	if len(ss.pending) > 0 {
		add(store.DueInbox, ss.pending[0].item.At)
	}
	if ss.summary.Active {
		since := ss.lease.Expires
		if ss.lease.Token == 0 { // released, at a time that nobody told us
			since = ss.updated
		}
		add(store.DueOrphan, since)
	}
	return d, d.Reason != ""
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
		return 0, fmt.Errorf("next wake-up: %w", errClosed)
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
		if ss.leased(now) && (ss.summary.Active || len(ss.pending) > 0 || wake <= now) {
			add(ss.lease.Expires)
		}
	}
	return next, nil
}
