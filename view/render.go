package view

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// How much of a text one line shows, in characters.
const (
	promptRunes  = 120
	payloadRunes = 200
)

// Render draws the tree for people, in ASCII but for what texts contain. Equal
// trees give equal drawings.
func (n *SessionNode) Render() string {
	r := &renderer{}
	r.line("session %s%s  %s  %s  %s", n.ID, paren(n.SessionTitle), clock(n.StartedAt, dayAndTime), span(n.StartedAt, n.EndedAt),
		outcome(n.Success))
	r.session(n)
	return r.b.String()
}

// renderer draws lines below one another. prefix is what stands before a line's
// own text, to the depth where it is.
type renderer struct {
	b      strings.Builder
	prefix string
}

func (r *renderer) line(format string, args ...any) {
	fmt.Fprintf(&r.b, format, args...)
	r.b.WriteByte('\n')
}

// branch draws a line that hangs on the one above, and below it what rest draws.
// last says that nothing more hangs there.
func (r *renderer) branch(last bool, text string, rest func()) {
	joint, next := "|-- ", "|   "
	if last {
		joint, next = "`-- ", "    "
	}
	r.line("%s%s%s", r.prefix, joint, text)
	if rest != nil {
		before := r.prefix
		r.prefix += next
		rest()
		r.prefix = before
	}
}

func (r *renderer) session(n *SessionNode) {
	t := &n.Totals
	lines := []string{fmt.Sprintf("totals: tokens in=%d out=%d cacheR=%d cacheW=%d, cost $%.4f, tools %d, agents %d",
		t.TokensIn, t.TokensOut, t.TokensCacheRead, t.TokensCacheWrite, t.CostUSD, t.ToolsRun, t.AgentsRun)}
	if n.AgentID != "" {
		lines = append(lines, fmt.Sprintf("agent %s%s, run %d", n.AgentID, paren(n.CallPath), n.Run))
	}
	if n.LatestStatus != "" {
		lines = append(lines, "status: "+quote(n.LatestStatus, promptRunes))
	}
	if n.Error != "" {
		lines = append(lines, "error: "+quote(n.Error, payloadRunes))
	}
	for i, text := range lines {
		r.branch(i == len(lines)-1 && len(n.Turns) == 0, text, nil)
	}
	for i, turn := range n.Turns {
		r.branch(i == len(n.Turns)-1, turnLine(turn), func() { r.turn(turn) })
	}
}

func turnLine(t *TurnNode) string {
	text := fmt.Sprintf("turn %d%s  %s  %s", t.Index, paren(t.Attributes.Label), clock(t.StartedAt, timeOnly),
		span(t.StartedAt, t.EndedAt))
	if t.Attributes.Final != "" {
		text += "  final: " + t.Attributes.Final
	}
	return text
}

func (r *renderer) turn(t *TurnNode) {
	p := t.Attributes.Prompts
	if p == nil {
		p = &Prompts{}
	}
	var lines []string
	for _, said := range [...]struct{ who, text string }{
		{"system", p.System}, {"user", p.User}, {"assistant", t.Attributes.Assistant},
	} {
		if said.text != "" {
			lines = append(lines, said.who+": "+quote(said.text, promptRunes))
		}
	}
	for i, text := range lines {
		r.branch(i == len(lines)-1 && len(t.Ops) == 0, text, nil)
	}
	for i, o := range t.Ops {
		r.branch(i == len(t.Ops)-1, opLine(o), func() { r.op(o) })
	}
}

func opLine(o *OpNode) string {
	status := o.Status
	if status == "" {
		status = "running"
	}
	text := fmt.Sprintf("%s %s %s  %s  %s  %s", o.OpID, o.Kind, opName(o), clock(o.StartedAt, timeOnly),
		span(o.StartedAt, o.EndedAt), status)
	if counted := counted(o); counted != "" {
		text += "  [" + counted + "]"
	}
	return text
}

func opName(o *OpNode) string {
	a := &o.Attributes
	switch {
	case o.Kind == OpLLM:
		return fmt.Sprintf("%s:%s #%d", a.Provider, a.Model, a.Attempt)
	case a.Provider != "":
		return a.Provider + ":" + a.Name
	default:
		return a.Name
	}
}

func counted(o *OpNode) string {
	var parts []string
	if n := len(o.Logs); n > 0 {
		parts = append(parts, fmt.Sprintf("logs %d", n))
	}
	if n := len(o.Accounting); n > 0 {
		parts = append(parts, fmt.Sprintf("accounts %d", n))
	}
	return strings.Join(parts, ", ")
}

func (r *renderer) op(o *OpNode) {
	lines := opLines(o)
	for i, text := range lines {
		r.branch(i == len(lines)-1 && o.ChildSession == nil, text, nil)
	}
	if c := o.ChildSession; c != nil {
		r.branch(true, fmt.Sprintf("session %s  %s  %s", c.ID, span(c.StartedAt, c.EndedAt), outcome(c.Success)),
			func() { r.session(c) })
	}
}

func opLines(o *OpNode) []string {
	var lines []string
	if q := o.Request; q != nil && o.Kind == OpLLM {
		lines = append(lines, fmt.Sprintf("request: messages %d, bytes %d, tokens %d", q.Payload.Messages, q.Size, q.Payload.Tokens))
	} else if q != nil {
		lines = append(lines, fmt.Sprintf("request: bytes %d %s", q.Size, begins(q.Payload.TextPreview, q.Size)))
	}
	if t := o.Reasoning; t != nil {
		lines = append(lines, fmt.Sprintf("thinking: bytes %d %s", t.Size, begins(t.Final, t.Size)))
	}
	if p := o.Response; p != nil {
		text := fmt.Sprintf("response: bytes %d %s", p.Size, quote(p.Payload.TextPreview, payloadRunes))
		if p.Truncated {
			text += "..."
		}
		if p.Payload.ToolCalls > 0 {
			text += fmt.Sprintf(", calls %d", p.Payload.ToolCalls)
		}
		lines = append(lines, text)
	}
	if e := o.Attributes.Error; e != "" {
		lines = append(lines, "error: "+quote(e, payloadRunes))
	}
	return lines
}

// quote puts a text on one line, without anything that a terminal would obey.
func quote(text string, limit int) string {
	begin, cut := preview(text, limit)
	q := strconv.Quote(begin)
	if cut {
		q += "..."
	}
	return q
}

// begins is a preview of a text of so many bytes.
func begins(text string, size int64) string {
	q := quote(text, payloadRunes)
	if size > int64(len(text)) {
		q += "..."
	}
	return q
}

func paren(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

const (
	dayAndTime = "2006-01-02 15:04:05.000Z"
	timeOnly   = "15:04:05.000"
)

func clock(ms int64, layout string) string { return time.UnixMilli(ms).UTC().Format(layout) }

// span is how long something took.
func span(from, to int64) string {
	switch ms := to - from; {
	case to == 0:
		return "..."
	case ms < 1000:
		return fmt.Sprintf("%dms", ms)
	default:
		return fmt.Sprintf("%.1fs", float64(ms)/1000)
	}
}

func outcome(success *bool) string {
	switch {
	case success == nil:
		return "running"
	case *success:
		return statusOK
	default:
		return statusFailed
	}
}
