package wire

import (
	"bytes"
	"strconv"
	"strings"
)

// replaceWritten hides a secret however each of its characters is written: as it
// is, escaped in JSON or in an address, as an entity of a page.
func replaceWritten(text []byte, secret string) []byte {
	var out []byte
	from := 0
	for i := 0; i < len(text); {
		end, found := written(text, i, secret)
		if !found {
			i++
			continue
		}
		out = append(append(out, text[from:i]...), redacted...)
		i, from = end, end
	}
	if from == 0 {
		return text
	}
	return append(out, text[from:]...)
}

// written reports where a secret that begins at i ends. A character that is also
// the beginning of an escape may be meant either way.
func written(text []byte, i int, secret string) (end int, found bool) {
	if secret == "" {
		return i, true
	}
	if i >= len(text) {
		return 0, false
	}
	if text[i] == secret[0] {
		if end, found := written(text, i+1, secret[1:]); found {
			return end, true
		}
	}
	if i = escaped(text, i, secret[0]); i < 0 {
		return 0, false
	}
	return written(text, i, secret[1:])
}

// escaped returns the place after a character that is written at i in another
// way than as itself, -1 when it is not.
func escaped(text []byte, i int, c byte) int {
	switch text[i] {
	case '\\':
		// There may be many: routers quote the JSON of others in theirs.
		for i < len(text) && text[i] == '\\' {
			i++
		}
		switch {
		case i < len(text) && text[i] == c:
			return i + 1
		case i < len(text) && text[i] == 'u' && isHex(text, i+1, 4, c):
			return i + 5
		}
	case '%':
		if isHex(text, i+1, 2, c) {
			return i + 3
		}
	case '&':
		if end := bytes.IndexByte(text[i:min(i+10, len(text))], ';'); end > 0 && entity(string(text[i+1:i+end])) == int(c) {
			return i + end + 1
		}
	}
	return -1
}

// isHex reports whether the digits at i are the character's number.
func isHex(text []byte, i, digits int, c byte) bool {
	if i+digits > len(text) {
		return false
	}
	n, err := strconv.ParseUint(string(text[i:i+digits]), 16, 16)
	return err == nil && n == uint64(c)
}

// entity is the character that an entity of a page stands for, -1 for others.
func entity(name string) int {
	switch name {
	case "lt":
		return '<'
	case "gt":
		return '>'
	case "amp":
		return '&'
	case "quot":
		return '"'
	case "apos":
		return '\''
	}
	number, ok := strings.CutPrefix(name, "#")
	base := 10
	if hex, isHex := strings.CutPrefix(strings.ToLower(number), "x"); isHex {
		number, base = hex, 16
	}
	n, err := strconv.ParseUint(number, base, 8)
	if !ok || err != nil {
		return -1
	}
	return int(n)
}
