package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// slowly is the specification of server-sent events, as far as we need it, said
// in another way: split, then fold.
func slowly(text string) (events []string) {
	text = strings.TrimPrefix(text, "\uFEFF")
	var name string
	var data []string
	send := func() {
		if len(data) > 0 {
			events = append(events, name+"|"+strings.Join(data, "\n"))
		}
		name, data = "", nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if i == len(lines)-1 && line == "" {
			break
		}
		if i < len(lines)-1 {
			line = strings.TrimSuffix(line, "\r")
		}
		if line == "" {
			send()
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			name = value
		case "data":
			data = append(data, value)
		}
	}
	send()
	return events
}

// FuzzEvents compares the reader with its slow twin, however the bytes arrive.
func FuzzEvents(f *testing.F) {
	for _, s := range []string{
		"data: a\n\n", "event: x\ndata: a\ndata: b\ndata:c\n\n: comment\n\ndata: [DONE]\n\n", "data: a\r\n\r\ndata: b", "event: only\n\n", "\uFEFFdata: a\n\n",
		"\n\n\n", "data\n\n", "data:\n\n", "id: 1\nretry: 2\ndata: x\n", ":",
	} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, single bool) {
		var body io.Reader = bytes.NewReader(text)
		if single {
			body = iotest.OneByteReader(body)
		}
		r := &reader{body: body, limit: maxResponse}
		var got []string
		for {
			e, ok := r.next()
			if !ok {
				break
			}
			got = append(got, string(e.name)+"|"+string(e.data))
		}
		same(t, slowly(string(text)), got)
		same(t, string(text), string(r.raw))
	})
}

func TestAnAnswerIsBounded(t *testing.T) {
	t.Parallel()
	endless := io.MultiReader(strings.NewReader("data: "), endlessly('x'))
	r := &reader{body: endless, limit: 1 << 16}
	e, ok := r.next()
	same(t, true, ok && e.cut)
	same(t, true, errors.Is(r.err, errTooLarge))
	same(t, 1<<16, len(r.raw))
}

// Work is linear in the answer, whatever its lines look like: a million short
// lines of one event are no trap.
func TestManyLinesOfOneEventAreCheap(t *testing.T) {
	t.Parallel()
	const lines = 1_000_000
	r := &reader{body: strings.NewReader(strings.Repeat("data:x\n", lines)), limit: maxResponse}
	e, ok := r.next()
	same(t, true, ok)
	same(t, 2*lines-1, len(e.data))
}

type endlessly byte

func (b endlessly) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}
