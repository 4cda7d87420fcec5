package dialect

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

func reportCall(args string) llm.Envelope { return native("agent__final_report", args) }

// contract: F4
func TestAReportInAllItsSpellings(t *testing.T) {
	t.Parallel()
	encoded := base64.StdEncoding.EncodeToString([]byte("the answer"))
	for _, args := range []string{
		`{"report_format":"markdown","report_content":"the answer"}`,
		`{"format":"markdown","content":"the answer"}`,
		`{"report_content":"the answer","encoding":"raw"}`,
		`{"report_content":"` + encoded + `","encoding":"base64"}`,
		`{"content":" ` + encoded + `\n","encoding":"base64"}`,
	} {
		for _, name := range []string{"agent__final_report", "agent_final_report", "final_report"} {
			o := observe(t, newRun(spec.TransportNative), native(name, args))
			same(t, Report{Call: "call_1", Fit: true, Bytes: o.Calls[0].ArgsBytes}, *o.Report)
			same(t, spec.ReportPayload{Format: spec.FormatMarkdown, Content: "the answer"}, *o.ReportBody)
			same(t, true, o.Calls[0].Report && o.Calls[0].Kind == spec.ToolIntrinsic && o.Calls[0].Runs())
		}
	}
}

// contract: F2, F8
func TestWhatTheModelAddsToAReportIsKept(t *testing.T) {
	t.Parallel()
	o := observe(t, newRun(spec.TransportNative), reportCall(`{"report_content":"x","status":"failure","metadata":{"status":"s","n":1}}`))
	same(t, "failure", o.Report.ModelStatus)
	same(t, `{"n":1,"status":"s"}`, string(o.ReportBody.Metadata))
	run := newRun(spec.TransportNative, withJSON)
	o = observe(t, run, reportCall(`{"report_format":"json","content_json":{"status":"open","format":"pdf"}}`))
	same(t, `{"format":"pdf","status":"open"}`, string(o.ReportBody.ContentJSON))
	same(t, "", o.Report.ModelStatus)
	run.Transport = spec.TransportXMLFinal
	o = observe(t, run, said(tag(nonce, slotFinal, ` status="failure" format="json"`, `{"status":"open","format":"pdf"}`)))
	same(t, `{"format":"pdf","status":"open"}`, string(o.ReportBody.ContentJSON))
	same(t, "failure", o.Report.ModelStatus)
}

// contract: F4, F6
func TestAReportThatCannotBeTakenSaysWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change func(*spec.Run)
		args   string
		slug   Slug
		detail string
	}{
		{func(*spec.Run) {}, `{"report_content":" \n"}`, SlugContentMissing, "the report is empty"},
		{func(*spec.Run) {}, `{}`, SlugContentMissing, "must be a string"},
		{func(*spec.Run) {}, `{"report_content":{"a":1}}`, SlugContentMissing, "must be a string"},
		{func(*spec.Run) {}, `{"report_content":"%%","encoding":"base64"}`, SlugReportDecode, "not base64"},
		{func(*spec.Run) {}, `{"report_content":"ICA=","encoding":"base64"}`, SlugContentMissing, "the report is empty"},
		{func(*spec.Run) {}, `neither JSON nor`, SlugReportDecode, "not a JSON object"},
		{withJSON, `{}`, SlugContentMissing, "content_json is missing"},
		{withJSON, `{"content_json":null}`, SlugContentMissing, "content_json is missing"},
		{withJSON, `{"content_json":[1]}`, SlugJSONRequired, "got an array"},
		{withJSON, `{"content_json":7}`, SlugJSONRequired, "got a number"},
		{withJSON, `{"content_json":true}`, SlugJSONRequired, "got a boolean"},
		{withJSON, `{"content_json":"prose"}`, SlugJSONRequired, "invalid_json"},
		{withSlack, `{}`, SlugMessagesMissing, "messages is missing"},
		{withSlack, `{"messages":[]}`, SlugMessagesMissing, "non-empty array"},
		{withSlack, `{"messages":{"x":1}}`, SlugMessagesMissing, "non-empty array"},
		{withSlack, `{"messages":"{x} is it"}`, SlugMessagesMissing, "invalid_json"},
		{withSchema(`{"required":["n"],"properties":{"n":{"type":"integer"}}}`), `{"content_json":{"n":"x"}}`, SlugSchemaFailed, `schema_mismatch: /n: got string, want integer, received "x"`},
	} {
		run := newRun(spec.TransportNative, c.change)
		o := observe(t, run, reportCall(c.args))
		if o.Report.Fit || o.Report.Slug != c.slug || !strings.Contains(o.Report.Detail, c.detail) || o.ReportBody != nil {
			t.Errorf("%s: %+v, want %s: %s", c.args, o.Report, c.slug, c.detail)
		}
		same(t, CallInvalid, o.Calls[0].State)
		same(t, string(o.Report.Slug)+": "+o.Report.Detail, o.Calls[0].Problem)
	}
}

