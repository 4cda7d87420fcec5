package dialect

import (
	"crypto/sha256"

	"github.com/ai-agent-go/ai-agent/llm"
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

// Projector builds the history of requests to one target. It only ever
// appends: a request's history begins with the one before, so that adapters
// and provider caches pay for what is new (contract P12).
type Projector struct {
	history []*llm.Message
	// open are the calls of the last assistant message that have no result
	// yet, in order.
	open []llm.ToolCall
	// digest is the chain of hashes over the first hashed messages.
	digest [sha256.Size]byte
	hashed int
}

// Append adds items to the history.
func (p *Projector) Append(items ...Item) {
	for i := range items {
		it := &items[i]
		switch {
		case it.Kind == ItemUser && it.User != nil:
			p.history = append(p.history, p.orphans()...)
			p.open = nil
			p.history = append(p.history, it.User)
		case it.Kind == ItemAssistant && it.Assistant != nil:
			p.history = append(p.history, p.orphans()...)
			m := it.Assistant.Message()
			p.open = it.Assistant.ToolCalls
			p.history = append(p.history, &m)
		case it.Kind == ItemResult && it.Result != nil:
			p.answer(it.Result)
		}
	}
}

// answer adds a result at its call's place. Results come in call order; a call
// that was passed over is answered for, a result that no call asked for is
// left out, so that pairs always match.
func (p *Projector) answer(r *llm.ToolResult) {
	for i := range p.open {
		if p.open[i].ID != r.CallID {
			continue
		}
		for j := range p.open[:i] {
			p.history = append(p.history, orphan(&p.open[j]))
		}
		p.open = p.open[i+1:]
		p.history = append(p.history, toolMessage(r))
		return
	}
}

func (p *Projector) orphans() []*llm.Message {
	if len(p.open) == 0 {
		return nil
	}
	stubs := make([]*llm.Message, len(p.open))
	for i := range p.open {
		stubs[i] = orphan(&p.open[i])
	}
	return stubs
}

func orphan(call *llm.ToolCall) *llm.Message {
	return toolMessage(&llm.ToolResult{CallID: call.ID, Name: call.Name, Content: interrupted, Failed: true})
}

func toolMessage(r *llm.ToolResult) *llm.Message {
	return &llm.Message{Role: llm.RoleTool, Parts: []llm.Part{{Kind: llm.PartToolResult, Result: r}}}
}

// History returns the messages so far. The slice must not be changed.
func (p *Projector) History() []*llm.Message { return p.history[:len(p.history):len(p.history)] }

// advance moves the digest over what was appended since it was last asked for,
// so that each message is encoded and hashed once however many requests hold
// it.
func (p *Projector) advance() [sha256.Size]byte {
	for _, m := range p.history[p.hashed:] {
		h := sha256.New()
		h.Write(p.digest[:])
		h.Write(llm.MustMarshalJSON(m))
		h.Sum(p.digest[:0])
	}
	p.hashed = len(p.history)
	return p.digest
}

// Digest names a request that this projector made: everything in it, the
// history as a chain. Two requests with one digest are the same request.
func (p *Projector) Digest(request *llm.Request) [sha256.Size]byte {
	history := p.advance()
	h := sha256.New()
	h.Write(history[:])
	h.Write(llm.MustMarshalJSON(request))
	return [sha256.Size]byte(h.Sum(nil))
}
