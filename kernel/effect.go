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
	// Hold is the reservation in the ledger that the request is paid from, and
	// Accounts are where it lies.
	Hold     string
	Accounts []Account
	// Reserved is what the request is charged when nobody can say what it cost.
	Reserved llm.Money
}

// Ledger reserves money in accounts that sessions share (contract A5). The
// effect's id names the reservation.
type Ledger struct {
	Accounts []Account
	Amount   llm.Money
	// Release, if not empty, is a reservation that is given back instead.
	Release string
}

// Account is a shared account and how much it may come to.
type Account struct {
	Name  string
	Limit llm.Money
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
	// Again is the first execution's effect when this is one that is repeated:
	// to the far side both are the same.
	Again string
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
	// Stage is set when the run itself asks the agent, not its model; Prompt is
	// what it asks.
	Stage  Stage
	Prompt *Entry
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
func (*Ledger) effect() string   { return "ledger" }

// newEffects makes an empty effect of each class.
var newEffects = map[string]func() EffectBody{
	"generate": blankEffect[Generate], "tool": blankEffect[Tool], "timer": blankEffect[Timer],
	"cancel": blankEffect[Cancel], "lookup": blankEffect[Lookup], "child": blankEffect[Child],
	"forward": blankEffect[Forward], "ledger": blankEffect[Ledger],
}

func blankEffect[T any, P interface {
	*T
	EffectBody
}]() EffectBody {
	return P(new(T))
}
