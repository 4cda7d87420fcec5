package kernel

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
)

// maxWasted is how many turns in a row may bring nothing but a status or a
// thought (contract L8).
const maxWasted = 5

// admit puts finished results into the conversation, in call order however
// they arrived (contract T7). When all are in, the turn is over.
func (x *step) admit() {
	x.admitReady()
	r := x.s.Run
	b := r.Batch
	if b.Admitted < int64(len(b.Calls)) {
		return
	}
	if !b.Report.IsZero() {
		if b.TagBytes > 0 {
			// No call stands for a report by tag, so nothing else counts it
			// (contract M9).
			x.tell(&ToolEntry{
				Turn: r.Turn, Name: ReportByTag, Server: "agent", Source: dialect.SourceXML, OK: true,
				CharsIn: b.TagBytes, CharsOut: int64(len(reportAccepted)),
			})
		}
		x.finish(&FinalReport{Source: SourceTool, Payload: b.Report, ModelStatus: b.ModelStatus})
		return
	}
	if b.Route != nil {
		x.route(b.Route)
		return
	}
	x.progressed(b.Started > 0)
	x.nextTurn()
}

// ReportByTag is the command of a report that came by XML tag.
const ReportByTag = "agent__final_report_xml"

// progressed counts turns that led nowhere. Too many in a row and the next one
// is the last.
func (x *step) progressed(yes bool) {
	r := x.s.Run
	if yes {
		r.Wasted = 0
		return
	}
	if r.Wasted++; r.Wasted >= maxWasted {
		x.log("WRN", "progress_only_threshold", fmt.Sprintf("%d turns in a row without progress", r.Wasted))
		x.force(dialect.FinalTaskOnly)
	}
}

// admitReady admits what is finished and next in order.
func (x *step) admitReady() {
	b := x.s.Run.Batch
	var entries []Entry
	for b.Admitted < int64(len(b.Calls)) && b.ready(b.Admitted) {
		c := &b.Calls[b.Admitted]
		if c.Group == 0 {
			entries = append(entries, x.admitCall(c))
		} else {
			entries = append(entries, x.admitGroup(b.Admitted))
		}
		b.Admitted += 1 + c.Group
	}
	if len(entries) > 0 {
		x.commit(entries...)
	}
}

// ready reports whether a call has its result, and a batch all of them.
func (b *Batch) ready(index int64) bool {
	group := b.Calls[index].Group
	if group == 0 || b.Calls[index].Done {
		return b.Calls[index].Done
	}
	for i := index + 1; i <= index+group; i++ {
		if !b.Calls[i].Done {
			return false
		}
	}
	return true
}

// admitCall makes the message of one call's result.
func (x *step) admitCall(c *BatchCall) Entry {
	content := x.admitResult(c)
	return Entry{
		Kind: dialect.ItemResult, Ref: content.Ref, Bytes: content.Bytes, CallID: c.ID, Name: c.Name, Failed: c.Failed,
	}
}

// admitGroup makes the one message of a batch out of its calls' results. The
// whole is not capped; each inner result is (contract T10).
func (x *step) admitGroup(index int64) Entry {
	b := x.s.Run.Batch
	batch := &b.Calls[index]
	e := Entry{Kind: dialect.ItemResult, CallID: batch.ID, Name: batch.Name}
	for i := index + 1; i <= index+batch.Group; i++ {
		c := &b.Calls[i]
		content := x.admitResult(c)
		e.Bytes += content.Bytes
		e.Inner = append(e.Inner, Inner{
			ID: c.Item, Tool: c.Name, OK: !c.Failed, ElapsedMS: c.LatencyMS, Ref: content.Ref, Code: c.Error,
		})
	}
	x.tell(&ToolEntry{
		Turn: x.s.Run.Turn, CallID: batch.ID, Name: batch.Name, Server: batch.Server, Source: batch.Source, OK: true,
		CharsIn: batch.In, CharsOut: e.Bytes,
	})
	return e
}

// admitResult runs size cap and guard over a result and accounts for it. It
// returns what the conversation gets.
func (x *step) admitResult(c *BatchCall) Content {
	entry := &ToolEntry{
		Turn: x.s.Run.Turn, CallID: c.ID, Name: c.Name, Server: c.Server, Source: c.Source, OK: !c.Failed, Error: c.Error,
		LatencyMS: c.LatencyMS, CharsIn: c.In,
	}
	result := c.Result
	switch {
	case c.Effect == "" || c.Failed:
		x.s.Guard.New += messageTokens(result.Bytes)
	case x.s.Run.Config.ToolOutput:
		result = x.store(c, entry)
	default:
		result = x.fit(c, entry)
	}
	if !c.Failed {
		entry.CharsOut = result.Bytes
	}
	x.tell(entry)
	return result
}

// fit admits a result, or drops it when no target has room for it (contract
// X4).
func (x *step) fit(c *BatchCall, entry *ToolEntry) Content {
	numbers := x.reserve(c.Result.Bytes)
	if numbers == nil {
		return c.Result
	}
	x.drop(numbers)
	c.Failed, c.Error = true, "context_budget_exceeded"
	entry.OK, entry.Error, entry.Guard = false, c.Error, numbers
	return x.text(contextExceeded)
}

// store keeps a result that is too large under a handle and admits the handle
// in its place (contract T9).
func (x *step) store(c *BatchCall, entry *ToolEntry) Content {
	limit := x.s.Run.Config.Limits.ToolResponseMaxBytes
	reason := "size_cap"
	if limit <= 0 || c.Result.Bytes <= limit {
		if x.reserve(c.Result.Bytes) == nil {
			return c.Result
		}
		reason = "token_budget"
	}
	full := c.Result
	handle := x.handle(c.Effect)
	tokens := messageTokens(full.Bytes)
	message := fmt.Sprintf("Tool output is too large (%d bytes, %d lines, %d tokens).\n"+
		"Call tool_output(handle = %q, extract = \"what to extract\").\n"+
		"Say precisely what you need of it.", full.Bytes, c.Lines, tokens, handle)
	c.Result = x.text(message)
	if numbers := x.reserve(c.Result.Bytes); numbers != nil {
		numbers.Original = tokens
		x.drop(numbers)
		c.Failed, c.Error = true, "context_budget_exceeded"
		entry.OK, entry.Error, entry.Guard = false, c.Error, numbers
		return x.text(contextExceeded)
	}
	x.tell(&OutputStored{
		Turn: x.s.Run.Turn, CallID: c.ID, Name: c.Name, Handle: handle, Reason: reason, Output: full, Lines: c.Lines,
		Tokens: tokens,
	})
	return c.Result
}

// handle names a stored result. It follows from the execution alone, not from
// when its result came in; its last parts are the execution's effect, so that
// whoever is given the handle finds the content without searching.
func (x *step) handle(effect string) string {
	sum := journal.RefOf([]byte(x.s.Identity.Session + "/" + effect))
	frame, place, _ := strings.Cut(effect, ".")
	seq, _ := strconv.ParseInt(frame, 10, 64)   // it is our own
	index, _ := strconv.ParseInt(place, 10, 64) // as well
	return fmt.Sprintf("session-%s/%x-%x-8%03x-8%03x-%012x", x.s.Identity.Session, sum[:4], sum[4:6],
		int64(sum[6])<<4|int64(sum[7])>>4, index&0xfff, seq&0xffff_ffff_ffff)
}
