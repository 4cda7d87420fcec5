package view

import (
	"encoding/json"

	"github.com/ai-agent-go/ai-agent/llm"
)

// EventType names an event of a session's stream (contract S2).
type EventType string

// The events. Every start has its end, in order, whatever fails.
const (
	EventSessionStart  EventType = "session_start"
	EventRunStart      EventType = "run_start"
	EventMessageStart  EventType = "message_start"
	EventMessageEnd    EventType = "message_end"
	EventTextStart     EventType = "text_start"
	EventTextDelta     EventType = "text_delta"
	EventTextEnd       EventType = "text_end"
	EventThinkingStart EventType = "thinking_start"
	EventThinkingDelta EventType = "thinking_delta"
	EventThinkingEnd   EventType = "thinking_end"
	EventToolCallStart EventType = "toolcall_start"
	EventToolCallDelta EventType = "toolcall_delta"
	EventToolCallEnd   EventType = "toolcall_end"
	EventToolStart     EventType = "tool_execution_start"
	EventToolDelta     EventType = "tool_execution_delta"
	EventToolEnd       EventType = "tool_execution_end"
	EventAttemptEnd    EventType = "attempt_end"
	EventGuard         EventType = "guard"
	EventForcedFinal   EventType = "forced_final"
	EventQueueUpdate   EventType = "queue_update"
	EventAwaiting      EventType = "awaiting_tool_execution"
	// EventHandoff is a report that another agent goes on from: no answer.
	EventHandoff         EventType = "handoff"
	EventError           EventType = "error"
	EventFinalReport     EventType = "final_report"
	EventSessionEnd      EventType = "session_end"
	EventExecuteComplete EventType = "execute_complete"
)

// Event is one event of a session's stream. It is small: it never repeats the
// history (contract S4). Fields that an event does not use are left out.
type Event struct {
	Type EventType `json:"type"`
	// Seq is the frame that the event belongs to: a client that reconnects
	// says the last one that it has seen whole.
	Seq uint64 `json:"seq,omitempty"`
	// Durable says that the event comes again when asked for; deltas do not.
	Durable   bool   `json:"-"`
	SessionID string `json:"sessionId,omitempty"`
	Run       int64  `json:"run,omitempty"`
	Turn      int64  `json:"turn,omitempty"`
	Attempt   int64  `json:"attempt,omitempty"`
	Model     string `json:"model,omitempty"`

	Role llm.Role `json:"role,omitempty"`
	// Message is whole in message_end of what was accepted.
	Message *Message `json:"message,omitempty"`
	// Outcome is accepted, rejected, aborted or unknown. What was not accepted
	// is to be discarded.
	Outcome string `json:"outcome,omitempty"`

	// Index numbers the tool calls of a message.
	Index *int   `json:"index,omitempty"`
	Delta string `json:"delta,omitempty"`
	// Answer says that a text delta is part of the answer.
	Answer   bool      `json:"answer,omitempty"`
	Text     string    `json:"text,omitempty"`
	Thinking string    `json:"thinking,omitempty"`
	ToolCall *ToolCall `json:"toolCall,omitempty"`

	ToolCallID string          `json:"toolCallId,omitempty"`
	ToolName   string          `json:"toolName,omitempty"`
	Args       json.RawMessage `json:"args,omitempty"`
	Output     string          `json:"output,omitempty"`
	Status     string          `json:"status,omitempty"`

	ToolCalls []PendingCall `json:"toolCalls,omitempty"`
	Pending   []PendingCall `json:"pendingToolCalls,omitempty"`
	Messages  []Message     `json:"messages,omitempty"`
	Report    *FinalReport  `json:"report,omitempty"`
	// Agent is whom a handoff is to; Reason says whether the model chose it
	// (router) or the configuration (handoff).
	Agent      string     `json:"agent,omitempty"`
	Error      string     `json:"error,omitempty"`
	ErrorClass string     `json:"errorClass,omitempty"`
	Reason     string     `json:"reason,omitempty"`
	Cost       *float64   `json:"cost,omitempty"`
	Usage      *llm.Usage `json:"usage,omitempty"`
	// Steer and FollowUp count inputs that wait.
	Steer    *int64 `json:"steer,omitempty"`
	FollowUp *int64 `json:"followUp,omitempty"`
}
