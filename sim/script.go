package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Script is a session before it is played. Its lists are used up from the
// front: the first request gets the first reply, the first execution the first
// conduct. Where a list has come to its end the world behaves well, so a script
// with nothing but an agent and a prompt is a session without trouble.
type Script struct {
	// Seed decides ties between events of one time, and nothing else.
	Seed  uint64 `json:"seed"`
	Nonce string `json:"nonce"`
	// Agents are configurations; the first one opens the session.
	Agents []spec.Agent `json:"agents"`
	// History is a conversation from before.
	History []llm.Message `json:"history,omitempty"`
	// Commands come in at their time.
	Commands []Command `json:"commands,omitempty"`
	// Answers are what people do when the session waits for them, each its
	// time after the wait began.
	Answers []Command `json:"answers,omitempty"`
	// Abandon says that nobody answers any more once Answers are used up.
	Abandon  bool      `json:"abandon,omitempty"`
	Replies  []Reply   `json:"replies,omitempty"`
	Conducts []Conduct `json:"conducts,omitempty"`
	Faults   []Fault   `json:"faults,omitempty"`
}

// Deed is what a command does.
type Deed string

// The deeds.
const (
	DoPrompt    Deed = "prompt"
	DoSteer     Deed = "steer"
	DoStop      Deed = "stop"
	DoAbort     Deed = "abort"
	DoShutdown  Deed = "shutdown"
	DoSetConfig Deed = "set_config"
	DoReopen    Deed = "reopen"
	// DoResult, DoFailure, DoAllow and DoDeny answer a call; To says which.
	DoResult  Deed = "result"
	DoFailure Deed = "failure"
	DoAllow   Deed = "allow"
	DoDeny    Deed = "deny"
	// DoForeign is the receipt of an effect that this session never had,
	// DoMisfit a receipt of the wrong class for an effect that is open.
	DoForeign Deed = "foreign_receipt"
	DoMisfit  Deed = "misfit_receipt"
	// DoFault is what a host says after an input that it could not apply.
	DoFault Deed = "fault"
)

// Which call an answer is for.
const (
	ToPending  = ""         // one that waits for this kind of answer
	ToOther    = "other"    // one that waits for another kind
	ToAnswered = "answered" // one that has its answer already
	ToLocal    = "local"    // one that a tool here is working on
	ToNobody   = "nobody"   // one that does not exist
)

// Command is something that comes from outside.
type Command struct {
	// At is in milliseconds: since the session began, or, of an answer, since
	// the wait for it began.
	At   int64  `json:"at"`
	Do   Deed   `json:"do"`
	To   string `json:"to,omitempty"`
	Pick int    `json:"pick,omitempty"`
	Text string `json:"text,omitempty"`
	// Agent is the number of the agent whose configuration comes along, zero
	// for none.
	Agent int `json:"agent,omitempty"`
}

// Reply is what a model answers. Texts may hold marks, see expand.
type Reply struct {
	// Kind is a name for people and for counting.
	Kind   string           `json:"kind"`
	After  int64            `json:"after,omitempty"`
	Blocks []Block          `json:"blocks,omitempty"`
	Finish llm.FinishReason `json:"finish,omitempty"`
	Usage  *llm.Usage       `json:"usage,omitempty"`
	Cost   *llm.Money       `json:"cost,omitempty"`
	Error  *llm.Error       `json:"error,omitempty"`
	// Twice says that the receipt is delivered a second time.
	Twice bool `json:"twice,omitempty"`
}

// Block is a piece of a reply.
type Block struct {
	Kind llm.DeltaKind `json:"kind"`
	ID   string        `json:"id,omitempty"`
	Name string        `json:"name,omitempty"`
	Text string        `json:"text,omitempty"`
	Sign string        `json:"sign,omitempty"`
	// Times repeats the block; zero means once.
	Times int `json:"times,omitempty"`
}

// Conduct is how a tool behaves in one execution.
type Conduct struct {
	// Kind is ok, fail or panic.
	Kind  string `json:"kind"`
	After int64  `json:"after,omitempty"`
	Text  string `json:"text,omitempty"`
	Twice bool   `json:"twice,omitempty"`
	// Waits is how many calls of its own a child waits for, if a child it is.
	Waits int `json:"waits,omitempty"`
}

// Fault is trouble that comes with a frame.
type Fault struct {
	Kind string `json:"kind"`
	// Frame is the number of the frame that it comes with.
	Frame int64 `json:"frame"`
	// MS is how long the host is down, or how far the clock jumps.
	MS int64 `json:"ms,omitempty"`
	// Saved says that the state is rebuilt from a saved one and not from the
	// journal's beginning.
	Saved bool `json:"saved,omitempty"`
}

// The faults.
const (
	// FaultCrashBefore is a crash before the frame is durable: it never was.
	FaultCrashBefore = "crash_before_append"
	// FaultCrashAfter is a crash between the frame and its effects.
	FaultCrashAfter = "crash_after_append"
	// FaultClock is a jump of the host's clock, forwards or backwards.
	FaultClock = "clock_jump"
)

// String writes the script as JSON, an entry to a line: fit to be read, to be
// compared and to be pasted into a test.
func (s *Script) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"seed":%d,"nonce":%q,"abandon":%t,"agents":[`, s.Seed, s.Nonce, s.Abandon)
	items(&b, s.Agents)
	section(&b, "history", s.History)
	section(&b, "commands", s.Commands)
	section(&b, "answers", s.Answers)
	section(&b, "replies", s.Replies)
	section(&b, "conducts", s.Conducts)
	section(&b, "faults", s.Faults)
	b.WriteString("\n]}")
	return b.String()
}

func section[T any](b *strings.Builder, name string, list []T) {
	if len(list) > 0 {
		fmt.Fprintf(b, "\n],%q:[", name)
		items(b, list)
	}
}

func items[T any](b *strings.Builder, list []T) {
	for i := range list {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n  ")
		b.Write(llm.MustMarshalJSON(&list[i]))
	}
}

// ParseScript reads what [Script.String] wrote.
func ParseScript(text string) (*Script, error) {
	s := new(Script)
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(s); err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	return s, nil
}
