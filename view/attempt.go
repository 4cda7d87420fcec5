package view

import (
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
)

// attemptEnd closes the message of an attempt. What listeners have not seen of
// an accepted one they are told now; of one that was not accepted they need not
// hear at all.
func (s *Stream) attemptEnd(f *kernel.AttemptEnd) {
	if s.message != nil && s.message.effect != f.Effect {
		s.abandon()
	}
	var env *llm.Envelope
	if f.Outcome == kernel.OutcomeAccepted {
		s.told = f.Output
		env = s.envelope(f.Output)
		if s.message == nil {
			s.open(f.Effect)
		}
		s.complement(env)
	}
	if s.message != nil {
		e := Event{Outcome: string(f.Outcome), Usage: f.Usage, Turn: f.Turn, Attempt: f.Attempt}
		if f.CostKnown {
			usd := f.Cost.USD()
			e.Cost = &usd
		}
		var calls []llm.ToolCall
		if env != nil {
			m := s.assistant(env)
			m.Timestamp = s.at
			e.Message, calls = &m, env.ToolCalls
		}
		s.endMessage(e, calls...)
	}
	if f.Effect == s.attempt {
		s.attempt = ""
	}
	s.sealed = true
	e := Event{
		Type: EventAttemptEnd, Turn: f.Turn, Attempt: f.Attempt, Model: f.Provider + "/" + f.Model, Outcome: string(f.Outcome),
	}
	if f.Error != nil {
		e.Error, e.ErrorClass = f.Error.Message, string(f.Error.Class)
	}
	s.emit(e)
}

// complement tells what of a message was not seen as deltas, part by part, and
// nothing that listeners may not see. If what was seen is not how the message
// begins, because it was put right afterwards, it stays as it is: the message's
// end has the whole.
func (s *Stream) complement(e *llm.Envelope) {
	if e == nil {
		return
	}
	whole := s.show(e)
	m := s.message
	var text, thinking strings.Builder
	for i := range whole {
		switch d := &whole[i].Delta; d.Kind {
		case llm.DeltaText:
			text.WriteString(d.Text)
		case llm.DeltaReasoning:
			thinking.WriteString(d.Text)
		case llm.DeltaToolCall:
		}
	}
	// Of text and thinking, how many bytes of the parts that follow were seen.
	seen, thought := len(m.seen), len(m.thought)
	if !strings.HasPrefix(text.String(), string(m.seen)) {
		seen = text.Len()
	}
	if !strings.HasPrefix(thinking.String(), string(m.thought)) {
		thought = thinking.Len()
	}
	heard, calls := len(m.calls), 0
	for i := range whole {
		switch d := &whole[i].Delta; {
		case d.Kind == llm.DeltaReasoning:
			thought = m.rest(d, thought)
		case d.Kind == llm.DeltaText:
			seen = m.rest(d, seen)
		case calls < heard:
			m.restOfCall(d, calls)
			calls++
		}
		s.piece(&whole[i])
	}
}

// show is what listeners may see of a message, part by part.
func (s *Stream) show(e *llm.Envelope) []dialect.Shown {
	filter := s.eyes.filter()
	parts := s.assistant(e).Parts
	whole := make([]dialect.Shown, 0, len(parts)+1)
	for i := range parts {
		if d, known := delta(&parts[i]); known {
			d.Block = -1 - i // a block of its own
			whole = append(whole, filter.Push(d)...)
		}
	}
	return append(whole, filter.Close()...)
}

// rest takes off a part what was seen of it, and returns how much was seen of
// those that follow. What is left of a block that is open goes on with it.
func (m *openMessage) rest(d *llm.Delta, seen int) int {
	n := min(seen, len(d.Text))
	d.Text = d.Text[n:]
	if n > 0 && m.kind == d.Kind {
		d.Block = m.block
	}
	return seen - n
}

// restOfCall is [openMessage.rest] for the arguments of a call. They are shown in
// the form in which they are stored, which need not go on from what was heard.
func (m *openMessage) restOfCall(d *llm.Delta, index int) {
	c := &m.calls[index]
	after, ok := strings.CutPrefix(d.Text, string(c.text))
	if !ok {
		after = ""
	}
	d.Block, d.Text = c.block, after
}

// delta is a whole part as one delta.
func delta(p *llm.Part) (llm.Delta, bool) {
	switch {
	case p.Kind == llm.PartText:
		return llm.Delta{Kind: llm.DeltaText, Text: p.Text}, true
	case p.Kind == llm.PartReasoning && p.Reasoning != nil:
		return llm.Delta{Kind: llm.DeltaReasoning, Text: p.Reasoning.Text}, true
	case p.Kind == llm.PartToolCall && p.Call != nil:
		text := string(p.Call.Arguments)
		if p.Call.Bad {
			text = p.Call.Raw
		}
		return llm.Delta{Kind: llm.DeltaToolCall, CallID: p.Call.ID, Name: p.Call.Name, Text: text}, true
	default:
		return llm.Delta{}, false
	}
}
