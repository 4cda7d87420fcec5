package view

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

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
	// Source is tool-call, text, synthetic, or handoff for another agent's.
	Source string `json:"source"`
	// Agent is who wrote it, when it was not the session's own agent.
	Agent string `json:"agent,omitempty"`
}

// Text is the report as one string.
func (r *FinalReport) Text() string {
	p := spec.ReportPayload{Content: r.Content, ContentJSON: r.ContentJSON, Messages: r.Messages}
	return p.Text()
}

// FinalAgent is who wrote the answer, the session's own agent while there is
// none.
func (s *Session) FinalAgent() string {
	if s.Report == nil {
		return s.Agent
	}
	return cmp.Or(s.Report.Agent, s.Agent)
}

func (s *Session) finalReport(f *kernel.FinalReport) *FinalReport {
	r := &FinalReport{Status: "failure", Format: f.Format, TS: f.At, Source: f.Source, Agent: f.Agent}
	if f.OK {
		r.Status = "success"
	}
	s.payload(r, f.Payload)
	if f.ModelStatus != "" {
		r.Metadata = withField(r.Metadata, "modelStatus", f.ModelStatus)
	}
	return r
}

// handoffReport is what one agent gives to the next: for that one to go on from,
// never an answer for the user (contract B5).
func (s *Session) handoffReport(at int64, f *kernel.Handoff) *FinalReport {
	r := &FinalReport{Status: "success", TS: at, Source: kernel.SourceHandoff}
	if f.From != s.Agent {
		r.Agent = f.From
	}
	r.Format = s.payload(r, f.Payload).Format
	return r
}

// payload reads what a report says.
func (s *Session) payload(r *FinalReport, ref journal.Ref) *spec.ReportPayload {
	var p spec.ReportPayload
	if data := s.read(ref); data != nil {
		if err := json.Unmarshal(data, &p); err != nil {
			s.err = fmt.Errorf("session %s: final report: %w", s.ID, err)
		}
	}
	r.Content, r.ContentJSON, r.Messages, r.Metadata = p.Content, p.ContentJSON, p.Messages, p.Metadata
	return &p
}

// withField adds a field to a JSON object that may not be there yet.
func withField(object json.RawMessage, key, value string) json.RawMessage {
	fields := make(map[string]json.RawMessage)
	_ = json.Unmarshal(object, &fields) // anything that is no object has no fields
	fields[key] = llm.MustMarshalJSON(value)
	return llm.MustMarshalJSON(fields)
}
