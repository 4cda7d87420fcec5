package sqlite

import (
	"context"
	"fmt"
	"math"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// findReservation returns the amount; known is false if there is none.
func findReservation(c *conn, tenant, account, id string) (amount int64, settled, known bool, err error) {
	const query = `SELECT amount, settled, seal FROM reservation WHERE tenant = ? AND account = ? AND id = ?`
	r, err := c.one(query, tenant, account, id)
	if err != nil || r == nil {
		return 0, false, false, err
	}
	if err := unbroken(r.bytes(2), tenant, account, id, r[0], r[1]); err != nil {
		return 0, false, false, fmt.Errorf("reservation %.40q: %w", id, err)
	}
	return r.int(0), r.int(1) != 0, true, nil
}

// Reserve implements [store.Ledger].
func (s *Store) Reserve(ctx context.Context, tenant, account, id string, amount, limit int64) error {
	const (
		insertReservation = `INSERT INTO reservation (tenant, account, id, amount, seal) VALUES (?, ?, ?, ?, ?)`
	)
	key := journal.Key{Tenant: tenant, Session: account}
	if amount < 0 {
		return s.wrap("reserve on", key, fmt.Errorf("amount %d is below zero", amount))
	}
	if limit < 0 {
		limit = math.MaxInt64 // no limit but that of arithmetic
	}
	return s.write(ctx, "reserve on", key, func(c *conn) error {
		_, _, known, err := findReservation(c, tenant, account, id)
		if err != nil || known {
			return err
		}
		b, err := balance(c, tenant, account)
		if err != nil {
			return err
		}
		if amount > limit-b.Spent-b.Reserved {
			return store.ErrBudget
		}
		sealed := seal(tenant, account, id, amount, int64(0))
		if _, err := c.exec(insertReservation, tenant, account, id, amount, sealed); err != nil {
			return err
		}
		b.Reserved += amount
		return writeBalance(c, tenant, account, b)
	})
}

// Settle implements [store.Ledger].
func (s *Store) Settle(ctx context.Context, tenant, account, id string, spent int64) error {
	const (
		settleReservation = `UPDATE reservation SET settled = 1, seal = ? WHERE tenant = ? AND account = ? AND id = ?`
	)
	key := journal.Key{Tenant: tenant, Session: account}
	return s.write(ctx, "settle on", key, func(c *conn) error {
		amount, settled, known, err := findReservation(c, tenant, account, id)
		if err != nil || settled {
			return err
		}
		if !known {
			return fmt.Errorf("reservation %.40q: %w", id, store.ErrNotFound)
		}
		b, err := balance(c, tenant, account)
		if err != nil {
			return err
		}
		if spent < 0 || spent > math.MaxInt64-b.Spent-(b.Reserved-amount) {
			return fmt.Errorf("amount %d is out of range", spent)
		}
		sealed := seal(tenant, account, id, amount, int64(1))
		if _, err := c.exec(settleReservation, sealed, tenant, account, id); err != nil {
			return err
		}
		b.Spent, b.Reserved = b.Spent+spent, b.Reserved-amount
		return writeBalance(c, tenant, account, b)
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
	r, err := c.one("SELECT spent, reserved, seal FROM account WHERE tenant = ? AND name = ?", tenant, account)
	if err != nil || r == nil {
		return store.Balance{}, err
	}
	if err := unbroken(r.bytes(2), tenant, account, r[0], r[1]); err != nil {
		return store.Balance{}, err
	}
	return store.Balance{Spent: r.int(0), Reserved: r.int(1)}, nil
}

func writeBalance(c *conn, tenant, account string, b store.Balance) error {
	const query = `
INSERT INTO account (tenant, name, spent, reserved, seal) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (tenant, name) DO UPDATE SET spent = excluded.spent, reserved = excluded.reserved, seal = excluded.seal`
	_, err := c.exec(query, tenant, account, b.Spent, b.Reserved, seal(tenant, account, b.Spent, b.Reserved))
	return err
}
