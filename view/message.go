package view

import (
	"encoding/json"
	"fmt"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
)

// Message is one entry of the conversation, in the words of the library's API.
type Message struct {
	Role      llm.Role   `json:"role"`
	Content   string     `json:"content"`
	ToolCalls []ToolCall `json:"toolCalls,omitempty"`
	// ToolCallID and ToolName belong to results.
	ToolCallID string `json:"toolCallId,omitempty"`
	ToolName   string `json:"toolName,omitempty"`
	Failed     bool   `json:"failed,omitempty"`
	Reasoning  string `json:"reasoning,omitempty"`
	// StopReason is error or aborted on the message that says how a run ended
	// badly; people see it and models do not (contract V5).
	StopReason   string `json:"stopReason,omitempty"`
	ErrorMessage string `json:"errorMessage,omitempty"`
	// Timestamp is when the message joined the conversation.
	Timestamp int64 `json:"timestamp"`
	// Parts is the message as a provider would be sent it, images and
	// signatures included. It is empty for messages that no model sees.
	Parts []llm.Part `json:"-"`
}

// ToolCall is a call as the conversation shows it.
type ToolCall struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
}

// PendingCall is a call that somebody outside must answer (contract S1).
type PendingCall struct {
	ToolCall
	// Kind is remote or approval.
	Kind string `json:"kind"`
	// Deadline is when the wait ends, in milliseconds since 1970; zero is never.
	Deadline int64 `json:"deadline,omitempty"`
}

func (s *Session) addMessage(at int64, f *kernel.Message) {
	m := s.message(&f.Entry)
	m.Timestamp = at
	s.Messages = append(s.Messages, m)
}

func (s *Session) message(e *kernel.Entry) Message {
	var data []byte
	if e.Kind != dialect.ItemResult {
		data = s.read(e.Ref)
	}
	var err error
	var m Message
	switch e.Kind {
	case dialect.ItemUser:
		var in llm.Message
		err = json.Unmarshal(orEmpty(data), &in)
		m = Message{Role: llm.RoleUser, Content: in.Content(), Parts: in.Parts}
	case dialect.ItemAssistant:
		var in llm.Envelope
		err = json.Unmarshal(orEmpty(data), &in)
		m = assistantMessage(&in)
	case dialect.ItemResult:
		var text string
		text, err = e.Text(s.blobs)
		m = Message{
			Role: llm.RoleTool, Content: text, ToolCallID: e.CallID, ToolName: e.Name, Failed: e.Failed,
			Parts: []llm.Part{{Kind: llm.PartToolResult, Result: &llm.ToolResult{
				CallID: e.CallID, Name: e.Name, Content: text, Failed: e.Failed,
			}}},
		}
	case dialect.ItemTerminal:
		var in kernel.Terminal
		err = json.Unmarshal(orEmpty(data), &in)
		m = Message{Role: llm.RoleAssistant, StopReason: in.StopReason, ErrorMessage: in.ErrorMessage}
		if partial := s.envelope(in.Partial); partial != nil {
			m.Content = partial.AssistantText
		}
	}
	if err != nil {
		s.err = fmt.Errorf("session %s: %s message: %w", s.ID, e.Kind, err)
	}
	return m
}

func orEmpty(data []byte) []byte {
	if data == nil {
		return []byte("{}")
	}
	return data
}

func assistantMessage(e *llm.Envelope) Message {
	whole := e.Message()
	m := Message{Role: llm.RoleAssistant, Content: e.AssistantText, Parts: whole.Parts}
	for i := range e.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, toolCall(&e.ToolCalls[i]))
	}
	for i := range e.Reasoning {
		m.Reasoning += e.Reasoning[i].Text
	}
	return m
}

func toolCall(c *llm.ToolCall) ToolCall {
	parameters := c.Arguments
	if len(parameters) == 0 {
		parameters = json.RawMessage("{}")
	}
	return ToolCall{ID: c.ID, Name: c.Name, Parameters: parameters}
}

// envelope reads an assistant message, nil when there is none.
func (s *Session) envelope(ref journal.Ref) *llm.Envelope {
	data := s.read(ref)
	if data == nil {
		return nil
	}
	e := new(llm.Envelope)
	if err := json.Unmarshal(data, e); err != nil {
		s.err = fmt.Errorf("session %s: assistant message: %w", s.ID, err)
		return nil
	}
	return e
}

func (s *Session) pendingCalls(calls []kernel.PendingCall) []PendingCall {
	out := make([]PendingCall, len(calls))
	for i := range calls {
		c := &calls[i]
		out[i] = PendingCall{
			ToolCall: ToolCall{ID: c.CallID, Name: c.Name, Parameters: json.RawMessage("{}")},
			Kind:     c.Kind, Deadline: c.Deadline,
		}
		if e := s.envelope(c.Output); e != nil && c.Index < int64(len(e.ToolCalls)) {
			out[i].ToolCall = toolCall(&e.ToolCalls[c.Index])
			out[i].ID = c.CallID // a child's call is named by its path
		}
	}
	return out
}
