package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/transcript"
)

// child is a session that another one started. It is played, not simulated:
// what matters here is what its parent makes of its news. News is put into the
// parent's inbox once, keyed by the effect, as a host does; so a child that is
// started again after a crash has nothing to say that it has not said.
type child struct {
	effect, session string
	agent           string
	conduct         Conduct
	grant           llm.Money
	// waiting are the calls that it waits for, end the news of its end.
	waiting []string
	end     *event
}

func (w *world) startChild(id string, c *kernel.Child) {
	if w.children[c.Session] != nil {
		return
	}
	w.out.Executions++
	if err := w.checkPrompt(c); err != nil {
		w.breaks("T10", w.state.Seq, "%s: %v", c.Name, err)
	}
	ch := &child{effect: id, session: c.Session, agent: c.Name, conduct: w.nextConduct(), grant: c.Grant}
	if c.Stage != "" {
		w.count("stage " + string(c.Stage))
	}
	w.children[c.Session] = ch
	if ch.conduct.Waits == 0 {
		w.endChild(ch, ch.conduct.After)
		return
	}
	w.count("child waits")
	waits := &kernel.ChildWaits{Effect: id}
	for i := range ch.conduct.Waits {
		call := kernel.PendingCall{CallID: "k" + strconv.Itoa(i), Name: "there", Kind: "remote", Args: c.Args, Output: c.Output}
		if i%2 == 1 {
			call.Kind = "approval"
		}
		ch.waiting = append(ch.waiting, call.CallID)
		waits.Calls = append(waits.Calls, call)
	}
	w.queue.put(&event{at: w.now + ch.conduct.After/2, tie: w.ties.tie(), body: waits})
}

// checkPrompt reads what a child is asked.
func (w *world) checkPrompt(c *kernel.Child) error {
	if c.Prompt == nil {
		return w.checkArguments(&kernel.Tool{Output: c.Output, Index: c.Index, Item: c.Item, Args: c.Args})
	}
	m, err := transcript.Message(c.Prompt, w.blob)
	if err == nil && strings.Count(m.Content(), "</response__") != strings.Count(m.Content(), "<response__") {
		err = fmt.Errorf("a block is not closed: %.200q", m.Content())
	}
	return err
}

// endChild puts the news of a child's end into its parent's inbox.
func (w *world) endChild(ch *child, after int64) {
	text := []byte(expand(ch.conduct.Text, &dialect.Ask{Nonce: w.script.Nonce}, 0))
	done := &kernel.ChildDone{Session: ch.session, Cost: 1_000_000, Usage: llm.Usage{Input: 10, Output: 1}}
	if ch.grant > 0 {
		done.Cost = min(done.Cost, ch.grant)
	}
	var k keeper
	if ch.conduct.Kind == "ok" {
		done.OK, done.Output = true, kernel.Content{Ref: k.keep(text), Bytes: int64(len(text))}
		payload := spec.ReportPayload{Format: spec.FormatText, Content: cmp.Or(string(text), "(nothing)")}
		done.Payload, done.Agent = k.keep(llm.MustMarshalJSON(&payload)), ch.agent
	} else {
		done.Error = string(text)
		done.Reason = oneOf(w.ties, "", kernel.ReasonAuth, kernel.ReasonMaxTurns)
	}
	w.childNews(ch, after, done, k.blobs)
}

func (w *world) childNews(ch *child, after int64, done *kernel.ChildDone, blobs []journal.Blob) {
	ch.end = &event{
		at: w.now + after, tie: w.ties.tie(), blobs: blobs,
		body: &kernel.Receipt{Effect: ch.effect, LatencyMS: after, Child: done},
	}
	w.queue.put(ch.end)
}

// cancelChild aborts a child, unless its end is in the inbox already. One that
// never came to be, because of a crash, has ended with that.
func (w *world) cancelChild(c *kernel.Cancel) {
	ch := w.children[c.Session]
	if ch == nil {
		ch = &child{effect: c.Effect, session: c.Session}
		w.children[c.Session] = ch
	}
	if ch.end != nil && ch.end.at <= w.now {
		return
	}
	w.count("child cancelled")
	if ch.end != nil {
		ch.end.gone = true
	}
	ch.waiting = nil
	w.childNews(ch, oneOf(w.ties, int64(0), 20), &kernel.ChildDone{Session: c.Session, Error: "aborted", Cost: 5}, nil)
}

// forward passes an answer on to a child, which goes on when it has them all.
// It is keyed by its effect: passed on again after a crash it counts once. A
// child that has ended has no use for it.
func (w *world) forward(effect string, f *kernel.Forward) {
	ch := w.children[f.Session]
	if w.forwarded[effect] || ch != nil && ch.end != nil {
		return
	}
	w.forwarded[effect] = true
	body, err := kernel.DecodeInput(f.Command)
	if ch == nil || err != nil {
		w.breaks("T14", w.state.Seq, "an answer is forwarded to %s: %v", f.Session, err)
		return
	}
	w.count("forwarded")
	id := ""
	switch b := body.(type) {
	case *kernel.Stop:
		return // it hurries, or not
	case *kernel.ToolResult:
		id = b.CallID
	case *kernel.Decision:
		id = b.CallID
	}
	i := slices.Index(ch.waiting, id)
	if i < 0 {
		w.breaks("T14", w.state.Seq, "an answer is forwarded to call %q, which %s does not wait for", id, f.Session)
		return
	}
	if ch.waiting = slices.Delete(ch.waiting, i, i+1); len(ch.waiting) == 0 {
		w.endChild(ch, ch.conduct.After)
	}
}
