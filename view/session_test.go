package view_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/view"
)

// contract: S1
func TestASessionShowsItselfInTheWordsOfItsAPI(t *testing.T) {
	t.Parallel()
	s := aborted()
	v := view.NewSession(s.read)
	same(t, map[string]any{
		"id": "", "agent": "", "status": "completed", "messages": []any{}, "totalCost": 0.0,
	}, asJSON(t, v))
	statuses := []string{v.Status}
	for _, h := range s.heard {
		if h.fact == nil {
			continue
		}
		if err := v.Apply(h.at, h.fact); err != nil {
			t.Fatal(err)
		}
		if v.Status != statuses[len(statuses)-1] {
			statuses = append(statuses, v.Status)
		}
		if _, ok := h.fact.(*kernel.Awaiting); ok && len(statuses) == 3 {
			shown := asJSON(t, v)
			same(t, "script/demo", shown["model"])
			same(t, any([]any{
				map[string]any{"id": "r", "name": "remote", "parameters": map[string]any{"x": 1.0}, "kind": "remote"},
				map[string]any{
					"id": "w", "name": "careful", "parameters": map[string]any{"y": 2.0}, "kind": "approval", "deadline": float64(now + 1000),
				},
			}), shown["pendingToolCalls"])
			statuses = append(statuses, "shown")
		}
	}
	same(t, "completed running awaiting_tool_execution shown awaiting_tool_execution running error", strings.Join(statuses, " "))
	same(t, []view.PendingCall(nil), v.Pending)
	same(t, "s demo", v.ID+" "+v.Agent)
}

func TestCallsOfABatchAndOfAChildArePendingWithTheirOwnArguments(t *testing.T) {
	t.Parallel()
	s := make(store)
	batch := s.json(&llm.Envelope{ToolCalls: []llm.ToolCall{
		call("b", "agent__batch", `{"calls":[{"id":"1","parameters":{"x":1},"tool":"remote"},{"id":"2","parameters":{"x":2},"tool":"remote"}]}`),
	}})
	child := s.json(&llm.Envelope{ToolCalls: []llm.ToolCall{call("r", "remote", `{"y":3}`)}})
	v := folded(t, s, &kernel.Awaiting{Calls: []kernel.PendingCall{
		{CallID: "b.2", Name: "remote", Kind: "remote", Output: batch},
		{CallID: "c/r", Name: "remote", Kind: "remote", Output: child, Child: "s.4-0"},
		{CallID: "gone", Name: "remote", Kind: "remote", Output: child, Index: 7},
	}})
	var got []string
	for _, p := range v.Pending {
		got = append(got, p.ID+" "+p.Name+" "+string(p.Parameters))
	}
	same(t, []string{`b.2 remote {"x":2}`, `c/r remote {"y":3}`, `gone remote {}`}, got)
}

// contract: V1, V5
func TestTheConversationIsToldInOrderAndEndsWithHowTheRunEnded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		story *story
		want  string
	}{
		"a report":  {weather(), "user assistant tool tool tool assistant tool"},
		"an abort":  {aborted(), "user assistant tool tool assistant"},
		"ten turns": {manyTurns(10), "user" + strings.Repeat(" assistant tool", 10)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := c.story.fold(t, func(view.Event) {}, func(view.Notice) {})
			var roles []string
			for i := range v.Messages {
				roles = append(roles, string(v.Messages[i].Role))
			}
			same(t, c.want, strings.Join(roles, " "))
		})
	}
	v := aborted().fold(t, func(view.Event) {}, func(view.Notice) {})
	last := v.Messages[len(v.Messages)-1]
	same(t, view.Message{
		Role: llm.RoleAssistant, Content: "It seems that", StopReason: "aborted", ErrorMessage: "The run was aborted.", Timestamp: now + 575,
	}, last) // no parts: no model is ever shown it
}

