package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/tool"
)

// startTool executes a call. What keeps it from starting is a failed tool.
func (a *actor) startTool(id string, t *kernel.Tool) {
	args, err := a.project.arguments(t)
	var rc *runConfig
	if err == nil {
		// Not from the state: the run may have ended in the same append.
		rc, err = a.project.config(t.Config)
	}
	if err == nil {
		if body, found := a.h.tool(rc.run.Agent, t.Name); found && body.Execute != nil {
			a.background(id, func(string) delivery {
				return toolDelivery(id, 0, &kernel.ToolDone{Status: kernel.ToolFailed, Error: "the tool panicked"})
			}, func(e *effort) delivery { return a.execute(e, id, t, body, args) })
			return
		}
		err = fmt.Errorf("tool %s is not available in this process", t.Name)
	}
	a.deliver(toolDelivery(id, 0, &kernel.ToolDone{Status: kernel.ToolFailed, Error: err.Error()}))
}

// arguments reads a call's arguments from the message that makes it.
func (p *projection) arguments(t *kernel.Tool) (json.RawMessage, error) {
	if p.last == nil || p.lastRef != t.Output {
		data, err := p.blob(t.Output)
		if err != nil {
			return nil, err
		}
		p.last, p.lastRef = new(llm.Envelope), t.Output
		if err := json.Unmarshal(data, p.last); err != nil {
			p.last = nil
			return nil, fmt.Errorf("assistant message %s: %w", t.Output.Short(), err)
		}
	}
	if t.Index < 0 || t.Index >= int64(len(p.last.ToolCalls)) {
		return nil, fmt.Errorf("assistant message %s has no call %d", t.Output.Short(), t.Index)
	}
	args := p.last.ToolCalls[t.Index].Arguments
	if t.Item >= 0 {
		var err error
		if args, err = dialect.BatchItem(args, t.Item); err != nil {
			return nil, err //nolint:wrapcheck // it says what is wrong
		}
	}
	if journal.RefOf(args) != t.Args {
		return nil, fmt.Errorf("%w: arguments of call %d are not the ones that were decided on", journal.ErrCorrupt, t.Index)
	}
	return args, nil
}

var (
	errToolTimeout = errors.New("timeout")
	errNoResult    = errors.New("the tool ended without a result")
)

// execute waits for a place in the tool's queue and runs the call under its
// time-out, which does not count the wait (contract T1).
func (a *actor) execute(e *effort, id string, t *kernel.Tool, body tool.Tool, args json.RawMessage) delivery {
	ctx := e.ctx
	leave, err := a.h.queues.Enter(ctx, t.Queue)
	if err != nil {
		return toolDelivery(id, 0, stopped(ctx, err))
	}
	started := a.h.clock.Now()
	if t.TimeoutMS > 0 {
		defer a.h.clock.After(t.TimeoutMS, func() { e.stop(errToolTimeout) })()
	}
	call := tool.Call{
		ID: t.CallID, Key: a.key.Session + "/" + cmp.Or(t.Again, id), Arguments: args, Tenant: a.key.Tenant, Session: a.key.Session,
	}
	interrupted := func() delivery {
		return toolDelivery(id, a.h.clock.Now()-started, stopped(ctx, context.Cause(ctx)))
	}
	e.watch(leave, interrupted)
	var result *tool.Result
	for delta, r := range body.Execute(ctx, call) {
		if r != nil {
			result = r
			break
		}
		a.hub.publishDelta(&Delta{Effect: id, CallID: t.CallID, Text: delta})
	}
	if result == nil {
		result = &tool.Result{Err: errNoResult}
	}
	if result.Err != nil && ctx.Err() != nil {
		return interrupted()
	}
	latency := a.h.clock.Now() - started
	if result.Err != nil {
		return toolDelivery(id, latency, &kernel.ToolDone{Status: kernel.ToolFailed, Error: clean(result.Err.Error())})
	}
	return toolOutput(id, latency, result, t.MaxBytes)
}

// stopped says how an execution ended that did not end by itself.
func stopped(ctx context.Context, err error) *kernel.ToolDone {
	switch {
	case errors.Is(context.Cause(ctx), errToolTimeout):
		return &kernel.ToolDone{Status: kernel.ToolTimeout}
	case ctx.Err() != nil:
		return &kernel.ToolDone{Status: kernel.ToolAborted}
	default:
		return &kernel.ToolDone{Status: kernel.ToolFailed, Error: clean(err.Error())}
	}
}

func toolDelivery(id string, latency int64, done *kernel.ToolDone, blobs ...journal.Blob) delivery {
	return delivery{receipt: &kernel.Receipt{Effect: id, LatencyMS: latency, Tool: done}, blobs: blobs}
}

// toolOutput makes a result fit for the conversation: text that providers
// accept, no longer than the limit.
func toolOutput(id string, latency int64, r *tool.Result, limit int64) delivery {
	text := clean(r.Output)
	if text == "" {
		text = " " // providers reject an empty result
	}
	done := &kernel.ToolDone{Status: kernel.ToolOK, Lines: int64(strings.Count(text, "\n") + 1)}
	var blobs []journal.Blob
	keep := func(data []byte) kernel.Content {
		b := journal.NewBlob(data)
		blobs = append(blobs, b)
		return kernel.Content{Ref: b.Ref, Bytes: int64(len(data))}
	}
	if limit > 0 && int64(len(text)) > limit {
		done.Original = keep([]byte(text))
		text = truncate(text, int(limit))
	}
	done.Output = keep([]byte(text))
	if len(r.Details) > 0 && json.Valid(r.Details) {
		done.Details = keep(r.Details).Ref
	}
	return toolDelivery(id, latency, done, blobs...)
}

// truncate cuts a result to its limit, notice included (contract T9).
func truncate(text string, limit int) string {
	notice := fmt.Sprintf("[TRUNCATED] Original size %d bytes; truncated to %d bytes.\n\n", len(text), limit)
	if len(notice) >= limit {
		return notice[:limit]
	}
	end := limit - len(notice)
	for end > 0 && text[end]&0xC0 == 0x80 {
		end--
	}
	return notice + text[:end]
}

// clean replaces bytes that are not text.
func clean(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
