package openai

import (
	"strings"

	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// details collects a router's list of reasoning details, which comes in pieces
// and goes back whole: texts are put together, and everything else is kept as
// it came.
type details struct{ items []detail }

type detail struct {
	kind, format, id []byte
	index            []byte
	text, data       strings.Builder
	// field is what the text is called: text or summary.
	field     string
	signature []byte
}

// maxDetails bounds what a stream can make us keep apart.
const maxDetails = 1024

func (d *details) empty() bool { return len(d.items) == 0 }

// read takes in a list and returns the text that it adds.
func (d *details) read(s *wire.Scanner) (added []byte) {
	for open := s.Array(); open && s.More(); {
		var kind, format, id, index, text, data, signature []byte
		name := ""
		for field := s.Object(); field && s.More(); {
			switch key := string(s.Key()); key {
			case "type":
				kind = s.Text()
			case "format":
				format = s.Text()
			case "id":
				id = s.Text()
			case "index":
				index = s.Raw()
			case "text", "summary":
				text, name = s.Text(), key
			case "data":
				data = s.Text()
			case "signature":
				signature = s.Text()
			default:
				s.Skip()
			}
		}
		item := d.item(string(kind), string(index))
		if item == nil {
			continue
		}
		keep(&item.kind, kind)
		keep(&item.index, index)
		keep(&item.format, format)
		keep(&item.id, id)
		keep(&item.signature, signature)
		if name != "" {
			item.field = name
		}
		item.text.Write(text)
		item.data.Write(data)
		added = append(added, text...)
	}
	return added
}

func keep(to *[]byte, text []byte) {
	if len(text) > 0 {
		*to = append((*to)[:0], text...)
	}
}

// item finds the one that a piece belongs to: the last, when it is of the same
// kind and number.
func (d *details) item(kind, index string) *detail {
	if n := len(d.items); n > 0 {
		if last := &d.items[n-1]; string(last.kind) == kind && string(last.index) == index {
			return last
		}
	}
	if len(d.items) >= maxDetails {
		return nil
	}
	d.items = append(d.items, detail{})
	return &d.items[len(d.items)-1]
}

// text is the whole list as JSON, empty when there is none.
func (d *details) text() string {
	if d.empty() {
		return ""
	}
	list := make([][]byte, len(d.items))
	for i := range d.items {
		item := &d.items[i]
		var f wire.Fields
		put := func(name string, value []byte) {
			if len(value) > 0 {
				f.Text(name, string(value))
			}
		}
		put("type", item.kind)
		if item.field != "" {
			f.Text(item.field, item.text.String())
		}
		put("data", []byte(item.data.String()))
		put("signature", item.signature)
		put("id", item.id)
		put("format", item.format)
		if len(item.index) > 0 {
			f.Raw("index", item.index)
		}
		list[i] = f.Object()
	}
	return string(wire.List(list...))
}
