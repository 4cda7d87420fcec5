package dialect

import (
	"crypto/sha256"
	"fmt"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// CallState says whether a call may run.
type CallState string

// The call states. All but the first two never execute (contract T4, T6, L8).
const (
	CallOK       CallState = "ok"
	CallRepaired CallState = "repaired"
	CallBad      CallState = "bad"
	CallInvalid  CallState = "invalid"
	CallUnknown  CallState = "unknown"
	CallDenied   CallState = "denied"
)

// Call is one tool call with everything that is needed to decide about it.
type Call struct {
	// Index is its place among the envelope's calls; of a call inside a batch,
	// among the batch's.
	Index int64
	ID    string
	Name  string
	// Corrected says that the model wrote another name for the tool.
	Corrected bool
	State     CallState
	// Problem is what the model is told when the call does not run.
	Problem string
	// Args names the canonical arguments by their hash.
	Args      [sha256.Size]byte
	ArgsBytes int64
	// What the toolset says of the tool.
	Kind       spec.ToolKind
	Server     string
	Queue      string
	TimeoutMS  int64
	ReplaySafe bool
	Approval   bool
	// Report marks the call as the final report: it is settled, not executed.
	Report bool
	// Source is where the call was found: native, xml or leaked.
	Source string
	// Repairs names the steps that made the arguments readable.
	Repairs []string
	// Status is set on a call of the status tool, which is settled too.
	Status *TaskStatus
	// Route is set on a call of the router, which is settled as well.
	Route *Route
	// Items are the calls that a batch holds; the batch itself does not run.
	Items []Call
}

// Where a call was found.
const (
	SourceNative = "native"
	SourceXML    = "xml"
	SourceLeaked = "leaked"
)

// Runs reports whether the call may be executed.
func (c *Call) Runs() bool { return c.State == CallOK || c.State == CallRepaired }

func (c *Call) refuse(state CallState, format string, args ...any) {
	c.State, c.Problem = state, clip(fmt.Sprintf(format, args...), maxProblem)
}

// maxProblem bounds what a model is told of one call.
const maxProblem = 1000

// observeCall decides about a call. It puts the stored call right as it goes.
func (l *listener) observeCall(tc *llm.ToolCall, c *Call) {
	*c = Call{ID: tc.ID, Name: tc.Name, State: CallOK, Source: tc.Source}
	if c.Source == "" {
		c.Source = SourceNative
	}
	if l.ask.tagged() && l.ts.withReport && wrapperName.MatchString(tc.Name) {
		l.wrapperCalled(tc, c)
		return
	}
	l.readArguments(tc, c)
	// The value is read for the tool that is found, and before only where the
	// arguments decide which tool that is.
	var value any
	read := func() any {
		if value == nil && !tc.Bad {
			value, _ = decode(tc.Arguments)
		}
		return value
	}
	m := l.ts.resolve(tc.Name, func(t *boundTool) bool { return !tc.Bad && len(t.schema.check(read())) == 0 })
	if !m.found() {
		c.unknown(tc, l.ts)
		return
	}
	c.correct(tc, m.name)
	switch m.intrinsic {
	case notIntrinsic:
		l.checkTool(m.tool, tc, c, read)
	case intrinsicReport:
		l.checkReport(tc, c, read)
	case intrinsicStatus:
		l.checkStatus(tc, c, read)
	case intrinsicBatch:
		l.checkBatch(tc, c, read)
	case intrinsicRouter:
		l.checkRoute(tc, c, read)
	}
}

// readArguments repairs arguments that are not a JSON object (contract T3).
// Those of a message that the output limit cut off are left alone: they were
// never finished, and nothing of such a message runs (contract T5).
func (l *listener) readArguments(tc *llm.ToolCall, c *Call) {
	if tc.Bad && l.finish != llm.FinishLength {
		if args, steps, ok := l.repair.read(tc.Raw, '{'); ok {
			tc.Arguments, tc.Bad = args, false
			c.State, c.Repairs = CallRepaired, steps
		}
	}
	if tc.Bad && tc.Source == SourceXML {
		l.slug(SlugPayloadNotJSON)
	}
	c.hash(tc)
}

// hash notes which arguments the call has and how long they are.
func (c *Call) hash(tc *llm.ToolCall) {
	c.Args, c.ArgsBytes = sha256.Sum256(tc.Arguments), int64(len(tc.Arguments))
	if tc.Bad {
		c.ArgsBytes = int64(len(tc.Raw))
	}
}

func (l *listener) slug(s Slug) {
	p := page{slugs: l.Slugs}
	p.problem(s)
	l.Slugs = p.slugs
}

// correct puts the tool's own name in place of what the model wrote.
func (c *Call) correct(tc *llm.ToolCall, name string) {
	if tc.Name == name {
		return
	}
	if tc.OriginalName == "" {
		tc.OriginalName = tc.Name
	}
	tc.Name, c.Name, c.Corrected = name, name, true
}

func (c *Call) unknown(tc *llm.ToolCall, ts *Toolset) {
	c.Server = "unknown"
	c.refuse(CallUnknown, "unknown tool %q; the tools are: %s", clip(tc.Name, 80), ts.known())
	if name := storedName(tc.Name); name != tc.Name {
		tc.OriginalName, tc.Name, c.Name = tc.Name, name, name
	}
}

// bad answers a call whose arguments cannot be read.
func (c *Call) bad(tc *llm.ToolCall) {
	c.refuse(CallBad, "invalid tool call payload. The arguments are not a JSON object. Original payload: %s", clip(tc.Raw, 300))
}

func (l *listener) checkTool(t *boundTool, tc *llm.ToolCall, c *Call, read func() any) {
	c.Kind, c.Server, c.Queue, c.TimeoutMS = t.spec.Kind, t.spec.Server, t.spec.Queue, t.spec.TimeoutMS
	c.ReplaySafe, c.Approval = t.spec.ReplaySafe, t.spec.Approval
	switch {
	case l.ask.Final:
		c.refuse(CallDenied, "tools cannot be used on the last turn")
	case tc.Bad:
		c.bad(tc)
	default:
		if all := t.schema.check(read()); len(all) > 0 {
			c.refuse(CallInvalid, "invalid arguments: %s", describe(all))
		}
	}
}

// intrinsic marks a call of one of our own tools and says whether its arguments
// may be looked at.
func (c *Call) intrinsic(l *listener, tc *llm.ToolCall) bool {
	c.Kind, c.Server = spec.ToolIntrinsic, "agent"
	switch {
	case l.ask.Final:
		c.refuse(CallDenied, "tools cannot be used on the last turn")
	case tc.Bad:
		c.bad(tc)
	default:
		return true
	}
	return false
}

func (l *listener) checkStatus(tc *llm.ToolCall, c *Call, read func() any) {
	if !c.intrinsic(l, tc) {
		return
	}
	fields, _ := read().(map[string]any)
	status, problem := readStatus(fields)
	if problem != "" {
		c.refuse(CallInvalid, "%s", problem)
		return
	}
	c.Status = status
}

func (l *listener) checkReport(tc *llm.ToolCall, c *Call, read func() any) {
	if !l.ask.Final && !tc.Bad && isMixedUp(read()) {
		// A batch that was called a report: its calls are run and nothing ends.
		c.correct(tc, spec.BatchTool)
		l.checkBatch(tc, c, read)
		return
	}
	c.Report, c.Kind, c.Server = true, spec.ToolIntrinsic, "agent"
	report, body := l.callReport(tc)
	report.Call, report.Bytes = c.ID, c.ArgsBytes
	if !report.Fit {
		c.refuse(CallInvalid, "%s: %s", report.Slug, report.Detail)
	}
	l.addReport(report, body)
}

// wrapperCalled answers a model that called the report's tag as if it were a
// tool: a report that is not accepted.
func (l *listener) wrapperCalled(tc *llm.ToolCall, c *Call) {
	c.Report, c.Kind, c.Server = true, spec.ToolIntrinsic, "agent"
	c.hash(tc)
	report := reject(SlugWrapperAsTool, "%s is a tag, not a tool", tc.Name)
	report.Call, report.Bytes = c.ID, c.ArgsBytes
	c.refuse(CallInvalid, "%s: %s", report.Slug, report.Detail)
	l.addReport(report, nil)
}

// isMixedUp knows a batch in a report's clothes.
func isMixedUp(value any) bool {
	fields, _ := value.(map[string]any)
	if _, calls := fields["calls"]; !calls {
		return false
	}
	for _, name := range [...]string{"report_content", "content", "content_json", "messages"} {
		if v, given := fields[name]; given && v != nil {
			return false
		}
	}
	return true
}

// Problems says what was wrong with calls of which none could run.
func Problems(calls []Call) string {
	text := ""
	for i := range calls {
		if i == 3 {
			return text + "; …"
		}
		if i > 0 {
			text += "; "
		}
		text += calls[i].Name + ": " + calls[i].Problem
	}
	return text
}
