package dialect

import (
	"crypto/sha256"
	"encoding/json"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// contract: T4
func TestACallIsCheckedAgainstItsSchema(t *testing.T) {
	t.Parallel()
	o := observe(t, newRun(spec.TransportNative), native(
		"web__search", `{"limit":"ten"}`,
		"web__search", `{"q":"tea"}`,
		"web__search", "nonsense",
		"files__read", `{"path":"a"}`,
	))
	states := make([]CallState, len(o.Calls))
	for i := range o.Calls {
		states[i] = o.Calls[i].State
	}
	same(t, []CallState{CallInvalid, CallOK, CallBad, CallOK}, states)
	same(t, "invalid arguments: /: missing property 'q'; /limit: got string, want integer, received \"ten\"", o.Calls[0].Problem)
	same(t, "invalid tool call payload. The arguments are not a JSON object. Original payload: nonsense", o.Calls[2].Problem)
	same(t, Call{
		Index: 3, ID: "call_4", Name: "files__read", State: CallOK, Args: sha256.Sum256([]byte(`{"path":"a"}`)), ArgsBytes: 12,
		Kind: spec.ToolRemote, Server: "files", Queue: "default", TimeoutMS: 5, ReplaySafe: true, Approval: true, Source: SourceNative,
	}, o.Calls[3])
}

func TestALongListOfViolationsIsCut(t *testing.T) {
	t.Parallel()
	run := newRun(spec.TransportNative, func(r *spec.Run) {
		r.Tools[0].Parameters = json.RawMessage(`{"type":"object","additionalProperties":{"type":"integer"}}`)
	})
	args := make(map[string]string)
	for _, c := range "abcdefghijklmnop" {
		args[string(c)] = strings.Repeat("ü", 100)
	}
	o := observe(t, run, native("web__search", string(llm.MustMarshalJSON(args))))
	c := only(t, &o)
	if len(c.Problem) > maxProblem+3 || !strings.Contains(c.Problem, `/a: got string, want integer, received "üü`) {
		t.Error(c.Problem)
	}
}

// contract: P10
func TestViolationsComeInAFixedOrder(t *testing.T) {
	t.Parallel()
	run := newRun(spec.TransportNative, func(r *spec.Run) {
		r.Tools[0].Parameters = json.RawMessage(`{"type":"object","properties":{"z":{"type":"integer"}},"additionalProperties":false}`)
	})
	for range 50 {
		o := observe(t, run, native("web__search", `{"z":"","d":1,"b":1,"c":1,"a":1}`))
		same(t, "invalid arguments: /: additional properties 'a', 'b', 'c', 'd' not allowed; /z: got string, want integer, received \"\"", only(t, &o).Problem)
	}
}

// contract: T6
func TestNamesArePutRight(t *testing.T) {
	t.Parallel()
	run := newRun(spec.TransportNative, batch, func(r *spec.Run) {
		for _, name := range []string{"agent__researcher", "rest__weather", "db__get", "kv__get", "a__list", "b__list"} {
			parameters := `{"type":"object"}`
			if name == "db__get" {
				parameters = `{"type":"object","required":["sql"]}`
			}
			if name == "kv__get" {
				parameters = `{"type":"object","required":["key"]}`
			}
			r.Tools = append(r.Tools, spec.Tool{Name: name, Kind: spec.ToolLocal, Parameters: json.RawMessage(parameters)})
		}
	})
	for name, want := range map[string]string{
		"web__search": "web__search", "search": "web__search", "\tsearch\n": "web__search", "<|channel|>web__search": "web__search",
		"web__search<|end|>": "web__search", "researcher": "agent__researcher", "weather": "rest__weather",
		"get": "kv__get", "final_report": spec.FinalReportTool, "agent-final-report": spec.FinalReportTool,
		"agent_final_report": spec.FinalReportTool, "progress_report": spec.TaskStatusTool, "agent__progress_report": spec.TaskStatusTool,
		"task_status": spec.TaskStatusTool, "batch": spec.BatchTool,
	} {
		o := observe(t, run, native(name, `{"key":"k","q":"x","status":"starting","calls":[{"tool":"list"}],"content":"x"}`))
		c := only(t, &o)
		tc := o.Envelope.ToolCalls[0]
		if c.Name != want || tc.Name != want || c.Corrected != (name != want) || c.Corrected && tc.OriginalName != name {
			t.Errorf("%q: %q (stored %q, was %q, corrected %v), want %q", name, c.Name, tc.Name, tc.OriginalName, c.Corrected, want)
		}
	}
	for name, stored := range map[string]string{
		"list": "list", "x__search": "x__search", "": "tool_call", "web.search": "web_search", "ключ": "tool_call",
		strings.Repeat("n", 100): strings.Repeat("n", 64), "<|x|>": "tool_call",
	} {
		o := observe(t, run, native(name, "{}"))
		c := only(t, &o)
		if c.State != CallUnknown || c.Name != stored || c.Server != "unknown" || o.Envelope.ToolCalls[0].Name != stored {
			t.Errorf("%q: %s %q, want unknown %q", name, c.State, c.Name, stored)
		}
		if !strings.Contains(c.Problem, "a__list, agent__batch, agent__final_report, agent__researcher, agent__task_status") {
			t.Errorf("%q: the tools are not listed: %s", name, c.Problem)
		}
		if err := spec.CheckToolName(c.Name); err != nil {
			t.Error(err)
		}
	}
}

// contract: T6
func TestABareNameThatFitsOneToolOnlyByNameIsStillThatTool(t *testing.T) {
	t.Parallel()
	o := observe(t, newRun(spec.TransportNative), native("search", `{}`))
	c := only(t, &o)
	same(t, "web__search", c.Name)
	same(t, CallInvalid, c.State)
}

// contract: L5, L8
func TestOnTheLastTurnNothingButTheReportMayRun(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		run := newRun(transport, batch)
		o := Observe(newTools(t, run), finalAsk(run), native(
			"web__search", `{"q":"x"}`, "task_status", `{"status":"starting"}`, "batch", `{"calls":[{"tool":"search"}]}`,
			"final_report", `{"report_content":"done"}`,
		), stopped)
		for i := range o.Calls[:3] {
			same(t, CallDenied, o.Calls[i].State)
			same(t, 0, len(o.Calls[i].Items))
		}
		same(t, true, o.Calls[3].Runs() && o.Report.Fit)
	}
}

