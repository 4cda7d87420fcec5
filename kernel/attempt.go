package kernel

import (
	"strconv"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/llm"
)

// attempt sends the next request of this turn, or gives the turn up when its
// attempts are used (contract L4, L6).
func (x *step) attempt() {
	r := x.s.Run
	if r.Attempt >= r.Config.Limits.MaxRetries {
		x.exhausted()
		return
	}
	if len(r.Steers) > 0 {
		for _, c := range r.Steers {
			x.addUser(c)
		}
		r.Steers = nil
		x.queueUpdate()
	}
	r.Attempt++
	ask := x.ask()
	index := x.chooseTarget(&ask)
	reserved, ok := x.afford(&index, &ask)
	if !ok {
		return
	}
	if accounts := x.accounts(); len(accounts) > 0 {
		x.hold(accounts, &Asking{Target: index, Ask: ask, Reserved: reserved})
		return
	}
	x.request(&Asking{Target: index, Ask: ask, Reserved: reserved}, "")
}

func (x *step) ask() dialect.Ask {
	r := x.s.Run
	ask := dialect.Ask{
		Transport: r.Config.Transport, Format: r.Config.Format, Completion: r.Config.Completion,
		Nonce: x.s.Nonce, Slot: x.s.Slot + 1, Slots: r.Config.Limits.MaxToolCallsPerTurn,
		Turn: r.Turn, MaxTurns: r.MaxTurns, Attempt: r.Attempt, MaxAttempts: r.Config.Limits.MaxRetries,
		ContextPct: x.contextPct(),
		Final:      r.Forced != dialect.FinalNone && r.Turn >= r.MaxTurns, Reason: r.Forced, Notices: r.Notices,
		Routes: len(r.Config.Router) > 0,
	}
	ask.Freeze()
	return ask
}

// contextPct is how full the first target's window is: what the model is told,
// and what must be known before the request is weighed.
func (x *step) contextPct() int64 {
	g := &x.s.Guard
	return min(100, (g.Current+g.Pending+g.New)*100/max(x.s.Run.Config.Targets[0].Window, 1))
}

// request sends a request that is decided on. hold is the reservation that it
// is paid from, where there is one.
func (x *step) request(a *Asking, hold string) {
	r, ask := x.s.Run, a.Ask // a copy: the state that it may be part of is not changed
	t := &r.Config.Targets[a.Target]
	if !ask.Final {
		ask.Reason = dialect.FinalNone
	}
	correlation := x.s.Identity.Session + "/" + strconv.FormatInt(r.Number, 10) + "/" +
		strconv.FormatInt(r.Turn, 10) + "/" + strconv.FormatInt(r.Attempt, 10)
	id := x.start(&Generate{
		Correlation: correlation, Target: a.Target, Provider: t.Provider, Model: t.Model, Config: r.Config.Ref,
		Head: x.s.Transcript.Head, Ask: ask, Capture: r.Config.Capture, Hold: hold, Accounts: x.accounts(),
		Reserved: a.Reserved,
	}, OpenEffect{Call: -1, Target: a.Target, Turn: r.Turn, Reserved: a.Reserved})
	slugs := make([]dialect.Slug, 0, len(ask.Notices))
	for _, n := range ask.Notices {
		slugs = append(slugs, n.Slug)
	}
	schema := x.schemaTokens(&ask)
	fresh := x.s.Guard.Pending + x.s.Guard.New + ask.TailTokens()
	x.tell(&AttemptStart{
		Effect: id, Turn: r.Turn, Attempt: r.Attempt, Target: a.Target, Provider: t.Provider, Model: t.Model,
		Final: ask.Final, Reason: ask.Reason, Slugs: slugs,
		Context: x.s.Guard.Current, New: fresh, Schema: schema, Expected: x.s.Guard.Current + fresh + schema,
		Window: t.Window, Limit: t.Limit(), Reserved: a.Reserved,
	})
	x.s.Offered = ask.Slots
	r.Notices = nil
	r.Phase = PhaseGenerate
	r.Cycle.Asked++
}

// exhausted ends a turn without a usable answer. A turn that was not the last
// makes the next one final; the last one ends the run (contract L6).
func (x *step) exhausted() {
	r := x.s.Run
	if r.Turn < r.MaxTurns {
		x.force(dialect.FinalRetries)
		x.nextTurn()
		return
	}
	if t := r.Text; t != nil {
		x.commit(Entry{Kind: dialect.ItemAssistant, Ref: t.Output, Bytes: t.Bytes})
		x.s.Guard.Pending += t.Tokens
		x.log("WRN", "text_fallback", "the last turn's text is taken as the report")
		x.finish(&FinalReport{Source: SourceText, Payload: t.Payload})
		return
	}
	x.fail(x.exhaustedReason())
}

// exhaustedReason says why there is no report after the last turn.
func (x *step) exhaustedReason() (reason, message string) {
	r := x.s.Run
	switch {
	case r.Reports > 0:
		return ReasonReportFailed, "The final report was rejected: " + r.LastError + "."
	case r.Forced == dialect.FinalBudget:
		return ReasonBudget, "The budget is used up and the model gave no final report."
	case r.Forced == dialect.FinalContext:
		return ReasonContext, "The context window is full and the model gave no final report."
	case r.Forced == dialect.FinalRetries || r.LastClass != "":
		return ReasonRetries, "The model could not be reached or gave no usable answer: " + r.LastError + "."
	default:
		return ReasonMaxTurns, "The maximum number of turns was reached without a final report."
	}
}

// failedAttempt goes on after an attempt that brought nothing.
func (x *step) failedAttempt(class llm.ErrorClass, message string, notices ...dialect.Notice) {
	r := x.s.Run
	r.LastClass, r.LastError = class, clip(message)
	r.Notices = notices
	if r.Cycle.Asked >= r.Cycle.Size {
		if x.backoff() {
			return
		}
		r.Cycle = Cycle{Backoffs: r.Cycle.Backoffs}
	}
	x.attempt()
}

// maxWaitMS bounds every wait (contract R3).
const maxWaitMS = 60_000

// limited notes a rate limit in this round over the targets.
func (x *step) limited(e *llm.Error) {
	c := &x.s.Run.Cycle
	c.Limited++
	wait := e.RetryAfterMS
	if wait <= 0 {
		wait = 1000 << min(c.Backoffs, 6)
	}
	if wait = min(wait, maxWaitMS); wait > c.WaitMS {
		c.WaitMS, c.Source = wait, e.RetryAfterSource
	}
}

// backoff waits when every target of the round was rate-limited and another
// attempt is left. It reports whether it does.
func (x *step) backoff() bool {
	r := x.s.Run
	if r.Cycle.Limited < r.Cycle.Size || r.Cycle.Size == 0 {
		r.Cycle.Backoffs = 0
		return false
	}
	if r.Attempt >= r.Config.Limits.MaxRetries {
		return false
	}
	wait, source := r.Cycle.WaitMS, r.Cycle.Source
	at := x.s.Time + wait
	x.tell(&Wait{Turn: r.Turn, Attempt: r.Attempt, WaitMS: wait, Until: at, Source: source})
	x.start(&Timer{At: at, Purpose: TimerBackoff}, OpenEffect{Call: -1, Target: -1, Wake: at, Purpose: TimerBackoff})
	r.Phase = PhaseBackoff
	r.Cycle = Cycle{Backoffs: r.Cycle.Backoffs + 1}
	return true
}
