package view_test

import (
	"testing"

	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/view"
)

// contract: A1, A3
func TestEveryAttemptHasAnEntryWithAllThatIsKnown(t *testing.T) {
	t.Parallel()
	upstream := llm.Dollar / 1000
	good := &kernel.AttemptEnd{
		Turn: 2, Attempt: 3, Provider: "router", Model: "auto", ActualProvider: "script", ActualModel: "demo-1",
		Outcome: kernel.OutcomeAccepted, Finish: llm.Finish{Reason: llm.FinishStop}, Usage: usage(100, 20, 30, 4), Cost: llm.Dollar / 100,
		CostKnown: true, Upstream: &upstream, LatencyMS: 250,
	}
	bad := &kernel.AttemptEnd{
		Turn: 2, Attempt: 4, Provider: "router", Model: "auto", Outcome: kernel.OutcomeRejected, LatencyMS: 3,
		Finish: llm.Finish{Reason: llm.FinishError}, Error: &llm.Error{Class: llm.ClassServer, Message: "oops", Status: 500},
	}
	v := folded(t, make(store), opened(), good, bad)
	ids := `"agentId":"demo","callPath":"root:demo","txnId":"s","parentTxnId":"p","originTxnId":"o","timestamp":1767225600000`
	sameJSON(t, `{"type":"llm","status":"ok","latency":250,"provider":"router","model":"auto","actualProvider":"script",
		"actualModel":"demo-1","costUsd":0.01,"upstreamInferenceCostUsd":0.001,"stopReason":"stop","accepted":true,
		"tokens":{"inputTokens":100,"outputTokens":20,"cachedTokens":30,"cacheReadInputTokens":30,"cacheWriteInputTokens":4,
		"totalTokens":154},"turn":2,"attempt":3,`+ids+`}`, string(llm.MustMarshalJSON(&v.Accounting[0])))
	// Without usage the tokens are zeros, and an unknown cost is left out.
	sameJSON(t, `{"type":"llm","status":"failed","latency":3,"provider":"router","model":"auto","stopReason":"error",
		"error":"server_error (status 500): oops","errorClass":"server_error",
		"tokens":{"inputTokens":0,"outputTokens":0,"cachedTokens":0,"cacheReadInputTokens":0,"cacheWriteInputTokens":0,
		"totalTokens":0},"turn":2,"attempt":4,`+ids+`}`, string(llm.MustMarshalJSON(&v.Accounting[1])))
	same(t, llm.Dollar/100, v.TotalCost)
}

// contract: A2, A3, X4, M9
func TestEveryToolCallHasAnEntryWithAllThatIsKnown(t *testing.T) {
	t.Parallel()
	s := newStory()
	end := attemptEnd("1.0", 1, 1, "a/b", "")
	facts := append([]kernel.Fact{opened()}, s.accepted(end, &llm.Envelope{ToolCalls: []llm.ToolCall{
		call("a", "weather", "{}"), {ID: "0a1b2c3d-0001", Name: "weather", Arguments: []byte("{}"), Source: "xml"},
	}})...)
	facts = append(facts,
		&kernel.ToolEntry{Turn: 1, CallID: "a", Name: "weather", Server: "local", OK: true, LatencyMS: 12, CharsIn: 17, CharsOut: 5},
		&kernel.ToolEntry{
			Turn: 1, CallID: "0a1b2c3d-0001", Name: "weather", Server: "local", Error: "context_budget_exceeded", CharsIn: 2,
			Guard: &kernel.GuardNumbers{Original: 900, Replacement: 20, Projected: 1200, Limit: 700, Remaining: 400},
		},
		&kernel.ToolEntry{Turn: 1, CallID: "x", Name: "nothing", Error: "unknown"},
		&kernel.ToolEntry{Turn: 1, CallID: "t", Name: "agent__task_status", Server: "agent", OK: true, CharsIn: 9, CharsOut: 20},
		&kernel.ToolEntry{Turn: 1, Name: kernel.ReportByTag, Server: "agent", OK: true, CharsIn: 99, CharsOut: 12},
	)
	v := folded(t, s.store, facts...)
	ids := `"agentId":"demo","callPath":"root:demo","txnId":"s","parentTxnId":"p","originTxnId":"o","timestamp":1767225600000,"turn":1,"type":"tool"`
	for i, want := range []string{
		`{"status":"ok","latency":12,"mcpServer":"local","command":"weather","charactersIn":17,"charactersOut":5,"toolCallId":"a",`,
		`{"status":"failed","latency":0,"mcpServer":"local","command":"weather","charactersIn":2,"charactersOut":0,"source":"xml",
			"toolCallId":"0a1b2c3d-0001","error":"context_budget_exceeded","details":{"original_tokens":900,"replacement_tokens":20,
			"projected_tokens":1200,"limit_tokens":700,"remaining_tokens":400},`,
		`{"status":"failed","latency":0,"mcpServer":"unknown","command":"nothing","charactersIn":0,"charactersOut":0,
			"toolCallId":"x","error":"unknown",`,
		`{"status":"ok","latency":0,"mcpServer":"agent","command":"agent__task_status","charactersIn":9,"charactersOut":20,
			"toolCallId":"t",`,
		`{"status":"ok","latency":0,"mcpServer":"agent","command":"agent__final_report_xml","charactersIn":99,"charactersOut":12,
			"source":"xml",`,
	} {
		sameJSON(t, want+ids+"}", string(llm.MustMarshalJSON(&v.Accounting[1+i])))
	}
}

// contract: A4, A5
func TestEntriesAreToldAsTheyHappenAndReturnedAndFlushedOnce(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*story{"a report": weather(), "an abort": aborted()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var live []view.AccountingEntry
			var flushed [][]view.AccountingEntry
			v := s.fold(t, func(view.Event) {}, func(n view.Notice) {
				if n.Accounting != nil {
					if len(flushed) > 0 {
						t.Error("an entry after the flush")
					}
					live = append(live, *n.Accounting)
				}
				if n.Flush != nil {
					flushed = append(flushed, n.Flush.Entries)
				}
			})
			same(t, v.Accounting, live)
			same(t, [][]view.AccountingEntry{v.Accounting}, flushed)
		})
	}
}

// contract: A5, T14
func TestWhatAChildCostsIsPaidForByItsCaller(t *testing.T) {
	t.Parallel()
	paid := attemptEnd("1.0", 1, 1, "a/b", kernel.OutcomeRejected)
	paid.Cost, paid.CostKnown = llm.Dollar, true
	v := folded(t, make(store), opened(), paid, &kernel.ChildEnd{Session: "s.1-0", OK: true, Cost: 2 * llm.Dollar, Usage: *usage(1, 2, 3, 4)})
	same(t, 3*llm.Dollar, v.TotalCost)
	same(t, 1, len(v.Accounting)) // the child's entries are in the child's accounts
}