// contract: T11
func TestTheStatusTool(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]TaskStatus{
		`{"status":"completed","done":"a","pending":" b ","now":"c","ready_for_final_report":true,"need_to_run_more_tools":false}`: {
			Status: "completed", Done: "a", Pending: "b", Now: "c", Ready: true,
		},
		`{"status":"In_Progress","need_to_run_more_tools":"TRUE"}`: {Status: "in-progress", More: true},
		`{"progress":"reading"}`:                                   {Status: "in-progress", Now: "reading"},
		`{"progress":"reading","status":"starting"}`:               {Status: "starting", Now: "reading"},
	} {
		o := observe(t, newRun(spec.TransportNative), native("agent__task_status", args))
		c := only(t, &o)
		same(t, CallOK, c.State)
		same(t, spec.ToolIntrinsic, c.Kind)
		same(t, want, *c.Status)
		same(t, want.Status == "completed", c.Status.Completed())
		same(t, true, o.Report == nil)
	}
	for _, args := range []string{`{}`, `{"status":"done"}`, `{"status":7}`, `{"now":"x"}`} {
		o := observe(t, newRun(spec.TransportNative), native("agent__task_status", args))
		c := only(t, &o)
		same(t, CallInvalid, c.State)
		same(t, true, c.Status == nil && strings.Contains(c.Problem, "want starting, in-progress or completed"))
	}
	o := observe(t, newRun(spec.TransportNative, func(r *spec.Run) { r.Progress = false }), native("agent__task_status", `{"status":"starting"}`))
	same(t, CallUnknown, only(t, &o).State)
	notYet := TaskStatus{Status: "completed", Ready: true, More: true}
	same(t, false, notYet.Completed())
}

// contract: T10, L3
func TestABatchIsTakenApart(t *testing.T) {
	t.Parallel()
	run := newRun(spec.TransportNative, batch)
	o := observe(t, run, native("agent__batch", `{"calls":[
		{"id":"a","tool":"web__search","parameters":{"q":"x"}},
		{"id":"a","name":"read","arguments":"{\"path\":\"p\""},
		{"id":7,"tool":"nothing"},
		{"tool":"agent__final_report","parameters":{"report_content":"no"}},
		{"tool":"batch","parameters":{"calls":[]}},
		{"id":"a b/c","tool":"task_status","args":{"status":"starting"}},
		{"tool":"web__search","parameters":[1]},
		{"tool":"ai-agent-ab12cd34-FINAL"}
	]}`))
	c := only(t, &o)
	same(t, CallOK, c.State)
	same(t, spec.ToolIntrinsic, c.Kind)
	same(t, true, o.Report == nil)
	type row struct {
		ID, Name string
		State    CallState
	}
	var got []row
	for i := range c.Items {
		got = append(got, row{c.Items[i].ID, c.Items[i].Name, c.Items[i].State})
		same(t, int64(i), c.Items[i].Index)
		args, err := BatchItem(o.Envelope.ToolCalls[0].Arguments, int64(i))
		if err != nil {
			t.Fatal(err)
		}
		if c.Items[i].Runs() {
			same(t, sha256.Sum256(args), c.Items[i].Args)
		}
	}
	same(t, []row{
		{"a", "web__search", CallOK},
		{"a_2", "files__read", CallRepaired},
		{"7", "nothing", CallUnknown},
		{"call_4", spec.FinalReportTool, CallDenied},
		{"call_5", "batch", CallDenied},
		{"a_b_c", spec.TaskStatusTool, CallOK},
		{"call_7", "web__search", CallBad},
		{"call_8", "ai-agent-ab12cd34-FINAL", CallDenied},
	}, got)
	same(t, "INTERNAL_NOT_ALLOWED: batch cannot be called inside a batch", c.Items[4].Problem)
	same(t, statusStarting, c.Items[5].Status.Status)
	same(t, `{"path":"p"}`, string(must(BatchItem(o.Envelope.ToolCalls[0].Arguments, 1))))
	if _, err := BatchItem(o.Envelope.ToolCalls[0].Arguments, 8); err == nil {
		t.Error("a batch of 8 has no ninth call")
	}
	if _, err := BatchItem(json.RawMessage("x"), 0); err == nil {
		t.Error("what is no batch has no calls")
	}
}

