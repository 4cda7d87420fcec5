package kernel

import (
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Effect is a request as data. Its id derives from the frame that made it, so
// it is the same on every replay and unique in its session.
type Effect struct {
	ID   string
	Body EffectBody
}

// EffectBody is one of the effect types of this package.
type EffectBody interface {
	journal.Fielder
	effect() string
}

// Generate asks a model.
type Generate struct {
	// Correlation is session/run/turn/attempt: no clock, no chance.
	Correlation string
	// Target is the index of the model in the configuration's targets.
	Target   int64
	Provider string
	Model    string
	Config   journal.Ref
	// Head is the end of the transcript that the request projects.
	Head journal.Ref
	Ask  dialect.Ask
	// Capture says whether the provider's own bytes are kept.
	Capture spec.Capture
}

// Tool executes a tool.
type Tool struct {
	CallID string
	Name   string
	// Output and Index say where the arguments are: in the calls of the
	// assistant message that is stored there. Args is their hash.
	Output journal.Ref
	Index  int64
	// Item is the place in a batch's calls, -1 for a call of its own.
	Item       int64
	Args       journal.Ref
	Kind       spec.ToolKind
	Server     string
	Queue      string
	TimeoutMS  int64
	MaxBytes   int64
	ReplaySafe bool
	Config     journal.Ref
}

// Timer asks to be told when a time has come.
type Timer struct {
	At      int64
	Purpose TimerPurpose
	// For is the effect that the timer limits, where it limits one.
	For string
}

// TimerPurpose says what a timer is for.
type TimerPurpose string

// The purposes.
const (
	TimerBackoff  TimerPurpose = "backoff"
	TimerRemote   TimerPurpose = "remote_timeout"
	TimerDeadline TimerPurpose = "run_deadline"
)

// Lookup asks for the profiles that a run is started with (contract P1).
type Lookup struct {
	Config   journal.Ref
	Profiles []string
}

// Child runs another agent in a session of its own, whose last frame becomes
// the receipt (contract T14). Its name derives from this effect.
type Child struct {
	CallID  string
	Name    string
	Session string
	// Output, Index, Item and Args say where the arguments are, as in [Tool].
	Output journal.Ref
	Index  int64
	Item   int64
	Args   journal.Ref
	Config journal.Ref
	// Grant is what the child may spend; zero is without limit.
	Grant llm.Money
}

// Forward passes a command on to a child. It is done when the child's inbox has
// it.
type Forward struct {
	Session string
	Command journal.Record
	// Blobs is the content that the command refers to.
	Blobs []journal.Ref
}

// Cancel asks for an open effect to be stopped; its receipt is still awaited.
type Cancel struct {
	Effect string
	// Session is the child that runs for the effect, where there is one.
	Session string
}

func (*Generate) effect() string { return "generate" }
func (*Tool) effect() string     { return "tool" }
func (*Timer) effect() string    { return "timer" }
func (*Cancel) effect() string   { return "cancel" }
func (*Lookup) effect() string   { return "lookup" }
func (*Child) effect() string    { return "child" }
func (*Forward) effect() string  { return "forward" }

func newEffect(kind string) EffectBody {
	for _, b := range [...]EffectBody{&Generate{}, &Tool{}, &Timer{}, &Cancel{}, &Lookup{}, &Child{}, &Forward{}} {
		if b.effect() == kind {
			return b
		}
	}
	return nil
}

// Fields codes the effect.
func (g *Generate) Fields(k *journal.Codec) {
	k.String(&g.Correlation)
	k.Int(&g.Target)
	k.String(&g.Provider)
	k.String(&g.Model)
	k.Ref(&g.Config)
	k.Ref(&g.Head)
	journal.Text(k, &g.Ask.Transport)
	journal.Text(k, &g.Ask.Format)
	journal.Text(k, &g.Ask.Completion)
	k.String(&g.Ask.Nonce)
	k.Int(&g.Ask.Slot)
	k.Int(&g.Ask.Slots)
	k.Int(&g.Ask.Turn)
	k.Int(&g.Ask.MaxTurns)
	k.Int(&g.Ask.Attempt)
	k.Int(&g.Ask.MaxAttempts)
	k.Int(&g.Ask.ContextPct)
	k.Bool(&g.Ask.Final)
	journal.Text(k, &g.Ask.Reason)
	journal.List(k, &g.Ask.Notices, notice)
	journal.Text(k, &g.Capture)
}

func notice(k *journal.Codec, n *dialect.Notice) {
	journal.Text(k, &n.Slug)
	k.String(&n.Detail)
}

// Fields codes the effect.
func (t *Tool) Fields(k *journal.Codec) {
	k.String(&t.CallID)
	k.String(&t.Name)
	k.Ref(&t.Output)
	k.Int(&t.Index)
	k.Int(&t.Item)
	k.Ref(&t.Args)
	journal.Text(k, &t.Kind)
	k.String(&t.Server)
	k.String(&t.Queue)
	k.Int(&t.TimeoutMS)
	k.Int(&t.MaxBytes)
	k.Bool(&t.ReplaySafe)
	k.Ref(&t.Config)
}

// Fields codes the effect.
func (t *Timer) Fields(k *journal.Codec) {
	k.Int(&t.At)
	journal.Text(k, &t.Purpose)
	k.String(&t.For)
}

// Fields codes the effect.
func (l *Lookup) Fields(k *journal.Codec) {
	k.Ref(&l.Config)
	k.Strings(&l.Profiles)
}

// Fields codes the effect.
func (c *Cancel) Fields(k *journal.Codec) {
	k.String(&c.Effect)
	k.String(&c.Session)
}

// Fields codes the effect.
func (c *Child) Fields(k *journal.Codec) {
	k.String(&c.CallID)
	k.String(&c.Name)
	k.String(&c.Session)
	k.Ref(&c.Output)
	k.Int(&c.Index)
	k.Int(&c.Item)
	k.Ref(&c.Args)
	k.Ref(&c.Config)
	money(k, &c.Grant)
}

// Fields codes the effect.
func (f *Forward) Fields(k *journal.Codec) {
	k.String(&f.Session)
	f.Command.Fields(k)
	journal.List(k, &f.Blobs, (*journal.Codec).Ref)
}
