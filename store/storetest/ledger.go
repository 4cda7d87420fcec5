package storetest

import (
	"errors"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ai-agent-go/ai-agent/store"
)

func ledgerScenarios() []scenario {
	return []scenario{
		{"an account that nobody used is empty", emptyAccount},
		{"a limit may be reached but not passed", reserveLimit},
		{"a limit below zero is none", reserveUnlimited},
		{"repeating a reservation changes nothing", reserveTwice},
		{"settling replaces the reservation by what was spent", settleReplaces},
		{"settling twice keeps the first", settleTwice},
		{"settling an unknown reservation is not found", settleUnknown},
		{"amounts below zero are refused", negativeAmounts},
		{"accounts and tenants are apart", accountsApart},
		{"a ledger outlives sessions", ledgerOutlives},
		{"reservations at once never exceed the limit", reserveRace},
	}
}

func reserve(t *testing.T, s store.Store, id string, amount, limit int64) {
	t.Helper()
	if err := s.Reserve(t.Context(), "acme", "ann", id, amount, limit); err != nil {
		t.Fatalf("reserve %d under %s with limit %d: %v", amount, id, limit, err)
	}
}

func settle(t *testing.T, s store.Store, id string, spent int64) {
	t.Helper()
	if err := s.Settle(t.Context(), "acme", "ann", id, spent); err != nil {
		t.Fatalf("settle %s with %d: %v", id, spent, err)
	}
}

func wantBalance(t *testing.T, s store.Store, tenant, account string, spent, reserved int64) {
	t.Helper()
	got, err := s.Balance(t.Context(), tenant, account)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "balance of "+tenant+"/"+account, got, store.Balance{Spent: spent, Reserved: reserved})
}

func emptyAccount(t *testing.T, s store.Store) { wantBalance(t, s, "acme", "ann", 0, 0) }

func reserveLimit(t *testing.T, s store.Store) {
	reserve(t, s, "a", 60, 100)
	reserve(t, s, "b", 40, 100)
	fails(t, "one more", s.Reserve(t.Context(), "acme", "ann", "c", 1, 100), store.ErrBudget)
	wantBalance(t, s, "acme", "ann", 0, 100)
	reserve(t, s, "nothing", 0, 100)

	settle(t, s, "a", 60)
	fails(t, "what is spent counts", s.Reserve(t.Context(), "acme", "ann", "c", 1, 100), store.ErrBudget)
	settle(t, s, "b", 39)
	reserve(t, s, "c", 1, 100) // the same id that was refused before
	wantBalance(t, s, "acme", "ann", 99, 1)
	fails(t, "a limit that was lowered", s.Reserve(t.Context(), "acme", "ann", "d", 0, 50), store.ErrBudget)
	fails(t, "a limit of zero", s.Reserve(t.Context(), "acme", "bob", "a", 1, 0), store.ErrBudget)
}

func reserveUnlimited(t *testing.T, s store.Store) {
	reserve(t, s, "a", 1_000_000_000_000, -1)
	reserve(t, s, "b", 1, -1)
	wantBalance(t, s, "acme", "ann", 0, 1_000_000_000_001)
	// Numbers end somewhere; going round is worse than saying no.
	fails(t, "more than there are numbers", s.Reserve(t.Context(), "acme", "ann", "c", math.MaxInt64, -1), store.ErrBudget)
	fails(t, "more than there are numbers", s.Reserve(t.Context(), "acme", "ann", "c", math.MaxInt64, math.MaxInt64), store.ErrBudget)
}

func reserveTwice(t *testing.T, s store.Store) {
	reserve(t, s, "a", 60, 100)
	reserve(t, s, "a", 60, 100) // would not fit a second time
	wantBalance(t, s, "acme", "ann", 0, 60)
	settle(t, s, "a", 10)
	reserve(t, s, "a", 60, 100) // a late repetition
	wantBalance(t, s, "acme", "ann", 10, 0)
}

func settleReplaces(t *testing.T, s store.Store) {
	reserve(t, s, "a", 60, 100)
	reserve(t, s, "b", 30, 100)
	settle(t, s, "a", 20)
	wantBalance(t, s, "acme", "ann", 20, 30)
	settle(t, s, "b", 300) // what was spent is a fact, whatever the limit
	wantBalance(t, s, "acme", "ann", 320, 0)
	reserve(t, s, "c", 5, -1)
	settle(t, s, "c", 0)
	wantBalance(t, s, "acme", "ann", 320, 0)
}

func settleTwice(t *testing.T, s store.Store) {
	reserve(t, s, "a", 60, 100)
	settle(t, s, "a", 20)
	settle(t, s, "a", 50)
	wantBalance(t, s, "acme", "ann", 20, 0)
}

func settleUnknown(t *testing.T, s store.Store) {
	fails(t, "no account", s.Settle(t.Context(), "acme", "ann", "a", 1), store.ErrNotFound)
	reserve(t, s, "a", 60, 100)
	fails(t, "no reservation", s.Settle(t.Context(), "acme", "ann", "b", 1), store.ErrNotFound)
	fails(t, "another account", s.Settle(t.Context(), "acme", "bob", "a", 1), store.ErrNotFound)
	fails(t, "another tenant", s.Settle(t.Context(), "other", "ann", "a", 1), store.ErrNotFound)
	wantBalance(t, s, "acme", "ann", 0, 60)
}

func negativeAmounts(t *testing.T, s store.Store) {
	if err := s.Reserve(t.Context(), "acme", "ann", "a", -1, 100); err == nil {
		t.Error("reserved less than nothing")
	}
	reserve(t, s, "b", 1, 100)
	if err := s.Settle(t.Context(), "acme", "ann", "b", -1); err == nil {
		t.Error("spent less than nothing")
	}
	wantBalance(t, s, "acme", "ann", 0, 1)
}

func accountsApart(t *testing.T, s store.Store) {
	reserve(t, s, "a", 60, 100)
	for _, other := range [][2]string{{"acme", "bob"}, {"other", "ann"}} {
		if err := s.Reserve(t.Context(), other[0], other[1], "a", 90, 100); err != nil {
			t.Errorf("reserve on %v: %v", other, err)
		}
		wantBalance(t, s, other[0], other[1], 0, 90)
	}
	wantBalance(t, s, "acme", "ann", 0, 60)
}

func ledgerOutlives(t *testing.T, s store.Store) {
	newWriter(t, s, mainKey)
	reserve(t, s, "a", 60, 100)
	if err := s.Delete(t.Context(), mainKey); err != nil {
		t.Fatal(err)
	}
	wantBalance(t, s, "acme", "ann", 0, 60)
}

func reserveRace(t *testing.T, s store.Store) {
	const callers, amount, fits = 16, 10, 5
	var granted atomic.Int64
	var group sync.WaitGroup
	for i := range callers {
		id := strconv.Itoa(i)
		for range 2 { // each id twice: a retry that overtakes its first try
			group.Go(func() {
				err := s.Reserve(t.Context(), "acme", "ann", id, amount, fits*amount+amount-1)
				switch {
				case err == nil:
					granted.Add(1)
				case !errors.Is(err, store.ErrBudget):
					t.Errorf("reserve: %v", err)
				}
			})
		}
	}
	group.Wait()
	wantBalance(t, s, "acme", "ann", 0, fits*amount)
	if n := granted.Load(); n < fits || n > 2*fits {
		t.Errorf("%d calls were granted, want %d to %d", n, fits, 2*fits)
	}
}
