package dialect

import (
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// contract: M2, M3, M9
func TestACallByTagIsACallLikeAnyOther(t *testing.T) {
	t.Parallel()
	text := "I will look.\n" + slot("0003", "web__search", `{"q":"tea"}`) + "\n" + slot("0005", "read", ` {"path":"a"} `)
	run := newRun(spec.TransportXML)
	e := native("web__search", `{"q":"first"}`)
	e.AssistantText = text
	o := observe(t, run, e)
	same(t, 3, len(o.Calls))
	same(t, []string{"call_1", nonce + "-0003", nonce + "-0005"}, []string{o.Calls[0].ID, o.Calls[1].ID, o.Calls[2].ID})
	byTag, alone := o.Calls[1], only(t, new(observe(t, run, native("web__search", `{"q":"tea"}`))))
	same(t, SourceXML, byTag.Source)
	same(t, SourceNative, alone.Source)
	byTag.Source, byTag.ID, byTag.Index = alone.Source, alone.ID, alone.Index
	same(t, *alone, byTag)
	// The name without its namespace is put right, in the stored call too.
	same(t, "files__read", o.Envelope.ToolCalls[2].Name)
	same(t, true, o.Calls[2].Corrected)
	same(t, SourceXML, o.Envelope.ToolCalls[2].Source)
	same(t, text, o.Envelope.AssistantText)
	same(t, 0, len(o.Slugs))
	// The payload is part of the text and not counted twice.
	same(t, int64(len(text)+len(`{"q":"first"}`)), o.Bytes)
}

// contract: M3
func TestTagsThatDoNotCountAreIgnored(t *testing.T) {
	t.Parallel()
	call := slot("0003", "web__search", `{"q":"tea"}`)
	for name, c := range map[string]struct {
		text  string
		calls int
		slugs []Slug
	}{
		"other nonce":            {strings.ReplaceAll(call, nonce, "deadbeef"), 0, []Slug{SlugSlotMismatch}},
		"a used slot":            {slot("0002", "web__search", `{"q":"tea"}`), 0, []Slug{SlugSlotMismatch}},
		"a slot not offered":     {slot("0007", "web__search", `{"q":"tea"}`), 0, []Slug{SlugSlotMismatch}},
		"a number with zeros":    {slot("00003", "web__search", `{"q":"tea"}`), 0, []Slug{SlugSlotMismatch}},
		"the same slot twice":    {call + call, 1, []Slug{SlugSlotMismatch}},
		"another closing tag":    {strings.Replace(call, "</ai-agent-"+nonce+"-0003", "</ai-agent-"+nonce+"-0004", 1), 0, []Slug{SlugSlotMismatch, SlugTagUnclosed}},
		"no closing tag":         {strings.TrimSuffix(call, "</ai-agent-"+nonce+"-0003>"), 0, []Slug{SlugTagUnclosed}},
		"interrupted by another": {`<ai-agent-` + nonce + `-0004 tool="x">{` + call, 1, []Slug{SlugTagUnclosed}},
		"half a tag":             {"<ai-agent-" + nonce + "-0003 tool", 0, []Slug{SlugTagMalformed}},
		"no such slot":           {strings.ReplaceAll(call, "0003", "META"), 0, []Slug{SlugTagMalformed}},
		"a stray closing tag":    {"x</ai-agent-" + nonce + "-FINAL>", 0, []Slug{SlugSlotMismatch}},
		"a valid one":            {call, 1, nil},
		"with other spaces":      {"<ai-agent-" + nonce + "-0003\n\ttool='web__search' x>{\"q\":\"tea\"}</ai-agent-" + nonce + "-0003 >", 1, nil},
	} {
		o := observe(t, newRun(spec.TransportXML), said(c.text))
		if len(o.Calls) != c.calls || strings.Join(strs(o.Slugs), ",") != strings.Join(strs(c.slugs), ",") {
			t.Errorf("%s: %d calls and slugs %v, want %d and %v", name, len(o.Calls), o.Slugs, c.calls, c.slugs)
		}
		if o.Report != nil {
			t.Errorf("%s: a report", name)
		}
	}
}

func strs(slugs []Slug) []string {
	var out []string
	for _, s := range slugs {
		out = append(out, string(s))
	}
	return out
}

// contract: M1, M2, M4, L5
func TestSlotsCountOnlyWhereTheyAreOffered(t *testing.T) {
	t.Parallel()
	text := slot("0003", "web__search", `{"q":"tea"}`) + tag(nonce, slotProgress, "", `{"status":"starting"}`)
	for _, transport := range transports {
		run := newRun(transport)
		for _, ask := range []*Ask{newAsk(run), finalAsk(run)} {
			o := Observe(newTools(t, run), ask, said(text), stopped)
			want := 0
			if transport == spec.TransportXML && !ask.Final {
				want = 2
			}
			same(t, want, len(o.Calls))
		}
	}
	run := newRun(spec.TransportXML)
	o := observe(t, run, said(text))
	same(t, nonce+"-PROGRESS", o.Calls[1].ID)
	same(t, statusStarting, o.Calls[1].Status.Status)
	run.Progress = false
	o = observe(t, run, said(text))
	same(t, nonce+"-0003", only(t, &o).ID)
}

// contract: M3, T4
func TestThePayloadOfACallByTagMustBeAnObject(t *testing.T) {
	t.Parallel()
	run := newRun(spec.TransportXML)
	o := observe(t, run, said(slot("0003", "web__search", "tea, please")+slot("0004", "web__search", `{"q":"tea"`)))
	same(t, []Slug{SlugPayloadNotJSON}, o.Slugs)
	same(t, CallBad, o.Calls[0].State)
	same(t, true, o.Envelope.ToolCalls[0].Bad)
	same(t, CallRepaired, o.Calls[1].State)
	same(t, []string{stepClose}, o.Calls[1].Repairs)
	same(t, `{"q":"tea"`, o.Envelope.ToolCalls[1].Raw)
	same(t, `{"q":"tea"}`, string(o.Envelope.ToolCalls[1].Arguments))
	// Nothing is an empty object, as it is natively.
	o = observe(t, run, said(slot("0003", "web__search", " \n")))
	same(t, CallInvalid, only(t, &o).State)
	// A tag that names no tool is a call of an unknown one.
	o = observe(t, run, said(tag(nonce, "0003", "", `{}`)))
	same(t, CallUnknown, only(t, &o).State)
	same(t, "tool_call", o.Envelope.ToolCalls[0].Name)
}

// contract: M6
func TestAReportWithoutClosingTagIsJudgedByTheStopReason(t *testing.T) {
	t.Parallel()
	open := "<ai-agent-" + nonce + `-FINAL format="markdown">` + "\nthe answer"
	for finish, want := range map[llm.FinishReason]Report{
		llm.FinishStop:          {Fit: true},
		llm.FinishToolCalls:     {Fit: true},
		llm.FinishUnknown:       {Fit: true, Unclosed: true},
		"":                      {Fit: true, Unclosed: true},
		llm.FinishLength:        {Slug: SlugTagTruncated, Detail: "the tag has no end: the output limit was reached", Truncated: true},
		llm.FinishContentFilter: {Slug: SlugTagUnclosed, Detail: "the tag has no end: the response ended with content_filter"},
	} {
		run := newRun(spec.TransportXMLFinal)
		o := Observe(newTools(t, run), newAsk(run), said(open), llm.Finish{Reason: finish})
		want.Tag, want.Bytes = true, int64(len("the answer"))
		same(t, want, *o.Report)
		same(t, want.Fit, o.ReportBody != nil)
		if want.Fit {
			same(t, "the answer", o.ReportBody.Content)
		}
		if finish != llm.FinishLength {
			same(t, false, o.TextReport.Truncated)
			continue
		}
		// What there is of a text is kept for the worst case.
		same(t, Report{Fit: true, Tag: true, Truncated: true, Bytes: want.Bytes}, *o.TextReport)
		same(t, "the answer\n\n[OUTPUT TRUNCATED: Response exceeded output token limit.]", o.TextPayload.Content)
		run = newRun(spec.TransportXMLFinal, withJSON)
		o = Observe(newTools(t, run), newAsk(run), said(strings.ReplaceAll(open, "the answer", `{"a":1}`)), llm.Finish{Reason: finish})
		same(t, SlugTagTruncated, o.Report.Slug)
		same(t, false, o.TextReport.Fit)
		// A closed tag is whole, whatever was cut off behind it.
		o = Observe(newTools(t, run), newAsk(run), said(tag(nonce, slotFinal, "", `{"a":1}`)+" and"), llm.Finish{Reason: finish})
		same(t, true, o.Report.Fit)
	}
}

// contract: M7
func TestTheLastValidReportWins(t *testing.T) {
	t.Parallel()
	run := newRun(spec.TransportXMLFinal)
	for text, want := range map[string]string{
		tagged("one") + " or rather " + tagged("two"):                                            "two",
		tagged("one") + tagged("  \n"):                                                           "one",
		"<ai-agent-" + nonce + "-FINAL>lost" + tagged("two"):                                     "two",
		tagged("one") + "<ai-agent-" + nonce + "-FINAL>":                                         "one",
		"<ai-agent-" + nonce + "-FINAL>" + tagged("doubled") + "</ai-agent-" + nonce + "-FINAL>": "doubled",
		// A report that quotes the protocol is not cut at the quotation.
		tagged("write </ai-agent-" + nonce + "-FINAL> at the end, not before"):            "write  at the end, not before",
		tagged("a" + slot("0003", "web__search", "{}") + "b"):                             "a {} b",
		tagged("one") + " " + slot("0003", "x", "{}") + "</ai-agent-" + nonce + "-FINAL>": "one {}",
	} {
		o := observe(t, run, said(text))
		if o.Report == nil || !o.Report.Fit || o.ReportBody.Content != want {
			t.Errorf("%s: %+v %+v, want %q", text, o.Report, o.ReportBody, want)
		}
		same(t, 0, len(o.Calls))
	}
	o := observe(t, run, said(tagged("")+tagged(" ")))
	same(t, SlugContentMissing, o.Report.Slug)
}

// contract: M7, F1
func TestACallAndATagMayBothReport(t *testing.T) {
	t.Parallel()
	run := newRun(spec.TransportXML)
	e := native("final_report", `{"report_format":"markdown","report_content":"by call"}`)
	e.AssistantText = tagged("by tag") + slot("0003", "web__search", `{"q":"x"}`)
	o := observe(t, run, e)
	same(t, true, o.Report.Tag)
	same(t, "by tag", o.ReportBody.Content)
	same(t, 2, len(o.Calls))
	same(t, true, o.Calls[0].Report && o.Calls[0].Runs())
	e.AssistantText = tagged("")
	o = observe(t, run, e)
	same(t, "call_1", o.Report.Call)
	same(t, "by call", o.ReportBody.Content)
	// A numbered slot may carry the report's tool as well.
	o = observe(t, run, said(slot("0004", spec.FinalReportTool, `{"report_content":"by slot"}`)))
	same(t, nonce+"-0004", o.Report.Call)
	same(t, "by slot", o.ReportBody.Content)
}

func TestAttributesAreFoundInAnyOrderAndQuotes(t *testing.T) {
	t.Parallel()
	for attrs, want := range map[string]string{
		` tool="a" format="json"`: "json", ` format='json' tool="a"`: "json", ` format=json`: "json", ` format = "json" `: "json",
		` bare format="json"`: "json", ` xformat="a"`: "", ` tool="format=b"`: "", "": "", ` format=`: "", ` format="json`: "json",
		` format=json/`: "json", ` tool="a"format="json"`: "json",
	} {
		if got := attribute(attrs, "format"); got != want {
			t.Errorf("%q: %q, want %q", attrs, got, want)
		}
	}
}

// FuzzTags reads any text, whole and in two pieces.
func FuzzTags(f *testing.F) {
	name := "ai-agent-" + nonce + "-"
	for _, s := range []string{
		"", "plain", tagged("x"), tagged("x") + " y " + tagged("z"), slot("0003", "t", "{}"), "<" + name + "FINAL>x", "<" + name + "0003 tool=\"a\">{",
		"</" + name + "FINAL>", "<" + name, "<" + name + "FINAL" + strings.Repeat("x", 600), "<ai-agent-</" + name + "FINAL>" + nonce + "-FINAL>",
		"<" + name + "0003><" + name + "FINAL>a</" + name + "0003></" + name + "FINAL>b</" + name + "FINAL>",
	} {
		f.Add(s, len(s)/2, false)
	}
	f.Fuzz(func(t *testing.T, text string, at int, plain bool) {
		p := readTags(text, nonce, plain)
		shown := p.outside
		for _, r := range p.reports {
			shown += "\n" + r.payload
		}
		if strings.Contains(shown, "<"+name) || strings.Contains(shown, "</"+name) {
			t.Fatalf("a tag is left in %q", shown)
		}
		var whole, parts []event
		r := newReader(nonce, plain, func(e event) { whole = append(whole, e) })
		r.push(text)
		r.close()
		at = min(max(at, 0), len(text))
		r = newReader(nonce, plain, func(e event) { parts = append(parts, e) })
		r.push(text[:at])
		r.push(text[at:])
		r.close()
		same(t, merge(whole), merge(parts))
	})
}

// merge joins texts of one kind that follow each other.
func merge(events []event) []string {
	var out []string
	last := eventKind(255)
	for _, e := range events {
		if e.kind == last && (e.kind == eventOutside || e.kind == eventAnswer) {
			out[len(out)-1] += e.text
			continue
		}
		last = e.kind
		closed := ""
		if e.closed {
			closed = "closed"
		}
		out = append(out, string(rune('0'+e.kind))+e.slot+"|"+e.attrs+"|"+string(e.slug)+"|"+closed+"|"+e.text)
	}
	return out
}
