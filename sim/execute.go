package sim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
)

// startTool executes a call with the script's next conduct, under the tool's
// time-out.
func (w *world) startTool(id string, t *kernel.Tool) {
	w.out.Executions++
	first := cmp.Or(t.Again, id)
	switch w.executions[first]++; {
	case w.executions[first] > 1 && !t.ReplaySafe:
		w.breaks("S8", w.state.Seq, "%s runs a second time and is not replay-safe", t.Name)
	case w.executions[first] > 3:
		w.breaks("S8", w.state.Seq, "%s runs for the %dth time", t.Name, w.executions[first])
	}
	if err := w.checkArguments(t); err != nil {
		w.breaks("T10", w.state.Seq, "%s: %v", t.Name, err)
	}
	conduct := w.nextConduct()
	done, blobs := conduct.done(t, w.script.Nonce)
	receipt := &kernel.Receipt{Effect: id, Tool: done}
	if t.TimeoutMS == 0 || conduct.After <= t.TimeoutMS {
		w.deliver(conduct.After, receipt, blobs, conduct.Twice)
		return
	}
	w.count("tool time-out")
	w.deliver(t.TimeoutMS, &kernel.Receipt{Effect: id, Tool: &kernel.ToolDone{Status: kernel.ToolTimeout}}, nil, false)
	if conduct.Twice { // the tool did not listen, and what it says at last is delivered
		w.count("tool answers late")
		receipt.LatencyMS = conduct.After
		w.queue.put(&event{at: w.now + conduct.After, tie: w.ties.tie(), receipt: receipt, blobs: blobs})
	}
}

// nextConduct is the script's next conduct, or a good one when there is none
// left.
func (w *world) nextConduct() Conduct {
	conduct := Conduct{Kind: "ok", Text: "fine", After: 200}
	if w.conducts < len(w.script.Conducts) {
		conduct = w.script.Conducts[w.conducts]
		w.conducts++
	}
	w.count("tool " + conduct.Kind)
	return conduct
}

// checkArguments reads a call's arguments where the effect says that they are,
// and compares them with those that were decided on.
func (w *world) checkArguments(t *kernel.Tool) error {
	data, err := w.blob(t.Output)
	if err != nil {
		return err
	}
	var e llm.Envelope
	if err := json.Unmarshal(data, &e); err != nil {
		return fmt.Errorf("assistant message: %w", err)
	}
	if t.Index < 0 || t.Index >= int64(len(e.ToolCalls)) {
		return fmt.Errorf("the message has no call %d", t.Index)
	}
	args := e.ToolCalls[t.Index].Arguments
	if t.Item >= 0 {
		if args, err = dialect.BatchItem(args, t.Item); err != nil {
			return fmt.Errorf("call %d: %w", t.Item, err)
		}
	}
	if journal.RefOf(args) != t.Args {
		return fmt.Errorf("the arguments %.60q are not the ones that were decided on", string(args))
	}
	return nil
}

// done is what the executor makes of a conduct: text that providers accept, no
// longer than the limit.
func (c *Conduct) done(t *kernel.Tool, nonce string) (*kernel.ToolDone, []journal.Blob) {
	text := strings.ToValidUTF8(expand(c.Text, &dialect.Ask{Nonce: nonce}, 0), "\uFFFD")
	switch c.Kind {
	case "panic":
		return &kernel.ToolDone{Status: kernel.ToolFailed, Error: "the tool panicked"}, nil
	case "fail":
		return &kernel.ToolDone{Status: kernel.ToolFailed, Error: text}, nil
	}
	if text == "" {
		text = " "
	}
	var k keeper
	done := &kernel.ToolDone{Status: kernel.ToolOK, Lines: int64(strings.Count(text, "\n") + 1)}
	if limit := t.MaxBytes; limit > 0 && int64(len(text)) > limit {
		done.Original = kernel.Content{Ref: k.keep([]byte(text)), Bytes: int64(len(text))}
		text = truncate(text, int(limit))
	}
	done.Output = kernel.Content{Ref: k.keep([]byte(text)), Bytes: int64(len(text))}
	return done, k.blobs
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
