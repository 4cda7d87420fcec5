package kernel

import (
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Config is what the kernel must know of a run's configuration. The whole of
// it is the blob that Ref names.
type Config struct {
	Ref     journal.Ref
	Agent   string
	Targets []Target
	// Profiles are looked up when the run starts; their targets follow.
	Profiles []string
	// Advisors, Router and Handoff are the agents that come before and after
	// (contract B5).
	Advisors    []string
	Router      []string
	Handoff     string
	Limits      spec.Limits
	Format      spec.Format
	Transport   spec.Transport
	Completion  spec.Completion
	OnAuthError spec.OnAuthError
	Capture     spec.Capture
	// ToolOutput says that large results are kept and handed out by handle.
	ToolOutput bool
	// Preamble lets text outside the answer reach listeners.
	Preamble bool
	// Estimates of what every request holds besides the conversation.
	SystemTokens int64
	SchemaTokens int64
	// FinalSchemaTokens is SchemaTokens of a final turn.
	FinalSchemaTokens int64

	encoded []byte
}

// plainConfig is a configuration as its fields say.
type plainConfig Config

// Fields codes a configuration. It is part of every state and never changes, so
// its bytes are kept.
func (c *Config) Fields(k *journal.Codec) {
	k.Cached(&c.encoded, func() { plain.Part(k, (*plainConfig)(c)) })
}

var plain = journal.NewTypes(new(plainConfig))

// Target is what the kernel must know of a model.
type Target struct {
	Provider  string
	Model     string
	Profile   string
	Window    int64
	Buffer    int64
	MaxOutput int64
	Price     *llm.Price
}

// Limit is what a request may hold (contract X2).
func (t *Target) Limit() int64 { return t.Window - t.Buffer - t.MaxOutput }

// NewConfig takes from a run's configuration what the kernel needs. ref names
// the configuration's blob.
func NewConfig(run *spec.Run, ref journal.Ref, tools *dialect.Toolset) Config {
	c := Config{
		Ref: ref, Agent: run.Agent, Profiles: run.Profiles, Limits: run.Limits, Format: run.Format, Transport: run.Transport,
		Completion: run.Completion, OnAuthError: run.OnAuthError, Capture: run.Capture,
		ToolOutput: run.ToolOutput, Preamble: run.Preamble,
		SystemTokens: dialect.MessageTokens(int64(len(run.System))),
		SchemaTokens: tools.SchemaTokens(false), FinalSchemaTokens: tools.SchemaTokens(true),
	}
	c.Advisors, c.Handoff = run.Advisors, run.Handoff
	for i := range run.Router {
		c.Router = append(c.Router, run.Router[i].Agent)
	}
	for i := range run.Targets {
		t := &run.Targets[i]
		target := Target{
			Provider: t.Provider, Model: t.Model, Profile: t.Profile,
			Window: t.Window, Buffer: t.Buffer, MaxOutput: t.MaxOutput,
		}
		if t.Price != nil {
			price := *t.Price
			target.Price = &price
		}
		c.Targets = append(c.Targets, target)
	}
	return c
}
