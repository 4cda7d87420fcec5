package kernel

import (
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
)

// generated takes a model's answer. The attempt is closed with exactly one
// AttemptEnd, accepted or not, and then the run goes on (contract R9, A1).
func (x *step) generated(o OpenEffect, rc *Receipt) {
	r, g := x.s.Run, rc.Generated
	end := x.attemptEnd(o, rc)
	if r.Ending != nil {
		r.Partial = g.Output
		end.Outcome = OutcomeAborted
		x.tell(end)
		x.endWhenQuiet()
		return
	}
	if g.Error != nil {
		end.Outcome = OutcomeRejected
		switch g.Error.Class { //nolint:exhaustive // the others are rejected and that is all
		case llm.ClassUnknown:
			end.Outcome = OutcomeUnknown
		case llm.ClassRefusal, llm.ClassInvalidResponse:
			end.Slugs = []dialect.Slug{dialect.SlugEmpty}
		}
		x.tell(end)
		x.providerFailed(g.Error)
		return
	}
	x.classify(end, g)
}

// attemptEnd makes the accounting of an attempt.
func (x *step) attemptEnd(o OpenEffect, rc *Receipt) *AttemptEnd {
	r, g := x.s.Run, rc.Generated
	t := &r.Config.Targets[o.Target]
	end := &AttemptEnd{
		Effect: o.ID, Turn: o.Turn, Attempt: r.Attempt, Provider: t.Provider, Model: t.Model,
		ActualProvider: g.Provider, ActualModel: g.Model, Error: g.Error, Finish: g.Finish, Usage: g.Usage,
		Upstream: g.Upstream, LatencyMS: rc.LatencyMS, Request: g.Request, Output: g.Output, Raw: g.Raw,
		ResponseID: g.ResponseID, Warnings: g.Warnings,
	}
	end.Cost, end.CostKnown = charge(t, o.Reserved, g)
	x.spend(end.Cost)
	x.s.Totals.Attempts++
	if g.Usage != nil {
		r.Usage = r.Usage.Add(*g.Usage)
		x.s.Totals.Usage = x.s.Totals.Usage.Add(*g.Usage)
	}
	return end
}

// providerFailed reacts to trouble that is not the model's: each class has one
// reaction, and this is the only place that has any (contract R2-R4).
func (x *step) providerFailed(e *llm.Error) {
	r := x.s.Run
	switch e.Class {
	case llm.ClassAuth:
		if r.Config.OnAuthError == "skip" {
			x.failedAttempt(e.Class, e.Message)
			return
		}
		r.LastClass = e.Class
		x.fail(ReasonAuth, "The provider rejected the credentials: "+e.Message)
	case llm.ClassQuota:
		r.LastClass = e.Class
		x.fail(ReasonQuota, "The provider's quota or credit is used up: "+e.Message)
	case llm.ClassRateLimit:
		x.limited(e)
		x.failedAttempt(e.Class, e.Message)
	case llm.ClassContextOverflow:
		if r.Turn < r.MaxTurns {
			x.force(dialect.FinalContext)
			r.MaxTurns = r.Turn
		}
		x.failedAttempt(e.Class, e.Message)
	case llm.ClassRefusal, llm.ClassInvalidResponse:
		x.failedAttempt(e.Class, e.Message, dialect.Notice{Slug: dialect.SlugEmpty})
	case llm.ClassNetwork, llm.ClassTimeout, llm.ClassServer, llm.ClassModel, llm.ClassAborted, llm.ClassUnknown:
		x.failedAttempt(e.Class, e.Message)
	default:
		x.failedAttempt(e.Class, e.Message)
	}
}

