package dialect

import "strings"

type eventKind uint8

const (
	// eventOutside is text outside all tags.
	eventOutside eventKind = iota
	// eventReport begins a report, eventAnswer is text of it, and
	// eventReportEnd ends it: closed, or not.
	eventReport
	eventAnswer
	eventReportEnd
	// eventBlock is a whole tag of another slot.
	eventBlock
	// eventProblem is something that was ignored.
	eventProblem
)

type event struct {
	kind  eventKind
	text  string // of text, or a block's payload
	slot  string
	attrs string
	slug  Slug
	// closed says that a report has its closing tag.
	closed bool
}

// reader makes blocks of tags. Tags of our nonce are protocol wherever they
// stand and never content: whatever is made of a text, they are not in it.
//
//   - The report ends at the last closing tag before the next report begins, so
//     that a report which quotes the protocol is not cut. What follows a
//     closing tag is therefore held until it is clear what it belongs to.
//   - Any other block ends at its first closing tag, and is given up when
//     another one begins before.
type reader struct {
	lexer lexer
	// plain says that there is no report: its tags are dropped and what is
	// inside them is text like any other.
	plain bool
	emit  func(event)

	state reportState
	// out and answer join the text outside tags and the report's.
	out, answer joiner
	// after and events are what followed the last closing tag of a report: as
	// text of the report, and as what it is if the report ended there.
	after  strings.Builder
	events []event

	// slot is the block that is open outside the report, with its payload.
	slot, attrs string
	payload     strings.Builder
}

type reportState uint8

const (
	noReport reportState = iota
	inReport
	afterReport
)

func newReader(nonce string, plain bool, emit func(event)) *reader {
	return &reader{lexer: newLexer(nonce), plain: plain, emit: emit}
}

func (r *reader) push(text string) { r.lexer.push(text, r.token) }

func (r *reader) close() {
	r.lexer.close(r.token)
	r.giveUp()
	r.endReport()
	r.state = noReport
}

func (r *reader) token(t token) {
	if t.slot != slotFinal {
		r.content(t)
		return
	}
	switch {
	case r.plain:
		r.out.gap = true
	case t.kind == tokenOpen:
		r.giveUp()
		r.endReport()
		r.state, r.answer = inReport, joiner{}
		r.emit(event{kind: eventReport, attrs: t.attrs})
	case r.state == noReport:
		r.problem(SlugSlotMismatch)
	default:
		// All that came since the last closing tag was still the report.
		if r.after.Len() > 0 {
			r.emit(event{kind: eventAnswer, text: r.after.String()})
		}
		r.forget()
		r.state, r.answer.gap = afterReport, true
	}
}

// endReport ends a report where the next one begins, or the text ends.
func (r *reader) endReport() {
	if r.state == noReport {
		return
	}
	r.out.gap = true
	r.emit(event{kind: eventReportEnd, closed: r.state == afterReport})
	r.state = noReport
	for _, e := range r.events {
		r.outside(e)
	}
	r.forget()
}

func (r *reader) forget() {
	r.after.Reset()
	r.events = nil
	r.slot = ""
	r.payload.Reset()
}

// content takes everything but the report's own tags.
func (r *reader) content(t token) {
	switch {
	case r.state == noReport:
	case t.kind != tokenText:
		r.answer.gap = true
	case r.state == inReport:
		r.emit(event{kind: eventAnswer, text: r.answer.join(t.text)})
	default:
		r.after.WriteString(r.answer.join(t.text))
	}
	if r.state == inReport {
		return
	}
	switch t.kind {
	case tokenText:
		if r.slot != "" {
			r.payload.WriteString(t.text)
			return
		}
		r.outside(event{kind: eventOutside, text: t.text})
	case tokenOpen:
		r.giveUp()
		r.slot, r.attrs = t.slot, t.attrs
	case tokenClose:
		if r.slot != t.slot {
			r.problem(SlugSlotMismatch)
			return
		}
		r.outside(event{kind: eventBlock, slot: r.slot, attrs: r.attrs, text: r.payload.String()})
		r.slot = ""
		r.payload.Reset()
	case tokenBroken:
		r.problem(SlugTagMalformed)
	}
}

// giveUp leaves a block that was not closed.
func (r *reader) giveUp() {
	if r.slot == "" {
		return
	}
	r.slot = ""
	r.payload.Reset()
	r.problem(SlugTagUnclosed)
}

func (r *reader) problem(slug Slug) { r.outside(event{kind: eventProblem, slug: slug}) }

// outside emits what is not part of a report, or keeps it while it may be.
func (r *reader) outside(e event) {
	switch {
	case r.state == afterReport:
		r.events = append(r.events, e)
		return
	case e.kind == eventOutside:
		e.text = r.out.join(e.text)
	default:
		r.out.gap = true
	}
	r.emit(e)
}

// joiner joins text that tags were taken out of. It puts a space where two words
// would become one, so that no tag can come about by taking out another.
type joiner struct {
	last byte
	gap  bool
}

func (j *joiner) join(text string) string {
	if text == "" {
		return ""
	}
	if j.gap && j.last != 0 && !isBlank(j.last) && !isBlank(text[0]) {
		text = " " + text
	}
	j.gap, j.last = false, text[len(text)-1]
	return text
}

func isBlank(c byte) bool { return strings.IndexByte(blank, c) >= 0 }
