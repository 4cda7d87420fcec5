package dialect

import (
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Shown is a delta that listeners may see.
type Shown struct {
	Delta llm.Delta
	// Answer says that the text belongs to the answer: it is inside the
	// report's tag, or completion is text.
	Answer bool
}

// Filter decides what listeners see of a response while it arrives (contract
// M10). Reasoning and tool calls pass. Of the text
//
//   - a leading think block becomes reasoning;
//   - no tag of this session's nonce gets through: from the moment that one may
//     have begun the text is held back, across any boundary of pieces, until it
//     is decided;
//   - in the XML transports the inside of the report's tag is the answer, and
//     text outside goes out with preamble only; where completion is text all
//     text outside tool calls is the answer;
//   - in the native transport everything passes;
//   - nothing of an answer in json or Slack's format is shown, because a part of
//     it is of no use.
//
// The pieces in which a response arrives do not matter. When Observe accepts a
// text report that came by tag, the answer text that was shown is the report's
// content, byte for byte, if the response held one report; of several, which
// are all shown, the last valid one is the report. Where completion is text it
// is the text's content, if no leaked calls were taken out of it. Both hold for
// text blocks that arrive in their order.
type Filter struct {
	thinking thinking
	reader   *reader // nil in the native transport
	answer   trimmer
	// silent keeps the answer back, preamble lets text outside it through.
	silent, preamble bool
	// all says that the text outside tags is the answer.
	all   bool
	block int
	out   []Shown
}

// NewFilter makes the filter for one response. format is the report's.
func NewFilter(ask *Ask, format spec.Format, preamble bool) *Filter {
	f := &Filter{
		silent: format == spec.FormatJSON || format == spec.FormatSlack, preamble: preamble || !ask.tagged(),
		all: ask.Completion.IsText(),
	}
	if ask.tagged() {
		f.reader = newReader(ask.Nonce, f.all, f.event)
	}
	return f
}

// Push takes the next delta and returns what may be shown now. The slice is
// valid until the next call. Text that was held back comes with the block of
// the delta that decided it.
func (f *Filter) Push(d llm.Delta) []Shown {
	f.out = f.out[:0]
	if d.Kind != llm.DeltaText {
		f.out = append(f.out, Shown{Delta: d})
		return f.out
	}
	f.block = d.Block
	f.take(f.thinking.push(d.Text))
	return f.out
}

// Close returns what is left when the response has ended.
func (f *Filter) Close() []Shown {
	f.out = f.out[:0]
	f.take(f.thinking.close())
	if f.reader != nil {
		f.reader.close()
	}
	return f.out
}

func (f *Filter) take(thought, said string) {
	if thought != "" {
		f.out = append(f.out, Shown{Delta: llm.Delta{Kind: llm.DeltaReasoning, Block: f.block, Text: thought}})
	}
	switch {
	case said == "":
	case f.reader != nil:
		f.reader.push(said)
	default:
		f.outside(said)
	}
}

func (f *Filter) event(e event) {
	switch e.kind {
	case eventOutside:
		f.outside(e.text)
	case eventReport:
		f.answer = trimmer{}
	case eventAnswer:
		if !f.silent {
			f.show(f.answer.push(e.text), true)
		}
	case eventReportEnd, eventBlock, eventProblem:
	}
}

func (f *Filter) outside(text string) {
	if f.all && !f.silent || !f.all && f.preamble {
		f.show(text, f.all)
	}
}

func (f *Filter) show(text string, answer bool) {
	if text != "" {
		f.out = append(f.out, Shown{Delta: llm.Delta{Kind: llm.DeltaText, Block: f.block, Text: text}, Answer: answer})
	}
}
