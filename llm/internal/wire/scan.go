package wire

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf8"
)

// Scanner reads one JSON text from front to back. It allocates nothing but a
// buffer for strings with escapes, which it reuses: answers arrive in thousands
// of small texts of which a few fields are wanted.
//
// An object is read field by field, and the value of every field with exactly
// one of the other methods:
//
//	for open := s.Object(); open && s.More(); {
//		switch string(s.Key()) {
//		case "text":
//			text = s.Text()
//		default:
//			s.Skip()
//		}
//	}
//	err := s.End()
//
// A value of another kind than the one asked for is passed over, because
// providers write null and worse where they have nothing to say. Text that is
// not JSON stops the scanner; [Scanner.End] says so.
type Scanner struct {
	data []byte
	pos  int
	err  error
	// stack holds the closing brackets that are awaited.
	stack []byte
	// fresh is set between an opening bracket and what follows it.
	fresh   bool
	scratch []byte
}

// maxDepth bounds nesting, as package llm does.
const maxDepth = 512

var errSyntax = errors.New("not JSON")

// Reset starts on a new text.
func (s *Scanner) Reset(data []byte) {
	s.data, s.pos, s.err, s.fresh = data, 0, nil, false
	s.stack, s.scratch = s.stack[:0], s.scratch[:0]
}

// End reports whether the whole text was one JSON value.
func (s *Scanner) End() error {
	s.space()
	if s.err == nil && (s.pos < len(s.data) || len(s.stack) > 0) {
		s.fail()
	}
	return s.err
}

func (s *Scanner) fail() {
	if s.err == nil {
		s.err = errSyntax
	}
	s.pos = len(s.data)
}

func (s *Scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the first byte of the next value, zero at the end.
func (s *Scanner) peek() byte {
	if s.pos < len(s.data) && s.data[s.pos] > ' ' {
		return s.data[s.pos]
	}
	s.space()
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

// IsArray reports whether the next value is an array.
func (s *Scanner) IsArray() bool { return s.peek() == '[' }

// IsObject reports whether the next value is an object.
func (s *Scanner) IsObject() bool { return s.peek() == '{' }

// Object enters an object, or passes over a value that is none.
func (s *Scanner) Object() bool { return s.enter('{', '}') }

// Array enters an array, or passes over a value that is none.
func (s *Scanner) Array() bool { return s.enter('[', ']') }

func (s *Scanner) enter(bracket, closing byte) bool {
	if s.peek() != bracket {
		s.Skip()
		return false
	}
	s.push(closing)
	return s.err == nil
}

func (s *Scanner) push(closing byte) {
	if len(s.stack) >= maxDepth {
		s.fail()
		return
	}
	s.pos++
	s.stack = append(s.stack, closing)
	s.fresh = true
}

// More moves to the next field or element, and leaves the object or array when
// there is none.
func (s *Scanner) More() bool {
	if s.err != nil || len(s.stack) == 0 {
		return false
	}
	closing := s.stack[len(s.stack)-1]
	c := s.peek()
	fresh := s.fresh
	s.fresh = false
	switch {
	case c == closing:
		s.pos++
		s.stack = s.stack[:len(s.stack)-1]
		return false
	case fresh && c != 0:
		return true
	case c == ',':
		s.pos++
		if next := s.peek(); next != closing && next != 0 {
			return true
		}
	}
	s.fail()
	return false
}

// Key reads the name of the field. It is valid until Reset.
func (s *Scanner) Key() []byte {
	if s.peek() != '"' {
		s.fail()
		return nil
	}
	key := s.str()
	if s.peek() != ':' {
		s.fail()
		return nil
	}
	s.pos++
	return key
}

// Text reads a string, which is valid until Reset. It is nil when the value is
// something else. What is not UTF-8, and half a surrogate
// pair, becomes U+FFFD.
func (s *Scanner) Text() []byte {
	if s.peek() != '"' {
		s.Skip()
		return nil
	}
	return s.str()
}

// String is Text as a string of its own.
func (s *Scanner) String() string { return string(s.Text()) }

// Int reads a number as a count: what is below zero or no number is zero, and
// fractions are cut off.
func (s *Scanner) Int() int64 {
	raw := s.number()
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return max(n, 0)
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case err != nil && f == 0 || f != f || f <= 0:
		return 0
	case f >= 1<<62:
		return 1 << 62
	default:
		return int64(f)
	}
}

// Float reads a number; ok is false when the value is none.
func (s *Scanner) Float() (f float64, ok bool) {
	f, err := strconv.ParseFloat(string(s.number()), 64)
	return f, err == nil
}

// Bool reads a truth value; anything but true is false.
func (s *Scanner) Bool() bool { return string(s.Raw()) == "true" }

// number returns the text of a number, empty when the value is none.
func (s *Scanner) number() []byte {
	if c := s.peek(); c != '-' && (c < '0' || c > '9') {
		s.Skip()
		return nil
	}
	return s.Raw()
}

// Raw returns the text of the next value, whatever it is. It is part of what
// was given to Reset.
func (s *Scanner) Raw() []byte {
	s.space()
	start := s.pos
	s.Skip()
	if s.err != nil {
		return nil
	}
	return s.data[start:s.pos]
}

// Skip passes over the next value.
func (s *Scanner) Skip() {
	base := len(s.stack)
	s.pass()
	for s.err == nil && len(s.stack) > base {
		if !s.More() {
			continue
		}
		if s.stack[len(s.stack)-1] == '}' {
			s.Key()
		}
		s.pass()
	}
}

// pass goes over a scalar, or into an object or array.
func (s *Scanner) pass() {
	switch c := s.peek(); c {
	case '{':
		s.push('}')
	case '[':
		s.push(']')
	case '"':
		s.quoted()
	case 't':
		s.literal("true")
	case 'f':
		s.literal("false")
	case 'n':
		s.literal("null")
	default:
		if n := numberLength(s.data[s.pos:]); n > 0 {
			s.pos += n
		} else {
			s.fail()
		}
	}
}

func (s *Scanner) literal(word string) {
	if !bytes.HasPrefix(s.data[s.pos:], []byte(word)) {
		s.fail()
		return
	}
	s.pos += len(word)
}

// numberLength is how much of the text is a number by the grammar of JSON.
func numberLength(b []byte) int {
	i := 0
	digits := func() bool {
		start := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > start
	}
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return 0
	}
	if i < len(b) && b[i] == '.' {
		if i++; !digits() {
			return 0
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return 0
		}
	}
	return i
}

// str reads the string at the current position.
func (s *Scanner) str() []byte {
	inner, plain := s.quoted()
	if !plain {
		start := len(s.scratch)
		s.scratch = unescape(s.scratch, inner)
		inner = s.scratch[start:]
	}
	if !utf8.Valid(inner) {
		inner = []byte(string([]rune(string(inner)))) // one U+FFFD for every bad byte
	}
	return inner
}