func must[T any](v T, _ error) T { return v }

// contract: T10
func TestABatchInAnyShape(t *testing.T) {
	t.Parallel()
	run := newRun(spec.TransportNative, batch)
	const stored = `{"calls":[{"id":"call_1","parameters":{"q":"x"},"tool":"web__search"}]}`
	for args, repairs := range map[string]int{
		stored: 0,
		`{"calls":"[{\"tool\":\"search\",\"parameters\":{\"q\":\"x\"}}] and so on"}`: 0,
		`{"calls":{"tool":"search","parameters":{"q":"x"}}}`:                         0,
		`{"calls":[{"tool":"search","parameters":{"q":"x"}}]`:                        1,
	} {
		o := observe(t, run, native("agent__batch", args))
		c := only(t, &o)
		same(t, 1, len(c.Items))
		same(t, repairs, len(c.Repairs))
		same(t, stored, string(o.Envelope.ToolCalls[0].Arguments))
		same(t, sha256.Sum256([]byte(stored)), c.Args)
		if args != stored && o.Envelope.ToolCalls[0].Raw == "" {
			t.Errorf("%s: what the model wrote is lost", args)
		}
	}
	for args, problem := range map[string]string{
		`{}`:                      "empty_batch: calls is missing",
		`{"calls":[]}`:            "empty_batch: calls is empty",
		`{"calls":"later"}`:       "invalid_batch_input: calls is not an array",
		`{"calls":7}`:             "invalid_batch_input: calls is not an array",
		`{"calls":[7]}`:           "invalid_batch_input: call 1 is not an object",
		`{"calls":[{"tool":""}]}`: "invalid_batch_input: call 1 names no tool",
	} {
		o := observe(t, run, native("agent__batch", args))
		c := only(t, &o)
		same(t, CallInvalid, c.State)
		same(t, problem, c.Problem)
		same(t, 0, len(c.Items))
	}
	o := observe(t, newRun(spec.TransportNative), native("agent__batch", stored))
	same(t, CallUnknown, only(t, &o).State)
}

// contract: T10
func TestABatchThatIsCalledAReportIsRunAsABatch(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*spec.Run){batch, func(*spec.Run) {}} {
		run := newRun(spec.TransportNative, change)
		o := observe(t, run, native("final_report", `{"report_format":"markdown","calls":[{"tool":"search","parameters":{"q":"x"}}]}`))
		c := only(t, &o)
		same(t, spec.BatchTool, c.Name)
		same(t, false, c.Report)
		same(t, true, o.Report == nil)
		same(t, "web__search", c.Items[0].Name)
		same(t, "final_report", o.Envelope.ToolCalls[0].OriginalName)
		o = observe(t, run, native("final_report", `{"report_content":"x","calls":[{"tool":"search"}]}`))
		same(t, true, o.Report.Fit)
	}
}

func TestTooManyCallsCountThoseInsideBatches(t *testing.T) {
	t.Parallel()
	run := newRun(spec.TransportNative, batch)
	items := strings.Repeat(`{"tool":"search","parameters":{"q":"x"}},`, maxCalls-2)
	o := observe(t, run, native("batch", `{"calls":[`+strings.TrimSuffix(items, ",")+`]}`, "search", `{"q":"x"}`))
	same(t, false, o.TooManyCalls)
	o = observe(t, run, native("batch", `{"calls":[`+strings.TrimSuffix(items, ",")+`]}`, "search", `{"q":"x"}`, "final_report", `{"report_content":"x"}`))
	same(t, true, o.TooManyCalls)
	same(t, 0, len(o.Calls))
	same(t, true, o.Report == nil && o.ReportBody == nil)
	e := llm.Envelope{ToolCalls: make([]llm.ToolCall, maxCalls+1), AssistantText: "x"}
	o = observe(t, run, e)
	same(t, true, o.TooManyCalls && o.TextReport.Fit && len(o.Calls) == 0)
}
