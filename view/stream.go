package view

import (
	"encoding/json"
	"strings"

	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
)

// Stream turns a session's facts and deltas into the events that a client
// follows. It folds a [Session] beside, of which events take their messages.
//
// Deltas are for the eye: if some were missed, the attempt's end brings what is
// missing as one more delta, so that deltas always add up to the whole text
// (contract S3).
type Stream struct {
	*Session
	message *openMessage
	events  []Event
	seq     uint64
}

// openMessage is an assistant message in progress.
type openMessage struct {
	effect string
	blocks []openBlock
	// last is the block that events are being sent for, -1 before the first.
	last int
}

type openBlock struct {
	kind   llm.DeltaKind
	text   []byte
	id     string
	name   string
	call   int
	opened bool
	closed bool
}

// NewStream starts a stream.
func NewStream(blobs Blobs) *Stream { return &Stream{Session: NewSession(blobs)} }

// Fact folds a fact and returns the events that it makes.
func (s *Stream) Fact(seq uint64, at int64, fact kernel.Fact) ([]Event, error) {
	err := s.Apply(at, fact)
	s.events, s.seq = nil, seq
	switch f := fact.(type) {
	case *kernel.SessionStart:
		s.emit(Event{Type: EventSessionStart, SessionID: s.ID})
	case *kernel.RunStart:
		s.emit(Event{Type: EventRunStart, SessionID: s.ID, Run: f.Run})
	case *kernel.Message:
		s.committed(f)
	case *kernel.AttemptEnd:
		s.attemptEnd(f)
	case *kernel.ToolStart:
		e := Event{Type: EventToolStart, Turn: f.Turn, ToolCallID: f.CallID, ToolName: f.Name}
		if env := s.envelope(f.Output); env != nil && f.Index < int64(len(env.ToolCalls)) {
			e.Args = env.ToolCalls[f.Index].Arguments
		}
		s.emit(e)
	case *kernel.ToolEnd:
		s.emit(Event{
			Type: EventToolEnd, Turn: f.Turn, ToolCallID: f.CallID, ToolName: f.Name, Status: string(f.Status),
			Output: string(s.read(f.Output.Ref)), Error: f.Error,
		})
	case *kernel.Guard:
		s.emit(Event{Type: EventGuard, Turn: f.Turn, Reason: f.Outcome, Model: f.Provider + "/" + f.Model})
	case *kernel.ForcedFinal:
		s.emit(Event{Type: EventForcedFinal, Turn: f.Turn, Reason: string(f.Reason)})
	case *kernel.QueueUpdate:
		s.emit(Event{Type: EventQueueUpdate, Steer: &f.Steer, FollowUp: &f.FollowUp})
	case *kernel.Awaiting:
		s.emit(Event{Type: EventAwaiting, SessionID: s.ID, ToolCalls: s.Pending})
		s.complete(s.Session.Status, s.Pending, s.runCost())
	case *kernel.FinalReport:
		s.emit(Event{Type: EventFinalReport, Run: s.Run, Turn: f.Turn, Report: s.Report, Reason: f.Reason})
	case *kernel.RunEnd:
		if !f.OK {
			s.emit(Event{Type: EventError, Run: f.Run, Error: f.Error, Reason: f.Reason})
		}
		s.emit(Event{Type: EventSessionEnd, SessionID: s.ID, Run: f.Run, Messages: s.Messages[s.RunStart:]})
		s.complete(f.Status, nil, f.Cost)
	}
	return s.events, err
}

func (s *Stream) emit(e Event) {
	e.Seq, e.Durable = s.seq, true
	s.events = append(s.events, e)
}

func (s *Stream) complete(status string, pending []PendingCall, cost llm.Money) {
	usd := cost.USD()
	s.emit(Event{Type: EventExecuteComplete, SessionID: s.ID, Run: s.Run, Status: status, Pending: pending, Cost: &usd})
}

func (s *Stream) runCost() llm.Money {
	var usd float64
	for i := range s.Accounting {
		if c := s.Accounting[i].CostUSD; c != nil {
			usd += *c
		}
	}
	return llm.MoneyFromUSD(usd)
}

// committed tells of messages that did not stream: a user's, a tool's, the last
// word of a run that failed. Assistant messages were told by their attempt.
func (s *Stream) committed(*kernel.Message) {
	m := &s.Messages[len(s.Messages)-1]
	if m.Role == llm.RoleAssistant && m.StopReason == "" {
		return
	}
	s.emit(Event{Type: EventMessageStart, Role: m.Role})
	s.emit(Event{Type: EventMessageEnd, Role: m.Role, Message: m, Outcome: string(kernel.OutcomeAccepted)})
}

// Delta takes a piece of a model's response and returns its events.
func (s *Stream) Delta(seq uint64, effect string, d *llm.Delta) []Event {
	s.events, s.seq = nil, seq
	s.open(effect)
	s.piece(d)
	for i := range s.events {
		s.events[i].Durable = false
	}
	return s.events
}

// ToolDelta takes a piece of a tool's output.
func (s *Stream) ToolDelta(seq uint64, callID, text string) []Event {
	return []Event{{Type: EventToolDelta, Seq: seq, ToolCallID: callID, Delta: text}}
}

