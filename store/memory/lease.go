package memory

import (
	"context"
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// holds reports whether a lease is the session's newest. Its end is not asked
// for: as long as nobody else has taken over, a late writer harms nobody.
func (ss *session) holds(lease store.Lease) bool {
	return lease.Token != 0 && lease.Token == ss.lease.Token &&
		lease.Owner == ss.lease.Owner && lease.Key == ss.key
}

// Acquire implements [store.Leases].
func (s *Store) Acquire(ctx context.Context, key journal.Key, owner string, now, ttl int64) (store.Lease, error) {
	if err := ctx.Err(); err != nil {
		return store.Lease{}, fmt.Errorf("acquire %s: %w", key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ss, err := s.session(key)
	if err != nil {
		return store.Lease{}, fmt.Errorf("acquire: %w", err)
	}
	if ss.leased(now) && ss.lease.Owner != owner {
		return store.Lease{}, fmt.Errorf("acquire %s: %w", key, store.ErrLeased)
	}
	s.token++
	ss.lease = store.Lease{Key: key, Owner: owner, Token: s.token, Expires: now + ttl}
	return ss.lease, nil
}

// Renew implements [store.Leases].
func (s *Store) Renew(ctx context.Context, lease store.Lease, now, ttl int64) (store.Lease, error) {
	if err := ctx.Err(); err != nil {
		return store.Lease{}, fmt.Errorf("renew %s: %w", lease.Key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ss, err := s.session(lease.Key)
	if err != nil {
		return store.Lease{}, fmt.Errorf("renew: %w", err)
	}
	if !ss.holds(lease) {
		return store.Lease{}, fmt.Errorf("renew %s: %w", lease.Key, store.ErrFenced)
	}
	ss.lease.Expires = now + ttl
	return ss.lease, nil
}

// Release implements [store.Leases].
func (s *Store) Release(ctx context.Context, lease store.Lease) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("release %s: %w", lease.Key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("release %s: %w", lease.Key, errClosed)
	}
	if ss := s.sessions[lease.Key]; ss != nil && ss.holds(lease) {
		ss.lease = store.Lease{}
	}
	return nil
}
