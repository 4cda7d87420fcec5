package spec

import (
	"encoding/json"

	"github.com/ai-agent-go/ai-agent/llm"
)

// Format is the form of the final report.
type Format string

// The formats (contract F3).
const (
	FormatJSON            Format = "json"
	FormatMarkdown        Format = "markdown"
	FormatMarkdownMermaid Format = "markdown+mermaid"
	FormatText            Format = "text"
	FormatTTY             Format = "tty"
	FormatPipe            Format = "pipe"
	FormatSlack           Format = "slack-block-kit"
	FormatSubAgent        Format = "sub-agent"
)

// Formats lists every format, in the order in which people are told of them.
var formats = [...]Format{
	FormatMarkdown, FormatMarkdownMermaid, FormatText, FormatTTY, FormatPipe, FormatJSON, FormatSlack, FormatSubAgent,
}

// Formats returns every format, in the order in which people are told of them.
func Formats() []Format { return formats[:] }

// Transport is how tool calls and the report travel (contract M1).
type Transport string

// The transports.
const (
	TransportNative   Transport = "native"
	TransportXMLFinal Transport = "xml-final"
	TransportXML      Transport = "xml"
)

// Completion says what ends a run (contract R12).
type Completion string

// The completions.
const (
	// CompleteReport asks for a report; plain text is a failed attempt.
	CompleteReport Completion = "report"
	// CompleteText takes text without tool calls as the answer.
	CompleteText Completion = "text"
)

// OnAuthError says what an authentication failure of one target does.
type OnAuthError string

// The reactions (contract R2).
const (
	AuthFail OnAuthError = "fail"
	AuthSkip OnAuthError = "skip"
)

// Agent is what a person writes. Zero fields take the defaults of
// [Limits.WithDefaults] and those written beside them.
type Agent struct {
	// ID names the agent in accounting, logs and trees. Defaults to "agent".
	ID string `json:"id,omitempty"`
	// System is the system prompt.
	System string `json:"system,omitempty"`
	// Targets are tried in order, one per attempt.
	Targets []Target `json:"targets,omitempty"`
	// Profiles names provider profiles that are looked up when a run starts;
	// their targets follow Targets.
	Profiles []string `json:"profiles,omitempty"`
	Tools    []Tool   `json:"tools,omitempty"`
	// Advisors are the ids of agents that are asked first; what they say goes
	// to the agent beside the user's request (contract B5).
	Advisors []string `json:"advisors,omitempty"`
	// Router lists agents that the agent may hand the whole task over to.
	Router []Destination `json:"router,omitempty"`
	// Handoff is the id of the agent that gets the agent's report and answers
	// in its place. It answers in the format that is asked of this one.
	Handoff string `json:"handoff,omitempty"`
	Limits  Limits `json:"limits"`
	// Format defaults to markdown.
	Format Format `json:"format,omitempty"`
	// Schema constrains a json report.
	Schema json.RawMessage `json:"schema,omitempty"`
	// Transport defaults to xml-final.
	Transport  Transport  `json:"transport,omitempty"`
	Completion Completion `json:"completion,omitempty"`
	// OnAuthError defaults to fail.
	OnAuthError OnAuthError    `json:"on_auth_error,omitempty"`
	Sampling    llm.Sampling   `json:"sampling"`
	ToolChoice  llm.ToolChoice `json:"tool_choice,omitempty"`
	// NoProgress leaves out the status tool, which agents with tools have.
	NoProgress bool `json:"no_progress,omitempty"`
	// Batch offers the tool that runs several calls in one.
	Batch bool `json:"batch,omitempty"`
	// ToolOutput keeps results that are too large and gives the model a handle
	// to them instead of cutting them off.
	ToolOutput bool `json:"tool_output,omitempty"`
	// Preamble lets text outside the answer reach listeners.
	Preamble bool `json:"preamble,omitempty"`
	// NoStream asks providers for whole responses.
	NoStream bool `json:"no_stream,omitempty"`
	// Capture says which raw provider bytes are kept. Defaults to errors.
	Capture Capture `json:"capture,omitempty"`
}

// Destination is an agent that a task may be handed over to.
type Destination struct {
	// Agent is its id.
	Agent string `json:"agent"`
	// Description tells the model when to choose it.
	Description string `json:"description,omitempty"`
}

// Capture is the policy for raw provider bytes.
type Capture string

// The capture policies.
const (
	CaptureAll    Capture = "all"
	CaptureErrors Capture = "errors"
	CaptureNone   Capture = "none"
)

// Target is one model to ask, with what the guard and the budget must know of
// it. It is copied into the run's configuration when the run starts.
type Target struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// Profile is the id of the profile that the target came from.
	Profile string `json:"profile,omitempty"`
	// Window is the context window in tokens. Defaults to 131,072.
	Window int64 `json:"window,omitempty"`
	// Buffer is kept free of the window. Defaults to the smaller of 8,192 and
	// a sixteenth of the window.
	Buffer int64 `json:"buffer,omitempty"`
	// MaxOutput is reserved for the answer. Defaults to the sampling's
	// max_tokens, else a quarter of the window.
	MaxOutput int64 `json:"max_output,omitempty"`
	// Price is nil when nobody knows it.
	Price *llm.Price `json:"price,omitempty"`
	// Sampling overrides the agent's, field by field (contract R8).
	Sampling llm.Sampling `json:"sampling"`
	// Options are the provider's own, passed through untouched.
	Options json.RawMessage `json:"options,omitempty"`
	// APIKey refers to the secret; its value is never here.
	APIKey Secret `json:"api_key,omitzero"`
}

// String is provider/model.
func (t *Target) String() string { return t.Provider + "/" + t.Model }

// Secret is a reference to a secret, such as env:API_KEY. Resolving it
// is the business of whoever makes the call; a spec never holds the value, so
// it may be stored and printed.
type Secret struct{ Ref string }

// IsZero reports that no secret is named.
func (s Secret) IsZero() bool { return s.Ref == "" }

// String is the reference.
func (s Secret) String() string { return s.Ref }

// MarshalText writes the reference.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.Ref), nil }

// UnmarshalText reads a reference.
func (s *Secret) UnmarshalText(text []byte) error {
	s.Ref = string(text)
	return nil
}

// Profile is a named way to reach a model (contract P1).
type Profile struct {
	ID                     string          `json:"profile_id"`
	Provider               string          `json:"provider"`
	DefaultModel           string          `json:"default_model"`
	CatalogModelID         string          `json:"catalog_model_id,omitempty"`
	AllowedModels          []string        `json:"allowed_models,omitempty"`
	MaxTokensCap           int64           `json:"max_tokens_cap,omitempty"`
	DefaultReasoningEffort string          `json:"default_reasoning_effort,omitempty"`
	Options                json.RawMessage `json:"provider_options,omitempty"`
	ResponseFormat         json.RawMessage `json:"response_format,omitempty"`
	Target                 Target          `json:"target"`
}

// IsText reports that plain text is the answer.
func (c Completion) IsText() bool { return c == CompleteText }