func (s *Stream) open(effect string) {
	if s.message != nil && s.message.effect == effect {
		return
	}
	s.message = &openMessage{effect: effect, last: -1}
	s.emit(Event{Type: EventMessageStart, Role: llm.RoleAssistant})
}

// maxBlocks is as many blocks as a response can have.
const maxBlocks = 4096

func (s *Stream) piece(d *llm.Delta) {
	m := s.message
	if d.Block < 0 || d.Block >= maxBlocks {
		return
	}
	for len(m.blocks) <= d.Block {
		m.blocks = append(m.blocks, openBlock{})
	}
	b := &m.blocks[d.Block]
	if b.closed {
		return // blocks do not come back; what is missing comes at the end
	}
	if m.last != d.Block {
		s.closeBlock(m.last)
		m.last = d.Block
	}
	if !b.opened {
		b.opened, b.kind = true, d.Kind
		for i := range m.blocks[:d.Block] {
			if m.blocks[i].kind == llm.DeltaToolCall {
				b.call++
			}
		}
		s.emit(b.event(EventTextStart, EventThinkingStart, EventToolCallStart))
	}
	if d.CallID != "" {
		b.id = d.CallID
	}
	if d.Name != "" {
		b.name = d.Name
	}
	if d.Text == "" {
		return
	}
	b.text = append(b.text, d.Text...)
	e := b.event(EventTextDelta, EventThinkingDelta, EventToolCallDelta)
	e.Delta = d.Text
	s.emit(e)
}

// event makes an event of the block's kind.
func (b *openBlock) event(text, thinking, call EventType) Event {
	switch b.kind {
	case llm.DeltaReasoning:
		return Event{Type: thinking}
	case llm.DeltaToolCall:
		index := b.call
		return Event{Type: call, Index: &index}
	default:
		return Event{Type: text}
	}
}

func (s *Stream) closeBlock(index int) {
	if index < 0 || index >= len(s.message.blocks) {
		return
	}
	b := &s.message.blocks[index]
	if !b.opened || b.closed {
		return
	}
	b.closed = true
	e := b.event(EventTextEnd, EventThinkingEnd, EventToolCallEnd)
	switch b.kind {
	case llm.DeltaText:
		e.Text = string(b.text)
	case llm.DeltaReasoning:
		e.Thinking = string(b.text)
	case llm.DeltaToolCall:
		call := llm.NewToolCall(b.id, b.name, string(b.text))
		shown := toolCall(&call)
		e.ToolCall = &shown
	}
	s.emit(e)
}

// attemptEnd closes the message of an attempt. What listeners have not seen of
// an accepted one they are told now.
func (s *Stream) attemptEnd(f *kernel.AttemptEnd) {
	accepted := f.Outcome == kernel.OutcomeAccepted
	if accepted {
		s.open(f.Effect)
		s.complement(s.envelope(f.Output))
	}
	if s.message != nil && s.message.effect == f.Effect {
		s.closeBlock(s.message.last)
		e := Event{
			Type: EventMessageEnd, Role: llm.RoleAssistant, Outcome: string(f.Outcome), Usage: f.Usage,
			Turn: f.Turn, Attempt: f.Attempt,
		}
		if f.CostKnown {
			usd := f.Cost.USD()
			e.Cost = &usd
		}
		if env := s.envelope(f.Output); accepted && env != nil {
			m := assistantMessage(env)
			e.Message = &m
		}
		s.emit(e)
		s.message = nil
	}
	e := Event{
		Type: EventAttemptEnd, Turn: f.Turn, Attempt: f.Attempt, Model: f.Provider + "/" + f.Model, Outcome: string(f.Outcome),
	}
	if f.Error != nil {
		e.Error, e.ErrorClass = f.Error.Message, string(f.Error.Class)
	}
	s.emit(e)
}

// complement sends what of the message's parts was not seen as deltas. A
// listener that saw everything gets nothing; one that came late gets the rest.
func (s *Stream) complement(e *llm.Envelope) {
	if e == nil {
		return
	}
	whole := e.Message()
	seen := make(map[llm.DeltaKind]string)
	for i := range s.message.blocks {
		b := &s.message.blocks[i]
		if b.opened {
			seen[b.kind] += string(b.text) + "\x00"
		}
	}
	next := len(s.message.blocks)
	for i := range whole.Parts {
		d, ok := delta(&whole.Parts[i])
		if !ok {
			continue
		}
		have, rest, found := strings.Cut(seen[d.Kind], "\x00")
		seen[d.Kind] = rest
		if found {
			// The block was seen from its beginning, whole: deltas are told in
			// order and the end waits for all of them.
			if have == d.Text || d.Kind == llm.DeltaToolCall {
				continue
			}
			d.Text = strings.TrimPrefix(d.Text, have)
			if d.Text == "" || s.message.last < 0 {
				continue
			}
			d.Block = s.message.last
			if s.message.blocks[d.Block].closed {
				continue
			}
		} else {
			d.Block = next
			next++
		}
		s.piece(&d)
	}
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

// MarshalEvent encodes an event for a wire.
func MarshalEvent(e *Event) json.RawMessage { return llm.MustMarshalJSON(e) }
