package dialect

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// contract: R6
func TestWhatAResponseHolds(t *testing.T) {
	t.Parallel()
	run := newRun(spec.TransportNative)
	o := observe(t, run, llm.Envelope{})
	same(t, Observation{Tokens: tokensPerMessage}, o.Observation)
	o = observe(t, run, llm.Envelope{Reasoning: []llm.Reasoning{{Text: "hm", Redacted: "xx"}}})
	same(t, Observation{HasReasoning: true, Bytes: 4, Tokens: 5}, o.Observation)
	e := native("web__search", `{"q":"x"}`)
	e.AssistantText = "text"
	o = observe(t, run, e)
	same(t, []int64{13, 10}, []int64{o.Bytes, o.Tokens})
	same(t, true, o.HasText && !o.HasReasoning)
}

// FuzzObserve: whatever a model says, the observation holds together.
func FuzzObserve(f *testing.F) {
	f.Add("hello", "web__search", `{"q":"x"}`, byte(0))
	f.Add(tagged("x"), "final_report", `{"report_content":"x"}`, byte(1))
	f.Add(slot("0003", "search", `{"q":"x"}`), "agent__batch", `{"calls":[{"tool":"search"}]}`, byte(2))
	f.Add(`<tool_call>{"name":"search","arguments":{"q":"x"}}</tool_call>`, "", "", byte(3))
	f.Add(`<web__search><parameter name="q">x</parameter></web__search>`, "", "", byte(5))
	f.Add("<think>x</think>y", "task_status", `{"status":"starting"`, byte(8))
	f.Add(`{"a":"{}"}`, "final_report", `{"content_json":"{\"a\":\"[1]\"}"}`, byte(16))
	f.Add(`[{"text":"**x** | <a>"}]`, "final_report", `{"messages":[{"blocks":[{"type":"section","text":"x"}]}]}`, byte(32))
	finishes := []llm.FinishReason{llm.FinishStop, llm.FinishLength, llm.FinishUnknown}
	var runs []*spec.Run
	var toolsets []*Toolset
	schema := withSchema(`{"type":"object","properties":{"a":{"type":"array"}}}`)
	for _, change := range []func(*spec.Run){func(*spec.Run) {}, schema, withSlack, textOnly} {
		for _, transport := range transports {
			run := newRun(transport, batch, change)
			runs, toolsets = append(runs, run), append(toolsets, newTools(f, run))
		}
	}
	f.Fuzz(func(t *testing.T, text, name, args string, mode byte) {
		if len(args) > 4<<10 || len(text) > 16<<10 {
			return
		}
		n := int(mode>>4&3)*len(transports) + int(mode)%len(transports)
		run, ts := runs[n], toolsets[n]
		ask := newAsk(run)
		ask.Final = mode&8 != 0
		e := said(text)
		if name != "" {
			e.ToolCalls = []llm.ToolCall{llm.NewToolCall("call_1", name, args)}
		}
		finish := llm.Finish{Reason: finishes[int(mode>>2)%3]}
		o := Observe(ts, ask, e, finish)
		checkObserved(t, ask, &o)
		if again := Observe(ts, ask, e, finish); !cmp.Equal(o, again, cmpopts.EquateEmpty()) {
			t.Fatal(cmp.Diff(o, again))
		}
	})
}

func checkObserved(t *testing.T, ask *Ask, o *Observed) {
	t.Helper()
	if o.HasText != (o.TextReport != nil) {
		t.Fatalf("text %v, text report %v", o.HasText, o.TextReport)
	}
	if (o.Report != nil && o.Report.Fit) != (o.ReportBody != nil) || o.TextReport != nil && o.TextReport.Fit != (o.TextPayload != nil) {
		t.Fatalf("reports without content: %+v %+v", o.Report, o.TextReport)
	}
	if !o.TooManyCalls && len(o.Calls) != len(o.Envelope.ToolCalls) {
		t.Fatalf("%d calls observed, %d stored", len(o.Calls), len(o.Envelope.ToolCalls))
	}
	seen := make(map[string]bool)
	for i := range o.Calls {
		c, tc := &o.Calls[i], &o.Envelope.ToolCalls[i]
		if c.Index != int64(i) || c.ID != tc.ID || c.Name != tc.Name || seen[c.ID] || c.Args != sha256.Sum256(tc.Arguments) {
			t.Fatalf("call %d: %+v stored as %+v", i, c, tc)
		}
		seen[c.ID] = true
		if err := spec.CheckToolName(c.Name); err != nil {
			t.Fatal(err)
		}
		if c.Runs() != (c.Problem == "") || c.Runs() && (tc.Bad || ask.Final && !c.Report) {
			t.Fatalf("call %d: %+v", i, c)
		}
		if c.Runs() && c.Kind == "" || !c.Runs() && c.Status != nil {
			t.Fatalf("call %d: %+v", i, c)
		}
		ids := make(map[string]bool)
		for j := range c.Items {
			item := &c.Items[j]
			args, err := BatchItem(tc.Arguments, int64(j))
			if err != nil || ids[item.ID] || item.Report || len(item.Items) > 0 || item.Runs() && item.Args != sha256.Sum256(args) {
				t.Fatalf("item %d: %+v, %v", j, item, err)
			}
			ids[item.ID] = true
		}
	}
	// It is stored as JSON and read again.
	if m := o.Envelope.Message(); len(llm.MustMarshalJSON(m)) == 0 {
		t.Fatal("the envelope cannot be stored")
	}
}

func BenchmarkObserve(b *testing.B) {
	for _, transport := range transports {
		b.Run(fmt.Sprintf("transport=%s/calls=2", transport), func(b *testing.B) {
			run := newRun(transport)
			ts, ask := newTools(b, run), newAsk(run)
			e := native("web__search", `{"limit":3,"q":"tea"}`, "files__read", `{"path":"a/b/c"}`)
			e.AssistantText = "I will search and read."
			if transport == spec.TransportXML {
				e = said("I will.\n" + slot("0003", "web__search", `{"limit":3,"q":"tea"}`) + "\n" + slot("0004", "files__read", `{"path":"a/b/c"}`))
			}
			b.ReportAllocs()
			for b.Loop() {
				if o := Observe(ts, ask, e, stopped); len(o.Calls) != 2 || !o.Calls[0].Runs() {
					b.Fatal(o.Calls)
				}
			}
		})
	}
}
