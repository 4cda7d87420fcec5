package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// contract: T3
func TestArgumentsAreRepairedStepByStep(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		value string
		steps string
	}{
		`{"a": 1}`:                                {`{"a":1}`, ""},
		`"{\"a\":1}"`:                             {`{"a":1}`, "unquoted"},
		"```json\n{\"a\":1}\n```":                 {`{"a":1}`, "first_value"},
		"```\n{\"a\":1\n```":                      {`{"a":1}`, "code_fence,closed"},
		`Sure: {"a":1}. Anything else?`:           {`{"a":1}`, "first_value"},
		`{x} {"a":1} {"b":2}`:                     {`{"a":1}`, "first_value"},
		`{"a":{"b":[1,2`:                          {`{"a":{"b":[1,2]}}`, "closed"},
		`{"a":"x`:                                 {`{"a":"x"}`, "closed"},
		`{"a":"x\`:                                {`{"a":"x"}`, "closed"},
		`{"a":1,`:                                 {`{"a":1}`, "closed"},
		`{"a":{"b":1},"c":...`:                    {`{"a":{"b":1},"c":null}`, "ellipsis,jsonrepair"},
		`{"a":1...`:                               {`{"a":1}`, "ellipsis,closed"},
		`{"a":[1]…`:                               {`{"a":[1]}`, "ellipsis,closed"},
		`{"a":"\x41 x86 x41 C:\\x41"}`:            {`{"a":"A x86 x41 C:\\x41"}`, "hex_escape"},
		"{\"a\":\"one\\\ntwo\\\r\nthree\"}":       {`{"a":"one\ntwo\nthree"}`, "line_escape"},
		"{\"a\":\"\\x41\\\n\"":                    {`{"a":"A\n"}`, "hex_escape,line_escape,closed"},
		`{a: 'one', b: True,}`:                    {`{"a":"one","b":true}`, "jsonrepair"},
		`the arguments are {a: 'one'}`:            {`{"a":"one"}`, "jsonrepair"},
		`the arguments are {a: 'x86'} I think`:    {`{"a":"x86"}`, "first_value,jsonrepair"},
		"{\"a\":\"one\ntwo\"}":                    {`{"a":"one\ntwo"}`, "jsonrepair"},
		`{"n":12345678901234567890.10,"z":1e999}`: {`{"n":12345678901234567890.10,"z":1e999}`, ""},
		`{"n":12345678901234567890.10`:            {`{"n":12345678901234567890.10}`, "closed"},
	} {
		r := repairer{libraryBudget}
		value, steps, ok := r.read(text, '{')
		if !ok || string(value) != want.value || strings.Join(steps, ",") != want.steps {
			t.Errorf("%q: %s by %v, want %s by %s", text, value, steps, want.value, want.steps)
		}
	}
}

// contract: T4
func TestWhatIsNoObjectStaysBad(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`[{"a":1}]`, `[1]`, "null", "12", `"text"`, `"[1]"`, "no JSON at all", strings.Repeat("[", 600), strings.Repeat(`{"a":`, 600),
	} {
		r := repairer{libraryBudget}
		if value, steps, ok := r.read(text, '{'); ok {
			t.Errorf("%.40q: became %s by %v", text, value, steps)
		}
	}
	// The library's time grows with the square of its input: it reads so much
	// of a response and no more.
	long := "{" + strings.Repeat("a: 1, ", 100) + "}"
	r := repairer{len(long) + 10}
	_, _, first := r.read(long, '{')
	_, _, second := r.read(long, '{')
	same(t, []bool{true, false}, []bool{first, second})
	_, _, ok := r.read("{a: 1"+strings.Repeat(" ", maxRepairable), '{')
	same(t, false, ok)
}

// contract: T3
func TestARepairedCallRunsAndKeepsWhatTheModelWrote(t *testing.T) {
	t.Parallel()
	o := observe(t, newRun(spec.TransportNative), native("web__search", `{"q": "tea", "limit": 3`))
	c := only(t, &o)
	same(t, CallRepaired, c.State)
	same(t, true, c.Runs())
	same(t, []string{stepClose}, c.Repairs)
	tc := o.Envelope.ToolCalls[0]
	same(t, llm.ToolCall{ID: "call_1", Name: "web__search", Arguments: json.RawMessage(`{"limit":3,"q":"tea"}`), Raw: `{"q": "tea", "limit": 3`}, tc)
	same(t, int64(len(tc.Arguments)), c.ArgsBytes)
}

// contract: T5
func TestArgumentsThatTheOutputLimitCutOffAreNotRepaired(t *testing.T) {
	t.Parallel()
	run := newRun(spec.TransportNative)
	o := Observe(newTools(t, run), newAsk(run), native("web__search", `{"q":"te`), llm.Finish{Reason: llm.FinishLength})
	same(t, CallBad, only(t, &o).State)
	same(t, false, o.Calls[0].Runs())
}

// FuzzArguments repairs any text. What comes out is a canonical value of the
// kind that was asked for, or nothing; repairing it again changes nothing.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{
		`{"a":1}`, `{"a":1`, "```json\n{}\n```", `{a:'b',}`, `"{\"a\":1}"`, `{"a":"\x41"}`, "{\"a\":\"b\\\n\"}", `{"a":1}...`, `[1,2`, `{{{{`, `}{`, `{"a":"\ud800"}`,
		`text {"a": {"b": [}]}`, "{\"a\":\"\x80\"}",
	} {
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, array bool) {
		if len(text) > 4<<10 {
			return // the library is slow beyond, and not ours
		}
		open := byte('{')
		if array {
			open = '['
		}
		r := repairer{libraryBudget}
		value, steps, ok := r.read(text, open)
		if !ok {
			return
		}
		if value[0] != open {
			t.Fatalf("%q became %s", text, value)
		}
		again, more, ok := r.read(string(value), open)
		if !ok || len(more) > 0 || string(again) != string(value) {
			t.Fatalf("%q became %s by %v, and then %s by %v", text, value, steps, again, more)
		}
		canonical, err := llm.CanonicalJSON(value)
		if err != nil || string(canonical) != string(value) {
			t.Fatalf("%s is not canonical: %s, %v", value, canonical, err)
		}
	})
}
