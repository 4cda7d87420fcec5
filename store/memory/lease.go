package memory

import (
	"context"
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

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
	if ss.lease.Blocks(owner, now) {
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
	if !lease.Holds(ss.lease) {
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
		return fmt.Errorf("release %s: %w", lease.Key, store.ErrClosed)
	}
	if ss := s.sessions[lease.Key]; ss != nil && lease.Holds(ss.lease) {
		ss.lease = store.Lease{}
	}
	return nil
}
