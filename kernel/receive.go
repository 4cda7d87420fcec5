package kernel

import (
	"fmt"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
)

// receipt takes the result of an effect. One that nobody waits for changes
// nothing but the accounts: it may be late, or the second of its kind.
func (x *step) receipt(rc *Receipt) {
	o, ok := x.close(rc.Effect)
	if !ok {
		x.out.Answer = Answer{Code: CodeIgnored, Message: "no effect of this id is open", Run: x.s.Runs}
		x.tell(&Ignored{Effect: rc.Effect, Reason: "not_open"})
		return
	}
	r := x.s.Run
	switch {
	case o.Class == "generate" && rc.Generated != nil:
		x.generated(o, rc)
	case o.Class == "tool" && rc.Tool != nil && r.Batch != nil:
		x.toolDone(o, rc)
	case o.Class == "child" && rc.Child != nil && (r.Batch != nil || o.Stage != ""):
		x.childDone(o, rc)
	case o.Class == "forward" && rc.Forward != nil:
		if r.Ending != nil {
			x.endWhenQuiet()
		}
	case o.Class == "ledger" && rc.Ledger != nil:
		x.held(o, rc.Ledger)
	case o.Class == "lookup" && rc.Lookup != nil:
		x.lookedUp(rc.Lookup)
	case o.Class == "timer" && rc.Timer != nil && r.Ending == nil:
		x.timer(o)
	default:
		x.refuse(CodeBadInput, "the receipt does not fit its effect")
		x.log("ERR", "invariant", "a receipt did not fit its effect "+o.ID)
		x.lost(o)
	}
}

// lost ends the run because an effect's receipt cannot be used: it is closed,
// and what it was counts (contract R9, V2).
func (x *step) lost(o OpenEffect) {
	r := x.s.Run
	switch o.Class {
	case "generate":
		end := x.attemptEnd(o, &Receipt{Generated: &Generated{
			Error: &llm.Error{Class: llm.ClassUnknown, Message: "the receipt could not be applied"},
		}})
		end.Outcome = OutcomeUnknown
		x.tell(end)
	case "tool", "child":
		if o.Call >= 0 {
			x.settle(o, &ToolDone{Status: ToolInterrupted}, 0)
		}
	}
	if r.Ending == nil {
		x.wind(ReasonInternal, "The session met an internal error and ended this run.")
		return
	}
	x.endWhenQuiet()
}

func (x *step) toolDone(o OpenEffect, rc *Receipt) {
	r, t := x.s.Run, rc.Tool
	if r.Ending != nil {
		x.settle(o, t, rc.LatencyMS)
		x.endWhenQuiet()
		return
	}
	if c := &r.Batch.Calls[o.Call]; t.Status == ToolInterrupted && c.ReplaySafe && c.Reruns < maxReruns {
		x.rerun(o, rc.LatencyMS)
		return
	}
	if !t.Original.Ref.IsZero() {
		x.log("WRN", "tool_output_truncated", fmt.Sprintf("%s: the result has %d bytes and was cut to %d",
			r.Batch.Calls[o.Call].Name, t.Original.Bytes, t.Output.Bytes))
	}
	x.settle(o, t, rc.LatencyMS)
	x.admit()
}

// maxReruns is how often a tool that may run twice is run again.
const maxReruns = 2

// rerun executes a tool again whose execution a crash cut off.
func (x *step) rerun(o OpenEffect, latency int64) {
	c := &x.s.Run.Batch.Calls[o.Call]
	x.tell(&ToolEnd{
		Effect: o.ID, Turn: o.Turn, CallID: c.ID, Name: c.Name, Status: ToolInterrupted, Error: string(ToolInterrupted),
		LatencyMS: latency,
	})
	c.Reruns++
	x.log("WRN", "tool_rerun", c.Name+" was interrupted and is run again")
	x.execute(int(o.Call))
}

func (x *step) timer(o OpenEffect) {
	r := x.s.Run
	switch o.Purpose {
	case TimerRemote:
		// A remote result or an approval did not come in time (contract S6).
		if waiting, ok := x.close(r.Batch.Calls[o.Call].Effect); ok {
			x.settle(waiting, &ToolDone{Status: ToolTimeout}, 0)
			x.admit()
		}
	case TimerBackoff:
		x.attempt()
	case TimerDeadline:
		x.abort(&Abort{Message: "The run took longer than its time limit."})
	}
}

// toolResult takes a remote tool's result from outside. It counts once, and
// only while its call is open (contract S6).
func (x *step) toolResult(t *ToolResult) {
	if x.forward(t.CallID, func(callID string) InputBody {
		c := *t
		c.CallID = callID
		return &c
	}, t.Content.Ref) {
		return
	}
	o, code := x.waiting(t.CallID, func(c *BatchCall) bool { return !c.Approval })
	if code != "" {
		x.refuse(code, "no remote call "+clip(t.CallID)+" waits for a result")
		return
	}
	x.close(o.ID)
	status, reason := ToolOK, ""
	if t.Failed {
		status, reason = ToolFailed, t.Error
		if reason == "" {
			reason = "remote tool failed"
		}
	}
	x.settle(o, &ToolDone{Status: status, Output: t.Content, Error: reason}, 0)
	x.admit()
}

