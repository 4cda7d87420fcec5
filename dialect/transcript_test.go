package dialect

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

func user(text string) Item {
	m := llm.Text(llm.RoleUser, text)
	return Item{Kind: ItemUser, User: &m}
}

func assistant(e llm.Envelope) Item { return Item{Kind: ItemAssistant, Assistant: &e} }

func result(id, name, content string) Item {
	return Item{Kind: ItemResult, Result: &llm.ToolResult{CallID: id, Name: name, Content: content}}
}

func xmlCall(slot, name, args string) llm.ToolCall {
	call := llm.NewToolCall(nonce+"-"+slot, name, args)
	call.Source = SourceXML
	return call
}

// conversation holds calls and results of every kind.
func conversation() []Item {
	leaked := llm.NewToolCall("leaked_1", "web__search", `{"q":"leaked"}`)
	leaked.Source = SourceLeaked
	return []Item{
		user("What is tea?"),
		assistant(llm.Envelope{
			AssistantText: "I will search.\n" + slot("0001", "web__search", `{"q":"tea"}`) + "\n" + slot("0002", "files__read", `{"path":`),
			ToolCalls:     []llm.ToolCall{xmlCall("0001", "web__search", `{"q":"tea"}`), xmlCall("0002", "files__read", `{"path":`)},
		}),
		result(nonce+"-0001", "web__search", "A drink."),
		result(nonce+"-0002", "files__read", "(tool failed: invalid tool call payload)"),
		assistant(native("web__search", `{"q":"native"}`)),
		result("call_1", "web__search", ""),
		assistant(llm.Envelope{AssistantText: "Leaking.", ToolCalls: []llm.ToolCall{leaked}}),
		{Kind: ItemTerminal},
		user("Go on."),
		assistant(native("agent__final_report", `{"report_content":"Tea is a drink."}`)),
		result("call_1", "agent__final_report", `{"ok": true}`),
		user("And coffee?"),
		assistant(llm.Envelope{Reasoning: []llm.Reasoning{{Text: "hm"}}, AssistantText: tagged("Coffee is another.")}),
		user("Read both."),
		assistant(llm.Envelope{
			AssistantText: slot("0003", "files__read", `{"path":"a"}`),
			ToolCalls:     []llm.ToolCall{xmlCall("0003", "files__read", `{"path":"a"}`), xmlCall("0004", "files__read", `{"path":"b"}`)},
		}),
		result(nonce+"-0003", "files__read", "a"),
	}
}

func show(messages []*llm.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "== %s\n", m.Role)
		for _, p := range m.Parts {
			switch p.Kind {
			case llm.PartText:
				b.WriteString(p.Text + "\n")
			case llm.PartReasoning:
				fmt.Fprintf(&b, "(reasoning: %s)\n", p.Reasoning.Text)
			case llm.PartToolCall:
				fmt.Fprintf(&b, "(call %s: %s %s%s)\n", p.Call.ID, p.Call.Name, p.Call.Arguments, p.Call.Raw)
			case llm.PartToolResult:
				fmt.Fprintf(&b, "(result %s: %q)\n", p.Result.CallID, p.Result.Content)
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// contract: M8, V4
func TestTheHistoryInEachTransport(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		run := newRun(transport)
		p := NewProjector(transport)
		p.Append(conversation()...)
		r := p.Request(run, &run.Targets[0], newTools(t, run), &Ask{})
		golden(t, "past-"+string(transport)+".txt", show(r.History)+"\n---- tail\n"+show(r.Tail))
	}
}

// contract: M8
func TestTheResultsOfATurnAreOneMessageInXML(t *testing.T) {
	t.Parallel()
	p := NewProjector(spec.TransportXML)
	long := strings.Repeat("ä", 5000)
	p.Append(user("x"), assistant(llm.Envelope{AssistantText: "y", ToolCalls: []llm.ToolCall{
		xmlCall("0001", "web__search", string(llm.MustMarshalJSON(map[string]string{"q": long}))),
		xmlCall("0002", spec.FinalReportTool, `{"content":"r"}`), xmlCall("0003", "web__search", `{"q":"z"}`),
	}}))
	p.Append(result(nonce+"-0001", "web__search", long))
	same(t, 2, len(p.History())) // the turn is not complete
	same(t, 1, len(p.unfinished()))
	p.Append(result(nonce+"-0002", spec.FinalReportTool, "ok"))
	p.Append(result(nonce+"-0003", "web__search", "last"))
	same(t, 3, len(p.History()))
	same(t, 0, len(p.unfinished()))
	text := p.History()[2].Content()
	same(t, true, strings.HasPrefix(text, "# System Notice\n\n## Previous Turn Tool Responses\n"))
	same(t, 1, strings.Count(text, "\nSystem Notice: tool response for "+nonce+"-0001 (web__search)\n"))
	same(t, 1, strings.Count(text, "\nSystem Notice: tool response for "+nonce+"-0003 (web__search)\n"))
	same(t, false, strings.Contains(text, spec.FinalReportTool))
	same(t, true, utf8.ValidString(text))
	for _, part := range regexp.MustCompile(`(?s)(?:Request|Response):\n(.*?)\n(?:Response:|\nSystem|$)`).FindAllStringSubmatch(text, -1) {
		if len(part[1]) > maxPast {
			t.Errorf("%d bytes of a request or response", len(part[1]))
		}
	}
}

func TestTheZeroProjectorIsNative(t *testing.T) {
	t.Parallel()
	var zero Projector
	zero.Append(conversation()...)
	p := NewProjector(spec.TransportNative)
	p.Append(conversation()...)
	same(t, show(p.History()), show(zero.History()))
}

// contract: V2, V5, M8, P12
func TestEveryPrefixOfEveryTranscriptMakesAValidRequest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		transport := rapid.SampledFrom(transports).Draw(t, "transport")
		run := newRun(transport)
		ts := newTools(t, run)
		items := rapid.SliceOfN(rapid.Custom(drawItem), 0, 12).Draw(t, "items")
		p := NewProjector(transport)
		var before []*llm.Message
		for i := range items {
			p.Append(items[i])
			for _, ask := range []*Ask{newAsk(run), finalAsk(run)} {
				r := p.Request(run, &run.Targets[0], ts, ask)
				checkValid(t, append(slices.Clip(r.History), r.Tail...))
			}
			// The history only grows, message by message (contract P12).
			now := p.History()
			for j := range before {
				if j >= len(now) || now[j] != before[j] {
					t.Fatalf("message %d changed", j)
				}
			}
			before = now
		}
		// How the items came does not matter.
		once := NewProjector(transport)
		once.Append(items...)
		same(t, show(before), show(once.History()))
		request := &llm.Request{Model: "m"}
		same(t, p.Digest(request), once.Digest(request))
	})
}

