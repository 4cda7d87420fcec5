package kernel

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// State is a session. Nothing in it grows with the number of turns.
type State struct {
	// Seq is the number of inputs applied: the number of the last frame.
	Seq      int64
	Time     int64
	Identity Identity
	Nonce    string
	// Slot is the number of the last XML slot that was offered in a turn that
	// is over, Offered how many this turn offers: slots are never offered in a
	// second turn (contract M2).
	Slot    int64
	Offered int64
	// Config is what the next run starts with.
	Config     *Config
	Transcript Transcript
	// Guard outlives runs: the next request carries the whole conversation.
	Guard GuardState
	// Runs counts runs, the active one included.
	Runs int64
	// Run is the active run, nil between runs.
	Run *Run
	// FollowUps wait for the run to end.
	FollowUps []Prompt
	Totals    Totals
	// Last is how the last run ended: completed or error; empty before.
	Last string
	// Answered is what another agent answered in this one's place: the model is
	// told of it with the next prompt.
	Answered *Inner
}

// Transcript is the conversation: where it ends and how long it is.
type Transcript struct {
	Head    journal.Ref
	Entries int64
}

// Totals are sums over the session's life.
type Totals struct {
	Usage    llm.Usage
	Cost     llm.Money
	Attempts int64
	Tools    int64
}

// Phase says what a run is doing.
type Phase string

// The phases.
const (
	// PhaseLookup waits for the run's profiles.
	PhaseLookup Phase = "lookup"
	// PhaseAdvise waits for advisors.
	PhaseAdvise Phase = "advise"
	// PhaseReserve waits for money from shared accounts.
	PhaseReserve Phase = "reserve"
	// PhaseHandoff waits for the agent that answers in this one's place.
	PhaseHandoff Phase = "handoff"
	// PhaseGenerate waits for a model.
	PhaseGenerate Phase = "generate"
	// PhaseTools waits for the calls of a message.
	PhaseTools Phase = "tools"
	// PhaseBackoff waits for a timer before the next attempt.
	PhaseBackoff Phase = "backoff"
	// PhaseAborting waits for open effects to stop.
	PhaseAborting Phase = "aborting"
)

// Run is a run in progress.
type Run struct {
	Number  int64
	Started int64
	// Prompt is what the run was started with; Said says that it is in the
	// conversation.
	Prompt Content
	Said   bool
	// Advice is what advisors said, in their order.
	Advice []Inner
	// Routed says that the model chose who answers.
	Routed bool
	// Asking is the request that waits for money.
	Asking *Asking
	// Config does not change while the run lasts (contract P4).
	Config *Config
	Phase  Phase

	Turn int64
	// MaxTurns may shrink, never grow.
	MaxTurns int64
	// Attempt counts the attempts of this turn.
	Attempt int64
	Forced  dialect.FinalReason
	// Notices go out with the next attempt.
	Notices []dialect.Notice
	// Steers join the conversation before the next request.
	Steers []Content
	Cycle  Cycle
	// Batch is the message whose calls are being settled.
	Batch *Batch
	Open  []OpenEffect

	// Reports counts reports that were rejected.
	Reports int64
	// Wasted counts turns in a row that only told a status or thought.
	Wasted int64
	// LastError is the last attempt's failure, in words.
	LastError string
	LastClass llm.ErrorClass
	// Text is the last text that could serve as a report of last resort.
	Text *TextFallback
	// Ending is set once the end is decided and only open effects are awaited.
	Ending *Ending

	Usage llm.Usage
	Cost  llm.Money
	// Partial is what an aborted attempt had produced.
	Partial journal.Ref
}

// GuardState holds the context guard's counters (contract X1).
type GuardState struct {
	Current int64
	Pending int64
	New     int64
}

// Cycle counts rate limits within one round over the targets.
type Cycle struct {
	// Size is the number of fitting targets when the round began, Asked how
	// many of them were asked, Limited how many of those were rate-limited.
	Size    int64
	Asked   int64
	Limited int64
	WaitMS  int64
	Source  string
	// Backoffs counts rounds in which every target was limited, in a row.
	Backoffs int64
}

// OpenEffect is an effect whose receipt has not come.
type OpenEffect struct {
	ID    string
	Class string
	// Call is the index in the batch of a tool's call, else -1.
	Call int64
	// Target is the index of the model that was asked, else -1.
	Target int64
	Turn   int64
	// Wake is when a timer is due, Purpose what it is for.
	Wake    int64
	Purpose TimerPurpose
	// Remote says that nobody here works on it.
	Remote bool
	// Reserved is what the budget holds back for a request or a child
	// (contract A5).
	Reserved llm.Money
	// Child is the session that runs for the effect; Waits are the calls that
	// it waits for.
	Child string
	Waits []PendingCall
	// Stage and Agent are set when the run asked for the child itself.
	Stage Stage
	Agent string
}

// Asking is a request that is decided on but not sent.
type Asking struct {
	Target   int64
	Ask      dialect.Ask
	Reserved llm.Money
}

