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
	Ledger    *LedgerDone
}

// LedgerDone says whether the money is set aside; if not, which account lacks
// it.
type LedgerDone struct {
	OK      bool
	Account string
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

// ChildDone is what became of a child session.
type ChildDone struct {
	Session string
	OK      bool
	// Output is the child's report as text, Payload the report itself and Agent
	// who wrote it; Error and Reason say why there is none.
	Output  Content
	Payload journal.Ref
	Agent   string
	Error   string
	Reason  string
	Cost    llm.Money
	Usage   llm.Usage
}

// TimerFired says that the time has come.
type TimerFired struct{}