func TestEveryKindOfMessageIsShown(t *testing.T) {
	t.Parallel()
	s := make(store)
	user := llm.Message{Role: llm.RoleUser, Parts: []llm.Part{
		{Kind: llm.PartText, Text: "What is "},
		{Kind: llm.PartImage, Image: &llm.Image{URL: "https://example.org/cat.png"}},
		{Kind: llm.PartText, Text: "this?"},
	}}
	envelope := &llm.Envelope{
		AssistantText: "A cat.", Reasoning: []llm.Reasoning{{Text: "Whiskers. ", Signature: "sig"}, {Text: "Tail."}},
		ToolCalls: []llm.ToolCall{call("a", "pet", `{"how":"gently"}`), {ID: "b", Name: "pet", Bad: true, Raw: "{how"}},
	}
	batch := kernel.Entry{Kind: dialect.ItemResult, CallID: "b", Name: "agent__batch", Inner: []kernel.Inner{
		{ID: "1", Tool: "pet", OK: true, ElapsedMS: 5, Ref: s.keep([]byte("purr"))},
		{ID: "2", Tool: "pet", Code: "timeout", Ref: s.keep([]byte("(tool failed: timeout)"))},
	}}
	failed := s.content("(tool failed: scratched)")
	v := folded(t, s, opened(),
		&kernel.Message{Entry: kernel.Entry{Kind: dialect.ItemUser, Ref: s.json(&user)}},
		&kernel.Message{Entry: kernel.Entry{Kind: dialect.ItemAssistant, Ref: s.json(envelope)}},
		&kernel.Message{Entry: kernel.Entry{Kind: dialect.ItemResult, Ref: failed.Ref, CallID: "a", Name: "pet", Failed: true}},
		&kernel.Message{Entry: batch},
		&kernel.Message{Entry: kernel.Entry{Kind: dialect.ItemTerminal, Ref: s.json(&kernel.Terminal{
			StopReason: "error", ErrorMessage: "No more cats.", Partial: s.json(envelope),
		})}},
	)
	for i, want := range []string{
		`{"role":"user","content":"What is this?","timestamp":1767225600000}`,
		`{"role":"assistant","content":"A cat.","reasoning":"Whiskers. Tail.","timestamp":1767225600000,
			"toolCalls":[{"id":"a","name":"pet","parameters":{"how":"gently"}},{"id":"b","name":"pet","parameters":{}}]}`,
		`{"role":"tool","content":"(tool failed: scratched)","toolCallId":"a","toolName":"pet","failed":true,"timestamp":1767225600000}`,
		`{"role":"tool","toolCallId":"b","toolName":"agent__batch","timestamp":1767225600000,"content":` +
			`"{\"results\":[{\"id\":\"1\",\"tool\":\"pet\",\"ok\":true,\"elapsedMs\":5,\"output\":\"purr\"},` +
			`{\"id\":\"2\",\"tool\":\"pet\",\"ok\":false,\"elapsedMs\":0,\"error\":{\"code\":\"timeout\",\"message\":\"(tool failed: timeout)\"}}]}"}`,
		`{"role":"assistant","content":"A cat.","reasoning":"Whiskers. Tail.","stopReason":"error","errorMessage":"No more cats.",
			"timestamp":1767225600000}`,
	} {
		sameJSON(t, want, string(llm.MustMarshalJSON(&v.Messages[i])))
	}
	same(t, 3, len(v.Messages[0].Parts))
	same(t, "sig", v.Messages[1].Parts[0].Reasoning.Signature)
}

func TestAContentThatIsGoneIsAnErrorAndTheViewGoesOn(t *testing.T) {
	t.Parallel()
	s := make(store)
	v := view.NewSession(s.read)
	gone := journal.RefOf([]byte("gone"))
	for _, f := range []kernel.Fact{
		&kernel.Message{Entry: kernel.Entry{Kind: dialect.ItemUser, Ref: gone}},
		&kernel.Message{Entry: kernel.Entry{Kind: dialect.ItemAssistant, Ref: gone}},
		&kernel.Message{Entry: kernel.Entry{Kind: dialect.ItemResult, Ref: gone}},
		&kernel.FinalReport{Payload: gone},
	} {
		if err := v.Apply(now, f); !errors.Is(err, errNoContent) {
			t.Errorf("%s: %v", kernel.FactKind(f), err)
		}
	}
	broken := s.keep([]byte("{"))
	for _, kind := range []dialect.ItemKind{dialect.ItemUser, dialect.ItemAssistant, dialect.ItemTerminal} {
		if err := v.Apply(now, &kernel.Message{Entry: kernel.Entry{Kind: kind, Ref: broken}}); err == nil {
			t.Errorf("%s: a message that cannot be read is no error", kind)
		}
	}
	same(t, 6, len(v.Messages))
	// What a log or a tree would only like to show is not missed.
	for _, f := range []kernel.Fact{
		&kernel.RunStart{Run: 1, Config: gone}, &kernel.AttemptEnd{Outcome: kernel.OutcomeRejected, Output: gone, Raw: gone},
		&kernel.Log{Severity: "ERR", Code: "x", Ref: gone},
	} {
		if err := v.Apply(now, f); err != nil {
			t.Errorf("%s: %v", kernel.FactKind(f), err)
		}
	}
}