// decide takes a person's decision on a call (contract T17).
func (x *step) decide(d *Decision) {
	if x.forward(d.CallID, func(callID string) InputBody {
		c := *d
		c.CallID = callID
		return &c
	}) {
		return
	}
	o, code := x.waiting(d.CallID, func(c *BatchCall) bool { return c.Approval })
	if code != "" {
		x.refuse(code, "no call "+clip(d.CallID)+" waits for approval")
		return
	}
	x.close(o.ID)
	x.closeTimersFor(o.ID)
	c := &x.s.Run.Batch.Calls[o.Call]
	c.Approval = false
	if d.Allow {
		x.log("VRB", "tool_approved", c.Name+" was allowed by "+clip(d.User))
		x.execute(int(o.Call))
		x.admit() // what cannot be started is answered at once
		return
	}
	reason := "denied"
	if d.Reason != "" {
		reason = "denied: " + d.Reason
	}
	x.settle(o, &ToolDone{Status: ToolFailed, Error: reason}, 0)
	x.admit()
}

// waiting finds the open effect of a call that waits for the outside, or the
// code that says why there is none.
func (x *step) waiting(callID string, fits func(*BatchCall) bool) (OpenEffect, string) {
	r := x.s.Run
	if r == nil || r.Batch == nil || r.Ending != nil {
		return OpenEffect{}, CodeUnknownCall
	}
	for i := range r.Batch.Calls {
		c := &r.Batch.Calls[i]
		if c.ID != callID {
			continue
		}
		if c.Done {
			return OpenEffect{}, CodeAnswered
		}
		for j := range r.Open {
			if o := r.Open[j]; o.ID == c.Effect && o.Remote && fits(c) {
				return o, ""
			}
		}
	}
	return OpenEffect{}, CodeUnknownCall
}

// Pending lists the calls that somebody outside must answer.
func (s *State) Pending() []PendingCall {
	if s.Run == nil {
		return nil
	}
	var calls []PendingCall
	for i := range s.Run.Open {
		o := &s.Run.Open[i]
		for _, w := range o.Waits {
			w.CallID = s.Run.path(o) + pathSeparator + w.CallID
			w.Child = o.Child
			calls = append(calls, w)
		}
		if !o.Remote {
			continue
		}
		c := &s.Run.Batch.Calls[o.Call]
		kind := "remote"
		if c.Approval {
			kind = "approval"
		}
		calls = append(calls, PendingCall{
			CallID: c.ID, Name: c.Name, Kind: kind, Args: c.Args, Output: s.Run.Batch.Output, Index: c.Index,
			Deadline: c.Deadline,
		})
	}
	return calls
}

// callsChanged reports whether other calls wait now than before this step.
func (x *step) callsChanged(before *State) bool {
	a, b := before.Pending(), x.s.Pending()
	if len(a) != len(b) {
		return true
	}
	for i := range a {
		if a[i] != b[i] {
			return true
		}
	}
	return false
}

// abort ends the run as soon as what is under way has stopped (contract S11).
func (x *step) abort(a *Abort) {
	r := x.s.Run
	if r == nil {
		x.refuse(CodeNoRun, "no run to abort")
		return
	}
	if r.Ending != nil {
		return
	}
	reason, message := ReasonAborted, a.Message
	if a.Shutdown {
		reason = ReasonShutdown
	}
	if message == "" {
		message = "The run was aborted."
	}
	x.wind(reason, message)
}

// wind decides the end: no new effects, and the open ones are told to stop.
func (x *step) wind(reason, message string) {
	r := x.s.Run
	r.Ending = &Ending{Reason: reason, Message: message}
	r.Phase = PhaseAborting
	open := r.Open
	r.Open = nil
	for _, o := range open {
		// Nobody here works on remote calls: they are closed and that is all.
		if o.Remote {
			continue
		}
		x.cancel(&o)
		if o.Class != "timer" {
			r.Open = append(r.Open, o)
		}
	}
	x.endWhenQuiet()
}

// endWhenQuiet carries out a decided end once nothing is under way.
func (x *step) endWhenQuiet() {
	r := x.s.Run
	if len(r.Open) > 0 {
		return
	}
	x.settleBatch(string(ToolAborted))
	x.fail(r.Ending.Reason, r.Ending.Message)
}

// fault ends the run after an input that the kernel could not bear. The
// session stays readable and usable (contract E1).
func (x *step) fault(f *Fault) {
	x.log("ERR", "invariant", f.Message)
	r := x.s.Run
	if r == nil {
		return
	}
	o, _ := x.close(f.Effect)
	x.lost(o)
}

// clip shortens a name from outside for a message.
func clip(s string) string {
	const limit = 80
	if len(s) > limit {
		s = s[:limit]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
