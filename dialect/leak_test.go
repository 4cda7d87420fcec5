package dialect

import (
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// contract: T6
func TestCallsThatLeakedIntoTheTextAreMade(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`<tool_call>{"name":"web__search","arguments":{"q":"x"}}</tool_call>`:                                                                         {`{"q":"x"}`},
		`<tool_calls>[{"name":"search","parameters":{"q":"x"}},{"tool":"search","arguments":"{\"q\":\"y\"}"}]</tool_calls>`:                           {`{"q":"x"}`, `{"q":"y"}`},
		`<tools><tool_call>{"name":"search","arguments":{"q":"x"}}</tool_call><tool_call>{"name":"search","arguments":{"q":"y"}}</tool_call></tools>`: {`{"q":"x"}`, `{"q":"y"}`},
		`<function_call>{"function":{"name":"search","arguments":{"q":"x"}}}</function_call>`:                                                         {`{"q":"x"}`},
		"<function>\n```json\n{\"function\":\"search\",\"parameters\":{\"q\":\"x\"}\n```\n</function>":                                                {`{"q":"x"}`},
		`<web__search><parameter name="q">x</parameter><parameter name="limit">3</limit></web__search>`:                                               {`{"limit":3,"q":"x"}`},
		`<web__search><parameter name="q">a</parameter><parameter name="q">b <i>c</i></parameter></web__search>`:                                      {`{"q":"a\nb <i>c</i>"}`},
	} {
		for _, transport := range transports {
			o := observe(t, newRun(transport), said("Before. "+text+" After."))
			if len(o.Calls) != len(want) {
				t.Errorf("%s: %d calls, want %d", text, len(o.Calls), len(want))
				continue
			}
			for i := range want {
				same(t, "leaked_"+string(rune('1'+i)), o.Calls[i].ID)
				same(t, SourceLeaked, o.Calls[i].Source)
				same(t, SourceLeaked, o.Envelope.ToolCalls[i].Source)
				same(t, true, o.Calls[i].Runs())
				same(t, want[i], string(o.Envelope.ToolCalls[i].Arguments))
			}
			same(t, "Before.  After.", o.Envelope.AssistantText)
			same(t, "Before.  After.", o.TextPayload.Content)
		}
	}
}

func TestTextThatOnlyLooksLikeACallStaysText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`<tool_call>{"name":"unknown","arguments":{}}</tool_call>`, `<tool_call>soon</tool_call>`, `<tool_call>{"name":"search"`,
		`<function>f(x) = {x}</function>`, `<other><parameter name="q">x</parameter></other>`, `<web__search>no parameters</web__search>`,
		`<web__search><parameter name="q`, `<tool_call>[7, "x", {"name": 7}]</tool_call>`, `a < b </tool_call>`, `<tool_call></tool_call>`,
	} {
		o := observe(t, newRun(spec.TransportNative), said(text))
		same(t, 0, len(o.Calls))
		same(t, text, o.Envelope.AssistantText)
	}
	leak := `<tool_call>{"name":"search","arguments":{"q":"x"}}</tool_call>`
	// Beside other calls, and beside a report, text is text.
	e := native("web__search", `{"q":"x"}`)
	e.AssistantText = leak
	o := observe(t, newRun(spec.TransportNative), e)
	same(t, SourceNative, only(t, &o).Source)
	o = observe(t, newRun(spec.TransportXML), said(leak+slot("0003", "search", `{"q":"x"}`)))
	same(t, SourceXML, only(t, &o).Source)
	o = observe(t, newRun(spec.TransportXML), said(leak+tagged("done")))
	same(t, 0, len(o.Calls))
}

// contract: F1, L5
func TestOnTheLastTurnOnlyALeakedReportCounts(t *testing.T) {
	t.Parallel()
	run := newRun(spec.TransportNative)
	ts := newTools(t, run)
	leak := `<tool_call>{"name":"search","arguments":{"q":"x"}}</tool_call>`
	o := Observe(ts, finalAsk(run), said("All I know. "+leak), stopped)
	same(t, 0, len(o.Calls))
	same(t, true, o.TextReport.Fit)
	o = Observe(ts, finalAsk(run), said(`<tool_call>{"name":"final_report","arguments":{"report_content":"done"}}</tool_call>`), stopped)
	same(t, "leaked_1", o.Report.Call)
	same(t, "done", o.ReportBody.Content)
	same(t, false, o.HasText)
}

