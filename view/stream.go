package view

import (
	"encoding/json"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Stream turns a session's facts and deltas into the events that a client
// follows. It folds a [Session] beside, of which events take their messages.
//
// Every start has its end, in order, whatever the facts are (contract S2):
//
//	session_start run_start
//	  message_start (text_start text_delta… text_end | thinking_… | toolcall_…)… message_end
//	  tool_execution_start tool_execution_delta… tool_execution_end
//	session_end execute_complete
//
// Deltas are for the eye: if some were missed, the attempt's end brings what is
// missing, so that deltas always add up to the whole text (contract S3).
type Stream struct {
	*Session
	message *openMessage
	// attempt is the one that deltas are taken for; what comes after its end is
	// too late. sealed says that it is known: a stream that starts in the
	// middle takes the first one that it hears of.
	attempt string
	sealed  bool
	// told is the message that an accepted attempt has told, until it joins the
	// conversation.
	told journal.Ref
	// tools are the executions under way here. waiting are calls that somebody
	// else answers, or a person must allow: nothing is executed for them.
	tools   []openTool
	waiting map[string]bool
	// begun says that a start has been told and not its end. opening is the
	// frame that opened the session: its messages are the conversation from
	// before, which is nobody's news.
	begun   bool
	opening uint64

	events []Event
	seq    uint64
	at     int64
}

// openTool is an execution under way.
type openTool struct {
	effect, callID, name string
	turn                 int64
}

// NewStream starts a stream.
func NewStream(blobs Blobs) *Stream { return &Stream{Session: NewSession(blobs)} }

// Fact folds a fact and returns the events that it makes. The slice is valid
// until the next call.
func (s *Stream) Fact(seq uint64, at int64, fact kernel.Fact) ([]Event, error) {
	err := s.Apply(at, fact)
	s.events, s.seq, s.at = s.events[:0], seq, at
	s.err = nil
	switch f := fact.(type) {
	case *kernel.SessionStart:
		s.opening = seq
		s.begin()
	case *kernel.ProfileRequested:
		s.begin()
	case *kernel.RunStart:
		s.begin()
		s.emit(Event{Type: EventRunStart, SessionID: s.ID, Run: f.Run})
	case *kernel.Message:
		s.committed(f)
	case *kernel.TurnStart:
		clear(s.waiting)
	case *kernel.AttemptStart:
		s.abandon()
		s.attempt, s.sealed = f.Effect, true
	case *kernel.AttemptEnd:
		s.attemptEnd(f)
	case *kernel.ToolStart:
		s.toolStart(f)
	case *kernel.ToolEnd:
		s.toolEnd(f)
	case *kernel.Guard:
		e := Event{Type: EventGuard, Turn: f.Turn, Reason: f.Outcome}
		if f.Provider != "" {
			e.Model = f.Provider + "/" + f.Model
		}
		s.emit(e)
	case *kernel.ForcedFinal:
		s.emit(Event{Type: EventForcedFinal, Turn: f.Turn, Reason: string(f.Reason)})
	case *kernel.QueueUpdate:
		s.emit(Event{Type: EventQueueUpdate, Steer: &f.Steer, FollowUp: &f.FollowUp})
	case *kernel.Awaiting:
		s.emit(Event{Type: EventAwaiting, SessionID: s.ID, ToolCalls: s.Pending})
		s.complete(s.Session.Status, s.Pending, s.totals.cost+s.totals.childrenCost)
	case *kernel.Handoff:
		s.emit(Event{Type: EventHandoff, Run: s.Run, Turn: f.Turn, Report: s.handed, Agent: f.To, Reason: string(f.Stage)})
	case *kernel.FinalReport:
		s.emit(Event{Type: EventFinalReport, Run: s.Run, Turn: f.Turn, Report: s.Report, Reason: f.Reason})
	case *kernel.RunEnd:
		s.runEnd(f)
	}
	if err == nil {
		err = s.err
	}
	return s.events, err
}

func (s *Stream) emit(e Event) {
	e.Seq, e.Durable = s.seq, true
	s.events = append(s.events, e)
}

// begin announces what session_end will close: the session with its first run,
// and every further run.
func (s *Stream) begin() {
	if s.begun {
		return
	}
	s.begun = true
	s.emit(Event{Type: EventSessionStart, SessionID: s.ID})
}

// runEnd closes whatever the run has left open, which is nothing unless a
// receipt was lost, and then the run.
func (s *Stream) runEnd(f *kernel.RunEnd) {
	s.abandon()
	for len(s.tools) > 0 {
		t := &s.tools[0]
		s.toolEnd(&kernel.ToolEnd{Effect: t.effect, Turn: t.turn, CallID: t.callID, Name: t.name, Status: kernel.ToolInterrupted})
	}
	if !f.OK {
		s.emit(Event{Type: EventError, Run: f.Run, Error: f.Error, Reason: f.Reason})
	}
	s.emit(Event{Type: EventSessionEnd, SessionID: s.ID, Run: f.Run, Messages: s.Messages[s.RunStart:]})
	s.complete(f.Status, nil, f.Cost)
	s.begun, s.attempt, s.sealed = false, "", true
}

func (s *Stream) complete(status string, pending []PendingCall, cost llm.Money) {
	usd := cost.USD()
	s.emit(Event{Type: EventExecuteComplete, SessionID: s.ID, Run: s.Run, Status: status, Pending: pending, Cost: &usd})
}

// committed tells of messages that did not stream: a user's, a tool's, the last
// word of a run that failed, a text that was rejected first and is now taken
// for want of a better one.
func (s *Stream) committed(f *kernel.Message) {
	if s.opening != 0 && s.seq == s.opening {
		return
	}
	m := &s.Messages[len(s.Messages)-1]
	if f.Entry.Kind != dialect.ItemAssistant {
		s.emit(Event{Type: EventMessageStart, Role: m.Role})
		s.emit(Event{Type: EventMessageEnd, Role: m.Role, Message: m, Outcome: string(kernel.OutcomeAccepted)})
		return
	}
	if f.Entry.Ref == s.told {
		s.told = journal.Ref{}
		return
	}
	s.abandon()
	s.open("")
	s.complement(s.envelope(f.Entry.Ref))
	s.endMessage(Event{Message: m, Outcome: string(kernel.OutcomeAccepted), Turn: f.Turn})
}

// toolStart tells of an execution. A call that waits for somebody is none.
func (s *Stream) toolStart(f *kernel.ToolStart) {
	if f.Kind == spec.ToolRemote || f.Kind == kernel.ToolAwaitsApproval {
		if s.waiting == nil {
			s.waiting = make(map[string]bool)
		}
		s.waiting[f.Effect] = true
		return
	}
	s.tools = append(s.tools, openTool{f.Effect, f.CallID, f.Name, f.Turn})
	s.emit(Event{
		Type: EventToolStart, Turn: f.Turn, ToolCallID: f.CallID, ToolName: f.Name,
		Args: s.arguments(f.Output, f.Index, f.CallID),
	})
}

// toolEnd tells of an execution's end. A call that was answered without being
// executed has none. An execution whose start this stream has not seen has one,
// because the client may have seen it before it reconnected.
func (s *Stream) toolEnd(f *kernel.ToolEnd) {
	if f.Effect == "" || s.waiting[f.Effect] {
		return
	}
	for i := range s.tools {
		if s.tools[i].effect == f.Effect {
			s.tools = append(s.tools[:i], s.tools[i+1:]...)
			break
		}
	}
	s.emit(Event{
		Type: EventToolEnd, Turn: f.Turn, ToolCallID: f.CallID, ToolName: f.Name, Status: string(f.Status),
		Output: string(s.read(f.Output.Ref)), Error: f.Error,
	})
}

// Delta is [Stream.Shown] for a piece of which it is not known whether it belongs
// to the answer.
func (s *Stream) Delta(seq uint64, effect string, d *llm.Delta) []Event {
	return s.Shown(seq, effect, dialect.Shown{Delta: *d})
}

// Shown takes a piece of a model's response that listeners may see and returns
// its events. The slice is valid until the next call.
func (s *Stream) Shown(seq uint64, effect string, d dialect.Shown) []Event {
	s.events, s.seq = s.events[:0], seq
	if !s.sealed {
		s.attempt, s.sealed = effect, true
	}
	if effect != s.attempt || d.Delta.Block < 0 || d.Delta.Block >= maxBlocks {
		return nil // the attempt has ended without it, or no response has such a block
	}
	if s.message == nil {
		s.open(effect)
	}
	s.piece(&d)
	for i := range s.events {
		s.events[i].Durable = false
	}
	return s.events
}

// ToolDelta takes a piece of a tool's output.
func (s *Stream) ToolDelta(seq uint64, callID, text string) []Event {
	for i := range s.tools {
		if s.tools[i].callID == callID {
			return []Event{{Type: EventToolDelta, Seq: seq, ToolCallID: callID, Delta: text}}
		}
	}
	return nil // the execution has ended without it
}

// MarshalEvent encodes an event for a wire.
func MarshalEvent(e *Event) json.RawMessage { return llm.MustMarshalJSON(e) }
