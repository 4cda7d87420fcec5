package dialect

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// filtered pushes pieces of text and returns what is shown: answer text as it
// is, other text in <out>, reasoning in (…).
func filtered(run *spec.Run, preamble bool, pieces ...string) []Shown {
	f := NewFilter(newAsk(run), run.Format, preamble)
	var all []Shown
	for _, p := range pieces {
		all = append(all, f.Push(llm.Delta{Kind: llm.DeltaText, Text: p})...)
	}
	return joined(append(all, f.Close()...))
}

// joined joins what belongs together, so that pieces can be compared.
func joined(all []Shown) []Shown {
	var out []Shown
	for _, s := range all {
		if n := len(out); n > 0 && out[n-1].Answer == s.Answer && out[n-1].Delta.Kind == s.Delta.Kind {
			out[n-1].Delta.Text += s.Delta.Text
			continue
		}
		out = append(out, s)
	}
	return out
}

func answerOf(all []Shown) string {
	var b strings.Builder
	for _, s := range all {
		if s.Answer {
			b.WriteString(s.Delta.Text)
		}
	}
	return b.String()
}

func spelled(all []Shown) string {
	var b strings.Builder
	for _, s := range all {
		switch {
		case s.Delta.Kind == llm.DeltaReasoning:
			b.WriteString("(" + s.Delta.Text + ")")
		case s.Answer:
			b.WriteString("[" + s.Delta.Text + "]")
		default:
			b.WriteString(s.Delta.Text)
		}
	}
	return b.String()
}

// contract: M10
func TestListenersSeeTheAnswerAndNoTag(t *testing.T) {
	t.Parallel()
	call := slot("0003", "web__search", `{"q":"x"}`)
	for _, c := range []struct {
		run                  *spec.Run
		text, shown, outside string // without and with preamble
	}{
		{newRun(spec.TransportXMLFinal), "hi " + tagged("\n the answer \n") + " bye", "[the answer]", "hi [the answer] bye"},
		{newRun(spec.TransportXML), "hi " + call + "there " + tagged("a < b </i>"), "[a < b </i>]", "hi there [a < b </i>]"},
		{newRun(spec.TransportXML), "<think> hm </think>\nhi", "(hm)", "(hm)hi"},
		{newRun(spec.TransportXML), "\n<thi" + tagged("x"), "[x]", "\n<thi[x]"},
		{newRun(spec.TransportXMLFinal), "<think>" + tagged("fake") + "</think>" + tagged("real"), "(" + tagged("fake") + ")[real]", "(" + tagged("fake") + ")[real]"},
		{newRun(spec.TransportXMLFinal), "<ai-agent-" + nonce + "-FINAL>open </ai-agent-" + nonce + "-FI", "[open]", "[open]"},
		{newRun(spec.TransportXMLFinal), "<ai-agent-" + nonce + "-FINAL>a <", "[a <]", "[a <]"},
		{newRun(spec.TransportXMLFinal), "a <ai-agent-12345678-FINAL> b", "", "a <ai-agent-12345678-FINAL> b"},
		{newRun(spec.TransportXMLFinal), tagged("quote </ai-agent-"+nonce+"-FINAL> it") + " end", "[quote  it]", "[quote  it] end"},
		{newRun(spec.TransportXMLFinal), tagged("one") + " or " + tagged("two"), "[onetwo]", "[one] or [two]"},
		{newRun(spec.TransportXMLFinal, withJSON), "hi " + tagged(`{"a":1}`), "", "hi "},
		{newRun(spec.TransportXML, withSlack), "hi " + tagged("x"), "", "hi "},
		{newRun(spec.TransportNative), "hi " + tagged("x"), "hi " + tagged("x"), "hi " + tagged("x")},
		{newRun(spec.TransportNative, withJSON), "hi", "hi", "hi"},
		{newRun(spec.TransportNative), " <think>a", "(a)", "(a)"},
		{newRun(spec.TransportNative, textOnly), " hi ", "[ hi ]", "[ hi ]"},
		{newRun(spec.TransportXML, textOnly), "hi " + call + "there", "[hi there]", "[hi there]"},
		{newRun(spec.TransportXMLFinal, textOnly), "hi " + tagged("there"), "[hi there]", "[hi there]"},
		{newRun(spec.TransportXML, textOnly, withJSON), `{"a":1}`, "", ""},
	} {
		whole := filtered(c.run, false, c.text)
		same(t, c.shown, spelled(whole))
		same(t, c.outside, spelled(filtered(c.run, true, c.text)))
		same(t, whole, filtered(c.run, false, strings.Split(c.text, "")...))
	}
}

// contract: M10
func TestTextIsHeldBackOnlyWhileATagMayHaveBegun(t *testing.T) {
	t.Parallel()
	f := NewFilter(newAsk(newRun(spec.TransportXMLFinal)), spec.FormatMarkdown, true)
	push := func(text string) string { return spelled(f.Push(llm.Delta{Kind: llm.DeltaText, Block: 2, Text: text})) }
	for _, c := range [][2]string{
		{"hello <", "hello "},
		{"b", "<b"},
		{"<ai-agent-", ""},
		{"x", "<ai-agent-x"},
		{"<ai-agent-" + nonce + "-FINAL form", ""},
		{"at=\"x\">", ""},
		{" one", "[one]"},
		{" ", ""},
		{"two </ai", "[ two]"},
		{"!", "[ </ai!]"},
		{"</ai-agent-" + nonce + "-FINAL>", ""},
		{"bye", ""},
	} {
		if got := push(c[0]); got != c[1] {
			t.Errorf("after %q: shown %q, want %q", c[0], got, c[1])
		}
	}
	left := f.Close()
	same(t, " bye", spelled(left))
	same(t, 2, left[0].Delta.Block)
}

