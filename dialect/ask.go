package dialect

import "github.com/ai-agent-go/ai-agent/spec"

// Ask says what one request is for. It is data: the kernel makes it, the
// journal keeps it, Project and Observe read it.
type Ask struct {
	Transport  spec.Transport
	Format     spec.Format
	Completion spec.Completion
	// Nonce is the session's; Slot is the number of the first free slot and
	// Slots how many are offered. Only the XML transports use them.
	Nonce string
	Slot  int64
	Slots int64
	// Turn of MaxTurns, Attempt of MaxAttempts, and how full the context is in
	// percent: what the model is told of its situation.
	Turn, MaxTurns       int64
	Attempt, MaxAttempts int64
	ContextPct           int64
	// Final says that this is the last turn: only the report is offered, and
	// only the report is listened for.
	Final bool
	// Routes says that the model may hand the task over to another agent, on
	// the last turn too (contract L5).
	Routes bool
	// Reason is why the turn is final.
	Reason FinalReason
	// Notices go out with this request alone and are never stored.
	Notices []Notice

	// frozen is the ephemeral text, once Freeze has made it.
	frozen *string
}

// Freeze makes the text that goes out with this request alone, once for all who
// ask for it. The ask must not change after that.
func (a *Ask) Freeze() {
	text := a.tail()
	a.frozen = &text
}

// FinalReason is why a turn is the last.
type FinalReason string

// The reasons, strongest first (contract L8). A stronger one replaces a weaker
// one, never the reverse.
const (
	FinalContext       FinalReason = "context"
	FinalUserStop      FinalReason = "user_stop"
	FinalBudget        FinalReason = "budget"
	FinalReportFailed  FinalReason = "final_report_failed"
	FinalTaskCompleted FinalReason = "task_status_completed"
	FinalTaskOnly      FinalReason = "task_status_only"
	FinalRetries       FinalReason = "retry_exhaustion"
	FinalMaxTurns      FinalReason = "max_turns"
	FinalNone          FinalReason = ""
)

var finalOrder = [...]FinalReason{
	FinalNone, FinalMaxTurns, FinalRetries, FinalTaskOnly, FinalTaskCompleted, FinalReportFailed, FinalBudget,
	FinalUserStop, FinalContext,
}

// Rank orders reasons: a higher rank is a stronger reason.
func (r FinalReason) Rank() int {
	for i, reason := range finalOrder {
		if reason == r {
			return i
		}
	}
	return 0
}