// contract: F3, M5
func TestAnotherFormatIsNormalisedWhenThePayloadFits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change       func(*spec.Run)
		format, body string
		fit          bool
	}{
		{func(*spec.Run) {}, "text", "plain", true},
		{func(*spec.Run) {}, "json", `{"a":1}`, true},
		{withJSON, "markdown", `{"a":1}`, true},
		{withJSON, "markdown", "# Answer", false},
		{withJSON, "json", "# Answer", false},
		{withSlack, "markdown", "# Answer", true},
	} {
		run := newRun(spec.TransportXMLFinal, c.change)
		o := observe(t, run, said(tag(nonce, slotFinal, fmt.Sprintf(" format=%q", c.format), c.body)))
		same(t, c.fit, o.Report.Fit)
		same(t, c.fit && c.format != string(run.Format), o.Report.Normalised)
		if c.fit {
			same(t, run.Format, o.ReportBody.Format)
		} else if other := c.format != string(run.Format); other != (o.Report.Slug == SlugFormatMismatch) {
			t.Errorf("%+v: %+v", c, o.Report)
		}
		run.Transport = spec.TransportNative
		o = observe(t, run, reportCall(string(llm.MustMarshalJSON(map[string]string{"report_format": c.format, "report_content": c.body}))))
		same(t, c.fit, o.Report.Fit)
		same(t, c.fit && c.format != string(run.Format), o.Report.Normalised)
	}
	o := observe(t, newRun(spec.TransportNative, withJSON), reportCall(`{"report_format":"markdown","report_content":"x"}`))
	same(t, SlugFormatMismatch, o.Report.Slug)
	same(t, true, strings.HasPrefix(o.Report.Detail, "expected json, received markdown: invalid_json"))
}

// contract: M5
func TestTheTagsPayloadIsReadByFormat(t *testing.T) {
	t.Parallel()
	for format, c := range map[spec.Format]struct{ payload, content, json, messages string }{
		spec.FormatMarkdown: {"\n# Hi\n\n{not json}\n", "# Hi\n\n{not json}", "", ""},
		spec.FormatSubAgent: {` {"any":"thing" `, `{"any":"thing"`, "", ""},
		spec.FormatText:     {"<b>x</b>", "<b>x</b>", "", ""},
		spec.FormatJSON:     {"```json\n{\"b\":2,\"a\":[1,]}\n```", "", `{"a":[1],"b":2}`, ""},
		spec.FormatSlack: {
			`[{"blocks":[{"type":"divider"}]}]`, "", "", `[{"blocks":[{"type":"divider"}]}]`,
		},
	} {
		run := newRun(spec.TransportXML, func(r *spec.Run) { r.Format = format })
		o := observe(t, run, said("before "+tag(nonce, slotFinal, ` tool="agent__final_report"`, c.payload)+" after"))
		same(t, true, o.Report.Fit && o.Report.Tag && o.Report.Call == "")
		same(t, spec.ReportPayload{
			Format: format, Content: c.content, ContentJSON: nilIfEmpty(c.json), Messages: nilIfEmpty(c.messages),
		}, *o.ReportBody)
	}
	run := newRun(spec.TransportXML, withJSON)
	o := observe(t, run, said(tag(nonce, slotFinal, "", "no JSON")))
	same(t, SlugTagNotJSON, o.Report.Slug)
	o = observe(t, run, said(tag(nonce, slotFinal, "", `[{"a":1}]`)))
	same(t, SlugJSONRequired, o.Report.Slug)
}

