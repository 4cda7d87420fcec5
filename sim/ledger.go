package sim

import (
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
)

// shared is a shared account: what is settled and what is set aside, by
// reservation.
type shared struct {
	spent llm.Money
	held  map[string]llm.Money
	done  map[string]bool
}

func (w *world) account(name string) *shared {
	a := w.ledger[name]
	if a == nil {
		a = &shared{held: make(map[string]llm.Money), done: make(map[string]bool)}
		w.ledger[name] = a
	}
	return a
}

func (a *shared) total() llm.Money {
	sum := a.spent
	for _, m := range a.held {
		sum = sum.Add(m)
	}
	return sum
}

// startLedger sets money aside in all accounts or in none. Asked again after a
// crash it has done it already.
func (w *world) startLedger(id string, l *kernel.Ledger) {
	if l.Release != "" {
		w.count("ledger released")
		for _, account := range l.Accounts {
			w.account(account.Name).settle(l.Release, 0)
		}
		return
	}
	done := &kernel.LedgerDone{OK: true}
	for i, limit := range l.Accounts {
		a := w.account(limit.Name)
		if _, held := a.held[id]; held || a.done[id] {
			continue
		}
		if a.total().Add(l.Amount) <= limit.Limit {
			a.held[id] = l.Amount
			continue
		}
		w.count("ledger refuses")
		done.OK, done.Account = false, limit.Name
		for _, earlier := range l.Accounts[:i] {
			w.account(earlier.Name).settle(id, 0)
		}
		break
	}
	w.deliver(oneOf(w.ties, int64(0), 5), &kernel.Receipt{Effect: id, Ledger: done}, nil, w.ties.percent(5))
}

func (a *shared) settle(id string, cost llm.Money) {
	if _, held := a.held[id]; held {
		delete(a.held, id)
		a.done[id] = true
		a.spent = a.spent.Add(cost)
	}
}

// checkHold: no request goes out that its accounts have no money for (contract
// A5).
func (w *world) checkHold(id string, g *kernel.Generate) {
	for _, limit := range g.Accounts {
		if held, ok := w.account(limit.Name).held[g.Hold]; !ok || held < g.Reserved {
			w.breaks("A5", w.state.Seq, "request %s may cost %v, and %s holds %v for it", id, g.Reserved, limit.Name, held)
		}
	}
}

func (w *world) settleHold(g *kernel.Generate, price *llm.Price, out *kernel.Generated) {
	for _, limit := range g.Accounts {
		w.account(limit.Name).settle(g.Hold, g.Charge(price, out))
	}
}

// auditHolds: when nothing is under way nothing is set aside, unless a crash
// has left a request of which nobody knows what it cost.
func (w *world) auditHolds(s *kernel.State) {
	if s.Run != nil || len(w.script.Faults) > 0 {
		return
	}
	for name, a := range w.ledger {
		if len(a.held) > 0 {
			w.breaks("A5", s.Seq, "%s still holds money for %d requests", name, len(a.held))
		}
	}
}
