package dialect

import (
	"regexp"
	"strings"
)

var (
	mdHeading = regexp.MustCompile(`^#{1,6}\s+(.+?)\s*#*$`)
	mdBold    = regexp.MustCompile(`\*\*([^*\n]+)\*\*`)
	mdUnder   = regexp.MustCompile(`(^|[^\w])__([^_\n]+)__($|[^\w])`)
	mdStrike  = regexp.MustCompile(`~~([^~\n]+)~~`)
	// mdLinks finds Markdown links and images, code spans, and what is already
	// in Slack's own form.
	mdLinks = regexp.MustCompile(
		`!?\[([^\]\n]*)\]\(((?:https?://|mailto:)[^)\s]+)\)` + "|`[^`\\n]+`|" + `<(?:https?://|mailto:|[@#!])[^<>\n]*>`)
	mdEscaped    = regexp.MustCompile(`&(?:amp|lt|gt);`)
	slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
)

// mrkdwn turns Markdown into what Slack makes of text: headings and strong text
// are bold, links are Slack's, tables are code, and what Slack would read as
// its own is escaped. Text that is already in Slack's form stays as it is.
func mrkdwn(text string) string {
	lines := strings.Split(text, "\n")
	out := make([]string, 0, len(lines))
	fenced, table := false, false
	for _, line := range lines {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		row := !fenced && !fence && strings.HasPrefix(strings.TrimSpace(line), "|")
		if row != table {
			out = append(out, "```") // around a table
			table = row
		}
		switch {
		case fence:
			fenced = !fenced
			out = append(out, line)
		case fenced || row:
			out = append(out, escapeSlack(line))
		default:
			out = append(out, mrkdwnLine(line))
		}
	}
	if table {
		out = append(out, "```")
	}
	return strings.Join(out, "\n")
}

func mrkdwnLine(line string) string {
	if m := mdHeading.FindStringSubmatch(line); m != nil {
		line = "**" + strings.ReplaceAll(m[1], "**", "") + "**"
	}
	quote := ""
	if rest, ok := strings.CutPrefix(line, ">"); ok {
		quote, line = ">", rest
	}
	line = mdBold.ReplaceAllString(line, "*$1*")
	line = mdUnder.ReplaceAllString(line, "$1*$2*$3")
	line = mdStrike.ReplaceAllString(line, "~$1~")
	var b strings.Builder
	b.WriteString(quote)
	at := 0
	for _, m := range mdLinks.FindAllStringSubmatchIndex(line, -1) {
		b.WriteString(escapeSlack(line[at:m[0]]))
		switch {
		case m[4] >= 0:
			b.WriteString("<" + line[m[4]:m[5]] + "|" + escapeSlack(line[m[2]:m[3]]) + ">")
		case line[m[0]] == '`':
			b.WriteString(escapeSlack(line[m[0]:m[1]]))
		default:
			b.WriteString(line[m[0]:m[1]])
		}
		at = m[1]
	}
	b.WriteString(escapeSlack(line[at:]))
	return b.String()
}

// escapeSlack escapes what is not escaped yet.
func escapeSlack(text string) string {
	var b strings.Builder
	at := 0
	for _, m := range mdEscaped.FindAllStringIndex(text, -1) {
		b.WriteString(slackEscapes.Replace(text[at:m[0]]))
		b.WriteString(text[m[0]:m[1]])
		at = m[1]
	}
	b.WriteString(slackEscapes.Replace(text[at:]))
	return b.String()
}
