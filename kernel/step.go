package kernel

import (
	"fmt"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
)

// Output is what followed from an input.
type Output struct {
	Effects []Effect
	Facts   []Fact
	// Blobs are contents that the kernel itself wrote.
	Blobs []journal.Blob
	// Answer goes to whoever sent the command.
	Answer Answer
}

// Answer says what became of a command.
type Answer struct {
	OK bool
	// Code is stable: accepted, queued, or why not.
	Code    string
	Message string
	// Run is the number of the run that the command started or belongs to, Seq
	// the frame in which it was taken.
	Run int64
	Seq int64
}

// The answer codes.
const (
	CodeAccepted    = "accepted"
	CodeQueued      = "queued"
	CodeIgnored     = "ignored"
	CodeNotOpen     = "not_open"
	CodeAlreadyOpen = "already_open"
	CodeNoRun       = "no_run"
	CodeBusy        = "busy"
	CodeNothing     = "nothing_said"
	CodeQueueFull   = "queue_full"
	CodeUnknownCall = "unknown_call"
	CodeAnswered    = "already_answered"
	CodeBadInput    = "bad_input"
	CodeIncomplete  = "config_incomplete"
)

// step is one application of Step at work.
type step struct {
	s   *State
	out Output
	// observed are the protocol's problems that the response in hand has.
	observed []dialect.Slug
}

// Step applies one input. The given state is not changed.
func Step(s State, in Input) (State, Output) {
	next := s.clone()
	next.Seq++
	next.Time = max(s.Time, in.At)
	x := &step{s: &next}
	was := s.Status()
	x.apply(in.Body)
	if next.Run != nil && next.Status() == StatusAwaiting && (was != StatusAwaiting || x.callsChanged(&s)) {
		x.tell(&Awaiting{Calls: next.Pending()})
	}
	return next, x.out
}

func (x *step) apply(body InputBody) {
	x.accept(CodeAccepted)
	if open, ok := body.(*Open); ok {
		x.open(open)
		return
	}
	if m, ok := body.(*Migrate); ok {
		x.migrate(m)
		return
	}
	if x.s.Identity.Session == "" {
		x.refuse(CodeNotOpen, "the session has not been opened")
		return
	}
	switch b := body.(type) {
	case *Prompt:
		x.prompt(b)
	case *Continue:
		x.goOn(b)
	case *Steer:
		x.steer(b)
	case *Stop:
		x.stop()
	case *Abort:
		x.abort(b)
	case *ToolResult:
		x.toolResult(b)
	case *Decision:
		x.decide(b)
	case *ChildWaits:
		x.childWaits(b)
	case *SetConfig:
		x.s.Config = &b.Config
	case *Fault:
		x.fault(b)
	case *Receipt:
		x.receipt(b)
	default:
		x.refuse(CodeBadInput, fmt.Sprintf("input %T means nothing here", body))
	}
}

func (x *step) accept(code string) {
	x.out.Answer = Answer{OK: true, Code: code, Run: x.s.Runs, Seq: x.s.Seq}
}

func (x *step) refuse(code, message string) {
	x.out.Answer = Answer{Code: code, Message: message, Run: x.s.Runs, Seq: x.s.Seq}
	x.tell(&Ignored{Reason: code})
}

// tell adds a fact.
func (x *step) tell(f Fact) { x.out.Facts = append(x.out.Facts, f) }

func (x *step) log(severity, code, message string) {
	x.tell(&Log{Severity: severity, Code: code, Message: message, Turn: x.turn()})
}

// start adds an effect and, unless it is a cancellation, keeps it open.
func (x *step) start(body EffectBody, open OpenEffect) string {
	id := effectID(x.s.Seq, len(x.out.Effects))
	x.out.Effects = append(x.out.Effects, Effect{ID: id, Body: body})
	open.ID, open.Class = id, body.effect()
	x.s.Run.Open = append(x.s.Run.Open, open)
	return id
}

// cancel asks for an open effect to be stopped.
func (x *step) cancel(o *OpenEffect) { x.do(&Cancel{Effect: o.ID, Session: o.Child}) }

// do adds an effect that nobody waits for.
func (x *step) do(body EffectBody) {
	x.out.Effects = append(x.out.Effects, Effect{ID: effectID(x.s.Seq, len(x.out.Effects)), Body: body})
}

// close takes an effect out of the open ones.
func (x *step) close(id string) (OpenEffect, bool) {
	r := x.s.Run
	if r == nil {
		return OpenEffect{}, false
	}
	for i := range r.Open {
		if r.Open[i].ID == id {
			o := r.Open[i]
			r.Open = append(r.Open[:i], r.Open[i+1:]...)
			return o, true
		}
	}
	return OpenEffect{}, false
}

func (x *step) turn() int64 {
	if x.s.Run == nil {
		return 0
	}
	return x.s.Run.Turn
}

func (x *step) open(o *Open) {
	if x.s.Identity.Session != "" {
		x.refuse(CodeAlreadyOpen, "the session is open already")
		return
	}
	x.s.Identity = o.Identity
	x.s.Nonce = o.Nonce
	x.s.Config = &o.Config
	x.s.Answered = o.Answered
	x.tell(&SessionStart{Identity: o.Identity})
	x.s.Guard.Pending = o.Config.SystemTokens
	if len(o.History) == 0 {
		return
	}
	x.commit(o.History...)
	for i := range o.History {
		x.s.Guard.Pending += messageTokens(o.History[i].Bytes)
	}
}
