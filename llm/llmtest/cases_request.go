package llmtest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
)

// requests are about what is sent. Their golden texts are in the adapter's
// files; each answer is the plain one.
//
// contract: R8, P9, V2, V4
func requests() []*testCase {
	plain := want{Envelope: llm.Envelope{AssistantText: "Hello, world!"}, Finish: llm.FinishStop, Usage: counted()}
	var cases []*testCase
	for _, c := range []struct {
		name    string
		request func(a *Adapter) *llm.Request
	}{
		{"sent-minimal", minimal},
		{"sent-sampling", sampling},
		{"sent-sampling-zero", samplingZero},
		{"sent-effort", thinking},
		{"sent-reasoning-tokens", reasoningTokens},
		{"sent-tool-choice-required", toolChoice(llm.ToolChoiceRequired)},
		{"sent-tool-choice-none", toolChoice(llm.ToolChoiceNone)},
		{"sent-tools-odd", oddTools},
		{"sent-structured-output", structured},
		{"sent-options", options},
		{"sent-images", images},
		{"sent-tool-loop", toolLoop},
		{"sent-reasoning-same-model", sameModel},
		{"sent-handoff", handoff},
		{"sent-orphans", orphans},
		{"sent-tail", tail},
		{"sent-blank", blank},
		{"sent-unicode", unicodeText},
		{"sent-final-without-tools", finalWithoutTools},
	} {
		cases = append(cases, &testCase{name: c.name, request: c.request, golden: true, want: plain})
	}
	return cases
}

// minimal leaves everything out that can be.
func minimal(*Adapter) *llm.Request {
	m := llm.Text(llm.RoleUser, "Hello?")
	return &llm.Request{History: []*llm.Message{&m}}
}

// sampling sets everything but reasoning.
func sampling(a *Adapter) *llm.Request {
	r := hello(a)
	r.Sampling = llm.Sampling{
		Temperature: new(0.3), TopP: new(0.9), TopK: new(int64(40)), RepeatPenalty: new(1.1), MaxTokens: new(int64(500)),
		Stop: []string{"END", "\n\n"},
	}
	return r
}

// samplingZero sets zeros, which are not the same as nothing.
func samplingZero(a *Adapter) *llm.Request {
	r := hello(a)
	r.Sampling = llm.Sampling{Temperature: new(0.0), TopP: new(1.0), MaxTokens: new(int64(1))}
	return r
}

func reasoningTokens(a *Adapter) *llm.Request {
	r := hello(a)
	r.Sampling = llm.Sampling{ReasoningTokens: new(int64(3000)), Temperature: new(0.5)}
	return r
}

func toolChoice(choice llm.ToolChoice) func(a *Adapter) *llm.Request {
	return func(a *Adapter) *llm.Request {
		r := weather(a)
		r.ToolChoice = choice
		return r
	}
}

// oddTools have names that services refuse, or no parameters.
func oddTools(a *Adapter) *llm.Request {
	r := hello(a)
	r.Tools = []llm.Tool{{Name: "files/read all"}, {Name: strings.Repeat("long_", 20), Parameters: json.RawMessage(`{"type":"object"}`)}}
	return r
}

func structured(a *Adapter) *llm.Request {
	r := hello(a)
	r.ResponseFormat = json.RawMessage(`{"type":"json_schema","json_schema":{"name":"city","strict":true,"schema":` +
		`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}}}`)
	return r
}

// options holds options of this provider and of another one.
func options(a *Adapter) *llm.Request {
	r := hello(a)
	own := `{"metadata":{"user_id":"u-1"},"nested":{"deep":[1,2.50,null]},"number":12345678901234567890}`
	r.Options = json.RawMessage(`{"other":{"secret_sauce":true},"` + a.Namespace + `":` + own + `}`)
	return r
}

// images are in what the user says and in what a tool returns.
func images(a *Adapter) *llm.Request {
	r := weather(a)
	ask := &llm.Message{Role: llm.RoleUser, Parts: []llm.Part{
		{Kind: llm.PartText, Text: "What is this?"},
		{Kind: llm.PartImage, Image: &llm.Image{MediaType: "image/png", Data: []byte("not really a picture")}},
		{Kind: llm.PartImage, Image: &llm.Image{URL: "https://example.com/cat.jpg"}},
	}}
	calls := assistant(nil, call("call_berlin", "Berlin"), call("call_oslo", "Oslo"))
	first, second := result("call_berlin", "A map:"), result("call_oslo", "rain")
	first.Parts[0].Result.Images = []llm.Image{{MediaType: "image/png", Data: []byte("a map")}}
	r.History = []*llm.Message{ask, calls, first, second}
	return r
}

// toolLoop has two turns of calls, whose ids repeat.
func toolLoop(a *Adapter) *llm.Request {
	r := weather(a)
	r.History = append(
		r.History,
		assistant(nil, call("call_1", "Berlin"), call("call_2", "Oslo")), result("call_1", "sunny"), failed(result("call_2", "(tool failed: timeout)")),
		assistant(nil, call("call_1", "Rome")), result("call_1", " "),
	)
	return r
}

