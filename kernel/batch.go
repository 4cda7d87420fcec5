package kernel

import (
	"fmt"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/spec"
)

// reportAccepted is the result of the final report's call; accounting counts
// its 12 characters (contract A2).
const reportAccepted = `{"ok": true}`

// startBatch settles the calls of an accepted message: those that may run
// become effects, all in this one step; the others are answered at once
// (contract T4, T7, L3).
func (x *step) startBatch(g *Generated) {
	r, o := x.s.Run, g.Observation
	b := &Batch{Output: g.Output, Calls: make([]BatchCall, len(o.Calls))}
	r.Batch, r.Phase = b, PhaseTools
	if o.Report != nil && o.Report.Fit {
		b.Report, b.ReportCall, b.ModelStatus = g.Report, o.Report.Call, o.Report.ModelStatus
		if o.Report.Normalised {
			x.log("WRN", "final_report_format_normalised", "the report named another format; its content fits the one asked for")
		}
	}
	var started int64
	for i := range o.Calls {
		c := &o.Calls[i]
		b.Calls[i] = BatchCall{
			ID: c.ID, Name: c.Name, Server: c.Server, Args: journal.Ref(c.Args), Index: c.Index, In: c.ArgsBytes,
			Kind: c.Kind, Queue: c.Queue, TimeoutMS: c.TimeoutMS, ReplaySafe: c.ReplaySafe,
		}
		call := &b.Calls[i]
		if c.Corrected {
			x.log("WRN", "tool_autocorrected", "tool name corrected to "+c.Name)
		}
		switch {
		case c.Report && b.ReportCall == c.ID:
			call.Done, call.Result = true, x.text(reportAccepted)
		case c.Report && c.Runs():
			x.stub(call, "superseded", "a later final report was taken instead")
		case !c.Runs():
			x.stub(call, string(c.State), c.Problem)
			x.log("ERR", "llm_invalid_tool_parameters", c.Name+": "+c.Problem)
		case started >= r.Config.Limits.MaxToolCallsPerTurn:
			x.stub(call, "tool_limit_exceeded", fmt.Sprintf("execution not allowed because the per-turn tool limit (%d) was "+
				"reached; retry this tool on the next turn if available.", r.Config.Limits.MaxToolCallsPerTurn))
			x.log("WRN", "tool_limit_exceeded", c.Name+" was not executed")
		default:
			started++
			call.Approval = c.Approval
			x.execute(i)
		}
	}
	x.admit()
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
		CallID: c.ID, Name: c.Name, Output: r.Batch.Output, Index: c.Index, Args: c.Args, Kind: c.Kind,
		Server: c.Server, Queue: c.Queue, TimeoutMS: max(timeout, 0), MaxBytes: r.Config.Limits.ToolResponseMaxBytes,
		ReplaySafe: c.ReplaySafe, Config: r.Config.Ref,
	}
	waits := c.Kind == spec.ToolRemote || c.Approval
	if c.Approval {
		body.Kind = ToolAwaitsApproval
	}
	c.Effect = x.start(body, OpenEffect{Call: int64(index), Target: -1, Turn: r.Turn, Remote: waits})
	x.s.Totals.Tools++
	x.tell(&ToolStart{
		Effect: c.Effect, Turn: r.Turn, CallID: c.ID, Name: c.Name, Server: c.Server, Kind: body.Kind, Args: c.Args,
		ArgsBytes: c.In, Output: r.Batch.Output, Index: c.Index,
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
func (x *step) settle(o OpenEffect, status ToolStatus, result Content, reason string, latency int64) {
	r := x.s.Run
	c := &r.Batch.Calls[o.Call]
	c.Done, c.LatencyMS = true, latency
	c.Result = result
	switch status {
	case ToolOK:
	case ToolTimeout:
		x.stub(c, "timeout", "timeout")
	case ToolAborted, ToolInterrupted:
		x.stub(c, string(status), string(status))
	case ToolFailed:
		x.stub(c, reason, reason)
	default:
		x.stub(c, "internal_error", "internal error")
	}
	x.tell(&ToolEnd{
		Effect: o.ID, Turn: o.Turn, CallID: c.ID, Name: c.Name, Status: status, Error: c.Error, Output: c.Result,
		LatencyMS: latency,
	})
	x.closeTimersFor(o.ID)
	x.admit()
}

func (x *step) closeTimersFor(id string) {
	r := x.s.Run
	for i := 0; i < len(r.Open); i++ {
		o := r.Open[i]
		if o.Purpose == TimerRemote && r.Batch.Calls[o.Call].Effect == id {
			x.close(o.ID)
			x.cancel(o.ID)
			i--
		}
	}
}

// admit puts finished results into the conversation, in call order however
// they arrived (contract T7). When all are in, the turn is over.
func (x *step) admit() {
	r := x.s.Run
	b := r.Batch
	var entries []Entry
	for b.Admitted < int64(len(b.Calls)) && b.Calls[b.Admitted].Done {
		entries = append(entries, x.admitCall(&b.Calls[b.Admitted]))
		b.Admitted++
	}
	if len(entries) > 0 {
		x.commit(entries...)
	}
	if b.Admitted < int64(len(b.Calls)) {
		return
	}
	if !b.Report.IsZero() {
		x.finish(&FinalReport{Source: SourceTool, Payload: b.Report, ModelStatus: b.ModelStatus})
		return
	}
	x.nextTurn()
}

func (x *step) admitCall(c *BatchCall) Entry {
	entry := &ToolEntry{
		Turn: x.s.Run.Turn, CallID: c.ID, Name: c.Name, Server: c.Server, OK: !c.Failed, Error: c.Error,
		LatencyMS: c.LatencyMS, CharsIn: c.In, CharsOut: c.Result.Bytes,
	}
	if c.Failed {
		entry.CharsOut = 0
	}
	result := c.Result
	if c.Effect != "" && !c.Failed {
		if numbers := x.reserve(result.Bytes); numbers != nil {
			result = x.text(contextExceeded)
			c.Failed, c.Error = true, "context_budget_exceeded"
			entry.OK, entry.Error, entry.CharsOut, entry.Guard = false, c.Error, 0, numbers
		}
	} else {
		x.s.Guard.New += messageTokens(result.Bytes)
	}
	x.tell(entry)
	return Entry{
		Kind: dialect.ItemResult, Ref: result.Ref, Bytes: result.Bytes, CallID: c.ID, Name: c.Name, Failed: c.Failed,
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
	var entries []Entry
	for ; b.Admitted < int64(len(b.Calls)); b.Admitted++ {
		c := &b.Calls[b.Admitted]
		if !c.Done {
			x.stub(c, why, why)
			x.tell(&ToolEnd{
				Effect: c.Effect, Turn: r.Turn, CallID: c.ID, Name: c.Name, Status: ToolInterrupted, Error: why, Output: c.Result,
			})
		}
		entries = append(entries, x.admitCall(c))
	}
	if len(entries) > 0 {
		x.commit(entries...)
	}
	r.Batch = nil
}
