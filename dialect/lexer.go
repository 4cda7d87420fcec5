package dialect

import "strings"

// A tag is found by substring; no XML parser is asked (contract M3). The lexer
// divides a text into tags of one nonce and what stands between them. It works
// on any pieces of the text and on the whole alike, so that what listeners are
// shown while a response arrives and what is made of it afterwards cannot
// differ.

type tokenKind uint8

const (
	tokenText tokenKind = iota
	tokenOpen
	tokenClose
	// tokenBroken is the begin of a tag that does not go on as one.
	tokenBroken
)

type token struct {
	kind tokenKind
	// text is what a text token holds.
	text string
	// slot and attrs belong to tags.
	slot, attrs string
}

// Names of the slots that have no number.
const (
	slotFinal    = "FINAL"
	slotProgress = "PROGRESS"
)

// maxTag bounds an opening tag: what has no end by then is not one.
const maxTag = 512

type lexer struct {
	opening, closing string
	// held is text that may be the begin of a tag.
	held string
}

func newLexer(nonce string) lexer {
	if nonce == "" {
		return lexer{}
	}
	return lexer{opening: "<ai-agent-" + nonce + "-", closing: "</ai-agent-" + nonce + "-"}
}

// push reads the next piece of text.
func (l *lexer) push(text string, yield func(token)) {
	if l.held != "" {
		text = l.held + text
		l.held = ""
	}
	for text != "" {
		at := l.find(text)
		if at > 0 {
			yield(token{kind: tokenText, text: text[:at]})
			text = text[at:]
			continue
		}
		t, n := l.tag(text)
		if n == 0 {
			l.held = text
			return
		}
		yield(t)
		text = text[n:]
	}
}

// close reads the end of the text. A tag that was cut off is dropped, a mere
// bracket is not.
func (l *lexer) close(yield func(token)) {
	held := l.held
	l.held = ""
	switch {
	case held == "":
	case strings.HasPrefix(held, "<ai-agent-") || strings.HasPrefix(held, "</ai-agent-"):
		yield(token{kind: tokenBroken})
	default:
		yield(token{kind: tokenText, text: held})
	}
}

// find returns where the first tag begins, or may begin.
func (l *lexer) find(text string) int {
	if l.opening == "" {
		return len(text)
	}
	for at := 0; ; at++ {
		next := strings.IndexByte(text[at:], '<')
		if next < 0 {
			return len(text)
		}
		at += next
		rest := text[at:]
		if begins(rest, l.opening) || begins(rest, l.closing) {
			return at
		}
	}
}

// begins reports whether the text begins with the mark, or ends within it.
func begins(text, mark string) bool {
	if len(text) < len(mark) {
		return strings.HasPrefix(mark, text)
	}
	return strings.HasPrefix(text, mark)
}

// tag reads the tag that the text begins with and says how long it is: zero
// when its end is still to come.
func (l *lexer) tag(text string) (token, int) {
	t := token{kind: tokenOpen}
	mark := l.opening
	if strings.HasPrefix(text, "</") {
		t.kind, mark = tokenClose, l.closing
	}
	if len(text) < len(mark) {
		return token{}, 0
	}
	rest := text[len(mark):]
	end := strings.IndexAny(rest[:min(len(rest), maxTag)], "<>")
	if end < 0 && len(rest) < maxTag {
		return token{}, 0
	}
	name := 0
	for name < len(rest) && isSlotByte(rest[name]) {
		name++
	}
	if end < 0 || rest[end] == '<' || !isSlot(rest[:name]) || name < end && !strings.ContainsRune(" \t\r\n/", rune(rest[name])) {
		return token{kind: tokenBroken}, len(mark) + brokenLen(rest, name, end)
	}
	t.slot, t.attrs = rest[:name], rest[name:end]
	return t, len(mark) + end + 1
}

// brokenLen is how much of a broken tag is taken away: all of it when it has an
// end, else its name.
func brokenLen(rest string, name, end int) int {
	if end >= 0 && rest[end] == '>' {
		return end + 1
	}
	if end >= 0 {
		return min(name, end)
	}
	return min(name, maxTag)
}

func isSlotByte(c byte) bool { return c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }

// isSlot knows the names of slots: FINAL, PROGRESS, four digits or more.
func isSlot(name string) bool {
	if name == slotFinal || name == slotProgress {
		return true
	}
	if len(name) < 4 || len(name) > 12 {
		return false
	}
	for i := range len(name) {
		if name[i] < '0' || name[i] > '9' {
			return false
		}
	}
	return true
}
