// Package storetest proves that a [store.Store] keeps its promises. Whoever
// writes one runs it from a test:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Store { return mystore.New() })
//	}
//
// The suite knows only the interface. It says nothing about files, processes
// and power cuts: what an implementation promises beyond package store, it
// proves in tests of its own.
//
// Where the interface leaves room, the suite takes these readings:
//
//   - A session begins with its first command. Before it and after a delete,
//     every call for the session is [store.ErrNotFound], save that releasing a
//     lease is never an error.
//   - A released lease is nobody's: appending or renewing with it is
//     [store.ErrFenced].
//   - Lists are in the order in which sessions were created, which does not
//     change, so that paging is stable.
//   - A session is due since the oldest of its reasons.
//   - A lease's end counts as a wake-up whenever the session would be due
//     without the lease: also when only a command waits in it.
//   - Settling a command that is not pending is [store.ErrNotFound], and the
//     batch writes nothing.
//   - A watch whose context ends just ends; it yields no error for that.
package storetest

import (
	"context"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// Corrupter is a store whose test can damage what it keeps. If the store that
// is handed to [Run] is one, the suite also proves that damage is noticed.
type Corrupter interface {
	// CorruptBlob changes a stored byte of a blob that the session holds.
	CorruptBlob(ctx context.Context, key journal.Key, ref journal.Ref) error
}

// Run runs the suite. Open returns a fresh, empty store each time; Run closes
// it. Tests run in parallel, each with a store of its own.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()
	groups := []struct {
		name      string
		scenarios []scenario
	}{
		{"journal", journalScenarios()},
		{"chain", chainScenarios()},
		{"fence", fenceScenarios()},
		{"lease", leaseScenarios()},
		{"blob", blobScenarios()},
		{"inherit", inheritScenarios()},
		{"inbox", inboxScenarios()},
		{"letter", letterScenarios()},
		{"idempotency", idempotencyScenarios()},
		{"tenant", tenantScenarios()},
		{"due", dueScenarios()},
		{"wake", wakeScenarios()},
		{"list", listScenarios()},
		{"watch", watchScenarios()},
		{"ledger", ledgerScenarios()},
		{"delete", deleteScenarios()},
		{"end", endScenarios()},
	}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			for _, sc := range g.scenarios {
				t.Run(sc.name, func(t *testing.T) {
					t.Parallel()
					s := open(t)
					// Some scenarios close the store themselves, and what a
					// second Close says is nobody's business.
					t.Cleanup(func() { _ = s.Close() })
					sc.run(t, s)
				})
			}
		})
	}
}

// scenario is one sentence about stores, and its proof.
type scenario struct {
	name string
	run  func(t *testing.T, s store.Store)
}
