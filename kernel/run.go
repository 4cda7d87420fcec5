package kernel

import (
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

func (x *step) steer(m *Steer) {
	r := x.s.Run
	if r == nil {
		x.startRun(&Prompt{Content: m.Content})
		return
	}
	if r.Ending != nil {
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
// here and stays (contract P3, P4).
func (x *step) startRun(p *Prompt) {
	cfg := x.s.Config
	if p.Config != nil {
		cfg = *p.Config
	}
	if len(cfg.Targets) == 0 || cfg.Limits.MaxTurns < 1 || cfg.Limits.MaxRetries < 1 {
		x.refuse(CodeIncomplete, "the configuration names no model to ask, no turns or no attempts")
		return
	}
	x.s.Runs++
	x.s.Run = &Run{
		Number: x.s.Runs, Started: x.s.Time, Config: cfg, MaxTurns: cfg.Limits.MaxTurns,
	}
	x.out.Answer.Run = x.s.Runs
	targets := make([]string, len(cfg.Targets))
	for i := range cfg.Targets {
		targets[i] = cfg.Targets[i].Provider + "/" + cfg.Targets[i].Model
	}
	x.tell(&RunStart{
		Run: x.s.Runs, Config: cfg.Ref, Agent: cfg.Agent, Format: cfg.Format, Targets: targets,
		MaxTurns: cfg.Limits.MaxTurns,
	})
	x.addUser(p.Content)
	if d := cfg.Limits.RunTimeoutMS; d > 0 {
		at := x.s.Time + d
		x.start(&Timer{At: at, Purpose: TimerDeadline}, OpenEffect{Call: -1, Target: -1, Wake: at, Purpose: TimerDeadline})
	}
	x.nextTurn()
}

func (x *step) addUser(c Content) {
	x.s.Guard.Pending += messageTokens(c.Bytes)
	x.commit(Entry{Kind: dialect.ItemUser, Ref: c.Ref, Bytes: c.Bytes})
}

// nextTurn goes on to the next turn. Callers make sure that there is one.
func (x *step) nextTurn() {
	r := x.s.Run
	r.Turn++
	r.Attempt = 0
	r.Cycle = Cycle{}
	r.Text = nil
	r.Batch = nil
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
	if x.s.Run == nil {
		x.refuse(CodeNoRun, "no run to stop")
		return
	}
	x.force(dialect.FinalUserStop)
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