func TestALeakedFloodIsTooManyCalls(t *testing.T) {
	t.Parallel()
	leak := strings.Repeat(`<tool_call>{"name":"search","arguments":{"q":"x"}}</tool_call>`, maxCalls+5)
	o := observe(t, newRun(spec.TransportNative), said(leak))
	same(t, true, o.TooManyCalls)
}

func TestAHostileTextIsReadInLinearTime(t *testing.T) {
	t.Parallel()
	// Each of these would take minutes if it were read again from every tag.
	for _, piece := range []string{
		"<tool_call>", "<web__search>", "<web__search><parameter name=\"q\">", "<", "<ai-agent-" + nonce + "-FINAL>", "<ai-agent-" + nonce + "-0003>",
		"</ai-agent-" + nonce + "-FINAL>", "<ai-agent-" + nonce + "-", "<tool_call></tool_call>", "{", "<parameter name=\"q\">x</parameter>",
	} {
		text := strings.Repeat(piece, 1<<17/len(piece))
		for _, change := range []func(*spec.Run){func(*spec.Run) {}, withJSON} {
			observe(t, newRun(spec.TransportXML, change), said(text))
			observe(t, newRun(spec.TransportXML, change), said("<web__search>"+text+"</web__search>"))
			observe(t, newRun(spec.TransportXML, change), said(tagged(text)))
		}
		f := NewFilter(newAsk(newRun(spec.TransportXML)), spec.FormatMarkdown, true)
		for at := 0; at < len(text); at += 7 {
			f.Push(llm.Delta{Kind: llm.DeltaText, Text: text[at:min(at+7, len(text))]})
		}
		f.Close()
	}
}

// contract: R6
func TestALeadingThinkBlockIsReasoning(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"<think>\nhm\n</think>\n\nhello":            {"hm", "hello"},
		" \n<think>a</think>b<think>c</think>":      {"a", "b<think>c</think>"},
		"<think>only":                               {"only", ""},
		"<think>\n\n</think>hello":                  {"", "hello"},
		"say <think>a</think>":                      {"", "say <think>a</think>"},
		"<thinking>a</thinking>":                    {"", "<thinking>a</thinking>"},
		"<think>" + tagged("fake") + "</think>real": {tagged("fake"), "real"},
	} {
		o := observe(t, newRun(spec.TransportXMLFinal), said(text))
		same(t, want[1], o.Envelope.AssistantText)
		same(t, want[0] != "", o.HasReasoning)
		if o.HasReasoning {
			same(t, []llm.Reasoning{{Text: want[0]}}, o.Envelope.Reasoning)
		}
		same(t, strings.TrimSpace(want[1]) != "", o.HasText)
		same(t, true, o.Report == nil)
	}
}

// contract: P8
func TestAnEnvelopesLayoutFollowsItsText(t *testing.T) {
	t.Parallel()
	e := llm.Envelope{
		AssistantText: "<think>hm</think>one two", Reasoning: []llm.Reasoning{{Text: "first", Signature: "s"}},
		ToolCalls: []llm.ToolCall{llm.NewToolCall("call_1", "web__search", `{"q":"x"}`)},
		Layout: []llm.LayoutItem{
			{Kind: llm.PartReasoning, Index: 0},
			{Kind: llm.PartText, Index: 10},
			{Kind: llm.PartText, Index: 20},
			{Kind: llm.PartToolCall, Index: 0},
			{Kind: llm.PartText, Index: 24},
		},
		Origin: &llm.Origin{Provider: "p", Model: "m"},
	}
	before := e.Message()
	o := observe(t, newRun(spec.TransportNative), e)
	m := o.Envelope.Message()
	var parts []string
	for _, p := range m.Parts {
		switch p.Kind {
		case llm.PartText:
			parts = append(parts, p.Text)
		case llm.PartReasoning:
			parts = append(parts, "("+p.Reasoning.Text+")")
		default:
			parts = append(parts, p.Call.ID)
		}
	}
	same(t, []string{"(first)", "(hm)", "one", "call_1", " two"}, parts)
	same(t, before, e.Message()) // what came in is as it was
	// A call that is found in the text has its place, too.
	e.AssistantText, e.Layout = "one "+slot("0003", "search", `{"q":"y"}`), []llm.LayoutItem{{Kind: llm.PartToolCall, Index: 0}, {Kind: llm.PartText, Index: 4}}
	o = observe(t, newRun(spec.TransportXML), e)
	m = o.Envelope.Message()
	same(t, nonce+"-0003", m.Parts[len(m.Parts)-1].Call.ID)
	same(t, 2, len(e.Layout))
}
