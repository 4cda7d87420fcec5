package view

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/transcript"
)

// Message is one entry of the conversation, in the words of the library's API.
type Message struct {
	Role llm.Role `json:"role"`
	// Content is the text that people read; tags that a model wrote are not in
	// it. Parts has the text as it is.
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

func (s *Session) addMessage(at int64, f *kernel.Message) {
	m := s.message(&f.Entry)
	m.Timestamp = at
	s.Messages = append(s.Messages, m)
}

func (s *Session) message(e *kernel.Entry) Message {
	var m Message
	var err error
	switch e.Kind {
	case dialect.ItemUser:
		var in llm.Message
		err = s.decode(e, &in)
		m = Message{Role: llm.RoleUser, Content: in.Content(), Parts: in.Parts}
	case dialect.ItemAssistant:
		m = Message{Role: llm.RoleAssistant}
		if in := s.envelope(e.Ref); in != nil {
			m = s.assistant(in)
		}
	case dialect.ItemResult:
		m, err = s.result(e)
	case dialect.ItemTerminal:
		var in kernel.Terminal
		err = s.decode(e, &in)
		m = Message{Role: llm.RoleAssistant, StopReason: in.StopReason, ErrorMessage: in.ErrorMessage}
		// Calls that were cut off are not shown: nobody answers them.
		if partial := s.envelope(in.Partial); partial != nil {
			m.Content, m.Reasoning = s.eyes.read(partial.AssistantText), reasoning(partial)
		}
	}
	if err != nil {
		s.err = fmt.Errorf("session %s: %s message: %w", s.ID, e.Kind, err)
	}
	return m
}

// decode reads an entry that is JSON. One whose content cannot be had is empty.
func (s *Session) decode(e *kernel.Entry, in any) error {
	data := s.read(e.Ref)
	if data == nil {
		return nil
	}
	return json.Unmarshal(data, in) //nolint:wrapcheck // the caller names the session
}

func (s *Session) result(e *kernel.Entry) (Message, error) {
	text, err := transcript.Text(e, s.contents.blob)
	return Message{
		Role: llm.RoleTool, Content: text, ToolCallID: e.CallID, ToolName: e.Name, Failed: e.Failed,
		Parts: []llm.Part{{Kind: llm.PartToolResult, Result: &llm.ToolResult{
			CallID: e.CallID, Name: e.Name, Content: text, Failed: e.Failed,
		}}},
	}, err //nolint:wrapcheck // the caller names the session
}

// assistant shows a model's message. The one of the envelope that was read last
// is made once, for the attempt's event and for the conversation.
func (s *Session) assistant(e *llm.Envelope) Message {
	c := &s.contents
	if e != c.envelope {
		return s.newAssistant(e)
	}
	if c.shown == nil {
		m := s.newAssistant(e)
		c.shown = &m
	}
	return *c.shown
}

func (s *Session) newAssistant(e *llm.Envelope) Message {
	m := Message{
		Role: llm.RoleAssistant, Content: s.eyes.read(e.AssistantText), Reasoning: reasoning(e), Parts: e.Message().Parts,
	}
	if len(e.ToolCalls) > 0 {
		m.ToolCalls = make([]ToolCall, len(e.ToolCalls))
	}
	for i := range e.ToolCalls {
		m.ToolCalls[i] = toolCall(&e.ToolCalls[i])
	}
	return m
}

// reasoning is a message's thinking as one text.
func reasoning(e *llm.Envelope) string {
	switch len(e.Reasoning) {
	case 0:
		return ""
	case 1:
		return e.Reasoning[0].Text
	}
	var b strings.Builder
	for i := range e.Reasoning {
		b.WriteString(e.Reasoning[i].Text)
	}
	return b.String()
}

func toolCall(c *llm.ToolCall) ToolCall {
	return ToolCall{ID: c.ID, Name: c.Name, Parameters: orObject(c.Arguments)}
}

// orObject makes arguments that are missing, or could not be read, an object.
func orObject(arguments json.RawMessage) json.RawMessage {
	if len(arguments) == 0 {
		return json.RawMessage("{}")
	}
	return arguments
}