// contract: F2, F8
func TestAReportSaysWhereItComesFromAndKeepsTheModelsMetadata(t *testing.T) {
	t.Parallel()
	s := make(store)
	payload := func(p spec.ReportPayload) *kernel.FinalReport {
		return &kernel.FinalReport{OK: true, Source: kernel.SourceTool, Format: p.Format, Payload: s.json(&p), At: 7}
	}
	own := payload(spec.ReportPayload{
		Format: spec.FormatJSON, ContentJSON: json.RawMessage(`{"status":"mine"}`), Metadata: json.RawMessage(`{"sure":true}`),
	})
	own.ModelStatus = "partial"
	slack := payload(spec.ReportPayload{Format: spec.FormatSlack, Messages: json.RawMessage(`[{"blocks":[]}]`)})
	slack.ModelStatus = "success"
	failure := payload(spec.ReportPayload{
		Format: spec.FormatText, Content: "no luck", Metadata: json.RawMessage(`{"reason":"max_turns_exhausted"}`),
	})
	failure.OK, failure.Source = false, kernel.SourceSynthetic
	for _, c := range []struct {
		fact       *kernel.FinalReport
		want, text string
	}{
		{own, `{"status":"success","format":"json","content_json":{"status":"mine"},"metadata":{"sure":true,"modelStatus":"partial"},
			"ts":7,"source":"tool-call"}`, `{"status":"mine"}`},
		{slack, `{"status":"success","format":"slack-block-kit","messages":[{"blocks":[]}],"metadata":{"modelStatus":"success"},
			"ts":7,"source":"tool-call"}`, `[{"blocks":[]}]`},
		{failure, `{"status":"failure","format":"text","content":"no luck","metadata":{"reason":"max_turns_exhausted"},
			"ts":7,"source":"synthetic"}`, "no luck"},
	} {
		v := folded(t, s, c.fact)
		sameJSON(t, c.want, string(llm.MustMarshalJSON(v.Report)))
		same(t, c.text, v.Report.Text())
	}
}

// contract: M10
func TestNobodyIsShownTheTagsThatAModelWrites(t *testing.T) {
	t.Parallel()
	s := newStory()
	s.frame(0, opened())
	s.frame(1, s.runStart(1, &spec.Run{Transport: spec.TransportXMLFinal, Format: spec.FormatMarkdown}), s.userMessage("hi"),
		&kernel.TurnStart{Turn: 1}, attemptStart("2.0", 1, 1, "a/b"))
	const tagged = "Well. <ai-agent-0a1b2c3d-FINAL format=\"markdown\">It is **sunny**.</ai-agent-0a1b2c3d-FINAL>"
	s.frame(1, append(s.accepted(attemptEnd("2.0", 1, 1, "a/b", ""), &llm.Envelope{AssistantText: tagged}),
		s.finalReport(1, "It is **sunny**."), runEnd(1, 1))...)
	for _, e := range s.events(t) {
		if text := string(view.MarshalEvent(&e)); strings.Contains(text, "0a1b2c3d") {
			t.Errorf("a listener is shown %s", text)
		}
		if e.Type == view.EventTextEnd {
			same(t, "It is **sunny**.", e.Text)
		}
	}
	output := ""
	for _, n := range s.notices(t) {
		if n.Type == view.NoticeOutput {
			output += string(n.Meta.Source) + ":" + n.Text
		}
	}
	same(t, "finalize:It is **sunny**.", output)
	v := s.fold(t, func(view.Event) {}, func(view.Notice) {})
	same(t, "Well. It is **sunny**.", v.Messages[1].Content)
	same(t, tagged, v.Messages[1].Parts[0].Text)
}