func drawItem(t *rapid.T) Item {
	ids := rapid.SampledFrom([]string{"a", "b", nonce + "-0001", nonce + "-0002", "leaked_1"})
	switch rapid.SampledFrom([]ItemKind{ItemUser, ItemAssistant, ItemAssistant, ItemResult, ItemResult, ItemResult, ItemTerminal}).Draw(t, "kind") {
	case ItemUser:
		return user(rapid.StringN(0, 3, -1).Draw(t, "text"))
	case ItemResult:
		return result(ids.Draw(t, "id"), "web__search", rapid.SampledFrom([]string{"", "ok"}).Draw(t, "content"))
	case ItemTerminal:
		return Item{Kind: ItemTerminal}
	}
	e := llm.Envelope{AssistantText: rapid.SampledFrom([]string{"", " ", "text", slot("0001", "web__search", "{}")}).Draw(t, "text")}
	for range rapid.IntRange(0, 3).Draw(t, "calls") {
		name := rapid.SampledFrom([]string{"web__search", spec.FinalReportTool}).Draw(t, "name")
		call := llm.NewToolCall(ids.Draw(t, "call id"), name, rapid.SampledFrom([]string{"{}", "bad", `{"content":"x"}`}).Draw(t, "args"))
		call.Source = rapid.SampledFrom([]string{"", SourceXML, SourceLeaked}).Draw(t, "source")
		e.ToolCalls = append(e.ToolCalls, call)
	}
	if rapid.Bool().Draw(t, "reasoning") {
		e.Reasoning = []llm.Reasoning{{Text: "hm"}}
	}
	if rapid.Bool().Draw(t, "layout") {
		kinds := []llm.PartKind{llm.PartText, llm.PartReasoning, llm.PartToolCall}
		for range rapid.IntRange(1, 4).Draw(t, "pieces") {
			e.Layout = append(e.Layout, llm.LayoutItem{
				Kind: rapid.SampledFrom(kinds).Draw(t, "piece"), Index: rapid.IntRange(-1, 4).Draw(t, "index"),
			})
		}
	}
	return assistant(e)
}

// checkValid is what every provider demands of a conversation.
func checkValid(t *rapid.T, messages []*llm.Message) {
	var open []string
	for i, m := range messages {
		if len(m.Parts) == 0 {
			t.Fatalf("message %d is empty", i)
		}
		if m.Role != llm.RoleTool && len(open) > 0 {
			t.Fatalf("message %d: calls %v have no result", i, open)
		}
		for _, p := range m.Parts {
			switch p.Kind {
			case llm.PartToolCall:
				if m.Role != llm.RoleAssistant {
					t.Fatalf("message %d: a call of %s", i, m.Role)
				}
				open = append(open, p.Call.ID)
			case llm.PartToolResult:
				if len(open) == 0 || open[0] != p.Result.CallID || m.Role != llm.RoleTool {
					t.Fatalf("message %d: result of %s, open are %v", i, p.Result.CallID, open)
				}
				if p.Result.Content == "" {
					t.Fatalf("message %d: an empty result", i)
				}
				open = open[1:]
			case llm.PartText:
				if m.Role == llm.RoleAssistant && strings.TrimSpace(p.Text) == "" {
					t.Fatalf("message %d: a blank text", i)
				}
			}
		}
	}
	if len(open) > 0 {
		t.Fatalf("calls %v have no result at the end", open)
	}
}

func TestAReportOfAnotherTransportStaysVisible(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{"report_content":"text"}`: "text", `{"content_json":{"a":1}}`: `{"a":1}`, `{"messages":[{"blocks":[]}]}`: `[{"blocks":[]}]`,
	} {
		same(t, want, reportText(&llm.ToolCall{Arguments: json.RawMessage(args)}))
	}
	same(t, "x", reportText(&llm.ToolCall{Arguments: json.RawMessage("x")}))
}

// BenchmarkRequest makes requests at the end of histories of two lengths: the
// cost must not depend on it.
func BenchmarkRequest(b *testing.B) {
	for _, turns := range []int{10, 1000} {
		for _, transport := range transports {
			b.Run(fmt.Sprintf("transport=%s/turns=%d", transport, turns), func(b *testing.B) {
				run := newRun(transport)
				ts := newTools(b, run)
				p := NewProjector(transport)
				for range turns {
					p.Append(user("x"), assistant(native("web__search", `{"q":"x"}`)), result("call_1", "web__search", "y"))
				}
				ask := newAsk(run)
				p.Digest(p.Request(run, &run.Targets[0], ts, ask))
				b.ReportAllocs()
				for b.Loop() {
					p.Digest(p.Request(run, &run.Targets[0], ts, ask))
				}
			})
		}
	}
}
