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
	Profiles    []string
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
}

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

// Fields codes a configuration.
func (c *Config) Fields(k *journal.Codec) {
	k.Ref(&c.Ref)
	k.String(&c.Agent)
	journal.List(k, &c.Targets, func(k *journal.Codec, t *Target) { t.Fields(k) })
	k.Strings(&c.Profiles)
	limits(k, &c.Limits)
	journal.Text(k, &c.Format)
	journal.Text(k, &c.Transport)
	journal.Text(k, &c.Completion)
	journal.Text(k, &c.OnAuthError)
	journal.Text(k, &c.Capture)
	k.Bool(&c.ToolOutput)
	k.Bool(&c.Preamble)
	k.Int(&c.SystemTokens)
	k.Int(&c.SchemaTokens)
	k.Int(&c.FinalSchemaTokens)
}

// Fields codes a target.
func (t *Target) Fields(k *journal.Codec) {
	k.String(&t.Provider)
	k.String(&t.Model)
	k.String(&t.Profile)
	k.Int(&t.Window)
	k.Int(&t.Buffer)
	k.Int(&t.MaxOutput)
	journal.Opt(k, &t.Price, func(k *journal.Codec, p *llm.Price) {
		money(k, &p.Input)
		money(k, &p.Output)
		money(k, &p.CacheRead)
		money(k, &p.CacheWrite)
	})
}

func limits(k *journal.Codec, l *spec.Limits) {
	k.Int(&l.MaxTurns)
	k.Int(&l.MaxRetries)
	k.Int(&l.MaxToolCallsPerTurn)
	k.Int(&l.ToolTimeoutMS)
	k.Int(&l.LLMTimeoutMS)
	k.Int(&l.RemoteToolTimeoutMS)
	k.Int(&l.ToolResponseMaxBytes)
	k.Int(&l.RunTimeoutMS)
	money(k, &l.MaxCost)
	money(k, &l.MaxSessionCost)
}

func money(k *journal.Codec, m *llm.Money) {
	n := int64(*m)
	k.Int(&n)
	if k.Reading() { // what is only encoded may be shared, and is not written to
		*m = llm.Money(n)
	}
}

func usage(k *journal.Codec, u *llm.Usage) {
	k.Int(&u.Input)
	k.Int(&u.Output)
	k.Int(&u.CacheRead)
	k.Int(&u.CacheWrite)
	k.Int(&u.Reasoning)
}
