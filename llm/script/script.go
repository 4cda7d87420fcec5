package script

import "github.com/ai-agent-go/ai-agent/llm"

// Script is a conversation from the model's side, written down beforehand. Its
// JSON form is what [Load] reads.
type Script struct {
	// Name stands in messages about the script. [Load] defaults it to the
	// file's name.
	Name string `json:"name,omitempty"`
	// Repeat says what follows the last turn. Defaults to [RepeatNothing].
	Repeat Repeat `json:"repeat,omitempty"`
	// Turns are the answers in order.
	Turns []Attempts `json:"turns"`
	// Usage is what attempts report that succeed and have no usage of their
	// own. Defaults to none, as from a provider that reports nothing.
	Usage *llm.Usage `json:"usage,omitempty"`
}

// Repeat says what follows a script's last turn.
type Repeat string

// The ways to go on after the last turn.
const (
	// RepeatNothing makes any further turn an error.
	RepeatNothing Repeat = "error"
	// RepeatLast plays the last turn again and again.
	RepeatLast Repeat = "last"
)

// Attempts are the answers to one turn: the first to its first request, the
// next to its first retry, and so on.
type Attempts []Reply

// MarshalJSON writes a single attempt as itself, as people do.
func (a Attempts) MarshalJSON() ([]byte, error) {
	if len(a) == 1 {
		return llm.MarshalJSON(a[0]) //nolint:wrapcheck // our own
	}
	list := struct {
		Attempts []Reply `json:"attempts"`
	}{a}
	return llm.MarshalJSON(list) //nolint:wrapcheck // our own
}

// Step is a turn of a script: [Attempts], or one [Reply] that is the turn's
// only attempt.
type Step interface{ attempts() Attempts }

func (a Attempts) attempts() Attempts { return a }
func (r Reply) attempts() Attempts    { return Attempts{r} }

// Reply is one answer. The zero value is an empty response: no text, no calls,
// no reasoning, no usage.
type Reply struct {
	// Reasoning, Text and Calls are the answer, in this order. Parts is the
	// answer in any other order; it excludes the three.
	Reasoning []llm.Reasoning `json:"reasoning,omitempty"`
	Text      string          `json:"text,omitempty"`
	Calls     []Call          `json:"calls,omitempty"`
	Parts     []Part          `json:"parts,omitempty"`

	// Finish is why the response ended. Defaults to tool_calls when there are
	// calls and to stop when there are none; a failure ends in error.
	Finish llm.FinishReason `json:"finish,omitempty"`
	// Usage is reported with success and with scripted failure. Defaults to
	// the script's on success and to none on failure.
	Usage *llm.Usage `json:"usage,omitempty"`
	// CostUSD is what the provider says it charged. Defaults to saying nothing.
	CostUSD *float64 `json:"cost_usd,omitempty"`
	// Model and Provider are who really answered, as behind a router. Default
	// to the request's.
	Model    string `json:"model,omitempty"`
	Provider string `json:"provider,omitempty"`
	// ResponseID is the provider's id of the response. Defaults to none.
	ResponseID string   `json:"response_id,omitempty"`
	Warnings   []string `json:"warnings,omitempty"`

	// Error makes the attempt fail: before anything arrives, or after the
	// answer above when the reply has one.
	Error *Failure `json:"error,omitempty"`
	// BreakAfter cuts the connection on the way: the attempt fails with a
	// network error and holds what had arrived.
	BreakAfter *Break `json:"break_after,omitempty"`

	// ChunkSize is the number of characters in a delta; none is ever cut.
	// Defaults to 0: each part is one delta.
	ChunkSize int `json:"chunk_size,omitempty"`
	// DelayMS passes before the first delta, or the failure; ChunkDelayMS
	// passes between deltas. Default to 0; the most is a day.
	DelayMS      int64 `json:"delay_ms,omitempty"`
	ChunkDelayMS int64 `json:"chunk_delay_ms,omitempty"`

	// Expect is what the request must be like. Defaults to no demands.
	Expect *Expect `json:"expect,omitempty"`
	// When says which requests the reply is meant for. Defaults to all.
	When *When `json:"when,omitempty"`
}

// Part is a piece of an answer: exactly one of its fields is set.
type Part struct {
	Text      string         `json:"text,omitempty"`
	Reasoning *llm.Reasoning `json:"reasoning,omitempty"`
	Call      *Call          `json:"call,omitempty"`
}

// Call is a tool call.
type Call struct {
	// ID may be empty or repeat another: models do so too, and the envelope
	// then holds an id of ours (contract P8).
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	// Arguments is anything that JSON can hold, and should be an object. A
	// string is sent as it is: that is how malformed arguments are scripted.
	// Nil sends none.
	Arguments any `json:"arguments,omitempty"`
}

// Failure is a provider's refusal, as HTTP would bring it.
type Failure struct {
	// Status is the HTTP status, 0 when there was none.
	Status int `json:"status,omitempty"`
	// Class defaults to that of the status.
	Class llm.ErrorClass `json:"class,omitempty"`
	// Code is the provider's own error code.
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	// Headers may ask for a wait, as retry-after and retry-after-ms do; see
	// [llm.RetryAfter]. Names are in any case.
	Headers map[string]string `json:"headers,omitempty"`
}

// Break is how much arrives before a connection is cut, by chunks or by bytes,
// whichever comes first; 0 is no limit. With both 0 nothing arrives at all.
type Break struct {
	Chunks int `json:"chunks,omitempty"`
	Bytes  int `json:"bytes,omitempty"`
}

// When is a condition on the request. Cycling over targets can be scripted with
// it, each target with attempts of its own.
type When struct {
	// Model is the requested model's exact name; empty is any.
	Model string `json:"model,omitempty"`
}

// Text is a reply that says something.
func Text(text string) Reply { return Reply{Text: text} }

// Calls is a reply that calls tools.
func Calls(calls ...Call) Reply { return Reply{Calls: calls} }

// Fail is a reply that fails with an HTTP status.
func Fail(status int, message string) Reply {
	return Reply{Error: &Failure{Status: status, Message: message}}
}

// Turn is a turn of several attempts.
func Turn(attempts ...Reply) Attempts { return attempts }

// parts returns the answer's pieces in order.
func (r *Reply) parts() []Part {
	if len(r.Parts) > 0 {
		return r.Parts
	}
	var parts []Part
	for i := range r.Reasoning {
		parts = append(parts, Part{Reasoning: &r.Reasoning[i]})
	}
	if r.Text != "" {
		parts = append(parts, Part{Text: r.Text})
	}
	for i := range r.Calls {
		parts = append(parts, Part{Call: &r.Calls[i]})
	}
	return parts
}

// admits reports whether the reply is meant for a model.
func (r *Reply) admits(model string) bool {
	return r.When == nil || r.When.Model == "" || r.When.Model == model
}

// finish is the reason that a complete response ends with.
func (r *Reply) finish() llm.FinishReason {
	if r.Finish != "" {
		return r.Finish
	}
	for _, p := range r.parts() {
		if p.Call != nil {
			return llm.FinishToolCalls
		}
	}
	return llm.FinishStop
}
