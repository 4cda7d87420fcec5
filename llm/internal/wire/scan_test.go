package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// value reads any JSON with the scanner into what encoding/json makes of it.
func value(s *Scanner) any {
	switch {
	case s.IsObject():
		m := map[string]any{}
		for open := s.Object(); open && s.More(); {
			key := string(s.Key())
			m[key] = value(s)
		}
		return m
	case s.IsArray():
		list := []any{}
		for open := s.Array(); open && s.More(); {
			list = append(list, value(s))
		}
		return list
	case s.peek() == '"':
		return s.String()
	default:
		var v any
		if raw := s.Raw(); json.Unmarshal(raw, &v) != nil {
			return "unreadable"
		}
		return v
	}
}

var samples = []string{
	`{}`, `[]`, ` { "a" : [ 1 , -2.5e+3 , true , false , null ] , "b" : { } } `, `"\ud83d\ude00 \ud83d \ude00 \ud83d\ud83d\ude00 \u0041\/\b\f\n\r\t"`,
	`{"a":1,}`, `{"a" 1}`, `[1 2]`, `[1,]`, `{,}`, `01`, `1.`, `.5`, `-`, `1e`, `tru`, `nul`, `"`, `"\x"`, `"\u12"`, `{"a":1}x`, ``, ` `,
	"\"\x01\"", "\"\xff\xc3\x28\"", `{"a":{"b":{"c":[[[]]]}},"a":2}`, strings.Repeat("[", 600), strings.Repeat("[", 400) + strings.Repeat("]", 400),
	`123456789012345678901234567890`, `{"\u0061":1}`,
}

// FuzzScanner compares the scanner with the standard library: it accepts the
// same texts and reads the same values.
func FuzzScanner(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Scanner
		s.Reset(data)
		s.Skip()
		valid := s.End() == nil
		var want any
		err := json.Unmarshal(data, &want)
		if deep(data) {
			return // the scanner goes less deep
		}
		if valid != json.Valid(data) {
			t.Fatalf("valid is %v for %q", valid, data)
		}
		s.Reset(data)
		got := value(&s)
		if ok := s.End() == nil; ok != valid {
			t.Fatalf("reading %q gives %v, skipping it %v", data, ok, valid)
		}
		if err == nil {
			if !reflect.DeepEqual(want, got) {
				t.Fatalf("%q is read as %v, want %v", data, got, want)
			}
		}
	})
}

func deep(data []byte) bool {
	return bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) >= maxDepth
}

func TestNestingIsBounded(t *testing.T) {
	t.Parallel()
	same(t, true, Valid([]byte(strings.Repeat("[", maxDepth)+strings.Repeat("]", maxDepth))))
	same(t, false, Valid([]byte(strings.Repeat("[", maxDepth+1)+strings.Repeat("]", maxDepth+1))))
}

// FuzzAppendString shows that what we write is what was meant, in UTF-8.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\\n\r\t\x00\x1f\x7f", "é😀\u2028", "\xff\xed\xa0\xbd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out := AppendString([]byte("x"), text)[1:]
		var back string
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatalf("%q becomes %q: %v", text, out, err)
		}
		if want := string([]rune(text)); back != want { // one U+FFFD for every bad byte
			t.Fatalf("%q becomes %q, want %q", text, back, want)
		}
	})
}

func TestNumbersAreCountsWhateverTheyLookLike(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"12": 12, "12.9": 12, "-3": 0, "-3.5": 0, "1e3": 1000, "1e300": 1 << 62, "99999999999999999999": 1 << 62, `"12"`: 0, "null": 0, "{}": 0,
	} {
		var s Scanner
		s.Reset([]byte(text))
		same(t, want, s.Int())
		same(t, error(nil), s.End())
	}
}

// Texts stay as they are while the rest of the event is read.
func TestTextsStayValidUntilTheNextReset(t *testing.T) {
	t.Parallel()
	var s Scanner
	s.Reset([]byte(`["a\n","b\n","c","d\n"]`))
	var texts [][]byte
	for open := s.Array(); open && s.More(); {
		texts = append(texts, s.Text())
	}
	same(t, "a\nb\ncd\n", string(bytes.Join(texts, nil)))
}