// classify decides what a response is, by its observation alone.
func (x *step) classify(end *AttemptEnd, g *Generated) {
	r, o := x.s.Run, g.Observation
	if o == nil {
		x.reject(end, dialect.Notice{Slug: dialect.SlugEmpty})
		return
	}
	x.observed = o.Slugs
	final := r.Turn >= r.MaxTurns
	truncated := g.Finish.Reason == llm.FinishLength
	runnable := runnableCalls(o.Calls)
	switch {
	case o.TooManyCalls:
		x.reject(end, dialect.Notice{Slug: dialect.SlugTooManyCalls})
	case truncated && len(o.Calls) > 0:
		// A call that was cut off is never executed (contract T5).
		x.noteReport(o.Report != nil, g.Output, "output_truncated")
		x.reject(end, dialect.Notice{Slug: dialect.SlugTruncated})
	case o.Report != nil && o.Report.Fit, runnable > 0:
		x.acceptResponse(end, g)
		x.startBatch(g)
	case o.Report != nil:
		if final && o.TextReport != nil && o.TextReport.Fit && o.TextReport.Truncated {
			x.keepText(g)
		}
		x.noteReport(true, g.Output, string(o.Report.Slug)+": "+o.Report.Detail)
		x.reject(end, dialect.Notice{Slug: o.Report.Slug, Detail: o.Report.Detail})
	case len(o.Calls) > 0:
		x.reject(end, dialect.Notice{Slug: dialect.SlugNoCallExecutable, Detail: dialect.Problems(o.Calls)})
	case o.HasText && r.Config.Completion.IsText() && o.TextReport.Fit && !truncated:
		x.acceptResponse(end, g)
		x.finish(&FinalReport{Source: SourceText, Payload: g.TextReport})
	case o.HasText:
		x.textOnly(end, g, final, truncated)
	case o.HasReasoning && !final:
		x.acceptResponse(end, g)
		x.progressed(false)
		x.nextTurn()
	case o.HasReasoning:
		x.reject(end, dialect.Notice{Slug: dialect.SlugReasoningOnly})
	default:
		x.reject(end, dialect.Notice{Slug: dialect.SlugEmpty})
	}
}

// textOnly handles text where a report or a call was wanted. On the last turn
// it is kept as the report of last resort (contract F1).
func (x *step) textOnly(end *AttemptEnd, g *Generated, final, truncated bool) {
	notices := []dialect.Notice{{Slug: dialect.SlugTextOnly}}
	if final {
		notices[0].Slug = dialect.SlugFinalNoReport
		if g.Observation.TextReport.Fit {
			x.keepText(g)
		}
	}
	if truncated {
		notices = append(notices, dialect.Notice{Slug: dialect.SlugTruncated})
	}
	x.reject(end, notices...)
}

// keepText remembers a text that may have to serve as the report.
func (x *step) keepText(g *Generated) {
	x.s.Run.Text = &TextFallback{
		Output: g.Output, Payload: g.TextReport, Tokens: g.Observation.Tokens, Bytes: g.Observation.Bytes,
	}
}

// noteReport counts a report that was not accepted. The first one leaves one
// more turn at most (contract F6).
func (x *step) noteReport(seen bool, output journal.Ref, why string) {
	if !seen {
		return
	}
	r := x.s.Run
	r.Reports++
	r.LastError = clip(why)
	if r.Turn < r.MaxTurns {
		x.force(dialect.FinalReportFailed)
		r.MaxTurns = r.Turn + 1
		x.log("WRN", "turns_collapsed", "a final report was rejected: one more turn is left")
	}
	x.tell(&Log{Severity: "ERR", Code: "final_report_rejected", Message: why, Turn: r.Turn, Ref: output})
}

// reject closes an attempt whose response cannot be used. Nothing of it enters
// the conversation (contract L7).
func (x *step) reject(end *AttemptEnd, notices ...dialect.Notice) {
	end.Outcome = OutcomeRejected
	for _, slug := range x.observed {
		notices = append(notices, dialect.Notice{Slug: slug})
	}
	for _, n := range notices {
		end.Slugs = append(end.Slugs, n.Slug)
	}
	x.tell(end)
	why := string(notices[0].Slug)
	if notices[0].Detail != "" {
		why += ": " + notices[0].Detail
	}
	// The model answered, if badly: no error class.
	x.failedAttempt("", why, notices...)
}

// MaxContext bounds what a provider can make us believe of the context: far
// above any window, far below what would overflow a sum.
const MaxContext = 1 << 50

// acceptResponse makes a response part of the conversation and takes over what
// the provider said of its size (contract X1).
func (x *step) acceptResponse(end *AttemptEnd, g *Generated) {
	end.Outcome = OutcomeAccepted
	x.tell(end)
	guard := &x.s.Guard
	if u := g.Usage; u != nil && u.Total() > 0 {
		guard.Current = min(u.Total(), MaxContext)
	} else {
		guard.Current += guard.Pending + g.Observation.Tokens
	}
	guard.Pending = 0
	x.s.Run.LastError, x.s.Run.LastClass = "", ""
	x.commit(Entry{Kind: dialect.ItemAssistant, Ref: g.Output, Bytes: g.Observation.Bytes})
}

// runnableCalls counts the calls that can be carried out: executed, or settled
// as a status. A batch counts by what it holds.
func runnableCalls(calls []dialect.Call) int {
	n := 0
	for i := range calls {
		c := &calls[i]
		switch {
		case c.Report || !c.Runs():
		case len(c.Items) > 0:
			n += runnableCalls(c.Items)
		default:
			n++
		}
	}
	return n
}
