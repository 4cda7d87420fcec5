package wire

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// readFailure reads the error bodies that are in use:
//
//	{"error": {"message", "type", "code", "status", "metadata": {...}, "details": [...]}}
//	{"type": "error", "error": {...}}    [{"error": {...}}]
//	{"error": "text"}    {"message": "text", "code"}    {"detail": "text"}
//
// ok is false when the text is none of these.
func readFailure(raw []byte) (f failure, ok bool) {
	var s Scanner
	s.Reset(raw)
	if s.peek() == '[' {
		if !s.Array() || !s.More() {
			return failure{}, false
		}
		ok = f.outer(&s)
		for s.More() {
			s.Skip()
		}
	} else {
		ok = f.outer(&s)
	}
	if s.End() != nil {
		return failure{}, false
	}
	return f, ok
}

// ReadFailure reads the error of an event: an object as in the body of a failed
// response. The event itself says that it is an error.
func (r *Rules) ReadFailure(a *Answer, data []byte) {
	f, ok := readFailure(data)
	if !ok {
		f = failure{message: string(data)}
	}
	a.Fail(r.sort(0, f))
}

// outer reads the object around the error.
func (f *failure) outer(s *Scanner) (found bool) {
	var plain failure
	answer := false
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "error":
			switch s.peek() {
			case '{':
				f.inner(s, 0)
				found = true
			case '"':
				f.message = s.String()
				found = f.message != ""
			default:
				s.Skip() // null
			}
		case "message":
			if s.peek() == '{' {
				answer = true
			}
			plain.message = s.String()
		case "detail":
			if text := s.Raw(); plain.message == "" {
				plain.message = strings.Trim(string(text), `"`)
			}
		case "code":
			plain.code(s)
		case "data":
			var data failure
			data.inner(s, 0)
			f.retry.atLeast(data.retry.ms, data.retry.source)
		case "choices", "output", "content", "candidates", "id":
			answer = true
			s.Skip()
		default:
			s.Skip()
		}
	}
	if !found && !answer && plain.message != "" {
		plain.retry.atLeast(f.retry.ms, f.retry.source)
		*f = plain
		return true
	}
	return found
}

// code reads one code, a word or a number.
func (f *failure) code(s *Scanner) {
	var code string
	if s.peek() == '"' {
		code = s.String()
	} else {
		code = string(s.number())
	}
	if code != "" {
		f.codes = append(f.codes, code)
	}
}

// maxUnwrap is how many errors inside errors are looked into.
const maxUnwrap = 4

// inner reads the error itself.
func (f *failure) inner(s *Scanner, depth int) {
	var codes, kinds failure
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "message":
			if text := s.String(); text != "" && f.message == "" {
				f.message = text
			}
		case "code":
			codes.code(s)
		case "type", "status":
			kinds.code(s)
		case "metadata":
			f.metadata(s, depth)
		case "details":
			f.details(s)
		default:
			s.Skip()
		}
	}
	f.codes = append(append(f.codes, codes.codes...), kinds.codes...)
}

// metadata reads what routers add: the error of the service behind them, the
// reasons of a moderation, and how long to wait.
func (f *failure) metadata(s *Scanner, depth int) {
	for open := s.Object(); open && s.More(); {
		switch key := string(s.Key()); key {
		case "raw":
			raw := s.Raw()
			if len(raw) > 0 && raw[0] == '"' {
				var quoted Scanner
				quoted.Reset(raw)
				raw = append([]byte(nil), quoted.Text()...)
			}
			f.unwrap(raw, depth)
		case "reasons":
			f.refused = true
			s.Skip()
		case "retry_after", "retry_after_ms", "retry_after_seconds":
			f.retry.atLeast(waitOf(key, string(s.Raw())), "error.metadata."+key)
		default:
			s.Skip()
		}
	}
}

// unwrap prefers the error inside to the one around it.
func (f *failure) unwrap(raw []byte, depth int) {
	if depth >= maxUnwrap {
		return
	}
	inside, ok := readFailure(raw)
	if !ok {
		if text := strings.TrimSpace(string(raw)); text != "" && text[0] != '{' && text[0] != '[' {
			f.message = text
		}
		return
	}
	if inside.message != "" {
		f.message = inside.message
	}
	f.codes = append(f.codes, inside.codes...)
	f.refused = f.refused || inside.refused
	f.retry.atLeast(inside.retry.ms, inside.retry.source)
}

// details reads the list of typed details, of which one has the precise reason
// and one says when to retry.
func (f *failure) details(s *Scanner) {
	for open := s.Array(); open && s.More(); {
		for field := s.Object(); field && s.More(); {
			switch string(s.Key()) {
			case "reason":
				f.code(s)
			case "retryDelay":
				if d, err := time.ParseDuration(s.String()); err == nil {
					f.retry.atLeast(milliseconds(float64(d)/float64(time.Millisecond)), "error.details.retryDelay")
				}
			default:
				s.Skip()
			}
		}
	}
}

// waitOf reads a wait in a body. A number whose name gives no unit is seconds,
// unless it is so large that it can only be milliseconds.
func waitOf(name, value string) int64 {
	n, err := strconv.ParseFloat(strings.Trim(value, `"`), 64)
	if err != nil {
		return 0
	}
	if name == "retry_after_seconds" || name == "retry_after" && n < 1_000_000 {
		n *= 1000
	}
	return milliseconds(n)
}

// milliseconds rounds up and stays between nothing and a year.
func milliseconds(ms float64) int64 {
	if math.IsNaN(ms) {
		return 0
	}
	const year = 365 * 24 * 60 * 60 * 1000
	return int64(math.Ceil(min(max(ms-1e-6, 0), year)))
}
