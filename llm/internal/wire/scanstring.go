package wire

import (
	"unicode/utf16"
	"unicode/utf8"
)

// quoted goes over a string and returns what is between the quotes; plain says
// that it holds no escape.
func (s *Scanner) quoted() (inner []byte, plain bool) {
	data, start := s.data, s.pos+1
	plain = true
	for i := start; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			s.pos = i + 1
			return data[start:i], plain
		case c == '\\':
			plain = false
			n := escapeLength(data[i:])
			if n == 0 {
				s.fail()
				return nil, true
			}
			i += n - 1
		case c < ' ':
			s.fail()
			return nil, true
		}
	}
	s.fail()
	return nil, true
}

// escapeLength is the length of the escape that the text begins with, zero when
// it is none.
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := codeUnit(b); ok {
			return 6
		}
	}
	return 0
}

// codeUnit reads \uXXXX.
func codeUnit(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var unit rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		unit = unit<<4 | rune(c)
	}
	return unit, true
}

// unescape appends the meaning of a string that quoted has checked. Half a
// surrogate pair becomes U+FFFD, as encoding/json has it.
func unescape(dst, inner []byte) []byte {
	for i := 0; i < len(inner); {
		c := inner[i]
		if c != '\\' {
			dst = append(dst, c)
			i++
			continue
		}
		if inner[i+1] != 'u' {
			dst = append(dst, unescaped(inner[i+1]))
			i += 2
			continue
		}
		r, _ := codeUnit(inner[i:])
		i += 6
		if utf16.IsSurrogate(r) {
			low, ok := codeUnit(inner[i:])
			if r = utf16.DecodeRune(r, low); ok && r != utf8.RuneError {
				i += 6
			} else {
				r = utf8.RuneError
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	default:
		return c
	}
}

// AppendString appends a string as JSON. Invalid UTF-8, which some services
// answer with an error, becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}
