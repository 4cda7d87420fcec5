package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
)

// LogEntry is one line of the log (contract B8).
type LogEntry struct {
	Timestamp int64 `json:"timestamp"`
	// Severity is VRB, WRN, ERR, TRC, THK or FIN.
	Severity string `json:"severity"`
	Turn     int64  `json:"turn"`
	Subturn  int64  `json:"subturn"`
	// Direction is request or response, Type llm or tool.
	Direction        string `json:"direction"`
	Type             string `json:"type"`
	RemoteIdentifier string `json:"remoteIdentifier"`
	Message          string `json:"message"`
	Fatal            bool   `json:"fatal"`

	AgentID     string `json:"agentId"`
	CallPath    string `json:"callPath"`
	TxnID       string `json:"txnId"`
	ParentTxnID string `json:"parentTxnId,omitempty"`
	OriginTxnID string `json:"originTxnId"`
	// Details holds numbers and names; details.event is a stable code.
	Details map[string]any `json:"details,omitempty"`
}

func (s *Session) log(at int64, fact kernel.Fact) {
	e := LogEntry{Timestamp: at, Severity: "VRB", Direction: "response", Type: "llm"}
	switch f := fact.(type) {
	case *kernel.AttemptStart:
		e.Direction, e.Turn, e.RemoteIdentifier = "request", f.Turn, f.Provider+":"+f.Model
		pct := int64(0)
		if f.Window > 0 {
			pct = (f.Expected + f.Window - f.Limit) * 100 / f.Window
		}
		e.Message = fmt.Sprintf("LLM request prepared [tokens: ctx %d, new %d, schema %d, expected %d, %d%%]",
			f.Context, f.New, f.Schema, f.Expected, pct)
		e.Details = map[string]any{
			"event": "llm_request_prepared", "ctx_tokens": f.Context, "new_tokens": f.New, "schema_tokens": f.Schema,
			"expected_tokens": f.Expected, "context_window": f.Window, "context_pct": pct, "attempt": f.Attempt,
		}
	case *kernel.AttemptEnd:
		e.Turn, e.RemoteIdentifier = f.Turn, f.Provider+":"+f.Model
		e.Message = fmt.Sprintf("LLM response %s, %s [%dms]", f.Outcome, f.Finish.Reason, f.LatencyMS)
		e.Details = map[string]any{"event": "llm_response", "outcome": string(f.Outcome)}
		if f.Outcome != kernel.OutcomeAccepted {
			e.Severity = "WRN"
			e.Details["slugs"] = f.Slugs
		}
		if f.Error != nil {
			e.Message = f.Error.Error()
			e.Details["event"] = "llm_" + string(f.Error.Class)
		}
	case *kernel.ToolStart:
		e.Type, e.Direction, e.Turn = "tool", "request", f.Turn
		e.RemoteIdentifier = string(f.Kind) + ":" + f.Server + ":" + f.Name
		e.Message = fmt.Sprintf("%s (%d bytes)", f.Name, f.ArgsBytes)
		e.Details = map[string]any{"event": "tool_started"}
	case *kernel.ToolEnd:
		e.Type, e.Turn, e.RemoteIdentifier = "tool", f.Turn, "tool:"+f.Name
		e.Message = fmt.Sprintf("%s %s [%dms, %d bytes]", f.Name, f.Status, f.LatencyMS, f.Output.Bytes)
		e.Details = map[string]any{"event": "tool_finished"}
		if f.Status != kernel.ToolOK {
			e.Severity, e.Details["event"] = "WRN", "tool_execution_failed"
		}
	case *kernel.Wait:
		e.Severity, e.Turn, e.RemoteIdentifier = "WRN", f.Turn, "agent:retry"
		e.Message = fmt.Sprintf("every target is rate-limited; waiting %dms", f.WaitMS)
		e.Details = map[string]any{"event": "llm_rate_limit_backoff", "wait_ms": f.WaitMS, "source": f.Source}
	case *kernel.Guard:
		e.Severity, e.Turn, e.RemoteIdentifier = "WRN", f.Turn, "agent:context"
		e.Message = fmt.Sprintf("context guard (%s): %s for %s/%s, projected %d, limit %d",
			f.Trigger, f.Outcome, f.Provider, f.Model, f.Numbers.Projected, f.Numbers.Limit)
		e.Details = map[string]any{
			"event": "context_guard_" + f.Outcome, "projected_tokens": f.Numbers.Projected,
			"limit_tokens": f.Numbers.Limit, "remaining_tokens": f.Numbers.Remaining,
		}
	case *kernel.ForcedFinal:
		e.Severity, e.Turn, e.RemoteIdentifier = "WRN", f.Turn, "agent:final-turn"
		e.Message = "the next turn is the last: " + string(f.Reason)
		e.Details = map[string]any{"event": "final_turn_detected", "reason": string(f.Reason)}
	case *kernel.Log:
		e.Severity, e.Turn, e.RemoteIdentifier, e.Message = f.Severity, f.Turn, "agent:"+f.Code, f.Message
		e.Details = map[string]any{"event": f.Code}
		if f.Code == "tool_output_truncated" {
			s.totals.capped++
		}
	case *kernel.RunEnd:
		s.logEnd(e, f)
		return
	default:
		return
	}
	s.addLog(e)
}

