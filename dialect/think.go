package dialect

import (
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
)

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// splitThinking divides a text that begins with a think block into what the
// model thought and what it said. Only a leading block counts; one that is not
// closed takes all of the text.
func splitThinking(text string) (thought, said string, found bool) {
	inner, found := strings.CutPrefix(strings.TrimLeft(text, blank), thinkOpen)
	if !found {
		return "", text, false
	}
	thought, said, _ = strings.Cut(inner, thinkClose)
	return strings.Trim(thought, blank), strings.TrimLeft(said, blank), true
}

// divertThinking moves a leading think block from an envelope's text to its
// reasoning.
func divertThinking(e *llm.Envelope) {
	thought, said, found := splitThinking(e.AssistantText)
	if !found {
		return
	}
	cutText(e, []span{{0, len(e.AssistantText) - len(said)}})
	if thought == "" {
		return
	}
	at := len(e.Reasoning)
	e.Reasoning = append(e.Reasoning[:at:at], llm.Reasoning{Text: thought})
	if len(e.Layout) == 0 {
		return // the usual order puts it last before the text
	}
	place := len(e.Layout)
	for i, item := range e.Layout {
		if item.Kind == llm.PartText {
			place = i
			break
		}
	}
	layout := append([]llm.LayoutItem(nil), e.Layout[:place]...)
	layout = append(layout, llm.LayoutItem{Kind: llm.PartReasoning, Index: at})
	e.Layout = append(layout, e.Layout[place:]...)
}

// span is a stretch of a text, in bytes.
type span struct{ from, to int }

// cutText removes stretches from an envelope's text, which must be in order and
// apart, and moves the layout along.
func cutText(e *llm.Envelope, spans []span) {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(e.AssistantText[at:s.from])
		at = s.to
	}
	b.WriteString(e.AssistantText[at:])
	e.AssistantText = b.String()
	if len(e.Layout) == 0 {
		return
	}
	layout := make([]llm.LayoutItem, 0, len(e.Layout))
	end := 0
	for _, item := range e.Layout {
		if item.Kind == llm.PartText {
			for _, s := range slices.Backward(spans) {
				if item.Index > s.from {
					item.Index -= min(item.Index, s.to) - s.from
				}
			}
			if item.Index <= end {
				continue // nothing is left of this piece
			}
			end = item.Index
		}
		layout = append(layout, item)
	}
	e.Layout = layout
}

// trimmer takes blanks off both ends of a text that comes in pieces.
type trimmer struct {
	started bool
	// space is held until it is clear that it is not the end.
	space []byte
}

func (t *trimmer) push(text string) string {
	if !t.started {
		if text = strings.TrimLeft(text, blank); text == "" {
			return ""
		}
		t.started = true
	}
	body := strings.TrimRight(text, blank)
	if body == "" {
		t.space = append(t.space, text...)
		return ""
	}
	tail := text[len(body):]
	if len(t.space) > 0 {
		body = string(t.space) + body
	}
	t.space = append(t.space[:0], tail...)
	return body
}

// thinking is splitThinking for a text that comes in pieces.
type thinking struct {
	state thinkState
	// lead is the blank text before, held the begin of what may be a tag.
	lead    []byte
	held    string
	thought trimmer
}

type thinkState uint8

const (
	thinkStart thinkState = iota
	thinkInside
	thinkAfter
	thinkDone
)

// push divides the next piece into thought and speech.
func (t *thinking) push(text string) (thought, said string) {
	for {
		switch t.state {
		case thinkStart:
			text = t.held + text
			t.held = ""
			rest := strings.TrimLeft(text, blank)
			t.lead = append(t.lead, text[:len(text)-len(rest)]...)
			switch {
			case strings.HasPrefix(rest, thinkOpen):
				t.state, text = thinkInside, rest[len(thinkOpen):]
				continue
			case strings.HasPrefix(thinkOpen, rest):
				t.held = rest
				return thought, said
			}
			t.state = thinkDone
			return thought, string(t.lead) + rest
		case thinkInside:
			text = t.held + text
			t.held = ""
			inner, rest, closed := strings.Cut(text, thinkClose)
			if closed {
				t.state, text = thinkAfter, rest
				thought += t.thought.push(inner)
				continue
			}
			inner, t.held = holdPartial(text, thinkClose)
			return thought + t.thought.push(inner), said
		case thinkAfter:
			if text = strings.TrimLeft(text, blank); text != "" {
				t.state = thinkDone
			}
			return thought, text
		default:
			return thought, text
		}
	}
}

// close returns what is left at the end.
func (t *thinking) close() (thought, said string) {
	held := t.held
	t.held = ""
	switch t.state {
	case thinkStart:
		return "", string(t.lead) + held
	case thinkInside:
		return t.thought.push(held), ""
	default:
		return "", ""
	}
}

// holdPartial divides a text before a mark that its end may be the begin of.
func holdPartial(text, mark string) (sure, held string) {
	for n := min(len(mark)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, mark[:n]) {
			return text[:len(text)-n], text[len(text)-n:]
		}
	}
	return text, ""
}