// Batch is an assistant message with tool calls, in the course of being
// settled.
type Batch struct {
	Output journal.Ref
	Calls  []BatchCall
	// Admitted counts the calls whose result is in the conversation, Started
	// those that became effects.
	Admitted int64
	Started  int64
	// Report is set when the message holds a fit report: it ends the run once
	// all calls are settled.
	Report      journal.Ref
	ReportCall  string
	ModelStatus string
	// Route is set when the model hands over with this message, by RouteCall.
	Route     *dialect.Route
	RouteCall string
	// TagBytes is the size of a report that came by XML tag, which no call
	// stands for; zero when it came by a call.
	TagBytes int64
}

// BatchCall is one call of a batch.
type BatchCall struct {
	ID string
	// Item is the id that a batch gave to this call, Group the number of calls
	// that follow and belong to this one, which is the batch.
	Item  string
	Group int64
	// Sub is the call's place in its batch; Lines counts the result's.
	Sub    int64
	Lines  int64
	Name   string
	Server string
	Args   journal.Ref
	Index  int64
	In     int64
	Kind   spec.ToolKind
	Queue  string
	// TimeoutMS and ReplaySafe are the tool's.
	TimeoutMS  int64
	ReplaySafe bool
	// Approval says that a person has yet to allow the call.
	Approval bool
	// Effect is the execution; empty when there was none.
	Effect string
	Done   bool
	Failed bool
	// Error is what accounting says.
	Error     string
	Result    Content
	LatencyMS int64
	Deadline  int64
	Source    string
	// Reruns counts executions that a crash made necessary, First is the first
	// one's effect.
	Reruns int64
	First  string
}

// TextFallback is text that may become the report.
type TextFallback struct {
	Output  journal.Ref
	Payload journal.Ref
	Tokens  int64
	Bytes   int64
}

// Ending is a decided end.
type Ending struct {
	Reason  string
	Message string
}

// clone copies everything that a step may change in place.
func (s *State) clone() State {
	c := *s
	c.FollowUps = slices.Clone(s.FollowUps)
	if s.Run == nil {
		return c
	}
	r := *s.Run
	r.Advice = slices.Clone(r.Advice)
	r.Notices = slices.Clone(r.Notices)
	r.Steers = slices.Clone(r.Steers)
	r.Open = slices.Clone(r.Open)
	if r.Batch != nil {
		b := *r.Batch
		b.Calls = slices.Clone(b.Calls)
		r.Batch = &b
	}
	c.Run = &r
	return c
}

// Status is what the outside calls the session (contract S1).
func (s *State) Status() string {
	switch {
	case s.Run == nil && s.Last == "":
		return StatusCompleted
	case s.Run == nil:
		return s.Last
	case s.Run.suspended():
		return StatusAwaiting
	default:
		return StatusRunning
	}
}

// The statuses of a session.
const (
	StatusRunning   = "running"
	StatusAwaiting  = "awaiting_tool_execution"
	StatusCompleted = "completed"
	StatusError     = "error"
)

// Active reports that the session needs an actor: something in this process
// works for it, and its result must be taken. Remote calls and children come
// back through the inbox.
func (s *State) Active() bool {
	if s.Run == nil {
		return false
	}
	for i := range s.Run.Open {
		o := &s.Run.Open[i]
		if !o.Remote && o.Child == "" && (o.Class != "timer" || o.Purpose == TimerBackoff) {
			return true
		}
	}
	return len(s.Run.Open) == 0
}

// WakeAt is when the earliest timer is due, zero for none.
func (s *State) WakeAt() int64 {
	if s.Run == nil {
		return 0
	}
	var at int64
	for i := range s.Run.Open {
		if w := s.Run.Open[i].Wake; w > 0 && (at == 0 || w < at) {
			at = w
		}
	}
	return at
}

// suspended reports that nothing moves until somebody outside acts: all that is
// open is remote calls, children that wait for the outside themselves, and the
// timers that watch over them (contract S6).
func (r *Run) suspended() bool {
	waits := false
	for i := range r.Open {
		o := &r.Open[i]
		switch {
		case o.Remote, len(o.Waits) > 0:
			waits = true
		case o.Class != "timer":
			return false
		}
	}
	return waits
}

// Encode returns the state's bytes.
func (s *State) Encode(buf []byte) []byte { return codes.Append(nil, buf, s) }

// Hash names the state.
func (s *State) Hash() journal.Ref { return journal.RefOf(s.Encode(make([]byte, 0, 2048))) }

// DecodeState reads what [State.Encode] wrote.
func DecodeState(data []byte) (State, error) {
	var s State
	if err := codes.Decode(data, &s); err != nil {
		return s, fmt.Errorf("read state: %w", err)
	}
	return s, nil
}

func effectID(seq int64, index int) string {
	return strconv.FormatInt(seq, 10) + "." + strconv.Itoa(index)
}