func TestOtherDeltasPass(t *testing.T) {
	t.Parallel()
	f := NewFilter(newAsk(newRun(spec.TransportXML)), spec.FormatMarkdown, false)
	for _, d := range []llm.Delta{{Kind: llm.DeltaReasoning, Text: "<think>"}, {Kind: llm.DeltaToolCall, Block: 1, CallID: "a", Name: "b", Text: "{"}} {
		same(t, []Shown{{Delta: d}}, f.Push(d))
	}
	same(t, 0, len(f.Close()))
}

// drawText makes texts full of what the filter must decide about.
func drawText(t *rapid.T) string {
	name := "ai-agent-" + nonce + "-"
	return strings.Join(rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom([]string{
			"<", "</", ">", " ", "\n", "a", "ü", "<think>", "</think>", "<ai-agent-", nonce, "-FINAL>", "<" + name, "<" + name + "FINAL>",
			"<" + name + `FINAL format="markdown">`, "</" + name + "FINAL>", "<" + name + `0003 tool="t">`, "</" + name + "0003>", "<" + name + "PROGRESS>",
			"<" + name + "META>", "</" + name, "{}", "words and words", tagged("whole"), slot("0004", "web__search", `{"q":"x"}`),
		}),
		rapid.StringN(0, 5, -1),
	), 0, 12).Draw(t, "text"), "")
}

// contract: M10
func TestThePiecesOfAStreamDoNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		run := newRun(rapid.SampledFrom(transports).Draw(t, "transport"))
		if rapid.Bool().Draw(t, "chat") {
			run.Completion = spec.CompleteText
		}
		run.Format = rapid.SampledFrom([]spec.Format{spec.FormatMarkdown, spec.FormatJSON}).Draw(t, "format")
		text := drawText(t)
		var pieces []string
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		preamble := rapid.Bool().Draw(t, "preamble")
		same(t, filtered(run, preamble, text), filtered(run, preamble, pieces...))
	})
}

// contract: M10, S3
func TestWhatWasShownIsTheReport(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		run := newRun(rapid.SampledFrom(transports).Draw(t, "transport"))
		if rapid.Bool().Draw(t, "chat") {
			run.Completion = spec.CompleteText
		}
		checkShown(t, run, drawText(t))
	})
}

// checkShown compares what listeners saw with what became of the response.
func checkShown(t rapid.TB, run *spec.Run, text string) {
	t.Helper()
	shown := answerOf(filtered(run, false, text))
	if run.Transport != spec.TransportNative {
		for _, mark := range []string{"<ai-agent-" + nonce + "-", "</ai-agent-" + nonce + "-"} {
			if strings.Contains(shown, mark) {
				t.Fatalf("%q: a tag in %q", text, shown)
			}
		}
	}
	o := observe(t, run, said(text))
	if len(o.Calls) > 0 && o.Calls[0].Source == SourceLeaked {
		return
	}
	_, rest, _ := splitThinking(text)
	reports := len(readTags(rest, nonce, run.Completion.IsText()).reports)
	switch {
	case run.Completion.IsText() && o.TextReport != nil && o.TextReport.Fit:
		same(t, o.TextPayload.Content, shown)
	case run.Transport != spec.TransportNative && o.Report != nil && o.Report.Fit && o.Report.Tag && reports == 1:
		same(t, o.ReportBody.Content, shown)
	}
}

// FuzzFilter: any text, in any three pieces.
func FuzzFilter(f *testing.F) {
	for _, s := range []string{
		"plain", tagged("x"), "<think>a</think>" + tagged("x"), slot("0003", "t", "{}") + tagged("y"), tagged("a") + "b" + tagged("c"),
		"<ai-agent-" + nonce + "-FINAL>open", " <thi", "<think>a</thi", "a<",
	} {
		f.Add(s, 1, 3, byte(0))
		f.Add(s, 5, 20, byte(3))
	}
	f.Fuzz(func(t *testing.T, text string, a, b int, mode byte) {
		run := newRun(transports[int(mode)%3])
		if mode&4 != 0 {
			run.Completion = spec.CompleteText
		}
		a = min(max(a, 0), len(text))
		b = min(max(b, a), len(text))
		same(t, filtered(run, mode&8 != 0, text), filtered(run, mode&8 != 0, text[:a], text[a:b], text[b:]))
		checkShown(t, run, text)
	})
}

func BenchmarkFilter(b *testing.B) {
	for _, transport := range transports {
		b.Run("transport="+string(transport), func(b *testing.B) {
			f := NewFilter(newAsk(newRun(transport)), spec.FormatMarkdown, false)
			f.Push(llm.Delta{Kind: llm.DeltaText, Text: "<ai-agent-" + nonce + "-FINAL>x"})
			b.ReportAllocs()
			for b.Loop() {
				f.Push(llm.Delta{Kind: llm.DeltaText, Text: "a few words "})
			}
		})
	}
}
