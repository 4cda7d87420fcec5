package view

import (
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/spec"
)

// ProgressType names a step of an agent's or a tool's work.
type ProgressType string

// The steps.
const (
	AgentStarted  ProgressType = "agent_started"
	AgentUpdate   ProgressType = "agent_update"
	AgentFinished ProgressType = "agent_finished"
	AgentFailed   ProgressType = "agent_failed"
	ToolStarted   ProgressType = "tool_started"
	ToolFinished  ProgressType = "tool_finished"
)

// Progress is a step of the work, for people who wait.
type Progress struct {
	Type        ProgressType `json:"type"`
	CallPath    string       `json:"callPath"`
	AgentID     string       `json:"agentId"`
	AgentPath   string       `json:"agentPath"`
	AgentName   string       `json:"agentName"`
	TxnID       string       `json:"txnId"`
	ParentTxnID string       `json:"parentTxnId,omitempty"`
	OriginTxnID string       `json:"originTxnId"`
	Timestamp   int64        `json:"timestamp"`

	// Reason is why an agent was started, Message what it says of its work.
	Reason     string      `json:"reason,omitempty"`
	Message    string      `json:"message,omitempty"`
	TaskStatus *TaskStatus `json:"taskStatus,omitempty"`
	Tool       *ToolName   `json:"tool,omitempty"`
	// Status is ok or failed, of a tool that finished.
	Status  string   `json:"status,omitempty"`
	Metrics *Metrics `json:"metrics,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// TaskStatus is a model's word on its work (contract T11).
type TaskStatus struct {
	// Status is starting, in-progress or completed.
	Status  string `json:"status"`
	Done    string `json:"done"`
	Pending string `json:"pending"`
	Now     string `json:"now"`
	Ready   bool   `json:"ready_for_final_report"`
	More    bool   `json:"need_to_run_more_tools"`
}

// ToolName is a tool and where it comes from.
type ToolName struct {
	Name     string `json:"name"`
	Provider string `json:"provider"`
}

// Metrics is what a run, or a tool's execution, took. A tool has no tokens.
type Metrics struct {
	DurationMS       int64   `json:"durationMs"`
	LatencyMS        int64   `json:"latencyMs,omitempty"`
	TokensIn         int64   `json:"tokensIn,omitempty"`
	TokensOut        int64   `json:"tokensOut,omitempty"`
	TokensCacheRead  int64   `json:"tokensCacheRead,omitempty"`
	TokensCacheWrite int64   `json:"tokensCacheWrite,omitempty"`
	ToolsRun         int64   `json:"toolsRun,omitempty"`
	AgentsRun        int64   `json:"agentsRun,omitempty"`
	CostUSD          float64 `json:"costUsd,omitempty"`
	CharactersIn     int64   `json:"charactersIn,omitempty"`
	CharactersOut    int64   `json:"charactersOut,omitempty"`
}

// step starts a progress with what each of them has.
func (s *Session) step(kind ProgressType, at int64) *Progress {
	id := &s.identity
	return &Progress{
		Type: kind, CallPath: id.CallPath, AgentID: id.Agent, AgentPath: id.CallPath, AgentName: id.Agent, TxnID: id.Session,
		ParentTxnID: id.Parent, OriginTxnID: id.Origin, Timestamp: at,
	}
}

// progress is the step that a fact says, nil for none.
func (s *Session) progress(at int64, fact kernel.Fact) *Progress {
	switch f := fact.(type) {
	case *kernel.Progress:
		p := s.step(AgentUpdate, at)
		p.Message, p.TaskStatus = statusLine(&f.Status), taskStatus(&f.Status)
		return p
	case *kernel.ToolStart:
		if !shown(f.Kind, f.Server) {
			return nil
		}
		p := s.step(ToolStarted, at)
		p.CallPath += ":" + f.Name
		p.Tool = &ToolName{Name: f.Name, Provider: f.Server}
		return p
	case *kernel.ToolEnd:
		return s.toolFinished(at, f)
	case *kernel.RunEnd:
		p := s.step(AgentFinished, at)
		if !f.OK {
			p.Type, p.Error = AgentFailed, f.Error
		}
		p.Metrics = s.metrics(at, f)
		return p
	default:
		return nil
	}
}

// shown reports whether people are told of a tool: not of our own, not of
// agents, which tell of themselves, and not of a call that nobody has allowed.
func shown(kind spec.ToolKind, server string) bool {
	return kind != spec.ToolAgent && kind != spec.ToolIntrinsic && kind != kernel.ToolAwaitsApproval && server != "agent"
}

func (s *Session) toolFinished(at int64, f *kernel.ToolEnd) *Progress {
	o := s.turn.call(f.CallID)
	if o == nil || !shown(o.kind, o.server) {
		return nil
	}
	p := s.step(ToolFinished, at)
	p.CallPath += ":" + f.Name
	p.Tool = &ToolName{Name: f.Name, Provider: o.server}
	p.Status, p.Error = statusOf(f.Status == kernel.ToolOK), f.Error
	p.Metrics = &Metrics{DurationMS: at - o.started, LatencyMS: f.LatencyMS, CharactersIn: o.bytes}
	if f.Status == kernel.ToolOK {
		p.Metrics.CharactersOut = f.Output.Bytes
	}
	return p
}

// metrics sums up a run that has ended.
func (s *Session) metrics(at int64, f *kernel.RunEnd) *Metrics {
	t := &s.totals
	usage := t.usage.Add(t.childUsage)
	return &Metrics{
		DurationMS: at - f.Started, LatencyMS: t.latency, TokensIn: usage.Input, TokensOut: usage.Output,
		TokensCacheRead: usage.CacheRead, TokensCacheWrite: usage.CacheWrite, ToolsRun: t.executed, AgentsRun: 1 + t.children,
		CostUSD: usd4(f.Cost),
	}
}

func taskStatus(t *dialect.TaskStatus) *TaskStatus {
	return &TaskStatus{Status: t.Status, Done: t.Done, Pending: t.Pending, Now: t.Now, Ready: t.Ready, More: t.More}
}
