package kernel

import (
	"fmt"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Texts that answer calls which the kernel settles itself. Accounting counts
// the 12 characters of the report's (contract A2).
const (
	reportAccepted = `{"ok": true}`
	statusShown    = "status shown to user"
)

// startBatch settles the calls of an accepted message: those that may run
// become effects, all in this one step; the others are answered at once
// (contract T4, T7, L3).
func (x *step) startBatch(g *Generated) {
	r, o := x.s.Run, g.Observation
	r.Batch, r.Phase = &Batch{Output: g.Output}, PhaseTools
	b := r.Batch
	if report := o.Report; report != nil && report.Fit {
		b.Report, b.ReportCall, b.ModelStatus = g.Report, report.Call, report.ModelStatus
		if report.Tag {
			b.TagBytes = report.Bytes
		}
		if report.Normalised {
			x.log("WRN", "final_report_format_normalised", "the report named another format; its content fits the one asked for")
		}
		if report.Unclosed {
			x.log("WRN", "xml_warning", "the report's tag was not closed and the model did not say why it stopped")
		}
	}
	b.Calls = make([]BatchCall, 0, len(o.Calls))
	for i := range o.Calls {
		c := &o.Calls[i]
		b.add(c)
		if c.Route != nil && b.Report.IsZero() { // the last one counts
			b.Route, b.RouteCall = c.Route, c.ID
		}
	}
	n := 0
	for i := range o.Calls {
		c := &o.Calls[i]
		x.settleCall(n, c)
		n++
		for j := range c.Items {
			x.settleCall(n, &c.Items[j])
			n++
		}
	}
	x.admit()
}

// add notes a call and, if it is a batch, the calls that it holds.
func (b *Batch) add(c *dialect.Call) {
	b.Calls = append(b.Calls, BatchCall{
		ID: c.ID, Name: c.Name, Server: c.Server, Args: journal.Ref(c.Args), Index: c.Index, In: c.ArgsBytes,
		Kind: c.Kind, Queue: c.Queue, TimeoutMS: c.TimeoutMS, ReplaySafe: c.ReplaySafe, Source: c.Source, Group: int64(len(c.Items)),
	})
	for i := range c.Items {
		item := &c.Items[i]
		b.add(item)
		last := &b.Calls[len(b.Calls)-1]
		last.Item = item.ID
		last.ID = c.ID + "." + item.ID
		last.Index, last.Sub = c.Index, int64(i)
	}
}

// settleCall answers a call, or makes it an effect.
func (x *step) settleCall(index int, c *dialect.Call) {
	r := x.s.Run
	call := &r.Batch.Calls[index]
	if c.Corrected {
		x.log("WRN", "tool_autocorrected", "tool name corrected to "+c.Name)
	}
	if len(c.Repairs) > 0 {
		x.tell(&Log{
			Severity: "WRN", Code: "tool_payload_sanitized", Turn: r.Turn, Ref: r.Batch.Output,
			Message: fmt.Sprintf("%s: arguments repaired: %v", c.Name, c.Repairs),
		})
	}
	switch {
	case c.Report && r.Batch.ReportCall == c.ID:
		call.Done, call.Result = true, x.text(reportAccepted)
	case c.Report && c.Runs():
		x.stub(call, "superseded", "a later final report was taken instead")
	case c.Route != nil && r.Batch.RouteCall == c.ID:
		call.Done, call.Result = true, x.text("Routed to agent: "+c.Route.Agent)
	case c.Route != nil:
		x.stub(call, "superseded", "the message ends in another way")
	case !c.Runs():
		x.stub(call, string(c.State), c.Problem)
		code := "llm_invalid_tool_parameters"
		if c.State == dialect.CallUnknown {
			code = "tool_unknown_requested"
		}
		x.tell(&Log{Severity: "ERR", Code: code, Turn: r.Turn, Ref: r.Batch.Output, Message: c.Name + ": " + c.Problem})
	case call.Group > 0:
		// A batch is done when its calls are.
	case c.Status != nil:
		call.Done, call.Result = true, x.text(statusShown)
		x.tell(&Progress{Turn: r.Turn, CallID: call.ID, Status: *c.Status})
		if c.Status.Completed() {
			x.force(dialect.FinalTaskCompleted)
		}
	case r.Batch.Started >= r.Config.Limits.MaxToolCallsPerTurn:
		x.stub(call, "tool_limit_exceeded", fmt.Sprintf("execution not allowed because the per-turn tool limit (%d) was "+
			"reached; retry this tool on the next turn if available.", r.Config.Limits.MaxToolCallsPerTurn))
		x.log("WRN", "tool_limit_exceeded", c.Name+" was not executed")
	default:
		r.Batch.Started++
		call.Approval = c.Approval
		x.execute(index)
	}
}

// stub answers a call that is not executed.
func (x *step) stub(call *BatchCall, code, problem string) {
	call.Done, call.Failed, call.Error = true, true, clip(code)
	call.Result = x.text("(tool failed: " + problem + ")")
}

// execute makes a call an effect. A remote call, and one that waits for an
// approval, stays open without anybody here working on it.
func (x *step) execute(index int) {
	r := x.s.Run
	c := &r.Batch.Calls[index]
	timeout := c.TimeoutMS
	if timeout == 0 {
		timeout = r.Config.Limits.ToolTimeoutMS
	}
	body := &Tool{
		CallID: c.ID, Name: c.Name, Output: r.Batch.Output, Index: c.Index, Item: -1, Args: c.Args, Kind: c.Kind,
		Server: c.Server, Queue: c.Queue, TimeoutMS: max(timeout, 0), MaxBytes: r.Config.Limits.ToolResponseMaxBytes,
		ReplaySafe: c.ReplaySafe, Config: r.Config.Ref, Again: c.First,
	}
	if c.Item != "" {
		body.Item = c.Sub
	}
	if c.Kind == spec.ToolAgent && !c.Approval {
		x.startChild(index, body)
		return
	}
	if r.Config.ToolOutput {
		body.MaxBytes = 0 // a large result is kept whole and handed out by handle
	}
	waits := c.Kind == spec.ToolRemote || c.Approval
	if c.Approval {
		body.Kind = ToolAwaitsApproval
	}
	c.Effect = x.start(body, OpenEffect{Call: int64(index), Target: -1, Turn: r.Turn, Remote: waits})
	if c.First == "" && !waits {
		c.First = c.Effect
	}
	x.s.Totals.Tools++
	x.tell(&ToolStart{
		Effect: c.Effect, Turn: r.Turn, CallID: c.ID, Name: c.Name, Server: c.Server, Kind: body.Kind, Args: c.Args,
		ArgsBytes: c.In, Output: r.Batch.Output, Index: c.Index, Item: body.Item, Again: body.Again,
	})
	if d := r.Config.Limits.RemoteToolTimeoutMS; waits && d > 0 {
		c.Deadline = x.s.Time + d
		x.start(&Timer{At: c.Deadline, Purpose: TimerRemote, For: c.Effect},
			OpenEffect{Call: int64(index), Target: -1, Turn: r.Turn, Wake: c.Deadline, Purpose: TimerRemote})
	}
}

// ToolAwaitsApproval is the kind of a tool effect that a person must allow
// before anybody may execute it.
const ToolAwaitsApproval spec.ToolKind = "approval"

// settle takes the result of an execution.
func (x *step) settle(o OpenEffect, t *ToolDone, latency int64) {
	c := &x.s.Run.Batch.Calls[o.Call]
	c.Done, c.LatencyMS, c.Result, c.Lines = true, latency, t.Output, t.Lines
	switch t.Status {
	case ToolOK:
	case ToolTimeout:
		x.stub(c, "timeout", "timeout")
	case ToolAborted, ToolInterrupted:
		x.stub(c, string(t.Status), string(t.Status))
	case ToolFailed:
		x.stub(c, t.Error, t.Error)
	default:
		x.stub(c, "internal_error", "internal error")
	}
	x.tell(&ToolEnd{
		Effect: o.ID, Turn: o.Turn, CallID: c.ID, Name: c.Name, Status: t.Status, Error: c.Error, Output: c.Result,
		LatencyMS: latency, Details: t.Details,
	})
	x.closeTimersFor(o.ID)
}

func (x *step) closeTimersFor(id string) {
	r := x.s.Run
	for i := 0; i < len(r.Open); i++ {
		o := r.Open[i]
		if o.Purpose == TimerRemote && r.Batch.Calls[o.Call].Effect == id {
			x.close(o.ID)
			x.cancel(&o)
			i--
		}
	}
}

// settleBatch answers every call that is still open, because the run ends:
// each call has its message, whatever happens (contract V2).
func (x *step) settleBatch(why string) {
	r := x.s.Run
	b := r.Batch
	if b == nil {
		return
	}
	for i := b.Admitted; i < int64(len(b.Calls)); i++ {
		c := &b.Calls[i]
		if c.Done || c.Group > 0 {
			continue
		}
		x.stub(c, why, why)
		x.tell(&ToolEnd{
			Effect: c.Effect, Turn: r.Turn, CallID: c.ID, Name: c.Name, Status: ToolInterrupted, Error: why, Output: c.Result,
		})
	}
	x.admitReady()
	r.Batch = nil
}
