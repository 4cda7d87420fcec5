package memory

import (
	"context"
	"fmt"
	"math"

	"github.com/ai-agent-go/ai-agent/store"
)

type accountKey struct{ tenant, name string }

// account is one account. Entries stay for good: they are what makes a
// repeated call harmless.
type account struct {
	store.Balance
	entries map[string]entry
}

type entry struct {
	amount  int64
	settled bool
}

// Reserve implements [store.Ledger].
func (s *Store) Reserve(ctx context.Context, tenant, name, id string, amount, limit int64) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("reserve on %s/%s: %w", tenant, name, err)
	}
	if amount < 0 {
		return fmt.Errorf("reserve on %s/%s: amount %d is below zero", tenant, name, amount)
	}
	if limit < 0 {
		limit = math.MaxInt64 // no limit but that of arithmetic
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("reserve on %s/%s: %w", tenant, name, store.ErrClosed)
	}
	key := accountKey{tenant, name}
	a := s.accounts[key]
	if a == nil {
		a = &account{entries: make(map[string]entry)}
	}
	if _, repeated := a.entries[id]; repeated {
		return nil
	}
	if amount > limit-a.Spent-a.Reserved {
		return fmt.Errorf("reserve on %s/%s: %w", tenant, name, store.ErrBudget)
	}
	a.entries[id] = entry{amount: amount}
	a.Reserved += amount
	s.accounts[key] = a
	return nil
}

// Settle implements [store.Ledger].
func (s *Store) Settle(ctx context.Context, tenant, name, id string, spent int64) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("settle on %s/%s: %w", tenant, name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("settle on %s/%s: %w", tenant, name, store.ErrClosed)
	}
	a := s.accounts[accountKey{tenant, name}]
	if a == nil {
		return fmt.Errorf("settle on %s/%s: account: %w", tenant, name, store.ErrNotFound)
	}
	e, known := a.entries[id]
	switch {
	case !known:
		return fmt.Errorf("settle on %s/%s: reservation %.40q: %w", tenant, name, id, store.ErrNotFound)
	case e.settled:
		return nil
	case spent < 0 || spent > math.MaxInt64-a.Spent-(a.Reserved-e.amount):
		return fmt.Errorf("settle on %s/%s: amount %d is out of range", tenant, name, spent)
	}
	a.entries[id] = entry{settled: true}
	a.Reserved -= e.amount
	a.Spent += spent
	return nil
}

// Balance implements [store.Ledger]. An account that nobody used is empty.
func (s *Store) Balance(ctx context.Context, tenant, name string) (store.Balance, error) {
	if err := ctx.Err(); err != nil {
		return store.Balance{}, fmt.Errorf("balance of %s/%s: %w", tenant, name, err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return store.Balance{}, fmt.Errorf("balance of %s/%s: %w", tenant, name, store.ErrClosed)
	}
	if a := s.accounts[accountKey{tenant, name}]; a != nil {
		return a.Balance, nil
	}
	return store.Balance{}, nil
}
