package view

import (
	"encoding/json"
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Blobs reads a content by its reference.
type Blobs = kernel.Blobs

// Session is everything that a session has to show so far (contract S1).
type Session struct {
	ID       string `json:"id"`
	Agent    string `json:"agent"`
	Status   string `json:"status"`
	Model    string `json:"model,omitempty"`
	Messages []Message
	// TotalCost is the sum over the session's life.
	TotalCost  llm.Money
	Pending    []PendingCall
	Accounting []AccountingEntry
	Logs       []LogEntry
	// Report and End are the last run's.
	Report *FinalReport
	End    *kernel.RunEnd
	// Run is the number of the last run, RunStart the index in Messages where
	// it began.
	Run      int64
	RunStart int

	identity kernel.Identity
	blobs    Blobs
	totals   totals
	err      error
}

// NewSession starts an empty view. blobs is asked for contents as they are
// needed.
func NewSession(blobs Blobs) *Session {
	return &Session{Status: kernel.StatusCompleted, blobs: blobs}
}

// FinalReport is the answer (contract F1-F8).
type FinalReport struct {
	// Status is success or failure, decided by where the report came from.
	Status      string          `json:"status"`
	Format      spec.Format     `json:"format"`
	Content     string          `json:"content,omitempty"`
	ContentJSON json.RawMessage `json:"content_json,omitempty"`
	Messages    json.RawMessage `json:"messages,omitempty"`
	Metadata    json.RawMessage `json:"metadata,omitempty"`
	// TS is when the report was captured, in milliseconds since 1970.
	TS int64 `json:"ts"`
	// Source is tool-call, text or synthetic.
	Source string `json:"source"`
}

// Text is the report as one string.
func (r *FinalReport) Text() string {
	p := spec.ReportPayload{Content: r.Content, ContentJSON: r.ContentJSON, Messages: r.Messages}
	return p.Text()
}

// Apply folds one fact. Facts come in order; at is their frame's time. An error
// means that a content could not be read; the view goes on without it.
func (s *Session) Apply(at int64, fact kernel.Fact) error {
	s.err = nil
	switch f := fact.(type) {
	case *kernel.SessionStart:
		s.identity = f.Identity
		s.ID, s.Agent = f.Identity.Session, f.Identity.Agent
	case *kernel.RunStart:
		s.Status, s.Run, s.RunStart = kernel.StatusRunning, f.Run, len(s.Messages)
		s.Report, s.End, s.totals = nil, nil, totals{}
	case *kernel.Message:
		s.addMessage(at, f)
	case *kernel.AttemptStart:
		s.Status, s.Pending = kernel.StatusRunning, nil
	case *kernel.AttemptEnd:
		s.Model = f.Provider + "/" + f.Model
		s.TotalCost += f.Cost
		s.account(llmEntry(&s.identity, at, f))
	case *kernel.ToolEntry:
		s.account(toolEntry(&s.identity, at, f))
	case *kernel.ToolStart:
		s.Status = kernel.StatusRunning
	case *kernel.Awaiting:
		s.Status = kernel.StatusAwaiting
		s.Pending = s.pendingCalls(f.Calls)
	case *kernel.FinalReport:
		s.Report = s.finalReport(f)
	case *kernel.RunEnd:
		s.Status, s.Pending, s.End, s.TotalCost = f.Status, nil, f, f.Total
	}
	s.log(at, fact)
	return s.err
}

func (s *Session) account(e AccountingEntry) {
	s.Accounting = append(s.Accounting, e)
	s.totals.add(&e)
}

// read returns a content, or nothing and remembers why.
func (s *Session) read(ref journal.Ref) []byte {
	if ref.IsZero() {
		return nil
	}
	data, err := s.blobs(ref)
	if err != nil {
		s.err = fmt.Errorf("session %s: content %s: %w", s.ID, ref.Short(), err)
		return nil
	}
	return data
}

func (s *Session) finalReport(f *kernel.FinalReport) *FinalReport {
	r := &FinalReport{Status: "failure", Format: f.Format, TS: f.At, Source: f.Source}
	if f.OK {
		r.Status = "success"
	}
	var p spec.ReportPayload
	if data := s.read(f.Payload); data != nil {
		if err := json.Unmarshal(data, &p); err != nil {
			s.err = fmt.Errorf("session %s: final report: %w", s.ID, err)
		}
	}
	r.Content, r.ContentJSON, r.Messages, r.Metadata = p.Content, p.ContentJSON, p.Messages, p.Metadata
	if f.ModelStatus != "" {
		r.Metadata = withField(r.Metadata, "modelStatus", f.ModelStatus)
	}
	return r
}

// withField adds a field to a JSON object that may not be there yet.
func withField(object json.RawMessage, key, value string) json.RawMessage {
	fields := make(map[string]json.RawMessage)
	_ = json.Unmarshal(object, &fields) // anything that is no object has no fields
	fields[key] = llm.MustMarshalJSON(value)
	return llm.MustMarshalJSON(fields)
}
