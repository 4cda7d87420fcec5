package wire

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// maxResponse bounds an answer: what a provider sends beyond it is a failed
// attempt, not our memory.
const maxResponse = 64 << 20

var errTooLarge = errors.New("the answer is too large")

// reader collects an answer as it arrives and cuts it into lines and events.
// All that was received stays in one piece, which is the raw output that the
// receipt keeps; events are parts of it and are not copied.
type reader struct {
	body io.Reader
	// raw is what was received, pos where the next line begins.
	raw []byte
	pos int
	// seen is how far raw has been searched for the end of the line.
	seen  int
	limit int
	// err is why nothing more comes; io.EOF is the usual end.
	err error
	// joined holds the data of an event that has several lines of it.
	joined []byte
}

// event is one server-sent event. Its parts are valid until the next is read.
type event struct {
	name, data []byte
	// cut says that the body ended before the event did.
	cut bool
}

// fill reads what is there, and waits when nothing is.
func (r *reader) fill() {
	if r.err != nil {
		return
	}
	if len(r.raw) >= r.limit {
		r.err = errTooLarge
		return
	}
	if cap(r.raw)-len(r.raw) < 512 {
		r.raw = slices.Grow(r.raw, max(4096, len(r.raw)/2))
	}
	room := min(cap(r.raw), r.limit)
	n, err := r.body.Read(r.raw[len(r.raw):room])
	r.raw = r.raw[:len(r.raw)+n]
	r.err = err
}

// all reads to the end.
func (r *reader) all() []byte {
	for r.err == nil {
		r.fill()
	}
	return r.raw
}

// line returns the next line without its end. At the end of the body what is
// left is a line too, with whole unset.
func (r *reader) line() (line []byte, whole, ok bool) {
	for {
		if i := bytes.IndexByte(r.raw[r.seen:], '\n'); i >= 0 {
			line = r.raw[r.pos : r.seen+i]
			r.pos = r.seen + i + 1
			r.seen = r.pos
			return bytes.TrimSuffix(line, []byte("\r")), true, true
		}
		r.seen = len(r.raw)
		if r.err != nil {
			line = r.raw[r.pos:]
			r.pos = len(r.raw)
			return line, false, len(line) > 0
		}
		r.fill()
	}
}

// next returns the next event that has data. Comments, which services send to
// keep the line open, are passed over.
func (r *reader) next() (e event, ok bool) {
	lines := 0
	for {
		first := r.pos == 0
		line, whole, more := r.line()
		if !more {
			e.cut = true
			return e, lines > 0
		}
		if first {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if len(line) == 0 {
			if lines > 0 {
				return e, true
			}
			e = event{} // a name without data is no event
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			e.name = value
		case "data":
			switch lines++; lines {
			case 1:
				e.data = value
			case 2:
				r.joined = append(r.joined[:0], e.data...)
				fallthrough
			default:
				r.joined = append(append(r.joined, '\n'), value...)
				e.data = r.joined
			}
		}
		if !whole {
			e.cut = true
			return e, lines > 0
		}
	}
}

// nextLine returns the next line that is not blank, for services that send one
// JSON text per line.
func (r *reader) nextLine() (e event, ok bool) {
	for {
		line, whole, more := r.line()
		if !more {
			return event{}, false
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return event{data: line, cut: !whole}, true
		}
	}
}
