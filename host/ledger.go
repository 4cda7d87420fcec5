package host

import (
	"context"
	"errors"

	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
)

// Shared budgets: a request's worst case is reserved in every account before it
// is sent and replaced by what it cost before its receipt is handed in. A crash
// in between leaves the reservation, which counts as spent: nobody can say what
// the request cost (contract A5).

// startLedger sets money aside, in all accounts or in none, or gives it back.
func (a *actor) startLedger(id string, l *kernel.Ledger) {
	if l.Release != "" {
		for _, account := range l.Accounts {
			a.spent(account.Name, l.Release, 0)
		}
		return
	}
	a.background(id, func(problem string) delivery {
		return delivery{receipt: &kernel.Receipt{Effect: id, Ledger: &kernel.LedgerDone{Account: clean(problem)}}}
	}, func(e *effort) delivery {
		done := &kernel.LedgerDone{OK: true}
		for i, account := range l.Accounts {
			err := a.h.store.Reserve(e.ctx, a.key.Tenant, account.Name, a.hold(id), int64(l.Amount), int64(account.Limit))
			if err == nil {
				continue
			}
			done.OK, done.Account = false, account.Name
			if !errors.Is(err, store.ErrBudget) {
				done.Account += " (" + clean(err.Error()) + ")"
			}
			for _, earlier := range l.Accounts[:i] {
				a.spent(earlier.Name, id, 0)
			}
			break
		}
		return delivery{receipt: &kernel.Receipt{Effect: id, Ledger: done}}
	})
}

// settleHold replaces the reservation of a request by what it cost.
func (a *actor) settleHold(g *kernel.Generate, run *spec.Run, result *kernel.Generated) {
	if g.Hold == "" {
		return
	}
	target := new(spec.Target)
	if run != nil && g.Target >= 0 && g.Target < int64(len(run.Targets)) {
		target = &run.Targets[g.Target]
	}
	cost := g.Charge(target.Price, result)
	for _, account := range g.Accounts {
		a.spent(account.Name, g.Hold, int64(cost))
	}
}

// spent settles a reservation. One that cannot be settled stays reserved.
func (a *actor) spent(account, effect string, amount int64) {
	_ = a.h.store.Settle(context.WithoutCancel(a.h.ctx), a.key.Tenant, account, a.hold(effect), amount)
}

// hold names a reservation: by session and effect, so that repeating it after a
// crash is the same one.
func (a *actor) hold(effect string) string { return a.key.Session + "/" + effect }
