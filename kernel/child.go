package kernel

import (
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// pathSeparator stands between the call ids of a chain of children.
const pathSeparator = "/"

// startChild makes a call of another agent an effect: a session of its own,
// named after the effect (contract T14). With a budget it gets a share of what
// is left, so that the whole tree keeps to it.
func (x *step) startChild(index int, t *Tool) {
	r := x.s.Run
	c := &r.Batch.Calls[index]
	grant, ok := x.share(x.sharers(index))
	if !ok {
		x.stub(c, "budget_exhausted", "the budget does not suffice for another agent")
		return
	}
	child := x.childName()
	c.Effect = x.start(&Child{
		CallID: t.CallID, Name: t.Name, Session: child, Output: t.Output, Index: t.Index, Item: t.Item, Args: t.Args,
		Config: t.Config, Grant: grant,
	}, OpenEffect{Call: int64(index), Target: -1, Turn: r.Turn, Reserved: grant, Child: child})
	x.s.Totals.Tools++
	x.tell(&ToolStart{
		Effect: c.Effect, Turn: r.Turn, CallID: c.ID, Name: c.Name, Server: c.Server, Kind: c.Kind, Args: c.Args,
		ArgsBytes: c.In, Output: t.Output, Index: c.Index, Item: t.Item, Child: child,
	})
}

// sharers counts the agents of this message that have not started.
func (x *step) sharers(index int) llm.Money {
	n := llm.Money(0)
	for i := index; i < len(x.s.Run.Batch.Calls); i++ {
		if c := &x.s.Run.Batch.Calls[i]; c.Kind == spec.ToolAgent && c.Effect == "" && !c.Done {
			n++
		}
	}
	return n
}

// share is a child's part of the budget: what is left beyond a final turn of
// our own, divided among so many. It reports whether there is any.
func (x *step) share(sharers llm.Money) (llm.Money, bool) {
	r := x.s.Run
	if r.Config.Limits.MaxCost <= 0 && r.Config.Limits.MaxSessionCost <= 0 {
		return 0, true
	}
	ask := dialect.Ask{Final: true, Reason: dialect.FinalBudget, Completion: r.Config.Completion}
	left := x.left() - worst(&r.Config.Targets[0], x.inputBound(&ask))
	share := left / max(sharers, 1)
	return share, share > 0
}

// childDone takes a child's end: a failed child is a failed tool.
func (x *step) childDone(o OpenEffect, rc *Receipt) {
	r, c := x.s.Run, rc.Child
	x.spend(c.Cost)
	r.Usage = r.Usage.Add(c.Usage)
	x.s.Totals.Usage = x.s.Totals.Usage.Add(c.Usage)
	end := &ChildEnd{
		Effect: o.ID, Session: c.Session, Stage: o.Stage, Agent: o.Agent, OK: c.OK, Error: c.Error, Cost: c.Cost,
		Usage: c.Usage,
	}
	x.tell(end)
	if o.Stage != "" {
		x.stageDone(&o, c)
		return
	}
	end.CallID = r.Batch.Calls[o.Call].ID
	done := &ToolDone{Status: ToolOK, Output: c.Output}
	if !c.OK {
		done.Status, done.Error = ToolFailed, c.Error
	}
	x.settle(o, done, rc.LatencyMS)
	if r.Ending != nil {
		x.endWhenQuiet()
		return
	}
	x.admit()
}

// childWaits notes which calls a child waits for.
func (x *step) childWaits(w *ChildWaits) {
	if x.s.Run != nil {
		for i := range x.s.Run.Open {
			if o := &x.s.Run.Open[i]; o.ID == w.Effect && o.Child != "" {
				o.Waits = w.Calls
				return
			}
		}
	}
	x.refuse(CodeIgnored, "no child of this effect is open")
}

// path is how the calls of a child are told from the session's own.
func (r *Run) path(o *OpenEffect) string {
	if o.Stage != "" {
		return stagePath + o.ID
	}
	return r.Batch.Calls[o.Call].ID
}

// forward passes what was said about a child's call on to the child. It counts
// once: the call leaves the list of what is waited for.
func (x *step) forward(callID string, body func(callID string) InputBody, blobs ...journal.Ref) bool {
	first, rest, ok := strings.Cut(callID, pathSeparator)
	r := x.s.Run
	if !ok || r == nil || r.Ending != nil {
		return false
	}
	for i := range r.Open {
		o := &r.Open[i]
		if o.Child == "" || r.path(o) != first {
			continue
		}
		for j := range o.Waits {
			if o.Waits[j].CallID != rest {
				continue
			}
			o.Waits = append(append([]PendingCall(nil), o.Waits[:j]...), o.Waits[j+1:]...)
			child := o.Child
			x.start(&Forward{Session: child, Command: EncodeInput(body(rest)), Blobs: blobs}, OpenEffect{Call: -1, Target: -1, Turn: r.Turn})
			return true
		}
	}
	return false
}
