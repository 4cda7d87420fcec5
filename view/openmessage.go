package view

import (
	"slices"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
)

// openMessage is an assistant message in progress.
//
// What a listener has seen of it is always a beginning: of the text, of the
// thinking, and of the list of calls. That is so for one who saw everything, for
// one who came late and was told what there was, and for one who lagged behind
// and is told no more. So the end need only bring the rest.
type openMessage struct {
	effect string
	// seen and thought are all text and thinking so far. The block that is open
	// has what comes after from.
	seen, thought []byte
	from          int
	// kind and block are the open block's; kind is empty when none is open.
	kind  llm.DeltaKind
	block int
	// calls stay open until the message ends: their arguments may arrive in
	// turns, and only the end knows what became of them.
	calls []openCall
}

type openCall struct {
	block    int
	id, name string
	text     []byte
}

// maxBlocks is as many blocks as a response can have.
const maxBlocks = 4096

func (s *Stream) open(effect string) {
	s.message = &openMessage{effect: effect}
	s.emit(Event{Type: EventMessageStart, Role: llm.RoleAssistant})
}

// piece adds a delta to the message.
func (s *Stream) piece(p *dialect.Shown) {
	d := &p.Delta
	if d.Kind == llm.DeltaToolCall {
		s.callPiece(d)
		return
	}
	if d.Text == "" {
		return // a block with nothing in it is no block
	}
	m := s.message
	if m.kind != d.Kind || m.block != d.Block {
		s.endBlock()
		m.kind, m.block, m.from = d.Kind, d.Block, len(*m.text(d.Kind))
		s.emit(Event{Type: either(d.Kind, EventTextStart, EventThinkingStart)})
	}
	text := m.text(d.Kind)
	*text = append(*text, d.Text...)
	s.emit(Event{Type: either(d.Kind, EventTextDelta, EventThinkingDelta), Delta: d.Text, Answer: p.Answer})
}

// text is what has been seen of a kind.
func (m *openMessage) text(kind llm.DeltaKind) *[]byte {
	if kind == llm.DeltaReasoning {
		return &m.thought
	}
	return &m.seen
}

func either(kind llm.DeltaKind, text, thinking EventType) EventType {
	if kind == llm.DeltaReasoning {
		return thinking
	}
	return text
}

// endBlock closes the text or the thinking that is open. If its block goes on
// later, that is another one to listeners: nothing is told twice.
func (s *Stream) endBlock() {
	m := s.message
	if m.kind == "" {
		return
	}
	e := Event{Type: either(m.kind, EventTextEnd, EventThinkingEnd)}
	whole := string((*m.text(m.kind))[m.from:])
	if m.kind == llm.DeltaReasoning {
		e.Thinking = whole
	} else {
		e.Text = whole
	}
	m.kind = ""
	s.emit(e)
}

func (s *Stream) callPiece(d *llm.Delta) {
	m := s.message
	i := slices.IndexFunc(m.calls, func(c openCall) bool { return c.block == d.Block })
	if i < 0 {
		s.endBlock()
		i = len(m.calls)
		m.calls = append(m.calls, openCall{block: d.Block})
		s.emit(Event{Type: EventToolCallStart, Index: &i, ToolCallID: d.CallID, ToolName: d.Name})
	}
	c := &m.calls[i]
	if d.CallID != "" {
		c.id = d.CallID
	}
	if d.Name != "" {
		c.name = d.Name
	}
	if d.Text != "" {
		c.text = append(c.text, d.Text...)
		s.emit(Event{Type: EventToolCallDelta, Index: &i, Delta: d.Text})
	}
}

// endCalls closes the calls: as they were accepted, or as they were heard.
func (s *Stream) endCalls(accepted []llm.ToolCall) {
	for i := range s.message.calls {
		var shown ToolCall
		if i < len(accepted) {
			shown = toolCall(&accepted[i])
		} else {
			c := &s.message.calls[i]
			heard := llm.NewToolCall(c.id, c.name, string(c.text))
			shown = toolCall(&heard)
		}
		s.emit(Event{Type: EventToolCallEnd, Index: &i, ToolCall: &shown})
	}
}

// endMessage closes the message and everything in it.
func (s *Stream) endMessage(e Event, accepted ...llm.ToolCall) {
	s.endBlock()
	s.endCalls(accepted)
	e.Type, e.Role = EventMessageEnd, llm.RoleAssistant
	s.emit(e)
	s.message = nil
}

// abandon closes a message whose attempt will not be heard of again.
func (s *Stream) abandon() {
	if s.message != nil {
		s.endMessage(Event{Outcome: string(kernel.OutcomeUnknown)})
	}
}
