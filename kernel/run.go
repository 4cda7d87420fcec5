package kernel

import (
	"slices"

	"github.com/ai-agent-go/ai-agent/dialect"
)

// maxQueued bounds inputs that wait for a run: more is refused, not forgotten.
const maxQueued = 16

func messageTokens(bytes int64) int64 { return dialect.MessageTokens(bytes) }

func (x *step) prompt(p *Prompt) {
	r := x.s.Run
	if r == nil {
		x.startRun(p)
		return
	}
	if len(x.s.FollowUps) >= maxQueued {
		x.refuse(CodeQueueFull, "too many messages wait for the run to end")
		return
	}
	x.s.FollowUps = append(x.s.FollowUps, *p)
	x.accept(CodeQueued)
	x.queueUpdate()
}

// goOn starts a run from the conversation as it is. Advisors are not asked
// again: what they had to say is in it.
func (x *step) goOn(c *Continue) {
	switch {
	case x.s.Run != nil:
		x.refuse(CodeBusy, "a run is under way")
	case x.s.Transcript.Entries == 0 || c.Content.Ref.IsZero():
		x.refuse(CodeNothing, "nobody has said anything that could be answered")
	default:
		x.begin(&Prompt{Content: c.Content}, true)
	}
}

func (x *step) steer(m *Steer) {
	r := x.s.Run
	if r == nil {
		x.startRun(&Prompt{Content: m.Content})
		return
	}
	if r.Ending != nil || r.Phase == PhaseHandoff {
		// The run is past its last request; what was said to it starts the next.
		x.prompt(&Prompt{Content: m.Content})
		return
	}
	if len(r.Steers) >= maxQueued {
		x.refuse(CodeQueueFull, "too many messages wait for the next request")
		return
	}
	r.Steers = append(r.Steers, m.Content)
	x.accept(CodeQueued)
	x.queueUpdate()
}

func (x *step) queueUpdate() {
	q := &QueueUpdate{FollowUp: int64(len(x.s.FollowUps))}
	if x.s.Run != nil {
		q.Steer = int64(len(x.s.Run.Steers))
	}
	x.tell(q)
}

// startRun begins a run with a user's message. The configuration is decided
// here and stays (contract P3, P4): the run's own replaces the session's whole.
// Profiles are looked up first; until they are found the run has not started.
func (x *step) startRun(p *Prompt) { x.begin(p, false) }

// begin is startRun for a message that may have been said before.
func (x *step) begin(p *Prompt, said bool) {
	cfg := x.s.Config
	if p.Config != nil {
		cfg = p.Config
	}
	if len(cfg.Targets)+len(cfg.Profiles) == 0 || cfg.Limits.MaxTurns < 1 || cfg.Limits.MaxRetries < 1 {
		x.refuse(CodeIncomplete, "the configuration names no model to ask, no turns or no attempts")
		return
	}
	x.s.Runs++
	x.s.Run = &Run{Number: x.s.Runs, Started: x.s.Time, Config: cfg, MaxTurns: cfg.Limits.MaxTurns, Prompt: p.Content}
	x.s.Run.Said = said
	x.out.Answer.Run = x.s.Runs
	if len(cfg.Profiles) > 0 {
		x.s.Run.Phase = PhaseLookup
		x.tell(&ProfileRequested{Run: x.s.Runs, Profiles: cfg.Profiles, Format: cfg.Format})
		x.start(&Lookup{Config: cfg.Ref, Profiles: cfg.Profiles}, OpenEffect{Call: -1, Target: -1})
		return
	}
	x.beginRun()
}

// lookedUp takes the profiles, or the news that there are none (contract P2).
func (x *step) lookedUp(l *LookupDone) {
	r := x.s.Run
	if r.Ending != nil {
		x.endWhenQuiet()
		return
	}
	if l.Config == nil || len(l.Config.Targets) == 0 || l.Code != "" {
		x.tell(&ProfileFailed{Run: r.Number, Catalogue: l.Catalogue, Code: l.Code, Message: l.Message})
		x.fail(ReasonProfile, "The run could not start: "+l.Message)
		return
	}
	r.Config = l.Config
	x.tell(&ProfileResolved{
		Run: r.Number, Catalogue: l.Catalogue, Config: r.Config.Ref, Targets: targetNames(r.Config.Targets),
	})
	x.beginRun()
}

