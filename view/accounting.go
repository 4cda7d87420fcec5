package view

import (
	"github.com/ai-agent-go/ai-agent/kernel"
)

// AccountingEntry is one attempt at a model or one tool call, in the words of
// the library's API (contract A1-A3). Type says which fields are meaningful.
type AccountingEntry struct {
	// Type is llm or tool.
	Type string `json:"type"`
	// Timestamp is when the operation was completed, in milliseconds since 1970.
	Timestamp int64 `json:"timestamp"`
	// Status is ok or failed.
	Status string `json:"status"`
	// Latency is in milliseconds.
	Latency int64  `json:"latency"`
	Error   string `json:"error,omitempty"`

	AgentID     string `json:"agentId"`
	CallPath    string `json:"callPath"`
	TxnID       string `json:"txnId"`
	ParentTxnID string `json:"parentTxnId,omitempty"`
	OriginTxnID string `json:"originTxnId"`

	// Of llm entries. Costs are there when they are known.
	Provider         string   `json:"provider,omitempty"`
	Model            string   `json:"model,omitempty"`
	ActualProvider   string   `json:"actualProvider,omitempty"`
	ActualModel      string   `json:"actualModel,omitempty"`
	CostUSD          *float64 `json:"costUsd,omitempty"`
	UpstreamCostUSD  *float64 `json:"upstreamInferenceCostUsd,omitempty"`
	StopReason       string   `json:"stopReason,omitempty"`
	Tokens           *Tokens  `json:"tokens,omitempty"`
	ErrorClass       string   `json:"errorClass,omitempty"`
	Turn             int64    `json:"turn,omitempty"`
	Attempt          int64    `json:"attempt,omitempty"`
	ResponseAccepted bool     `json:"accepted,omitempty"`

	// Of tool entries.
	MCPServer     string `json:"mcpServer,omitempty"`
	Command       string `json:"command,omitempty"`
	CharactersIn  *int64 `json:"charactersIn,omitempty"`
	CharactersOut *int64 `json:"charactersOut,omitempty"`
	// Source says where a call was found that the provider did not report as
	// one: xml when it was written as a tag (contract M9).
	Source  string         `json:"source,omitempty"`
	Details map[string]any `json:"details,omitempty"`
	// ToolCallID is the call that the entry is of; a report by tag has none.
	ToolCallID string `json:"toolCallId,omitempty"`
}

// Tokens is the usage of an attempt; zeros when the provider said nothing.
type Tokens struct {
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	Cached     int64 `json:"cachedTokens"`
	CacheRead  int64 `json:"cacheReadInputTokens"`
	CacheWrite int64 `json:"cacheWriteInputTokens"`
	Total      int64 `json:"totalTokens"`
}

// Words of accounting entries and log entries.
const (
	typeLLM  = "llm"
	typeTool = "tool"

	statusOK     = "ok"
	statusFailed = "failed"
)

func statusOf(ok bool) string {
	if ok {
		return statusOK
	}
	return statusFailed
}

// entry starts an accounting entry with what every one of them has.
func entry(id *kernel.Identity, kind string, at int64, ok bool) AccountingEntry {
	return AccountingEntry{
		Type: kind, Timestamp: at, Status: statusOf(ok), AgentID: id.Agent, CallPath: id.CallPath, TxnID: id.Session,
		ParentTxnID: id.Parent, OriginTxnID: id.Origin,
	}
}

func llmEntry(id *kernel.Identity, at int64, f *kernel.AttemptEnd) AccountingEntry {
	e := entry(id, typeLLM, at, f.Error == nil)
	e.Provider, e.Model, e.ActualProvider, e.ActualModel = f.Provider, f.Model, f.ActualProvider, f.ActualModel
	e.Latency, e.Turn, e.Attempt = f.LatencyMS, f.Turn, f.Attempt
	e.StopReason = string(f.Finish.Reason)
	e.ResponseAccepted = f.Outcome == kernel.OutcomeAccepted
	known := &struct {
		tokens         Tokens
		cost, upstream float64
	}{}
	e.Tokens = &known.tokens
	if u := f.Usage; u != nil {
		*e.Tokens = Tokens{
			Input: u.Input, Output: u.Output, Cached: u.CacheRead, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
			Total: u.Total(),
		}
	}
	if f.CostKnown {
		known.cost = f.Cost.USD()
		e.CostUSD = &known.cost
	}
	if f.Upstream != nil {
		known.upstream = f.Upstream.USD()
		e.UpstreamCostUSD = &known.upstream
	}
	if f.Error != nil {
		e.Error, e.ErrorClass = f.Error.Error(), string(f.Error.Class)
	}
	return e
}

func (s *Session) toolEntry(at int64, f *kernel.ToolEntry) AccountingEntry {
	e := entry(&s.identity, typeTool, at, f.OK)
	chars := [2]int64{f.CharsIn, f.CharsOut}
	e.MCPServer, e.Command, e.Latency, e.Error, e.Turn = serverOf(f), f.Name, f.LatencyMS, f.Error, f.Turn
	e.CharactersIn, e.CharactersOut = &chars[0], &chars[1]
	e.Source, e.ToolCallID = s.sourceOf(f), f.CallID
	if g := f.Guard; g != nil {
		e.Details = map[string]any{
			"original_tokens": g.Original, "replacement_tokens": g.Replacement, "projected_tokens": g.Projected,
			"limit_tokens": g.Limit, "remaining_tokens": g.Remaining,
		}
	}
	return e
}

// serverOf is where a tool comes from; a name that no tool has comes from
// nowhere (contract A2).
func serverOf(f *kernel.ToolEntry) string {
	if f.Server == "" {
		return "unknown"
	}
	return f.Server
}

// sourceOf is where a call was found. The message that made it is the last that
// was read, if this view has seen it.
func (s *Session) sourceOf(f *kernel.ToolEntry) string {
	if f.Name == kernel.ReportByTag {
		return "xml"
	}
	e := s.contents.envelope
	if e == nil || f.CallID == "" {
		return ""
	}
	for i := range e.ToolCalls {
		if c := &e.ToolCalls[i]; c.ID == f.CallID {
			return c.Source
		}
	}
	return ""
}