func nilIfEmpty(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

// contract: F5
func TestStringifiedPartsOfAJSONReportAreUnpackedFourTimes(t *testing.T) {
	t.Parallel()
	run := newRun(spec.TransportNative, withSchema(`{"type":"object","additionalProperties":{"type":"array","items":{"type":"object"}}}`))
	report := func(stringified int) string {
		fields := make(map[string]any)
		for i := range 5 {
			fields[string(rune('a'+i))] = []any{map[string]any{}}
			if i < stringified {
				fields[string(rune('a'+i))] = []any{`{"n":1}`}
			}
		}
		return string(llm.MustMarshalJSON(map[string]any{"content_json": fields}))
	}
	for n := range 6 {
		o := observe(t, run, reportCall(report(n)))
		if o.Report.Fit != (n <= maxRepairs) {
			t.Errorf("%d stringified parts: %+v", n, o.Report)
		}
	}
	o := observe(t, run, reportCall(report(4)))
	same(t, `{"a":[{"n":1}],"b":[{"n":1}],"c":[{"n":1}],"d":[{"n":1}],"e":[{}]}`, string(o.ReportBody.ContentJSON))
	// The whole report may be a string, and a string in a string is no object.
	o = observe(t, run, reportCall(`{"content_json":"{\"a\":\"[{}]\"}"}`))
	same(t, `{"a":[{}]}`, string(o.ReportBody.ContentJSON))
	o = observe(t, run, reportCall(`{"content_json":{"a":"\"[]\""}}`))
	same(t, SlugSchemaFailed, o.Report.Slug)
}

// contract: F1
func TestPlainTextAsAReport(t *testing.T) {
	t.Parallel()
	schema := withSchema(`{"required":["a"]}`)
	for _, c := range []struct {
		change func(*spec.Run)
		text   string
		want   string
	}{
		{func(*spec.Run) {}, " the answer", " the answer"},
		{schema, `{"a":1}`, `{"a":1}`},
		{schema, "Here:\n```json\n{\"a\":1}\n```\nBye.", `{"a":1}`},
		{schema, `{"b":1}`, ""},
		{schema, `{"a":1`, ""},
		{schema, `prose`, ""},
		{withSlack, "**bold**", `[{"blocks":[{"text":{"text":"*bold*","type":"mrkdwn"},"type":"section"}]}]`},
	} {
		o := observe(t, newRun(spec.TransportNative, c.change), said(c.text))
		same(t, true, o.HasText && o.Report == nil)
		same(t, c.want != "", o.TextReport.Fit)
		if c.want != "" {
			same(t, c.want, o.TextPayload.Text())
		}
	}
	o := observe(t, newRun(spec.TransportNative), said(" \n"))
	same(t, true, !o.HasText && o.TextReport == nil)
	// Tags that were ignored do not reach the user as text.
	o = observe(t, newRun(spec.TransportXMLFinal), said("hello "+slot("0009", "x", "{}")+"there"))
	same(t, "hello there", o.TextPayload.Content)
	o = observe(t, newRun(spec.TransportXMLFinal), said(slot("0009", "x", "{}")))
	same(t, true, o.HasText)
	same(t, SlugContentMissing, o.TextReport.Slug)
}

// contract: R12
func TestWhereCompletionIsTextThereIsNoReport(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		run := newRun(transport, textOnly)
		o := observe(t, run, reportCall(`{"report_content":"x"}`))
		same(t, CallUnknown, only(t, &o).State)
		same(t, true, o.Report == nil)
		text := "before " + tagged("inside") + " after"
		o = observe(t, run, said(text))
		same(t, true, o.Report == nil && len(o.Calls) == 0)
		want := "before inside after"
		if transport == spec.TransportNative {
			want = text
		}
		same(t, want, o.TextPayload.Content)
	}
}

// contract: M3
func TestTheReportsTagCalledAsAToolIsARejectedReport(t *testing.T) {
	t.Parallel()
	e := native("AI-Agent-0a1b2c3d-FINAL", `{"content":"x"}`, "web__search", `{"q":"x"}`)
	for _, transport := range transports {
		o := observe(t, newRun(transport), e)
		if transport == spec.TransportNative {
			same(t, CallUnknown, o.Calls[0].State)
			same(t, true, o.Report == nil)
			continue
		}
		same(t, SlugWrapperAsTool, o.Report.Slug)
		same(t, true, o.Calls[0].Report && o.Calls[0].State == CallInvalid && !o.Report.Fit)
		same(t, CallOK, o.Calls[1].State)
	}
}
