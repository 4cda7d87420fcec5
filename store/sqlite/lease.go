package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// Acquire implements [store.Leases].
func (s *Store) Acquire(ctx context.Context, key journal.Key, owner string, now, ttl int64) (store.Lease, error) {
	var lease store.Lease
	s.alive.show(owner)
	err := s.write(ctx, "acquire", key, func(c *conn) error {
		ss, err := findSession(c, key)
		if err != nil {
			return err
		}
		if ss.lease().Blocks(owner, now) && !s.alive.dead(ss.owner) {
			return store.ErrLeased
		}
		r, err := c.one("UPDATE counter SET value = value + 1 WHERE name = 'lease' RETURNING value")
		if err != nil {
			return fmt.Errorf("count leases: %w", err)
		}
		if r == nil {
			return fmt.Errorf("count leases: %w: the counter is missing", journal.ErrCorrupt)
		}
		if r.uint(0) <= ss.token {
			return fmt.Errorf("count leases: %w: the counter is at %d, lease %d was given before", journal.ErrCorrupt, r.uint(0), ss.token)
		}
		lease = store.Lease{Key: key, Owner: owner, Token: r.uint(0), Expires: now + ttl}
		return writeLease(c, &ss, lease)
	})
	if err != nil {
		return store.Lease{}, err
	}
	return lease, nil
}

// Renew implements [store.Leases].
func (s *Store) Renew(ctx context.Context, lease store.Lease, now, ttl int64) (store.Lease, error) {
	err := s.write(ctx, "renew", lease.Key, func(c *conn) error {
		ss, err := findSession(c, lease.Key)
		if err != nil {
			return err
		}
		if !lease.Holds(ss.lease()) {
			return store.ErrFenced
		}
		renewed := lease
		renewed.Expires = now + ttl
		return writeLease(c, &ss, renewed)
	})
	if err != nil {
		return store.Lease{}, err
	}
	lease.Expires = now + ttl
	return lease, nil
}

// Release implements [store.Leases].
func (s *Store) Release(ctx context.Context, lease store.Lease) error {
	return s.write(ctx, "release", lease.Key, func(c *conn) error {
		ss, err := findSession(c, lease.Key)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil
		case err != nil:
			return err
		case !lease.Holds(ss.lease()):
			return nil
		}
		return writeLease(c, &ss, store.Lease{})
	})
}

func writeLease(c *conn, ss *session, lease store.Lease) error {
	ss.token, ss.owner, ss.leaseUntil = lease.Token, lease.Owner, lease.Expires
	return ss.save(c)
}
