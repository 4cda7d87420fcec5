package sqlite

import (
	"context"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// dueSessions asks each reason's index for its longest due. A session that is
// among the longest due of all is so for one of its reasons, hence is among
// that reason's: the union has all that are wanted.
const dueSessions = `
SELECT ` + sessionColumns + ` FROM session WHERE id IN (
    SELECT id FROM (
        SELECT id FROM session WHERE wake_at <> 0 AND wake_at <= ?1 AND lease_until <= ?1
        ORDER BY wake_at LIMIT ?2)
    UNION
    SELECT id FROM (
        SELECT id FROM session WHERE pending_at IS NOT NULL AND lease_until <= ?1
        ORDER BY pending_at LIMIT ?2)
    UNION
    SELECT id FROM (
        SELECT id FROM session WHERE active = 1 AND lease_until <= ?1
        ORDER BY iif(lease_until = 0, updated, lease_until) LIMIT ?2))`

// Due implements [store.Index]. A limit below one is no limit.
func (s *Store) Due(ctx context.Context, now int64, limit int) ([]store.Due, error) {
	rows := limit
	if limit <= 0 {
		rows = -1
	}
	var due []store.Due
	err := s.read(ctx, "due sessions", journal.Key{}, func(c *conn) error {
		return c.each(dueSessions, func(r row) error {
			ss, err := readSession(r)
			if err != nil {
				return err
			}
			wants := ss.wants()
			if d, ok := wants.Due(now); ok {
				due = append(due, d)
			}
			return nil
		}, now, rows)
	})
	if err != nil {
		return nil, err
	}
	return store.Longest(due, limit), nil
}

// nextWake looks at timers to come, and at the leases of sessions that would
// be due without them: so that a command or a timer whose actor died is not
// forgotten. The last two look through sessions that are due, which are few.
const nextWake = `
SELECT min(at) FROM (
    SELECT min(wake_at) AS at FROM session WHERE wake_at <> 0 AND wake_at > ?1
    UNION ALL
    SELECT min(lease_until) FROM session WHERE active = 1 AND lease_until > ?1
    UNION ALL
    SELECT min(lease_until) FROM session WHERE pending_at IS NOT NULL AND lease_until > ?1
    UNION ALL
    SELECT min(lease_until) FROM session WHERE wake_at <> 0 AND wake_at <= ?1 AND lease_until > ?1)`

// NextWake implements [store.Index].
func (s *Store) NextWake(ctx context.Context, now int64) (int64, error) {
	var next int64
	err := s.read(ctx, "next wake-up", journal.Key{}, func(c *conn) error {
		r, err := c.one(nextWake, now)
		if err != nil {
			return err
		}
		next = r.int(0)
		return nil
	})
	return next, err
}
