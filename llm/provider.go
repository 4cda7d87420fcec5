package llm

import (
	"context"
	"encoding/json"
	"iter"
)

// Provider speaks to one model service.
//
// Generate makes exactly one request (contract R9) and yields deltas as they
// arrive, then exactly one receipt, which is the last element. Nothing is ever
// thrown: a failure is a receipt with Error set. While deltas come the receipt
// is nil; with the receipt the delta is empty. Breaking out of the loop or
// cancelling ctx releases everything at once; a cancelled call that is still
// listened to ends in a receipt of class [ClassAborted].
//
// An adapter that is left in the middle of an answer closes its connection and
// does not read the rest, which the service would go on to write.
//
// Generate may be called concurrently. It must not change the request, whose
// messages are shared between calls, nor keep it.
type Provider interface {
	Generate(ctx context.Context, request *Request) iter.Seq2[Delta, *Receipt]
}

// Request is one question to a model, as data (contract P6).
type Request struct {
	// CorrelationID is derived from session, run, turn and attempt; it is the
	// same on every replay.
	CorrelationID string `json:"correlation_id,omitempty"`
	Provider      string `json:"provider"`
	Model         string `json:"model"`

	System string `json:"system,omitempty"`
	// History only grows within a run: the next request's history starts with
	// this one's, pointer for pointer, so that an adapter may reuse what it
	// encoded (contract P12).
	History []*Message `json:"-"`
	// Tail is this request's alone: notices that are never stored. On the wire
	// it follows the history.
	Tail []*Message `json:"tail,omitempty"`

	Tools      []Tool     `json:"tools,omitempty"`
	ToolChoice ToolChoice `json:"tool_choice,omitempty"`
	Sampling   Sampling   `json:"sampling"`
	Stream     bool       `json:"stream,omitempty"`
	// TimeoutMS limits silence while streaming and the whole call otherwise
	// (contract R13). Zero means no limit.
	TimeoutMS int64 `json:"timeout_ms,omitempty"`
	// Options holds provider options by provider namespace; an adapter sends
	// its own namespace and no other.
	Options json.RawMessage `json:"options,omitempty"`
	// ResponseFormat asks the provider for structured output. Whoever is asked,
	// it has the shape that Chat Completions made common,
	//
	//	{"type": "json_object"}
	//	{"type": "json_schema", "json_schema": {"name": …, "schema": {…}, "strict": …}}
	//
	// and adapters translate it. {"type": "text"}, like none, asks for nothing.
	ResponseFormat json.RawMessage `json:"response_format,omitempty"`
}

// Tool is a tool as a model is told of it.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// ToolChoice tells the model whether it may, must or must not call a tool.
type ToolChoice string

// The tool choices. Unset leaves the field out of the request.
const (
	ToolChoiceUnset    ToolChoice = ""
	ToolChoiceAuto     ToolChoice = "auto"
	ToolChoiceRequired ToolChoice = "required"
	ToolChoiceNone     ToolChoice = "none"
)

// Sampling holds the settings that reach the provider exactly as configured
// (contract R8). A nil field is left out of the request.
type Sampling struct {
	Temperature     *float64 `json:"temperature,omitempty"`
	TopP            *float64 `json:"top_p,omitempty"`
	TopK            *int64   `json:"top_k,omitempty"`
	RepeatPenalty   *float64 `json:"repeat_penalty,omitempty"`
	MaxTokens       *int64   `json:"max_tokens,omitempty"`
	ReasoningEffort string   `json:"reasoning_effort,omitempty"`
	ReasoningTokens *int64   `json:"reasoning_tokens,omitempty"`
	Stop            []string `json:"stop,omitempty"`
}

// DeltaKind says what a delta adds to.
type DeltaKind string

// The kinds of delta.
const (
	DeltaText      DeltaKind = "text"
	DeltaReasoning DeltaKind = "reasoning"
	DeltaToolCall  DeltaKind = "tool_call"
)

// Delta is a piece of a response in progress. Deltas of one block share its
// index and concatenate to its whole text; blocks are numbered from zero.
type Delta struct {
	Kind  DeltaKind
	Block int
	// Text is appended to the block; for a tool call, to its arguments.
	Text string
	// CallID and Name come with a tool call's first delta.
	CallID, Name string
}

// Receipt is the one result of a call to a provider (contract P7). On failure
// Error is set and Output holds what had arrived.
type Receipt struct {
	Output     Envelope
	Raw        []byte
	ResponseID string
	Finish     Finish
	Usage      *Usage
	// Cost is what the provider says it charged, nil when it says nothing.
	Cost         *Money
	UpstreamCost *Money
	Warnings     []string
	// ProviderID, ActualProvider and ActualModel name who answered; the latter
	// two differ from the request behind a router.
	ProviderID     string
	ActualProvider string
	ActualModel    string
	Error          *Error
}

// FinishReason is why a response ended, in words common to all providers.
type FinishReason string

// The finish reasons. Unknown covers a provider that gave none.
const (
	FinishStop          FinishReason = "stop"
	FinishLength        FinishReason = "length"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishContentFilter FinishReason = "content_filter"
	FinishRefusal       FinishReason = "refusal"
	FinishError         FinishReason = "error"
	FinishAborted       FinishReason = "aborted"
	FinishUnknown       FinishReason = "unknown"
)

// Finish keeps the normalised reason and the provider's own word.
type Finish struct {
	Reason FinishReason `json:"reason"`
	Raw    string       `json:"raw,omitempty"`
}

// Call runs a request to its end and returns the receipt; deltas are dropped.
// A provider that breaks its promise and yields no receipt gives a failure of
// class [ClassInvalidResponse].
func Call(ctx context.Context, p Provider, request *Request) *Receipt {
	for _, receipt := range p.Generate(ctx, request) {
		if receipt != nil {
			return receipt
		}
	}
	return &Receipt{Error: &Error{Class: ClassInvalidResponse, Message: "the provider's stream ended without a receipt"}}
}
