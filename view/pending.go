package view

import (
	"encoding/json"
	"strings"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
)

// PendingCall is a call that somebody outside must answer (contract S1).
type PendingCall struct {
	ToolCall
	// Kind is remote or approval.
	Kind string `json:"kind"`
	// Deadline is when the wait ends, in milliseconds since 1970; zero is never.
	Deadline int64 `json:"deadline,omitempty"`
}

func (s *Session) pendingCalls(calls []kernel.PendingCall) []PendingCall {
	out := make([]PendingCall, len(calls))
	for i := range calls {
		c := &calls[i]
		id := c.CallID
		if c.Child != "" {
			// A child's call is named by its path; the message has its last part.
			id = id[strings.LastIndexByte(id, '/')+1:]
		}
		out[i] = PendingCall{
			ToolCall: ToolCall{ID: c.CallID, Name: c.Name, Parameters: orObject(s.arguments(c.Output, c.Index, id))},
			Kind:     c.Kind, Deadline: c.Deadline,
		}
	}
	return out
}

// arguments finds a call's arguments in the message that makes it. A call of a
// batch has its arguments inside the batch's, under the last part of its id.
func (s *Session) arguments(message journal.Ref, index int64, callID string) json.RawMessage {
	e := s.envelope(message)
	if e == nil || index < 0 || index >= int64(len(e.ToolCalls)) {
		return nil
	}
	call := &e.ToolCalls[index]
	item, inner := strings.CutPrefix(callID, call.ID+".")
	if !inner || call.ID == callID {
		return call.Arguments
	}
	var batch struct {
		Calls []struct {
			ID         string          `json:"id"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"calls"`
	}
	_ = json.Unmarshal(call.Arguments, &batch) // a batch that cannot be read was never taken apart
	for i := range batch.Calls {
		if batch.Calls[i].ID == item {
			return batch.Calls[i].Parameters
		}
	}
	return nil
}

// peekArguments is [Session.arguments] for what the view can do without.
func (s *Session) peekArguments(f *kernel.ToolStart) json.RawMessage {
	err := s.err
	arguments := s.arguments(f.Output, f.Index, f.CallID)
	s.err = err
	return arguments
}
