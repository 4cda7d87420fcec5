package kernel

import (
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
)

// Receipt is the one result of an effect. The first one counts; later ones are
// noted and change nothing.
type Receipt struct {
	Effect    string
	LatencyMS int64
	// Exactly one of these is set, by the class of the effect.
	Generated *Generated
	Tool      *ToolDone
	Timer     *TimerFired
	Lookup    *LookupDone
	Child     *ChildDone
	Forward   *Forwarded
}

// Forwarded says that a child's inbox has what was passed on to it.
type Forwarded struct{}

// Generated is what became of a request to a model (contract P7).
type Generated struct {
	// Request is the digest of what was sent; replay must derive the same.
	Request    journal.Ref
	Output     journal.Ref
	Raw        journal.Ref
	ResponseID string
	Finish     llm.Finish
	Usage      *llm.Usage
	Cost       *llm.Money
	Upstream   *llm.Money
	Warnings   []string
	Provider   string
	Model      string
	Error      *llm.Error
	// Observation is set when there is no error.
	Observation *dialect.Observation
	// Report and TextReport are the payloads of the observation's reports.
	Report     journal.Ref
	TextReport journal.Ref
}

// ToolStatus is how an execution ended.
type ToolStatus string

// The tool statuses.
const (
	ToolOK          ToolStatus = "ok"
	ToolFailed      ToolStatus = "failed"
	ToolTimeout     ToolStatus = "timeout"
	ToolAborted     ToolStatus = "aborted"
	ToolInterrupted ToolStatus = "interrupted"
)

// ToolDone is what became of a tool's execution.
type ToolDone struct {
	Status ToolStatus
	// Output is the result, cut to the limit that the effect named.
	Output Content
	// Error says why it failed, in a few words for the model.
	Error string
	// Original is the result before it was cut, zero when it was not.
	Original Content
	// Lines counts the lines of the output.
	Lines   int64
	Details journal.Ref
}

// LookupDone is what became of a look-up: the run's configuration with
// everything decided, or why there is none.
type LookupDone struct {
	// Catalogue names the version of the profiles that was looked in.
	Catalogue journal.Ref
	Config    *Config
	// Code is profile_not_found, profile_constraint or config_incomplete.
	Code    string
	Message string
}

// Fields codes the result of a look-up.
func (l *LookupDone) Fields(k *journal.Codec) {
	k.Ref(&l.Catalogue)
	journal.Opt(k, &l.Config, func(k *journal.Codec, c *Config) { c.Fields(k) })
	k.String(&l.Code)
	k.String(&l.Message)
}

// ChildDone is what became of a child session.
type ChildDone struct {
	Session string
	OK      bool
	// Output is the child's report as text; Error says why there is none.
	Output Content
	Error  string
	Cost   llm.Money
	Usage  llm.Usage
}

// Fields codes the result of a child.
func (c *ChildDone) Fields(k *journal.Codec) {
	k.String(&c.Session)
	k.Bool(&c.OK)
	c.Output.Fields(k)
	k.String(&c.Error)
	money(k, &c.Cost)
	usage(k, &c.Usage)
}

// TimerFired says that the time has come.
type TimerFired struct{}

// Fields codes the receipt.
func (r *Receipt) Fields(k *journal.Codec) {
	k.String(&r.Effect)
	k.Int(&r.LatencyMS)
	journal.Opt(k, &r.Generated, func(k *journal.Codec, g *Generated) { g.Fields(k) })
	journal.Opt(k, &r.Tool, func(k *journal.Codec, t *ToolDone) { t.Fields(k) })
	journal.Opt(k, &r.Timer, func(*journal.Codec, *TimerFired) {})
	journal.Opt(k, &r.Child, func(k *journal.Codec, c *ChildDone) { c.Fields(k) })
	journal.Opt(k, &r.Forward, func(*journal.Codec, *Forwarded) {})
	journal.Opt(k, &r.Lookup, func(k *journal.Codec, l *LookupDone) { l.Fields(k) })
}

// Fields codes the result of a request.
func (g *Generated) Fields(k *journal.Codec) {
	k.Ref(&g.Request)
	k.Ref(&g.Output)
	k.Ref(&g.Raw)
	k.String(&g.ResponseID)
	journal.Text(k, &g.Finish.Reason)
	k.String(&g.Finish.Raw)
	journal.Opt(k, &g.Usage, usage)
	journal.Opt(k, &g.Cost, money)
	journal.Opt(k, &g.Upstream, money)
	k.Strings(&g.Warnings)
	k.String(&g.Provider)
	k.String(&g.Model)
	journal.Opt(k, &g.Error, llmError)
	journal.Opt(k, &g.Observation, observation)
	k.Ref(&g.Report)
	k.Ref(&g.TextReport)
}

// Fields codes the result of a tool.
func (t *ToolDone) Fields(k *journal.Codec) {
	journal.Text(k, &t.Status)
	t.Output.Fields(k)
	k.String(&t.Error)
	t.Original.Fields(k)
	k.Int(&t.Lines)
	k.Ref(&t.Details)
}

func llmError(k *journal.Codec, e *llm.Error) {
	journal.Text(k, &e.Class)
	k.String(&e.Message)
	status := int64(e.Status)
	k.Int(&status)
	if k.Reading() {
		e.Status = int(status)
	}
	k.String(&e.Code)
	k.Int(&e.RetryAfterMS)
	k.String(&e.RetryAfterSource)
}

func observation(k *journal.Codec, o *dialect.Observation) {
	journal.List(k, &o.Calls, observedCall)
	journal.Opt(k, &o.Report, observedReport)
	journal.Opt(k, &o.TextReport, observedReport)
	k.Bool(&o.HasText)
	k.Bool(&o.HasReasoning)
	journal.List(k, &o.Slugs, journal.Text[dialect.Slug])
	k.Bool(&o.TooManyCalls)
	k.Int(&o.Tokens)
	k.Int(&o.Bytes)
}

func observedCall(k *journal.Codec, c *dialect.Call) {
	k.Int(&c.Index)
	k.String(&c.ID)
	k.String(&c.Name)
	k.Bool(&c.Corrected)
	journal.Text(k, &c.State)
	k.String(&c.Problem)
	k.Ref((*journal.Ref)(&c.Args))
	k.Int(&c.ArgsBytes)
	journal.Text(k, &c.Kind)
	k.String(&c.Server)
	k.String(&c.Queue)
	k.Int(&c.TimeoutMS)
	k.Bool(&c.ReplaySafe)
	k.Bool(&c.Approval)
	k.Bool(&c.Report)
	k.String(&c.Source)
	k.Strings(&c.Repairs)
	journal.Opt(k, &c.Status, taskStatus)
	journal.List(k, &c.Items, observedCall)
}

func taskStatus(k *journal.Codec, s *dialect.TaskStatus) {
	k.String(&s.Status)
	k.String(&s.Done)
	k.String(&s.Pending)
	k.String(&s.Now)
	k.Bool(&s.Ready)
	k.Bool(&s.More)
}

func observedReport(k *journal.Codec, r *dialect.Report) {
	k.String(&r.Call)
	k.Bool(&r.Fit)
	journal.Text(k, &r.Slug)
	k.String(&r.Detail)
	k.String(&r.ModelStatus)
	k.Bool(&r.Normalised)
	k.Int(&r.Bytes)
	k.Bool(&r.Tag)
	k.Bool(&r.Unclosed)
	k.Bool(&r.Truncated)
}
