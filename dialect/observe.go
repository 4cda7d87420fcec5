package dialect

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Observation is what the kernel is told of a response. It is small: contents
// stay in blobs, here are verdicts and sizes.
type Observation struct {
	Calls []Call
	// Report is the report that the response makes with the tool meant for it,
	// fit or not. When there are several, it is the last fit one, or the last.
	Report *Report
	// TextReport is what the plain text would be as a report, nil without text.
	TextReport *Report
	HasText    bool
	// HasReasoning says that the response holds thinking.
	HasReasoning bool
	// TooManyCalls says that there were more calls than a message may hold;
	// Calls is empty then.
	TooManyCalls bool
	// Tokens estimates the message when it is part of the history.
	Tokens int64
	// Bytes is the size of text, reasoning and arguments.
	Bytes int64
}

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
	// Index is its place among the envelope's calls.
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
}

// Runs reports whether the call may be executed.
func (c *Call) Runs() bool { return c.State == CallOK || c.State == CallRepaired }

// maxCalls bounds the calls of one message: more is not a plan but a loop.
const maxCalls = 128

// Observed is what Observe returns: the observation, the envelope with names
// put right as it is to be stored, and the content of the reports, which the
// caller stores as blobs.
type Observed struct {
	Observation
	Envelope    llm.Envelope
	ReportBody  *spec.ReportPayload
	TextPayload *spec.ReportPayload
}

// Observe reads a response. It is called once per response; replay takes its
// outcome from the journal.
func Observe(ts *Toolset, ask *Ask, envelope llm.Envelope) Observed {
	o := Observed{Envelope: envelope}
	o.HasText = strings.TrimSpace(envelope.AssistantText) != ""
	o.HasReasoning = len(envelope.Reasoning) > 0
	o.Bytes = int64(len(envelope.AssistantText))
	for i := range envelope.Reasoning {
		o.Bytes += int64(len(envelope.Reasoning[i].Text) + len(envelope.Reasoning[i].Redacted))
	}
	if len(envelope.ToolCalls) > maxCalls {
		o.TooManyCalls = true
		return o
	}
	// The envelope is shared with whoever collected it: change a copy.
	o.Envelope.ToolCalls = append([]llm.ToolCall(nil), envelope.ToolCalls...)
	for i := range o.Envelope.ToolCalls {
		tc := &o.Envelope.ToolCalls[i]
		call := ts.observeCall(ask, tc)
		call.Index = int64(i)
		if call.Report && call.State != CallDenied {
			o.addReport(ts, ask, tc, &call)
		}
		o.Bytes += call.ArgsBytes
		o.Calls = append(o.Calls, call)
	}
	o.Tokens = MessageTokens(o.Bytes) + tokensPerCall*int64(len(o.Calls))
	if o.HasText {
		report, payload := ts.textReport(envelope.AssistantText)
		o.TextReport, o.TextPayload = &report, payload
	}
	return o
}

func (o *Observed) addReport(ts *Toolset, ask *Ask, tc *llm.ToolCall, call *Call) {
	report, payload := ts.callReport(ask, tc)
	report.Call = call.ID
	report.Bytes = call.ArgsBytes
	if !report.Fit {
		call.State, call.Problem = CallInvalid, string(report.Slug)+": "+report.Detail
	}
	if o.Report == nil || report.Fit || !o.Report.Fit {
		o.Report, o.ReportBody = &report, payload
	}
}

func (ts *Toolset) observeCall(ask *Ask, tc *llm.ToolCall) Call {
	c := Call{ID: tc.ID, Name: tc.Name, State: CallOK, ArgsBytes: int64(len(tc.Arguments) + len(tc.Raw))}
	c.Args = sha256.Sum256(tc.Arguments)
	if isReport(tc.Name) && ts.withReport {
		c.correct(tc, spec.FinalReportTool)
		c.Report, c.Kind, c.Server = true, spec.ToolIntrinsic, "agent"
		return c
	}
	t := ts.resolve(tc.Name)
	if t == nil {
		c.Server = "unknown"
		c.State = CallUnknown
		c.Problem = fmt.Sprintf("unknown tool %q; the tools are: %s", clip(tc.Name, 80), ts.known())
		return c
	}
	c.correct(tc, t.spec.Name)
	c.Kind, c.Server, c.Queue, c.TimeoutMS = t.spec.Kind, t.spec.Server, t.spec.Queue, t.spec.TimeoutMS
	c.ReplaySafe, c.Approval = t.spec.ReplaySafe, t.spec.Approval
	switch {
	case ask.Final:
		c.State, c.Problem = CallDenied, "tools cannot be used on the last turn"
	case tc.Bad:
		c.State, c.Problem = CallBad, "arguments are not a JSON object: "+clip(tc.Raw, 200)
	default:
		value, err := decode(tc.Arguments)
		if err != nil {
			c.State, c.Problem = CallBad, err.Error()
		} else if all := t.schema.check(value); len(all) > 0 {
			c.State, c.Problem = CallInvalid, "invalid arguments: "+describe(all)
		}
	}
	return c
}

// correct puts the tool's own name in place of what the model wrote.
func (c *Call) correct(tc *llm.ToolCall, name string) {
	if tc.Name != name {
		tc.OriginalName, tc.Name = tc.Name, name
		c.Name, c.Corrected = name, true
	}
}
