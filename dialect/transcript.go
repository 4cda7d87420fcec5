package dialect

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// ItemKind says what a transcript item is.
type ItemKind string

// The kinds of item.
const (
	ItemUser      ItemKind = "user"
	ItemAssistant ItemKind = "assistant"
	ItemResult    ItemKind = "result"
	// ItemTerminal is how a run ended when it failed or was aborted. People see
	// it; no model ever does (contract V5).
	ItemTerminal ItemKind = "terminal"
)

// Item is one entry of a transcript with its content loaded.
type Item struct {
	Kind      ItemKind
	User      *llm.Message
	Assistant *llm.Envelope
	Result    *llm.ToolResult
}

// interrupted answers a call whose result never came.
const interrupted = "(tool failed: interrupted)"

// Projector builds the history of requests in one transport. It only ever
// appends: a request's history begins with the one before, so that adapters
// and provider caches pay for what is new (contract P12).
//
// The transport is the run's; the transcript may come from others. In native
// and xml-final all calls are native ones with a tool message each, wherever
// they were found. In xml no call is: the model's text stands as it wrote it,
// and the results of a turn are one user message. The zero value is native.
type Projector struct {
	transport spec.Transport
	history   []*llm.Message
	// open are the calls of the last assistant message that have no result
	// yet, in order.
	open []llm.ToolCall
	// past are the results of this turn that are not in the history yet,
	// because the turn's one message is not complete.
	past   []string
	digest digester
}

// NewProjector makes a projector for runs of one transport.
func NewProjector(transport spec.Transport) *Projector { return &Projector{transport: transport} }

// Append adds items to the history.
func (p *Projector) Append(items ...Item) {
	for i := range items {
		it := &items[i]
		switch {
		case it.Kind == ItemUser && it.User != nil:
			p.endTurn()
			p.history = append(p.history, spoken(it.User))
		case it.Kind == ItemAssistant && it.Assistant != nil:
			p.endTurn()
			m := p.assistant(it.Assistant)
			if len(m.Parts) > 0 {
				p.history = append(p.history, m)
			}
			p.open = p.calls(it.Assistant, m)
		case it.Kind == ItemResult && it.Result != nil:
			p.answer(it.Result)
		}
	}
}

// calls are the calls that a message waits for: those that the provider sees in
// it, whatever its layout made of them; in xml, where it sees none, all.
func (p *Projector) calls(e *llm.Envelope, m *llm.Message) []llm.ToolCall {
	if p.transport == spec.TransportXML || len(e.Layout) == 0 {
		return e.ToolCalls
	}
	var calls []llm.ToolCall
	for i := range m.Parts {
		if m.Parts[i].Kind == llm.PartToolCall {
			calls = append(calls, *m.Parts[i].Call)
		}
	}
	return calls
}

// answer adds a result at its call's place. Results come in call order; a call
// that was passed over is answered for, a result that no call asked for is
// left out, so that pairs always match (contract V2).
func (p *Projector) answer(r *llm.ToolResult) {
	for i := range p.open {
		if p.open[i].ID != r.CallID {
			continue
		}
		for j := range p.open[:i] {
			p.settle(&p.open[j], orphan(&p.open[j]))
		}
		p.settle(&p.open[i], r)
		if p.open = p.open[i+1:]; len(p.open) == 0 {
			p.endTurn()
		}
		return
	}
}

// settle puts a call's result into the history, or keeps it for the turn's
// message.
func (p *Projector) settle(call *llm.ToolCall, r *llm.ToolResult) {
	if p.transport != spec.TransportXML {
		p.history = append(p.history, toolMessage(r))
		return
	}
	p.past = appendPast(p.past, call, r)
}

// endTurn closes a turn: calls that have no result are answered for.
func (p *Projector) endTurn() {
	for i := range p.open {
		p.settle(&p.open[i], orphan(&p.open[i]))
	}
	p.open = nil
	if len(p.past) > 0 {
		p.history = append(p.history, pastMessage(p.past))
		p.past = nil
	}
}

// unfinished is what endTurn would add now.
func (p *Projector) unfinished() []*llm.Message {
	if len(p.open) == 0 {
		return nil // and nothing is kept then
	}
	if p.transport == spec.TransportXML {
		past := slices.Clip(p.past)
		for i := range p.open {
			past = appendPast(past, &p.open[i], orphan(&p.open[i]))
		}
		if len(past) == 0 {
			return nil
		}
		return []*llm.Message{pastMessage(past)}
	}
	stubs := make([]*llm.Message, len(p.open))
	for i := range p.open {
		stubs[i] = toolMessage(orphan(&p.open[i]))
	}
	return stubs
}

func orphan(call *llm.ToolCall) *llm.ToolResult {
	return &llm.ToolResult{CallID: call.ID, Name: call.Name, Content: interrupted, Failed: true}
}

// toolMessage wraps a result. Providers refuse an empty one, so nothing is a
// space.
func toolMessage(r *llm.ToolResult) *llm.Message {
	if r.Content == "" {
		filled := *r
		filled.Content = " "
		r = &filled
	}
	return &llm.Message{Role: llm.RoleTool, Parts: []llm.Part{{Kind: llm.PartToolResult, Result: r}}}
}

// nothingSaid stands for a user's message without a word: providers refuse a
// blank text, and leaving the message out would leave the model without a
// question.
const nothingSaid = "(the user sent an empty message)"

// spoken returns a user's message with something in it.
func spoken(m *llm.Message) *llm.Message {
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Kind != llm.PartText || strings.TrimSpace(p.Text) != "" {
			return m
		}
	}
	said := llm.Text(llm.RoleUser, nothingSaid)
	return &said
}

// History returns the messages so far. The slice must not be changed.
func (p *Projector) History() []*llm.Message { return slices.Clip(p.history) }

// Digest names a request that this projector made: everything in it, the
// history as a chain. Two requests with one digest are the same request.
func (p *Projector) Digest(request *llm.Request) [sha256.Size]byte {
	p.digest.advance(p.history)
	return p.digest.sum(request)
}
