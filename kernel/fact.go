package kernel

import (
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Fact is a durable event that people and clients see. Every view is a fold of
// facts.
type Fact interface {
	fact() string
}

// FactKind names a fact's type.
func FactKind(f Fact) string { return f.fact() }

// SessionStart is the first fact of a session.
type SessionStart struct{ Identity Identity }

// ProfileRequested says that a run was asked for and its profiles are being
// looked up: it has not started (contract P1).
type ProfileRequested struct {
	Run      int64
	Profiles []string
	Format   spec.Format
}

// ProfileResolved says that the profiles were found, in which version of the
// catalogue, and which targets they give.
type ProfileResolved struct {
	Run       int64
	Catalogue journal.Ref
	Config    journal.Ref
	Targets   []string
}

// ProfileFailed says why a run did not start (contract P2).
type ProfileFailed struct {
	Run       int64
	Catalogue journal.Ref
	Code      string
	Message   string
}

// RunStart says that a run began, and with which configuration.
type RunStart struct {
	Run    int64
	Config journal.Ref
	Agent  string
	Format spec.Format
	// Targets are provider/model, in order.
	Targets  []string
	MaxTurns int64
	// MaxRetries is the number of attempts that a turn has.
	MaxRetries int64
	// Advisors are asked before the first turn; Router says that the model may
	// hand over, and Handoff names who answers after it.
	Advisors []string
	Router   bool
	Handoff  string
	// Nonce, Transport, Completion and Preamble say what of a response is for
	// people's eyes.
	Nonce      string
	Transport  spec.Transport
	Completion spec.Completion
	Preamble   bool
}

// StageStart says that an agent is asked by the run itself, not by its model
// (contract B5).
type StageStart struct {
	Effect string
	Stage  Stage
	Agent  string
	Child  string
}

// Handoff says that another agent answers in this one's place. The payload is
// what it is given: never an answer for the user (contract B5).
type Handoff struct {
	Turn    int64
	Stage   Stage
	From    string
	To      string
	Payload journal.Ref
}

// Message says that the transcript grew by one entry.
type Message struct {
	Turn  int64
	Entry Entry
}

// TurnStart begins a turn.
type TurnStart struct {
	Turn     int64
	MaxTurns int64
	Final    bool
	Reason   dialect.FinalReason
}

// AttemptStart says that a request is prepared. Its numbers keep
// Expected = Context + New + Schema (contract X7).
type AttemptStart struct {
	Effect  string
	Turn    int64
	Attempt int64
	// Target is the model's index in the configuration's targets.
	Target   int64
	Provider string
	Model    string
	Final    bool
	Reason   dialect.FinalReason
	Slugs    []dialect.Slug
	Context  int64
	New      int64
	Schema   int64
	Expected int64
	Window   int64
	Limit    int64
	// Reserved is what the budget holds back for this request.
	Reserved llm.Money
}

// Outcome is what became of an attempt's message.
type Outcome string

// The outcomes. What was not accepted is to be discarded (contract S2).
const (
	OutcomeAccepted Outcome = "accepted"
	OutcomeRejected Outcome = "rejected"
	OutcomeAborted  Outcome = "aborted"
	OutcomeUnknown  Outcome = "unknown"
)

// AttemptEnd closes an attempt; it is the attempt's accounting entry.
type AttemptEnd struct {
	Effect         string
	Turn           int64
	Attempt        int64
	Provider       string
	Model          string
	ActualProvider string
	ActualModel    string
	Outcome        Outcome
	Error          *llm.Error
	// Slugs say why a technically good response was rejected.
	Slugs      []dialect.Slug
	Finish     llm.Finish
	Usage      *llm.Usage
	Cost       llm.Money
	CostKnown  bool
	Upstream   *llm.Money
	LatencyMS  int64
	Request    journal.Ref
	Output     journal.Ref
	Raw        journal.Ref
	ResponseID string
	Warnings   []string
	// Late says that the receipt came after the run had let go of it.
	Late bool
}

// ToolStart says that an execution is under way.
type ToolStart struct {
	Effect    string
	Turn      int64
	CallID    string
	Name      string
	Server    string
	Kind      spec.ToolKind
	Args      journal.Ref
	ArgsBytes int64
	Output    journal.Ref
	Index     int64
	// Item is the place in a batch's calls, -1 for a call of its own.
	Item int64
	// Child is the session that runs for the call, where one does.
	Child string
	// Again is the first execution's effect when a crash made another necessary.
	Again string
}

// ToolEnd says that an execution ended.
type ToolEnd struct {
	Effect    string
	Turn      int64
	CallID    string
	Name      string
	Status    ToolStatus
	Error     string
	Output    Content
	LatencyMS int64
	// Details are the tool's own, for people and programs, not for the model
	// (contract T16).
	Details journal.Ref
}

// ChildEnd says that a child session ended, and what it cost: the parent's
// money, too (contract A5, T14).
type ChildEnd struct {
	Effect  string
	CallID  string
	Session string
	// Stage is set when the run asked for it, and Agent is whom it asked.
	Stage Stage
	Agent string
	OK    bool
	Error string
	Cost  llm.Money
	Usage llm.Usage
}

// ToolEntry is a tool's accounting entry, made when its result is admitted to
// the conversation (contract A2).
type ToolEntry struct {
	Turn   int64
	CallID string
	Name   string
	Server string
	// Source is where the call was found: native, xml or leaked.
	Source    string
	OK        bool
	Error     string
	LatencyMS int64
	CharsIn   int64
	CharsOut  int64
	// Guard is set when the result was dropped for the context's sake.
	Guard *GuardNumbers
}

// GuardNumbers is the context guard's arithmetic at one moment.
type GuardNumbers struct {
	Original    int64
	Replacement int64
	Projected   int64
	Limit       int64
	Remaining   int64
}

// Guard says that the context guard stepped in.
type Guard struct {
	Turn    int64
	Trigger string
	Outcome string
	// Target is the index of the one that it is about.
	Target   int64
	Provider string
	Model    string
	Numbers  GuardNumbers
}

// ForcedFinal says that the next turn is the last, and why.
type ForcedFinal struct {
	Turn     int64
	Reason   dialect.FinalReason
	MaxTurns int64
}

// Awaiting says that the run waits for results from outside.
type Awaiting struct{ Calls []PendingCall }

// PendingCall is a call that somebody outside must answer.
type PendingCall struct {
	CallID string
	Name   string
	// Kind is remote or approval.
	Kind     string
	Args     journal.Ref
	Output   journal.Ref
	Index    int64
	Deadline int64
	// Child is the session whose call it is, when it is not this one's.
	Child string
}

// Wait says that the run waits before it asks again.
type Wait struct {
	Turn    int64
	Attempt int64
	WaitMS  int64
	Until   int64
	Source  string
}

// QueueUpdate tells how many inputs wait.
type QueueUpdate struct {
	Steer    int64
	FollowUp int64
}

// Log is something worth noting that no other fact says.
type Log struct {
	Severity string
	// Code is stable; tests and tools match it.
	Code    string
	Message string
	Turn    int64
	Ref     journal.Ref
}

// Progress is what the model says of its work (contract T11).
type Progress struct {
	Turn   int64
	CallID string
	Status dialect.TaskStatus
}

// OutputStored says that a result was too large for the conversation and is
// kept under a handle (contract T9).
type OutputStored struct {
	Turn   int64
	CallID string
	Name   string
	Handle string
	// Reason is size_cap, token_budget or reserve_failed.
	Reason string
	Output Content
	Lines  int64
	Tokens int64
}

// FinalReport is the answer (contract F1).
type FinalReport struct {
	Turn   int64
	OK     bool
	Source string
	Format spec.Format
	// Payload names a spec.ReportPayload.
	Payload     journal.Ref
	Reason      string
	ModelStatus string
	// Agent is who wrote it, when it was not the run's own agent.
	Agent string
	At    int64
}

// RunEnd is the last fact of a run, exactly one for each.
type RunEnd struct {
	Run     int64
	Status  string
	OK      bool
	Reason  string
	Error   string
	Exit    string
	Turns   int64
	Cost    llm.Money
	Total   llm.Money
	Usage   llm.Usage
	Started int64
}

// Ignored says that an input changed nothing, and why.
type Ignored struct {
	Effect string
	Reason string
}

func (*SessionStart) fact() string     { return "session_start" }
func (*RunStart) fact() string         { return "run_start" }
func (*ProfileRequested) fact() string { return "profile_requested" }
func (*ProfileResolved) fact() string  { return "profile_resolved" }
func (*ProfileFailed) fact() string    { return "profile_failed" }
func (*StageStart) fact() string       { return "stage_start" }
func (*Handoff) fact() string          { return "handoff" }
func (*Message) fact() string          { return "message" }
func (*TurnStart) fact() string        { return "turn_start" }
func (*AttemptStart) fact() string     { return "attempt_start" }
func (*AttemptEnd) fact() string       { return "attempt_end" }
func (*ToolStart) fact() string        { return "tool_start" }
func (*ToolEnd) fact() string          { return "tool_end" }
func (*ChildEnd) fact() string         { return "child_end" }
func (*ToolEntry) fact() string        { return "tool_entry" }
func (*Guard) fact() string            { return "guard" }
func (*ForcedFinal) fact() string      { return "forced_final" }
func (*Awaiting) fact() string         { return "awaiting" }
func (*Wait) fact() string             { return "wait" }
func (*QueueUpdate) fact() string      { return "queue_update" }
func (*Log) fact() string              { return "log" }
func (*Progress) fact() string         { return "progress" }
func (*OutputStored) fact() string     { return "output_stored" }
func (*FinalReport) fact() string      { return "final_report" }
func (*RunEnd) fact() string           { return "run_end" }
func (*Ignored) fact() string          { return "ignored" }

// newFacts makes an empty fact of each kind.
var newFacts = map[string]func() Fact{
	"session_start": blankFact[SessionStart], "run_start": blankFact[RunStart],
	"profile_requested": blankFact[ProfileRequested], "profile_resolved": blankFact[ProfileResolved],
	"profile_failed": blankFact[ProfileFailed], "stage_start": blankFact[StageStart], "handoff": blankFact[Handoff],
	"message": blankFact[Message], "turn_start": blankFact[TurnStart], "attempt_start": blankFact[AttemptStart],
	"attempt_end": blankFact[AttemptEnd], "tool_start": blankFact[ToolStart], "tool_end": blankFact[ToolEnd],
	"child_end": blankFact[ChildEnd], "tool_entry": blankFact[ToolEntry], "guard": blankFact[Guard],
	"forced_final": blankFact[ForcedFinal], "awaiting": blankFact[Awaiting], "wait": blankFact[Wait],
	"queue_update": blankFact[QueueUpdate], "log": blankFact[Log], "progress": blankFact[Progress],
	"output_stored": blankFact[OutputStored], "final_report": blankFact[FinalReport], "run_end": blankFact[RunEnd],
	"ignored": blankFact[Ignored],
}

func blankFact[T any, P interface {
	*T
	Fact
}]() Fact {
	return P(new(T))
}
