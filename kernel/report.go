package kernel

import (
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Where a report came from.
const (
	SourceTool = "tool-call"
	SourceText = "text"
	// SourceHandoff is the report of the agent that answered in this one's
	// place.
	SourceHandoff   = "handoff"
	SourceSynthetic = "synthetic"
)

// The reasons of synthetic failures (contract F7).
const (
	ReasonMaxTurns     = "max_turns_exhausted"
	ReasonContext      = "context_exhausted"
	ReasonRetries      = "retries_exhausted"
	ReasonReportFailed = "final_report_failed"
	ReasonBudget       = "budget_exhausted"
	ReasonAuth         = "auth_error"
	ReasonQuota        = "quota_exceeded"
	ReasonProfile      = "profile_error"
	ReasonAborted      = "aborted"
	ReasonShutdown     = "shutdown"
	ReasonInternal     = "internal_error"
)

// finish takes the model's report. It ends the run, unless another agent is to
// answer.
func (x *step) finish(f *FinalReport) {
	if r := x.s.Run; r.Config.Handoff != "" {
		x.handOver(r.Config.Agent, f.Payload)
		return
	}
	x.report(f)
}

// report ends the run with an answer.
func (x *step) report(f *FinalReport) {
	r := x.s.Run
	f.Turn, f.OK, f.Format, f.At = r.Turn, true, r.Config.Format, x.s.Time
	x.tell(f)
	exit := exitOf(r.Forced)
	if r.Routed {
		exit = "EXIT-ROUTER-HANDOFF"
	}
	x.end(&RunEnd{Status: StatusCompleted, OK: true, Exit: exit})
}

// fail ends the run with a report of our own, so that there is always an
// answer (contract F1), and keeps in the conversation how it ended.
func (x *step) fail(reason, message string) {
	r := x.s.Run
	x.say()
	x.settleBatch("interrupted")
	stop := "error"
	if reason == ReasonAborted || reason == ReasonShutdown {
		stop = "aborted"
	}
	terminal := journal.NewBlob(llm.MustMarshalJSON(&Terminal{
		StopReason: stop, ErrorMessage: message, Partial: r.Partial,
	}))
	payload := journal.NewBlob(llm.MustMarshalJSON(spec.FailurePayload(r.Config.Format, reason, message)))
	x.out.Blobs = append(x.out.Blobs, terminal, payload)
	x.commit(Entry{Kind: dialect.ItemTerminal, Ref: terminal.Ref, Bytes: int64(len(message)), Failed: true})
	x.tell(&FinalReport{
		Turn: r.Turn, Source: SourceSynthetic, Format: r.Config.Format, Payload: payload.Ref,
		Reason: reason, At: x.s.Time,
	})
	x.end(&RunEnd{Status: StatusError, Reason: reason, Error: message, Exit: exitOfFailure(reason, r.LastClass)})
}

// end closes the run. Effects that are still open are cancelled; their
// receipts will find nobody.
func (x *step) end(e *RunEnd) {
	r := x.s.Run
	for i := range r.Open {
		x.cancel(&r.Open[i])
	}
	e.Run, e.Turns, e.Cost, e.Usage, e.Started = r.Number, r.Turn, r.Cost, r.Usage, r.Started
	e.Total = x.s.Totals.Cost
	x.tell(e)
	x.s.Last = e.Status
	steers := r.Steers
	x.s.Run = nil
	// What was said too late for this run is said to the next.
	late := make([]Prompt, 0, len(steers)+len(x.s.FollowUps))
	for _, c := range steers {
		late = append(late, Prompt{Content: c})
	}
	x.s.FollowUps = append(late, x.s.FollowUps...)
	x.startFollowUp()
}

func exitOf(forced dialect.FinalReason) string {
	switch forced {
	case dialect.FinalContext:
		return "EXIT-TOKEN-LIMIT"
	case dialect.FinalUserStop:
		return "EXIT-USER-STOP"
	case dialect.FinalRetries:
		return "EXIT-MAX-RETRIES"
	default:
		return "EXIT-FINAL-ANSWER"
	}
}

func exitOfFailure(reason string, last llm.ErrorClass) string {
	switch reason {
	case ReasonMaxTurns:
		return "EXIT-MAX-TURNS-NO-RESPONSE"
	case ReasonContext, ReasonBudget:
		return "EXIT-TOKEN-LIMIT"
	case ReasonAuth:
		return "EXIT-AUTH-FAILURE"
	case ReasonQuota:
		return "EXIT-QUOTA-EXCEEDED"
	case ReasonProfile:
		return "EXIT-INVALID-MODEL"
	case ReasonAborted:
		return "EXIT-CANCELED"
	case ReasonShutdown:
		return "EXIT-SIGNAL-RECEIVED"
	case ReasonInternal:
		return "EXIT-UNCAUGHT-EXCEPTION"
	case ReasonRetries:
		if last == llm.ClassInvalidResponse {
			return "EXIT-EMPTY-RESPONSE"
		}
		return "EXIT-NO-LLM-RESPONSE"
	default:
		return "EXIT-MAX-RETRIES"
	}
}
