package dialect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// page is what the tags of a response say.
type page struct {
	// outside is the text without tags and what they hold.
	outside string
	blocks  []event
	reports []reportTag
	slugs   []Slug
}

// reportTag is a report that came by tag.
type reportTag struct {
	attrs, payload string
	closed         bool
	// cut says that another report begins before this one is closed.
	cut bool
}

// readTags finds the tags of one nonce in a text.
func readTags(text, nonce string, plain bool) *page {
	p := &page{outside: text}
	if nonce == "" || !strings.Contains(text, "ai-agent-") {
		return p
	}
	var outside strings.Builder
	var answer strings.Builder
	r := newReader(nonce, plain, func(e event) {
		switch e.kind {
		case eventOutside:
			outside.WriteString(e.text)
		case eventReport:
			if n := len(p.reports); n > 0 && !p.reports[n-1].closed {
				p.reports[n-1].cut = true
				p.problem(SlugTagUnclosed)
			}
			p.reports = append(p.reports, reportTag{attrs: e.attrs})
			answer.Reset()
		case eventAnswer:
			answer.WriteString(e.text)
		case eventReportEnd:
			last := &p.reports[len(p.reports)-1]
			last.closed, last.payload = e.closed, strings.Trim(answer.String(), blank)
		case eventBlock:
			p.blocks = append(p.blocks, e)
		case eventProblem:
			p.problem(e.slug)
		}
	})
	r.push(text)
	r.close()
	p.outside = outside.String()
	if strings.Contains(p.outside, "<ai-agent-") {
		p.problem(SlugSlotMismatch) // a tag of another nonce
	}
	return p
}

// blank is what is trimmed off a report that comes by tag: models put the tags
// on lines of their own. It is ASCII, so that it is never part of a character.
const blank = " \t\r\n\v\f"

func (p *page) problem(slug Slug) {
	if !slices.Contains(p.slugs, slug) {
		p.slugs = append(p.slugs, slug)
	}
}

// calls makes tool calls of the blocks whose slot was offered. A slot counts
// once; its name is the call's id (contract M2, M3).
func (p *page) calls(ts *Toolset, ask *Ask) []llm.ToolCall {
	var calls []llm.ToolCall
	var used map[string]bool
	for i := range p.blocks {
		b := &p.blocks[i]
		if used[b.slot] || !ask.offers(ts, b.slot) {
			p.problem(SlugSlotMismatch)
			continue
		}
		if used == nil {
			used = make(map[string]bool)
		}
		used[b.slot] = true
		name := attribute(b.attrs, "tool")
		if b.slot == slotProgress {
			name = spec.TaskStatusTool
		}
		call := llm.NewToolCall(ask.Nonce+"-"+b.slot, name, b.text)
		call.Source = SourceXML
		calls = append(calls, call)
	}
	return calls
}

// offers says whether a slot is one of those that the request offered.
func (a *Ask) offers(ts *Toolset, slot string) bool {
	if slot == slotProgress {
		return a.Transport == spec.TransportXML && !a.Final && ts.withStatus
	}
	n, err := strconv.ParseInt(slot, 10, 64)
	return err == nil && a.slots() && slotName(n) == slot && n >= a.Slot && n < a.Slot+a.Slots
}

// attribute finds name="value" among a tag's attributes, in any order. The
// quotes may be single or missing.
func attribute(attrs, name string) string {
	for attrs != "" {
		attrs = strings.TrimLeft(attrs, blank+"/")
		key, rest, ok := strings.Cut(attrs, "=")
		if !ok {
			return ""
		}
		if i := strings.LastIndexAny(key, blank); i >= 0 && strings.Trim(key[i:], blank) != "" {
			key = key[i+1:] // a word without a value stood before
		}
		rest = strings.TrimLeft(rest, blank)
		var value string
		if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
			value, attrs, _ = strings.Cut(rest[1:], rest[:1])
		} else {
			end := strings.IndexAny(rest, blank+"/")
			if end < 0 {
				end = len(rest)
			}
			value, attrs = rest[:end], rest[end:]
		}
		if strings.Trim(key, blank) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
