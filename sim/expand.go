package sim

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
)

// expand fills in the marks of a text. Scripts hold marks for what is known
// only when a request is made, and for what would make them unreadable:
//
//	@nonce@      the session's nonce
//	@slot:0@     the nonce and the number of the first free slot; 1 is the
//	             second, -1 the last one that was used
//	@n@          the number of the block, where it is repeated
//	@flood:900@  so many bytes of text, in lines
//	@deep:600@   brackets, so deep, all closed
//	@bad@        bytes that are not text, and a zero
//
// Anything else between two @ stays as it is.
func expand(text string, ask *dialect.Ask, n int) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "@")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		mark, after, closed := strings.Cut(rest, "@")
		value, known := "", false
		if closed {
			value, known = expandMark(mark, ask, n)
		}
		if !known {
			b.WriteString("@")
			text = rest
			continue
		}
		b.WriteString(value)
		text = after
	}
}

func expandMark(mark string, ask *dialect.Ask, n int) (string, bool) {
	name, number, _ := strings.Cut(mark, ":")
	size, err := strconv.Atoi(number)
	if err != nil {
		size = 0
	}
	switch name {
	case "nonce":
		return ask.Nonce, true
	case "slot":
		return fmt.Sprintf("%s-%04d", ask.Nonce, ask.Slot+int64(size)), true
	case "n":
		return strconv.Itoa(n), true
	case "flood":
		return flood(size), true
	case "deep":
		return strings.Repeat("[", size) + strings.Repeat("]", size), true
	case "bad":
		return "\xff\xfe\x00\xed\xa0\x80", true
	default:
		return "", false
	}
}

func flood(size int) string {
	const line = "the quick brown fox jumps over the lazy dog and comes back\n"
	return strings.Repeat(line, size/len(line)+1)[:size]
}