func targetNames(targets []Target) []string {
	names := make([]string, len(targets))
	for i := range targets {
		names[i] = targets[i].Provider + "/" + targets[i].Model
	}
	return names
}

// beginRun starts a run whose configuration is complete.
func (x *step) beginRun() {
	r := x.s.Run
	cfg := r.Config
	x.tell(&RunStart{
		Run: r.Number, Config: cfg.Ref, Agent: cfg.Agent, Format: cfg.Format, Targets: targetNames(cfg.Targets),
		MaxTurns: cfg.Limits.MaxTurns, MaxRetries: cfg.Limits.MaxRetries,
		Advisors: cfg.Advisors, Router: len(cfg.Router) > 0, Handoff: cfg.Handoff, Nonce: x.s.Nonce,
		Transport: cfg.Transport, Completion: cfg.Completion,
		Preamble: cfg.Preamble,
	})
	if d := cfg.Limits.RunTimeoutMS; d > 0 {
		at := x.s.Time + d
		x.start(&Timer{At: at, Purpose: TimerDeadline}, OpenEffect{Call: -1, Target: -1, Wake: at, Purpose: TimerDeadline})
	}
	if r.Said {
		x.nextTurn()
		return
	}
	x.consult()
}

func (x *step) addUser(c Content) {
	x.s.Guard.Pending += messageTokens(c.Bytes)
	x.commit(Entry{Kind: dialect.ItemUser, Ref: c.Ref, Bytes: c.Bytes})
}

// say puts what the run was started with into the conversation, once: the
// user's message, with what advisors said of it and what another agent answered
// before.
func (x *step) say() {
	r := x.s.Run
	if r.Said {
		return
	}
	r.Said = true
	// A run that ends early may have advisors that said nothing.
	r.Advice = slices.DeleteFunc(r.Advice, func(in Inner) bool { return in.Ref.IsZero() })
	e := Entry{Kind: dialect.ItemUser, Ref: r.Prompt.Ref, Bytes: r.Prompt.Bytes, Inner: r.Advice}
	if x.s.Answered != nil {
		e.Inner = append([]Inner{*x.s.Answered}, r.Advice...)
		x.s.Answered = nil
	}
	for i := range e.Inner {
		e.Bytes += e.Inner[i].Bytes + BlockBytes
	}
	r.Advice = nil
	x.s.Guard.Pending += messageTokens(e.Bytes)
	x.commit(e)
}

// nextTurn goes on to the next turn. Callers make sure that there is one.
func (x *step) nextTurn() {
	r := x.s.Run
	r.Turn++
	r.Attempt = 0
	r.Cycle = Cycle{}
	r.Text = nil
	r.Batch = nil
	x.s.Slot += x.s.Offered
	x.s.Offered = 0
	if r.Forced != dialect.FinalNone {
		r.MaxTurns = r.Turn
	}
	if r.Turn >= r.MaxTurns {
		x.force(dialect.FinalMaxTurns)
	}
	x.tell(&TurnStart{Turn: r.Turn, MaxTurns: r.MaxTurns, Final: r.Forced != dialect.FinalNone, Reason: r.Forced})
	x.attempt()
}

// force makes the coming turn the last, unless a stronger reason stands
// (contract L8).
func (x *step) force(reason dialect.FinalReason) {
	r := x.s.Run
	if reason.Rank() <= r.Forced.Rank() {
		return
	}
	r.Forced = reason
	if reason != dialect.FinalMaxTurns {
		x.tell(&ForcedFinal{Turn: r.Turn, Reason: reason, MaxTurns: min(r.MaxTurns, r.Turn+1)})
	}
}

func (x *step) stop() {
	r := x.s.Run
	if r == nil {
		x.refuse(CodeNoRun, "no run to stop")
		return
	}
	if r.Ending != nil {
		return
	}
	x.force(dialect.FinalUserStop)
	// Who works for this run is to finish, too.
	for _, o := range r.Open {
		if o.Child != "" {
			x.start(&Forward{Session: o.Child, Command: EncodeInput(&Stop{})}, OpenEffect{Call: -1, Target: -1, Turn: r.Turn})
		}
	}
}

// startFollowUp begins the next queued run, if one waits (contract S10).
func (x *step) startFollowUp() {
	if len(x.s.FollowUps) == 0 {
		return
	}
	p := x.s.FollowUps[0]
	x.s.FollowUps = append([]Prompt(nil), x.s.FollowUps[1:]...)
	x.queueUpdate()
	x.startRun(&p)
}
