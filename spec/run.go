package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ai-agent-go/ai-agent/llm"
)

// Run is a run's configuration with everything decided. It is stored as a blob
// and pinned by its hash; what the kernel needs of it travels beside.
type Run struct {
	Agent       string          `json:"agent"`
	System      string          `json:"system,omitempty"`
	Targets     []Target        `json:"targets"`
	Profiles    []string        `json:"profiles,omitempty"`
	Tools       []Tool          `json:"tools,omitempty"`
	Advisors    []string        `json:"advisors,omitempty"`
	Router      []Destination   `json:"router,omitempty"`
	Handoff     string          `json:"handoff,omitempty"`
	Limits      Limits          `json:"limits"`
	Format      Format          `json:"format"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	Transport   Transport       `json:"transport"`
	Completion  Completion      `json:"completion"`
	OnAuthError OnAuthError     `json:"on_auth_error"`
	Sampling    llm.Sampling    `json:"sampling"`
	ToolChoice  llm.ToolChoice  `json:"tool_choice,omitempty"`
	Progress    bool            `json:"progress,omitempty"`
	Batch       bool            `json:"batch,omitempty"`
	Preamble    bool            `json:"preamble,omitempty"`
	ToolOutput  bool            `json:"tool_output,omitempty"`
	Stream      bool            `json:"stream"`
	Capture     Capture         `json:"capture"`
}

// ErrInvalid is wrapped by every error about a spec that cannot be run.
var ErrInvalid = errors.New("invalid configuration")

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// Defaults of a target.
const (
	defaultWindow = 131_072
	defaultBuffer = 8_192
)

// Resolve decides everything that the agent leaves open and checks the whole.
// Values are filled in or refused, never bent (contract P3).
func (a *Agent) Resolve() (*Run, error) {
	r := &Run{
		Agent: a.ID, System: a.System, Profiles: slices.Clone(a.Profiles), Tools: slices.Clone(a.Tools),
		Advisors: slices.Clone(a.Advisors), Router: slices.Clone(a.Router), Handoff: a.Handoff,
		Limits: a.Limits.WithDefaults(), Format: a.Format, Schema: a.Schema, Transport: a.Transport,
		Completion: a.Completion, OnAuthError: a.OnAuthError, Sampling: a.Sampling, ToolChoice: a.ToolChoice,
		Progress: !a.NoProgress && len(a.Tools) > 0, Batch: a.Batch && len(a.Tools) > 0, Preamble: a.Preamble,
		ToolOutput: a.ToolOutput,
		Stream:     !a.NoStream, Capture: a.Capture,
	}
	setDefault(&r.Agent, "agent")
	setDefault(&r.Format, FormatMarkdown)
	setDefault(&r.Transport, TransportXMLFinal)
	setDefault(&r.Completion, CompleteReport)
	setDefault(&r.OnAuthError, AuthFail)
	setDefault(&r.Capture, CaptureErrors)
	for i := range a.Targets {
		t := a.Targets[i]
		t.Sampling = merge(a.Sampling, t.Sampling)
		t.fill()
		var err error
		if t.Options, err = compact(t.Options); err != nil {
			return nil, invalid("target %s: options: %v", &t, err)
		}
		r.Targets = append(r.Targets, t)
	}
	var err error
	if r.Schema, err = compact(r.Schema); err != nil {
		return nil, invalid("schema: %v", err)
	}
	for i := range r.Tools {
		t := &r.Tools[i]
		setDefault(&t.Kind, ToolRemote)
		setDefault(&t.Server, "local")
		setDefault(&t.Queue, "default")
		if len(t.Parameters) == 0 {
			t.Parameters = json.RawMessage(`{"type":"object"}`)
		}
		canonical, err := llm.CanonicalJSON(t.Parameters)
		if err != nil {
			return nil, invalid("tool %q: parameters: %v", t.Name, err)
		}
		t.Parameters = canonical
	}
	return r, r.validate()
}

// Spec returns the agent that resolves to this run: to change something of it
// and resolve again.
func (r *Run) Spec() *Agent {
	return &Agent{
		ID: r.Agent, System: r.System, Targets: slices.Clone(r.Targets), Profiles: slices.Clone(r.Profiles),
		Tools: slices.Clone(r.Tools), Advisors: slices.Clone(r.Advisors), Router: slices.Clone(r.Router), Handoff: r.Handoff,
		Limits: r.Limits, Format: r.Format, Schema: r.Schema, Transport: r.Transport, Completion: r.Completion,
		OnAuthError: r.OnAuthError, Sampling: r.Sampling, ToolChoice: r.ToolChoice, NoProgress: !r.Progress, Batch: r.Batch,
		ToolOutput: r.ToolOutput, Preamble: r.Preamble, NoStream: !r.Stream, Capture: r.Capture,
	}
}

// compact takes the blanks out of JSON: what is sent must be what the stored
// configuration is read as, byte for byte, and storing does so.
func compact(data json.RawMessage) (json.RawMessage, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	err := json.Compact(&b, data)
	return b.Bytes(), err
}

func setDefault[S ~string](v *S, value S) {
	if *v == "" {
		*v = value
	}
}

func (t *Target) fill() {
	if t.Window == 0 {
		t.Window = defaultWindow
	}
	if t.Buffer == 0 {
		t.Buffer = min(defaultBuffer, t.Window/16)
	}
	if t.MaxOutput == 0 {
		t.MaxOutput = t.Window / 4
		if t.Sampling.MaxTokens != nil {
			t.MaxOutput = *t.Sampling.MaxTokens
		}
	}
}

// Limit is what a request may hold: window less buffer less output reserve
// (contract X2).
func (t *Target) Limit() int64 { return t.Window - t.Buffer - t.MaxOutput }

func (r *Run) validate() error {
	if len(r.Targets) == 0 && len(r.Profiles) == 0 {
		return invalid("no model to ask: give at least one target or profile")
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		if t.Provider == "" || t.Model == "" {
			return invalid("target %d: want provider and model, got %q and %q", i+1, t.Provider, t.Model)
		}
		if t.Window < 0 || t.Buffer < 0 || t.MaxOutput < 0 || t.Limit() <= 0 {
			return invalid("target %s: window %d less buffer %d less output reserve %d leaves no room for a request",
				t, t.Window, t.Buffer, t.MaxOutput)
		}
		if err := r.validateBudget(t); err != nil {
			return err
		}
	}
	l := r.Limits
	for _, v := range [...]struct {
		key   string
		value int64
	}{{"max_turns", l.MaxTurns}, {"max_retries", l.MaxRetries}, {"max_tool_calls_per_turn", l.MaxToolCallsPerTurn}} {
		if v.value < 1 {
			return invalid("%s is %d, want at least 1", v.key, v.value)
		}
	}
	if err := r.validateTools(); err != nil {
		return err
	}
	if err := r.validateStages(); err != nil {
		return err
	}
	if !slices.Contains(formats[:], r.Format) {
		return invalid("format %q, want one of %v", r.Format, formats)
	}
	if len(r.Schema) > 0 && r.Format != FormatJSON {
		return invalid("a report schema needs format json, not %s", r.Format)
	}
	if !slices.Contains([]Transport{TransportNative, TransportXMLFinal, TransportXML}, r.Transport) {
		return invalid("transport %q, want native, xml-final or xml", r.Transport)
	}
	if r.Completion != CompleteReport && r.Completion != CompleteText {
		return invalid("completion %q, want report or text", r.Completion)
	}
	if r.OnAuthError != AuthFail && r.OnAuthError != AuthSkip {
		return invalid("on_auth_error %q, want fail or skip", r.OnAuthError)
	}
	if !slices.Contains([]Capture{CaptureAll, CaptureErrors, CaptureNone}, r.Capture) {
		return invalid("capture %q, want all, errors or none", r.Capture)
	}
	return nil
}

// validateBudget checks that a budget can be kept: what a request may cost at
// worst must be known before it is sent (contract A5).
func (r *Run) validateBudget(t *Target) error {
	l := &r.Limits
	if l.MaxCost <= 0 && l.MaxSessionCost <= 0 && l.MaxUserCost <= 0 && l.MaxTenantCost <= 0 {
		return nil
	}
	if t.Price == nil {
		return invalid("target %s: a budget needs a price for every target", t)
	}
	if t.Sampling.MaxTokens == nil {
		return invalid("target %s: a budget needs max_tokens for every target", t)
	}
	if *t.Sampling.MaxTokens > t.MaxOutput {
		return invalid("target %s: max_tokens %d is more than the output reserve %d", t, *t.Sampling.MaxTokens, t.MaxOutput)
	}
	return nil
}

func (r *Run) validateTools() error {
	seen := make(map[string]bool, len(r.Tools))
	for i := range r.Tools {
		t := &r.Tools[i]
		if err := CheckToolName(t.Name); err != nil {
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		if seen[t.Name] || IsIntrinsic(t.Name) {
			return invalid("tool name %q is taken", t.Name)
		}
		seen[t.Name] = true
		if !slices.Contains([]ToolKind{ToolLocal, ToolRemote, ToolAgent}, t.Kind) {
			return invalid("tool %q: kind %q, want local, remote or agent", t.Name, t.Kind)
		}
	}
	return nil
}

// validateStages checks the agents that come before and after.
func (r *Run) validateStages() error {
	seen := map[string]bool{"": true, r.Agent: true}
	for _, name := range r.Advisors {
		if seen[name] {
			return invalid("advisor %q: want another agent's id, each once", name)
		}
		seen[name] = true
	}
	seen = map[string]bool{"": true, r.Agent: true}
	for i := range r.Router {
		if name := r.Router[i].Agent; seen[name] {
			return invalid("router destination %q: want another agent's id, each once", name)
		}
		seen[r.Router[i].Agent] = true
	}
	if r.Handoff != "" && r.Handoff == r.Agent {
		return invalid("agent %q hands off to itself", r.Agent)
	}
	return nil
}

func merge(base, over llm.Sampling) llm.Sampling {
	if over.Temperature != nil {
		base.Temperature = over.Temperature
	}
	if over.TopP != nil {
		base.TopP = over.TopP
	}
	if over.TopK != nil {
		base.TopK = over.TopK
	}
	if over.RepeatPenalty != nil {
		base.RepeatPenalty = over.RepeatPenalty
	}
	if over.MaxTokens != nil {
		base.MaxTokens = over.MaxTokens
	}
	if over.ReasoningEffort != "" {
		base.ReasoningEffort = over.ReasoningEffort
	}
	if over.ReasoningTokens != nil {
		base.ReasoningTokens = over.ReasoningTokens
	}
	if len(over.Stop) > 0 {
		base.Stop = over.Stop
	}
	return base
}
