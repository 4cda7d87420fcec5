package dialect

import (
	"encoding/json"
	"slices"
	"strings"
)

// unfence takes away a Markdown code fence around the text.
func unfence(text string) string {
	inner, fenced := strings.CutPrefix(strings.TrimSpace(text), "```")
	if !fenced {
		return text
	}
	// The language stands on the fence's own line.
	if line, rest, ok := strings.Cut(inner, "\n"); ok && !strings.ContainsAny(line, "{[") {
		inner = rest
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
}

// trimEllipsis takes away the dots with which models say "and so on".
func trimEllipsis(text string) string {
	short := strings.TrimSpace(text)
	for _, dots := range [...]string{"...", "…"} {
		if cut, ok := strings.CutSuffix(short, dots); ok {
			return strings.TrimRight(cut, ". \t\r\n")
		}
	}
	return text
}

// hexEscapes turns \x41, which JSON does not know, into \u0041. A backslash
// that is itself escaped begins no escape, so C:\\x41 stays.
func hexEscapes(text string) string {
	return mapEscapes(text, func(rest string) (string, int) {
		if len(rest) >= 4 && rest[1] == 'x' && isHex(rest[2]) && isHex(rest[3]) {
			return `\u00` + rest[2:4], 4
		}
		return "", 0
	})
}

// lineEscapes turns a backslash before a line break into an escaped line break.
func lineEscapes(text string) string {
	return mapEscapes(text, func(rest string) (string, int) {
		switch {
		case strings.HasPrefix(rest, "\\\n"):
			return `\n`, 2
		case strings.HasPrefix(rest, "\\\r\n"):
			return `\n`, 3
		default:
			return "", 0
		}
	})
}

// mapEscapes replaces escape sequences. f looks at the text from a backslash on
// and returns what stands for how many bytes, none when it is no business of
// its own.
func mapEscapes(text string, f func(rest string) (string, int)) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			i++
			continue
		}
		to, n := f(text[i:])
		if n == 0 {
			n = min(2, len(text)-i)
			to = text[i : i+n]
		}
		b.WriteString(to)
		i += n
	}
	return b.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// maxStarts bounds how many places are tried as the begin of a value.
const maxStarts = 8

// firstValue finds the first value of a kind that is proper JSON. It never
// looks inside another: a part of a value is not what the model meant.
func firstValue(text string, open byte) (json.RawMessage, bool) {
	for at, tries := 0, 0; tries < maxStarts; tries++ {
		next := strings.IndexByte(text[at:], open)
		if next < 0 {
			break
		}
		at += next
		end := balanced(text[at:])
		if end == 0 {
			break
		}
		if value, ok := strict(text[at:at+end], open); ok {
			return value, true
		}
		at += end
	}
	return nil, false
}

// balanced returns where the value ends that the text begins with, zero when
// its brackets do not match.
func balanced(text string) int {
	b := brackets{}
	for i := range len(text) {
		switch b.next(text[i]); {
		case b.broken:
			return 0
		case len(b.open) == 0 && !b.inString:
			return i + 1
		}
	}
	return 0
}

// closeBrackets closes what is open at the end of the text.
func closeBrackets(text string, open byte) (string, bool) {
	start := strings.IndexByte(text, open)
	if start < 0 {
		return "", false
	}
	text = text[start:]
	b := brackets{}
	for i := range len(text) {
		if b.next(text[i]); b.broken {
			return "", false
		}
	}
	if len(b.open) == 0 {
		return "", false
	}
	switch {
	case b.escaped:
		text = text[:len(text)-1] + `"`
	case b.inString:
		text += `"`
	default:
		text = strings.TrimRight(strings.TrimRight(text, " \t\r\n"), ",")
	}
	var closed strings.Builder
	closed.WriteString(text)
	for _, bracket := range slices.Backward(b.open) {
		closed.WriteByte(bracket)
	}
	return closed.String(), true
}

// brackets follows the structure of JSON, byte by byte.
type brackets struct {
	// open are the closing brackets that are still to come, outermost first.
	open              []byte
	inString, escaped bool
	broken            bool
}

func (b *brackets) next(c byte) {
	switch {
	case b.escaped:
		b.escaped = false
	case b.inString:
		b.escaped = c == '\\'
		b.inString = c != '"'
	case c == '"':
		b.inString = true
	case c == '{':
		b.open = append(b.open, '}')
	case c == '[':
		b.open = append(b.open, ']')
	case c == '}' || c == ']':
		if n := len(b.open); n == 0 || b.open[n-1] != c {
			b.broken = true
			return
		}
		b.open = b.open[:len(b.open)-1]
	}
}
