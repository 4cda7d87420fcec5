package kernel

import (
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/llm"
)

// budgeted reports whether the run's money is limited.
func (x *step) budgeted() bool {
	l := &x.s.Run.Config.Limits
	return l.MaxCost > 0 || l.MaxSessionCost > 0 || len(x.accounts()) > 0
}

// accounts are those that the run shares with other sessions: the tenant's and
// the user's.
func (x *step) accounts() []Account {
	l := &x.s.Run.Config.Limits
	var all []Account
	if l.MaxTenantCost > 0 {
		all = append(all, Account{Name: "tenant", Limit: l.MaxTenantCost})
	}
	if l.MaxUserCost > 0 {
		all = append(all, Account{Name: "user:" + x.s.Identity.User, Limit: l.MaxUserCost})
	}
	return all
}

// hold asks the shared accounts for the money of a request and, unless it is
// the last, of a final turn after it.
func (x *step) hold(accounts []Account, a *Asking) {
	r := x.s.Run
	r.Asking, r.Phase = a, PhaseReserve
	amount := a.Reserved
	if !a.Ask.Final {
		t := &r.Config.Targets[a.Target]
		amount = amount.Add(worst(t, x.inputBound(&a.Ask)+t.MaxOutput))
	}
	x.start(&Ledger{Accounts: accounts, Amount: amount}, OpenEffect{Call: -1, Target: -1, Turn: r.Turn})
}

// held sends the request that the money was asked for. Without the money this
// turn becomes the last; when it is the last already, there is no request.
func (x *step) held(o OpenEffect, l *LedgerDone) {
	r := x.s.Run
	a := r.Asking
	r.Asking = nil
	switch {
	case r.Ending != nil:
		if l.OK {
			x.do(&Ledger{Accounts: x.accounts(), Release: o.ID})
		}
		x.endWhenQuiet()
	case l.OK:
		x.request(a, o.ID)
	case !a.Ask.Final:
		x.force(dialect.FinalBudget)
		r.MaxTurns = r.Turn
		r.Attempt--
		r.Notices = a.Ask.Notices
		x.attempt()
	default:
		x.fail(ReasonBudget, "The budget of "+clip(l.Account)+" does not suffice for another request.")
	}
}

// left is the money that the run may still spend.
func (x *step) left() llm.Money {
	l := &x.s.Run.Config.Limits
	left := llm.Money(1<<63 - 1)
	if l.MaxCost > 0 {
		left = l.MaxCost - x.s.Run.Cost
	}
	if l.MaxSessionCost > 0 {
		left = min(left, l.MaxSessionCost-x.s.Totals.Cost)
	}
	for i := range x.s.Run.Open {
		left -= x.s.Run.Open[i].Reserved
	}
	return left
}

// spend adds to what the run and the session have cost.
func (x *step) spend(cost llm.Money) {
	x.s.Run.Cost = x.s.Run.Cost.Add(cost)
	x.s.Totals.Cost = x.s.Totals.Cost.Add(cost)
}

// bytesPerToken is what the estimates assume; a token is never less than one
// byte, so the bound of a text's tokens is its bytes.
const bytesPerToken = 4

// inputBound is the most tokens that a request can hold: what the provider last
// reported, and a byte for a token of all that is new since.
func (x *step) inputBound(ask *dialect.Ask) int64 {
	g := &x.s.Guard
	return g.Current + bytesPerToken*(g.Pending+g.New+ask.TailTokens()+x.schemaTokens(ask))
}

// worst is the most that a request to a target can cost.
func worst(t *Target, input int64) llm.Money {
	if t.Price == nil {
		return 0
	}
	p := *t.Price
	// Nobody knows beforehand what a cache will do: take the dearest.
	p.Input = max(p.Input, p.CacheRead, p.CacheWrite)
	return p.Cost(llm.Usage{Input: input, Output: t.MaxOutput})
}

// afford reserves the worst case of the coming request, keeping one final turn
// in hand. When that does not fit this turn becomes the last; when not even
// that fits, there is no request (contract A5). It reports whether the request
// may be sent.
func (x *step) afford(index *int64, ask *dialect.Ask) (reserved llm.Money, ok bool) {
	if !x.budgeted() {
		return 0, true
	}
	r := x.s.Run
	t := &r.Config.Targets[*index]
	input := x.inputBound(ask)
	cost := worst(t, input)
	if !ask.Final && cost+worst(t, input+t.MaxOutput) > x.left() {
		x.force(dialect.FinalBudget)
		r.MaxTurns = r.Turn
		*ask = x.ask()
		*index = x.chooseTarget(ask)
		cost = worst(&r.Config.Targets[*index], x.inputBound(ask))
	}
	if cost > x.left() {
		x.fail(ReasonBudget, "The budget does not suffice for another request.")
		return 0, false
	}
	return cost, true
}

// Charge is what the request of an effect cost one of the run's targets.
func (g *Generate) Charge(price *llm.Price, result *Generated) llm.Money {
	cost, _ := charge(&Target{Price: price}, g.Reserved, result)
	return cost
}

// charge is what an attempt costs: what the provider says, else what its tokens
// cost, else, when nobody can say, everything that was reserved for it.
func charge(t *Target, reserved llm.Money, g *Generated) (cost llm.Money, known bool) {
	switch {
	case g.Cost != nil:
		return *g.Cost, true
	case t.Price != nil && g.Usage != nil:
		return t.Price.Cost(*g.Usage), true
	case g.Error != nil && g.Error.Class != llm.ClassUnknown && g.Error.Class != llm.ClassAborted:
		return 0, false // it was refused before it was answered
	default:
		return reserved, false
	}
}
