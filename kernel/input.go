package kernel

import (
	"github.com/ai-agent-go/ai-agent/journal"
)

// Input is what moves a session on: a command from outside, or the receipt of
// an effect.
type Input struct {
	// At is the time in milliseconds since 1970, never before the last input's.
	At   int64
	Body InputBody
	// Blobs names the content that came with the input.
	Blobs []journal.Ref

	record journal.Record
}

// NewInput makes an input of its parts. It encodes the body at once, which also
// puts text right that is not text, so that Step sees what replay will see.
func NewInput(at int64, body InputBody, blobs ...journal.Blob) Input {
	in := Input{At: at, Body: body, record: EncodeInput(body)}
	for _, b := range blobs {
		in.Blobs = append(in.Blobs, b.Ref)
	}
	return in
}

// ReadInput reads an input as a journal has it. An encoding that can be read is
// the only one of its value, so it need not be made again.
func ReadInput(at int64, r journal.Record) (Input, error) {
	body, err := DecodeInput(r)
	return Input{At: at, Body: body, record: r}, err
}

// InputBody is one of the input types of this package.
type InputBody interface {
	input() string
}

// Identity says who a session is and where it comes from (contract A3).
type Identity struct {
	Tenant  string
	Session string
	// Parent is the session that called this one; Origin is the root of them
	// all, the session itself when it was called by nobody.
	Parent   string
	Origin   string
	Agent    string
	CallPath string
	// ParentEffect is the parent's effect that this session answers.
	ParentEffect string
	// Master says that the session speaks to the user: nobody called it, or it
	// answers in the place of one that nobody called.
	Master bool
	// User is who the session works for, as authenticated; budgets and tools
	// may depend on it.
	User string
	// ForkedFrom is the session that this one is a fork of, ForkedAt the frame
	// of it up to which they are the same; empty for a session of its own.
	ForkedFrom string
	ForkedAt   int64
}

// Open begins a session.
type Open struct {
	Identity Identity
	// Nonce is 8 hex digits, fixed for the session's life (contract M2).
	Nonce  string
	Config Config
	// History is a conversation from before, oldest first (contract B2).
	History []Entry
	// Answered is what another agent answered last in a fork's original: the
	// model is told of it with the next prompt.
	Answered *Inner
}

// Content is a user's message by reference.
type Content struct {
	Ref   journal.Ref
	Bytes int64
}

// Prompt is a user's message. It starts a run, or waits for the running one to
// end (contract S10).
type Prompt struct {
	Content Content
	// Config replaces the session's configuration whole, for this run
	// (contract P3).
	Config *Config
}

// Continue starts a run without a new message: the model goes on from the
// conversation as it is. It is how a fork, or a session whose last run failed,
// goes on.
type Continue struct {
	// Content is the user's message that is being answered: the last one of the
	// conversation. It is not said again; agents that answer in this one's place
	// are given it.
	Content Content
}

// Steer is a user's message to a running agent: it joins the conversation
// before the next request. With no run it is a prompt.
type Steer struct{ Content Content }

// Stop asks for the final report at the next turn.
type Stop struct{}

// Abort ends the run at once.
type Abort struct {
	// Shutdown says that the host goes down, not that somebody gave up.
	Shutdown bool
	Message  string
}

// ToolResult answers a remote tool's call.
type ToolResult struct {
	CallID  string
	Content Content
	Failed  bool
	// Error says why, in a few words.
	Error string
}

// Decision allows or denies a call that needs approval (contract T17).
type Decision struct {
	CallID string
	Allow  bool
	// User is who decided; Reason is what the model is told of a denial.
	User   string
	Reason string
}

// ChildWaits tells a session that a child of it waits for the outside: its
// pending calls become the parent's (contract S6, T14).
type ChildWaits struct {
	Effect string
	Calls  []PendingCall
}

// SetConfig changes the session's configuration for the next run (contract P4).
type SetConfig struct{ Config Config }

// Fault is told to the kernel by its host when an earlier input made it panic:
// that input is never applied again, and the run ends.
type Fault struct {
	Message string
	// Effect is the effect whose receipt was the bad input, if it was one.
	Effect string
}

func (*Open) input() string       { return "open" }
func (*Prompt) input() string     { return "prompt" }
func (*Continue) input() string   { return "continue" }
func (*Steer) input() string      { return "steer" }
func (*Stop) input() string       { return "stop" }
func (*Abort) input() string      { return "abort" }
func (*ToolResult) input() string { return "tool_result" }
func (*Decision) input() string   { return "decision" }
func (*ChildWaits) input() string { return "child_waits" }
func (*SetConfig) input() string  { return "set_config" }
func (*Fault) input() string      { return "fault" }
func (*Migrate) input() string    { return "migrate" }
func (*Receipt) input() string    { return "receipt" }

// newInputs makes an empty input of each kind.
var newInputs = map[string]func() InputBody{
	"open": blankInput[Open], "prompt": blankInput[Prompt], "steer": blankInput[Steer], "stop": blankInput[Stop],
	"abort": blankInput[Abort], "tool_result": blankInput[ToolResult], "decision": blankInput[Decision],
	"child_waits": blankInput[ChildWaits], "set_config": blankInput[SetConfig], "fault": blankInput[Fault],
	"continue": blankInput[Continue], "migrate": blankInput[Migrate], "receipt": blankInput[Receipt],
}

func blankInput[T any, P interface {
	*T
	InputBody
}]() InputBody {
	return P(new(T))
}
