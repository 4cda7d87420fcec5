package script_test

import (
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
)

// conversation has two results of one tool, the second of which has no name of
// its own, and one of another.
func conversation() *llm.Request {
	calls := &llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{
		{Kind: llm.PartToolCall, Call: &llm.ToolCall{ID: "1", Name: "weather"}},
		{Kind: llm.PartToolCall, Call: &llm.ToolCall{ID: "2", Name: "weather"}},
		{Kind: llm.PartToolCall, Call: &llm.ToolCall{ID: "3", Name: "time"}},
	}}
	r := ask(calls, toolResult("1", "weather", "rain"), toolResult("2", "", "sun {{user}}"), toolResult("3", "time", `12 "o'clock"`))
	r.Tools = []llm.Tool{{Name: "weather"}, {Name: "time"}}
	r.Tail = []*llm.Message{message(llm.RoleUser, "System notice: last turn.")}
	return r
}

func second(t *testing.T, reply script.Reply) *llm.Receipt {
	t.Helper()
	s := &script.Script{Name: "demo", Turns: []script.Attempts{{}, {reply}}}
	return llm.Call(t.Context(), script.Play(s, script.Options{}), conversation())
}

func TestTemplatesSeeResultsUserAndTurn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"no template }}":              "no template }}",
		`{{tool "weather"}}`:          "sun {{user}}", // what a tool returns is no template
		`{{tool "time"}}`:             `12 "o'clock"`,
		"{{user}}":                    "What is the weather in Paris?",
		"turn {{turn}}":               "turn 2",
		`{{"{{"}}`:                    "{{",
		`{{printf "%.4s" user}}`:      "What",
		`{{if eq turn 2}}yes{{end}}`:  "yes",
		`{{- /* nothing */ -}} hello`: "hello",
	} {
		r := second(t, script.Text(text))
		if r.Error != nil {
			t.Fatal(r.Error)
		}
		same(t, want, r.Output.AssistantText)
	}
}

func TestTemplatesInArgumentsCannotBreakTheirJSON(t *testing.T) {
	t.Parallel()
	r := second(t, script.Calls(
		script.Call{ID: "a", Name: "x", Arguments: map[string]any{
			"when": `{{tool "time"}}`, "list": []string{"{{turn}}"}, "n": 1.5, "{{turn}}": true,
		}},
		script.Call{ID: "b", Name: "x", Arguments: struct {
			City string `json:"city"`
		}{"{{user}}"}},
		script.Call{ID: "c", Name: "x", Arguments: `{"turn": {{turn}}}`},
		script.Call{ID: "d", Name: "x", Arguments: `{"when": "{{tool "time"}}"}`},
	))
	same(t, []llm.ToolCall{
		{ID: "a", Name: "x", Arguments: []byte(`{"list":["2"],"n":1.5,"when":"12 \"o'clock\"","{{turn}}":true}`)},
		{ID: "b", Name: "x", Arguments: []byte(`{"city":"What is the weather in Paris?"}`)},
		{ID: "c", Name: "x", Arguments: []byte(`{"turn":2}`)},
		{ID: "d", Name: "x", Raw: `{"when": "12 "o'clock""}`, Bad: true}, // raw text is the author's own business
	}, r.Output.ToolCalls)
}

func TestATemplateThatFailsIsAReceiptThatSaysWhy(t *testing.T) {
	t.Parallel()
	const flood = `{{range 20}}{{printf "%1000000d" 1}}{{end}}`
	for text, want := range map[string]string{
		`{{tool "nowhere"}}`: `the request holds no result of the tool "nowhere"`,
		`{{tool 5}}`:         "expected string",
		`{{template "x"}}`:   `template "x" not defined`,
		flood:                "more than 16777216 bytes",
	} {
		wantFailure(t, second(t, script.Text(text)), llm.ClassModel, `script "demo", turn 2, attempt 1: text:`, want)
	}
}

func TestExpectationsThatAreMetChangeNothing(t *testing.T) {
	t.Parallel()
	r := second(t, script.Reply{Text: "ok", Expect: &script.Expect{
		Model: "model-a", NoticeContains: "last turn", UserContains: "Paris",
		ResultContains: map[string]string{"": "o'clock", "weather": "sun"},
		ToolsInclude:   []string{"time", "weather"}, ToolsExclude: []string{"search"},
	}})
	if r.Error != nil {
		t.Error(r.Error)
	}
}

func TestAnExpectationThatIsNotMetSaysWhatCame(t *testing.T) {
	t.Parallel()
	for want, expect := range map[string]script.Expect{
		`expected the model "b", got "model-a"`:                                                 {Model: "b"},
		`expected the last user message to contain "Rome", got "What is the weather in Paris?"`: {UserContains: "Rome"},
		`expected a notice that contains "x" among 1 messages of the tail`:                      {NoticeContains: "x"},
		`expected the tool "search" to be offered, got ["weather" "time"]`:                      {ToolsInclude: []string{"time", "search"}},
		`expected the tool "time" not to be offered, got ["weather" "time"]`:                    {ToolsExclude: []string{"search", "time"}},
		`expected the last result of the tool "weather" to contain "snow", got "sun {{user}}"`:  {ResultContains: map[string]string{"weather": "snow"}},
		`expected the last result of the tool "x" to contain "y", but there is none`:            {ResultContains: map[string]string{"x": "y"}},
		`expected the last tool result to contain "y", got "12 \"o'clock\""`:                    {ResultContains: map[string]string{"": "y"}},
		`expected the model "b", got "model-a"; expected the tool "time" not`:                   {Model: "b", ToolsExclude: []string{"time"}},
	} {
		r := second(t, script.Reply{Text: "ok", Expect: &expect})
		wantFailure(t, r, llm.ClassModel, `script "demo", turn 2, attempt 1: `+want)
		same(t, script.ErrorCode, r.Error.Code)
	}
	none := first(t, script.Reply{Expect: &script.Expect{ResultContains: map[string]string{"": "y"}}})
	wantFailure(t, none, llm.ClassModel, "but there is none")
}

func TestALongMessageIsQuotedInPart(t *testing.T) {
	t.Parallel()
	request := ask(message(llm.RoleUser, strings.Repeat("ü", 10_000)))
	p := script.New(script.Reply{Expect: &script.Expect{UserContains: "x"}})
	r := llm.Call(t.Context(), p, request)
	wantFailure(t, r, llm.ClassModel, "üüü…")
	if len(r.Error.Message) > 500 {
		t.Errorf("the message has %d bytes", len(r.Error.Message))
	}
}
