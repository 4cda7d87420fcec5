package dialect

import (
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Observation is what the kernel is told of a response. It is small: contents
// stay in blobs, here are verdicts and sizes.
type Observation struct {
	Calls []Call
	// Report is the report that the response makes in the way meant for it, fit
	// or not. When there are several, it is the last fit one, or the last.
	Report *Report
	// TextReport is what the plain text would be as a report, nil without text.
	// For a text report that the output limit cut off it is what there is of
	// it, and says so (contract M6).
	TextReport *Report
	HasText    bool
	// HasReasoning says that the response holds thinking.
	HasReasoning bool
	// Slugs are problems of the protocol that the model should be told of when
	// the response turns out to be of no use.
	Slugs []Slug
	// TooManyCalls says that there were more calls than a message may hold;
	// Calls is empty then.
	TooManyCalls bool
	// Tokens estimates the message when it is part of the history.
	Tokens int64
	// Bytes is the size of text, reasoning and arguments.
	Bytes int64
}

// maxCalls bounds the calls of one message, those inside batches included: more
// is not a plan but a loop.
const maxCalls = 128

// Observed is what Observe returns: the observation, the envelope as it is to
// be stored, and the content of the reports, which the caller stores as blobs.
//
// In the envelope names are put right, arguments that could be repaired are
// repaired, a leading think block is reasoning, and calls that the model wrote
// into its text follow its native ones. The text keeps the tags of the XML
// transports as the model wrote them: they are what it will see of its own
// past. Leaked calls are taken out of it.
type Observed struct {
	Observation
	Envelope    llm.Envelope
	ReportBody  *spec.ReportPayload
	TextPayload *spec.ReportPayload
}

// listener observes one response.
type listener struct {
	Observed
	ts     *Toolset
	ask    *Ask
	finish llm.FinishReason
	repair repairer
}

// Observe reads a response and why it ended. It is called once per response;
// replay takes its outcome from the journal.
func Observe(ts *Toolset, ask *Ask, envelope llm.Envelope, finish llm.Finish) Observed {
	l := listener{ts: ts, ask: ask, finish: finish.Reason, repair: repairer{libraryBudget}}
	l.Envelope = envelope
	divertThinking(&l.Envelope)
	// The envelope is shared with whoever collected it: change a copy.
	l.Envelope.ToolCalls = slices.Clone(l.Envelope.ToolCalls)

	tags := l.readTags()
	l.addCalls(tags.calls(ts, ask))
	if len(l.Envelope.ToolCalls) == 0 && len(tags.reports) == 0 && len(tags.blocks) == 0 && l.addLeaked() {
		tags = l.readTags()
	}
	l.Slugs = tags.slugs
	l.measure()
	l.observeCalls()
	l.Tokens = MessageTokens(l.Bytes) + tokensPerCall*int64(len(l.Calls))
	l.observeText(tags.outside)
	l.observeTags(tags.reports)
	return l.Observed
}

func (l *listener) readTags() *page {
	if l.ask.tagged() {
		return readTags(l.Envelope.AssistantText, l.ask.Nonce, !l.ts.withReport)
	}
	return &page{outside: l.Envelope.AssistantText}
}

// addCalls puts calls that were found in the text behind the native ones.
func (l *listener) addCalls(calls []llm.ToolCall) {
	e := &l.Envelope
	if len(e.Layout) > 0 && len(calls) > 0 {
		e.Layout = slices.Clone(e.Layout)
		for i := range calls {
			e.Layout = append(e.Layout, llm.LayoutItem{Kind: llm.PartToolCall, Index: len(e.ToolCalls) + i})
		}
	}
	e.ToolCalls = append(e.ToolCalls, calls...)
}

// measure takes the size of text and reasoning.
func (l *listener) measure() {
	l.HasText = strings.TrimSpace(l.Envelope.AssistantText) != ""
	l.HasReasoning = len(l.Envelope.Reasoning) > 0
	l.Bytes = int64(len(l.Envelope.AssistantText))
	for i := range l.Envelope.Reasoning {
		l.Bytes += int64(len(l.Envelope.Reasoning[i].Text) + len(l.Envelope.Reasoning[i].Redacted))
	}
}

func (l *listener) observeCalls() {
	calls := l.Envelope.ToolCalls
	if len(calls) == 0 {
		return
	}
	if l.TooManyCalls = len(calls) > maxCalls; l.TooManyCalls {
		return
	}
	l.Calls = make([]Call, len(calls))
	count := 0
	for i := range calls {
		c := &l.Calls[i]
		l.observeCall(&calls[i], c)
		c.Index = int64(i)
		if c.Source != SourceXML { // its arguments are part of the text
			l.Bytes += c.ArgsBytes
		}
		count += 1 + len(c.Items)
	}
	if l.TooManyCalls = count > maxCalls; l.TooManyCalls {
		l.Calls, l.Report, l.ReportBody = nil, nil, nil
	}
}

// addReport takes a verdict: the last fit report counts, else the last
// (contract M7).
func (l *listener) addReport(report Report, body *spec.ReportPayload) {
	if l.Report == nil || report.Fit || !l.Report.Fit {
		l.Report, l.ReportBody = &report, body
	}
}

// observeText judges the text outside tags as a report.
func (l *listener) observeText(text string) {
	if l.HasText {
		report, body := l.textReport(text)
		l.TextReport, l.TextPayload = &report, body
	}
}

// observeTags judges the reports that came by tag. The last fit one wins, so
// the search goes backwards and stops there.
func (l *listener) observeTags(tags []reportTag) {
	if l.TooManyCalls {
		return
	}
	var last *Report
	for i := len(tags) - 1; i >= 0; i-- {
		if tags[i].cut {
			continue
		}
		report, body := l.tagReport(&tags[i])
		if report.Fit {
			l.addReport(report, body)
			return
		}
		if last == nil {
			last = &report
		}
	}
	if last != nil {
		l.addReport(*last, nil)
	}
}
