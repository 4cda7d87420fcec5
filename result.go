package aiagent

import (
	"context"
	"errors"

	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/view"
)

// RunOptions are the options of [Runtime.Run]. The zero value works.
type RunOptions struct {
	// History is a conversation from before.
	History []llm.Message
	// OnEvent is told every event as it happens, from the goroutine that called
	// Run. A panic in it is contained.
	OnEvent func(view.Event)
	// OnNotice is told the library's events as they happen (contract B3): output,
	// thinking, progress, logs, accounting and the rest, those of agents that
	// work for this one included; see [Session.Notices]. It is called from the
	// goroutine that called Run. A panic in it is contained.
	OnNotice func(view.Notice)
	// SessionID names the session. Defaults to a new id.
	SessionID string
}

// Result is what came of a run. It is there for every outcome.
type Result struct {
	// Success is false for every synthetic report, and while calls are pending.
	Success bool `json:"success"`
	// Error says why a run failed.
	Error string `json:"error,omitempty"`
	// FinalReport is the answer; nil only while calls are pending.
	FinalReport  *view.FinalReport `json:"finalReport,omitempty"`
	Conversation []view.Message    `json:"conversation"`
	// Accounting and Logs have the entries of sessions that worked for this one
	// in front of the entry that says that they are done (contract T14).
	Accounting []view.AccountingEntry `json:"accounting"`
	Logs       []view.LogEntry        `json:"logs"`
	// FinalAgentID names the agent whose report it is.
	FinalAgentID string `json:"finalAgentId"`

	// SessionID, Status and Pending tell how to go on with a session that waits.
	SessionID string             `json:"sessionId,omitempty"`
	Status    string             `json:"status"`
	Pending   []view.PendingCall `json:"pendingToolCalls,omitempty"`
	Cost      llm.Money          `json:"-"`

	err error
}

// Text is the answer as one string, empty while there is none.
func (r *Result) Text() string {
	if r.FinalReport == nil {
		return ""
	}
	return r.FinalReport.Text()
}

// Err is the error that kept the run from starting or from being followed, with
// its type; nil when the run has come to an end, a bad one included.
func (r *Result) Err() error { return r.err }

// run executes an input and collects everything. When ctx ends the run is
// aborted, and its result says so: it does not go on without anybody, and what
// it leaves is a valid conversation with an aborted message.
func (s *Session) run(ctx context.Context, in Input, o *RunOptions) *Result {
	follow, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	st := s.newStream(follow)
	st.fold.Include(s.journals(follow))
	if o.OnNotice != nil {
		st.tell = newNarrator(st.fold)
		st.onNotice = func(n view.Notice) { contain(func() { o.OnNotice(n) }) }
	}
	st.tell.silent = o.OnNotice == nil && o.OnEvent == nil
	st.begin(in)
	stop := context.AfterFunc(ctx, func() {
		var refused *host.Refused
		if err := s.Abort(follow); err != nil && !errors.As(err, &refused) {
			cancel() // it cannot be aborted, so it can only be left alone
		}
	})
	defer stop()
	for e, err := range st.Events() {
		if err == nil && o.OnEvent != nil {
			contain(func() { o.OnEvent(e) })
		}
	}
	return s.result(st)
}

// contain keeps a listener's panic from the run (contract E1).
func contain(f func()) {
	defer func() { _ = recover() }()
	f()
}

func (s *Session) result(st *Stream) *Result {
	v := st.fold.Session
	r := &Result{
		Conversation: v.Messages, Accounting: v.Accounting, Logs: v.Logs, FinalAgentID: v.FinalAgent(),
		SessionID: s.ID(), Status: v.Status, Pending: v.Pending, FinalReport: v.Report, Cost: v.TotalCost, err: st.err,
	}
	switch {
	case v.End != nil && v.End.Run >= st.run && st.run > 0:
		r.Success, r.Error, r.err = v.End.OK, v.End.Error, nil
	case st.done:
	default:
		// It ended without our seeing how: still there is an answer.
		err := st.err
		if err == nil {
			err = errors.New("the run could not be followed to its end")
		}
		r.err, r.Error, r.Status = err, err.Error(), kernel.StatusError
		if r.FinalReport == nil {
			r.FinalReport = failureReport(kernel.ReasonInternal, err.Error())
		}
	}
	return r
}

func failureReport(reason, message string) *view.FinalReport {
	return &view.FinalReport{
		Status: "failure", Format: spec.FormatText, Content: message, Source: kernel.SourceSynthetic,
		Metadata: llm.MustMarshalJSON(map[string]string{"reason": reason}),
	}
}

// failedBefore is the result of a run that never started.
func failedBefore(a *Agent, err error) *Result {
	reason := kernel.ReasonInternal
	return &Result{
		Error: err.Error(), Status: kernel.StatusError, FinalAgentID: a.spec().ID, err: err,
		FinalReport: failureReport(reason, err.Error()),
	}
}
