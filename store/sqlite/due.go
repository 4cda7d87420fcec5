package sqlite

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// dueSessions asks each reason's index for its longest due. A session that is
// among the longest due of all is so for one of its reasons, hence is among
// that reason's: the union has all that are wanted, some more than once.
const dueSessions = `
SELECT ` + dueColumns + ` FROM (
    SELECT ` + dueColumns + ` FROM session
    WHERE wake_at <> 0 AND wake_at <= ?1 AND lease_until <= ?1
    ORDER BY wake_at LIMIT ?2)
UNION
SELECT ` + dueColumns + ` FROM (
    SELECT ` + dueColumns + ` FROM session
    WHERE pending_at IS NOT NULL AND lease_until <= ?1
    ORDER BY pending_at LIMIT ?2)
UNION
SELECT ` + dueColumns + ` FROM (
    SELECT ` + dueColumns + ` FROM session
    WHERE active = 1 AND lease_until <= ?1
    ORDER BY iif(lease_until = 0, updated, lease_until) LIMIT ?2)`

const dueColumns = `tenant, name, wake_at, pending_at, active, lease_until, updated`

// Due implements [store.Index]. A limit below one is no limit.
func (s *Store) Due(ctx context.Context, now int64, limit int) ([]store.Due, error) {
	rows := limit
	if limit <= 0 {
		rows = -1
	}
	var due []store.Due
	err := s.read(ctx, "due sessions", journal.Key{}, func(c *conn) error {
		return c.each(dueSessions, func(r row) error {
			due = append(due, readDue(r, now))
			return nil
		}, now, rows)
	})
	if err != nil {
		return nil, err
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

// readDue tells why a session is due and since when. The reason is the first
// that holds; the time is that of the oldest, for the session has been waiting
// since then.
func readDue(r row, now int64) store.Due {
	d := store.Due{Key: journal.Key{Tenant: r.text(0), Session: r.text(1)}}
	add := func(reason store.DueReason, since int64) {
		if d.Reason == "" {
			d.Reason, d.Since = reason, since
		}
		d.Since = min(d.Since, since)
	}
	if wake := r.int(2); wake != 0 && wake <= now {
		add(store.DueWake, wake)
	}
	if r[3] != nil {
		add(store.DueInbox, r.int(3))
	}
	if r.int(4) != 0 {
		// A lease that was released ended at a time that nobody told us.
		add(store.DueOrphan, cmp.Or(r.int(5), r.int(6)))
	}
	return d
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