// sameModel gives a model its own reasoning back: signed, encrypted, and cut
// off before it was signed.
func sameModel(a *Adapter) *llm.Request {
	return reasoned(a, &llm.Origin{Provider: ProviderName, Model: a.Model})
}

func reasoned(a *Adapter, origin *llm.Origin) *llm.Request {
	r := thinking(a)
	signed := assistant(origin, call("call_berlin", "Berlin"))
	signed.Parts = slices.Insert(
		signed.Parts, 0,
		reasoning(llm.Reasoning{Text: "I need the weather.", Signature: "c2lnbmVkIQ==", ID: "rs_1"}),
		reasoning(llm.Reasoning{Redacted: "ZW5jcnlwdGVk", ID: "rs_2"}),
	)
	cut := assistant(origin)
	cut.Parts = append(
		cut.Parts, reasoning(llm.Reasoning{Text: "Unsigned thought."}),
		llm.Part{Kind: llm.PartText, Text: "It is sunny."},
	)
	only := assistant(origin)
	only.Parts = append(only.Parts, reasoning(llm.Reasoning{Text: "Only a thought.", Signature: "b25seQ==", ID: "rs_3"}))
	thanks, more := llm.Text(llm.RoleUser, "Thanks."), llm.Text(llm.RoleUser, "And now?")
	r.History = append(r.History, signed, result("call_berlin", "sunny"), cut, &thanks, only, &more)
	return r
}

// handoff goes on with a conversation that another model had: its ids are long
// and full of strange characters, its reasoning cannot be proved here, and one
// of its calls was never readable.
func handoff(a *Adapter) *llm.Request {
	r := reasoned(a, &llm.Origin{Provider: "elsewhere", Model: "other"})
	long := "call_" + strings.Repeat("x", 60) + "|fc_" + strings.Repeat("y", 60)
	bad := llm.ToolCall{ID: "functions.weather:1", Name: "weather", Bad: true, Raw: `{"city": "Ber`}
	r.History = append(
		r.History,
		assistant(&llm.Origin{Provider: "elsewhere", Model: "other"}, call(long, "Berlin"), bad),
		result(long, "sunny"), failed(result("functions.weather:1", "(tool failed: bad arguments)")),
	)
	return r
}

// orphans has calls that nobody answered before the conversation went on, and a
// result that nobody asked for.
func orphans(a *Adapter) *llm.Request {
	r := weather(a)
	next := llm.Text(llm.RoleUser, "Never mind.")
	r.History = append(
		r.History,
		assistant(nil, call("call_1", "Berlin"), call("call_2", "Oslo")), result("call_1", "sunny"), result("call_9", "who asked?"),
		&next,
		assistant(nil, call("call_3", "Rome")),
	)
	return r
}

// tail ends with a notice that is this request's alone.
func tail(a *Adapter) *llm.Request {
	r := weather(a)
	r.History = append(r.History, assistant(nil, call("call_1", "Berlin")), result("call_1", "sunny"))
	notice := llm.Text(llm.RoleUser, "System notice: this is the last turn.")
	r.Tail = []*llm.Message{&notice}
	return r
}

// blank has messages and parts with nothing in them.
func blank(a *Adapter) *llm.Request {
	r := hello(a)
	r.System = "  "
	empty, spaces := llm.Text(llm.RoleAssistant, ""), llm.Text(llm.RoleAssistant, "  \n")
	nothing := &llm.Message{Role: llm.RoleAssistant}
	again := llm.Text(llm.RoleUser, "Still there?")
	r.History = append(r.History, &empty, &spaces, nothing, &again)
	return r
}

// unicodeText holds what JSON cannot: bytes that are no UTF-8, among them half
// a surrogate pair.
func unicodeText(a *Adapter) *llm.Request {
	r := hello(a)
	m := llm.Text(llm.RoleUser, "ok 😀 \xed\xa0\xbd \xff \u2028 \x00 </script>")
	r.History = []*llm.Message{&m}
	return r
}

// finalWithoutTools has calls in its history and offers none any more.
func finalWithoutTools(a *Adapter) *llm.Request {
	r := toolLoop(a)
	r.Tools, r.ToolChoice = nil, llm.ToolChoiceUnset
	return r
}

func assistant(origin *llm.Origin, calls ...llm.ToolCall) *llm.Message {
	m := &llm.Message{Role: llm.RoleAssistant, Origin: origin}
	for i := range calls {
		m.Parts = append(m.Parts, llm.Part{Kind: llm.PartToolCall, Call: &calls[i]})
	}
	return m
}

func reasoning(r llm.Reasoning) llm.Part { return llm.Part{Kind: llm.PartReasoning, Reasoning: &r} }

func result(id, content string) *llm.Message {
	return &llm.Message{Role: llm.RoleTool, Parts: []llm.Part{
		{Kind: llm.PartToolResult, Result: &llm.ToolResult{CallID: id, Name: "weather", Content: content}},
	}}
}

func failed(m *llm.Message) *llm.Message {
	m.Parts[0].Result.Failed = true
	return m
}