func (s *Session) addLog(e LogEntry) {
	id := &s.identity
	e.AgentID, e.CallPath, e.TxnID, e.ParentTxnID, e.OriginTxnID = id.Agent, id.CallPath, id.Session, id.Parent, id.Origin
	s.Logs = append(s.Logs, e)
}

// logEnd writes the one exit marker and the two summaries that every run has,
// however it ended (contract B4).
func (s *Session) logEnd(e LogEntry, f *kernel.RunEnd) {
	reason := f.Error
	if f.OK {
		reason = "the final report was accepted"
	} else {
		e.Severity = "ERR"
	}
	e.Turn, e.Fatal, e.RemoteIdentifier = f.Turns, !f.OK, "agent:"+f.Exit
	e.Message = fmt.Sprintf("%s: %s (fatal=%t)", f.Exit, reason, !f.OK)
	e.Details = map[string]any{"event": f.Exit}
	s.addLog(e)

	t := &s.totals
	fin := LogEntry{
		Timestamp: e.Timestamp, Severity: "FIN", Turn: f.Turns, Direction: "response", Type: "llm", RemoteIdentifier: "summary",
	}
	average := int64(0)
	if t.requests > 0 {
		average = t.latency / t.requests
	}
	fin.Message = fmt.Sprintf("requests=%d failed=%d, tokens prompt=%d output=%d cacheR=%d cacheW=%d total=%d, "+
		"cost total=$%.5f upstream=$%.5f, latency sum=%dms avg=%dms, providers/models: %s",
		t.requests, t.failed, t.usage.Input, t.usage.Output, t.usage.CacheRead, t.usage.CacheWrite, t.usage.Total(),
		t.cost, t.upstream, t.latency, average, t.models.String())
	fin.Details = map[string]any{"event": "llm_summary", "requests": t.requests, "failed": t.failed}
	s.addLog(fin)
	fin.Type = "tool"
	fin.Message = fmt.Sprintf("requests=%d, failed=%d, capped=%d, bytes in=%d out=%d, providers/tools: %s",
		t.tools, t.toolsFailed, t.capped, t.in, t.out, t.commands.String())
	fin.Details = map[string]any{"event": "tool_summary", "requests": t.tools, "failed": t.toolsFailed}
	s.addLog(fin)
}

// totals sums a run's accounting entries.
type totals struct {
	requests, failed, latency  int64
	usage                      llm.Usage
	cost, upstream             float64
	tools, toolsFailed, capped int64
	in, out                    int64
	models, commands           counts
}

// counts is how often something went well and badly, by name.
type counts map[string][2]int64

func (c *counts) add(name string, ok bool) {
	if *c == nil {
		*c = make(counts)
	}
	n := (*c)[name]
	if ok {
		n[0]++
	} else {
		n[1]++
	}
	(*c)[name] = n
}

func (c counts) String() string {
	if len(c) == 0 {
		return "none"
	}
	parts := make([]string, 0, len(c))
	for name, n := range c {
		parts = append(parts, fmt.Sprintf("%dx [%d+%d] %s", n[0]+n[1], n[0], n[1], name))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func (t *totals) add(e *AccountingEntry) {
	ok := e.Status == "ok"
	if e.Type == "tool" {
		t.tools++
		if !ok {
			t.toolsFailed++
		}
		t.in += *e.CharactersIn
		t.out += *e.CharactersOut
		t.commands.add(e.MCPServer+":"+e.Command, ok)
		return
	}
	t.requests++
	if !ok {
		t.failed++
	}
	t.latency += e.Latency
	t.usage = t.usage.Add(llm.Usage{
		Input: e.Tokens.Input, Output: e.Tokens.Output, CacheRead: e.Tokens.CacheRead, CacheWrite: e.Tokens.CacheWrite,
	})
	if e.CostUSD != nil {
		t.cost += *e.CostUSD
	}
	if e.UpstreamCostUSD != nil {
		t.upstream += *e.UpstreamCostUSD
	}
	t.models.add(e.Provider+":"+e.Model, ok)
}
