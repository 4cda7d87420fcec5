package sqlite

import (
	"context"
	"fmt"
	"math"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

const selectReservation = `SELECT amount, settled FROM reservation WHERE tenant = ? AND account = ? AND id = ?`

// Reserve implements [store.Ledger].
func (s *Store) Reserve(ctx context.Context, tenant, account, id string, amount, limit int64) error {
	const (
		insertReservation = `INSERT INTO reservation (tenant, account, id, amount) VALUES (?, ?, ?, ?)`
		addReserved       = `
INSERT INTO account (tenant, name, reserved) VALUES (?, ?, ?)
ON CONFLICT (tenant, name) DO UPDATE SET reserved = reserved + excluded.reserved`
	)
	key := journal.Key{Tenant: tenant, Session: account}
	if amount < 0 {
		return s.wrap("reserve on", key, fmt.Errorf("amount %d is below zero", amount))
	}
	if limit < 0 {
		limit = math.MaxInt64 // no limit but that of arithmetic
	}
	return s.write(ctx, "reserve on", key, func(c *conn) error {
		r, err := c.one(selectReservation, tenant, account, id)
		if err != nil || r != nil {
			return err
		}
		b, err := balance(c, tenant, account)
		if err != nil {
			return err
		}
		if amount > limit-b.Spent-b.Reserved {
			return store.ErrBudget
		}
		if _, err := c.exec(insertReservation, tenant, account, id, amount); err != nil {
			return err
		}
		_, err = c.exec(addReserved, tenant, account, amount)
		return err
	})
}

// Settle implements [store.Ledger].
func (s *Store) Settle(ctx context.Context, tenant, account, id string, spent int64) error {
	const (
		settleReservation = `UPDATE reservation SET settled = 1 WHERE tenant = ? AND account = ? AND id = ?`
		addSpent          = `UPDATE account SET spent = spent + ?, reserved = reserved - ? WHERE tenant = ? AND name = ?`
	)
	key := journal.Key{Tenant: tenant, Session: account}
	return s.write(ctx, "settle on", key, func(c *conn) error {
		r, err := c.one(selectReservation, tenant, account, id)
		if err != nil {
			return err
		}
		if r == nil {
			return fmt.Errorf("reservation %.40q: %w", id, store.ErrNotFound)
		}
		amount, settled := r.int(0), r.int(1) != 0
		if settled {
			return nil
		}
		b, err := balance(c, tenant, account)
		if err != nil {
			return err
		}
		if spent < 0 || spent > math.MaxInt64-b.Spent-(b.Reserved-amount) {
			return fmt.Errorf("amount %d is out of range", spent)
		}
		if _, err := c.exec(settleReservation, tenant, account, id); err != nil {
			return err
		}
		_, err = c.exec(addSpent, spent, amount, tenant, account)
		return err
	})
}

// Balance implements [store.Ledger]. An account that nobody used is empty.
func (s *Store) Balance(ctx context.Context, tenant, account string) (store.Balance, error) {
	var b store.Balance
	key := journal.Key{Tenant: tenant, Session: account}
	err := s.read(ctx, "balance of", key, func(c *conn) (err error) {
		b, err = balance(c, tenant, account)
		return err
	})
	return b, err
}

func balance(c *conn, tenant, account string) (store.Balance, error) {
	r, err := c.one("SELECT spent, reserved FROM account WHERE tenant = ? AND name = ?", tenant, account)
	if err != nil || r == nil {
		return store.Balance{}, err
	}
	return store.Balance{Spent: r.int(0), Reserved: r.int(1)}, nil
}
