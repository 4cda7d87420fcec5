package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/ai-agent-go/ai-agent/llm"
)

// Fields is a JSON object in the making, its fields in the order in which they
// were set.
type Fields struct{ list []field }

type field struct {
	name  string
	value []byte
}

// Raw sets a field to a JSON text, which must not change any more.
func (f *Fields) Raw(name string, value []byte) { f.list = append(f.list, field{name, value}) }

// Text sets a field to a string.
func (f *Fields) Text(name, value string) { f.Raw(name, AppendString(nil, value)) }

// Bool sets a field to a truth value.
func (f *Fields) Bool(name string, value bool) { f.Raw(name, strconv.AppendBool(nil, value)) }

// Int sets a field to a number.
func (f *Fields) Int(name string, value int64) { f.Raw(name, strconv.AppendInt(nil, value, 10)) }

// Any sets a field to the JSON of a value that can be written.
func (f *Fields) Any(name string, value any) { f.Raw(name, llm.MustMarshalJSON(value)) }

// Object returns the whole object.
func (f *Fields) Object() []byte { return append(f.open(), '}') }

// open is the object without its closing bracket.
func (f *Fields) open() []byte {
	b := []byte{'{'}
	for i, x := range f.list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(AppendString(b, x.name), ':'), x.value...)
	}
	return b
}

// Open returns the object up to the value of one more field, for what is added
// piece by piece.
func (f *Fields) Open(name string) []byte {
	b := f.open()
	if len(f.list) > 0 {
		b = append(b, ',')
	}
	return append(AppendString(b, name), ':')
}

// Len counts the fields.
func (f *Fields) Len() int { return len(f.list) }

// Merge lays a user's options over the fields, object by object: a value that
// is no object replaces ours, and null takes it away. The fixed ones may not be
// touched.
func (f *Fields) Merge(options json.RawMessage, fixed ...string) error {
	if len(options) == 0 || string(options) == "null" {
		return nil
	}
	extra, err := split(options)
	if err != nil {
		return fmt.Errorf("provider options: %w", err)
	}
	for _, name := range fixed {
		if extra.find(name) != nil {
			return fmt.Errorf("provider options: %s is not theirs to set", name)
		}
	}
	f.merge(extra)
	return nil
}

func (f *Fields) merge(extra *Fields) {
	for _, x := range extra.list {
		own := f.find(x.name)
		if own == nil {
			if string(x.value) != "null" {
				f.list = append(f.list, x)
			}
			continue
		}
		ours, err := split(own.value)
		theirs, err2 := split(x.value)
		if err == nil && err2 == nil {
			ours.merge(theirs)
			own.value = ours.Object()
		} else {
			own.value = x.value
		}
	}
	kept := f.list[:0]
	for _, x := range f.list {
		if string(x.value) != "null" {
			kept = append(kept, x)
		}
	}
	f.list = kept
}

func (f *Fields) find(name string) *field {
	for i := range f.list {
		if f.list[i].name == name {
			return &f.list[i]
		}
	}
	return nil
}

// split takes an object apart. A name that stands twice keeps its last value.
func split(object []byte) (*Fields, error) {
	var s Scanner
	s.Reset(object)
	if s.peek() != '{' {
		return nil, errSyntax
	}
	f := new(Fields)
	for open := s.Object(); open && s.More(); {
		name := string(s.Key())
		value := bytes.Clone(s.Raw())
		if own := f.find(name); own != nil {
			own.value = value
		} else {
			f.Raw(name, value)
		}
	}
	return f, s.End()
}

// Options returns a provider's part of a request's options.
func Options(request *llm.Request, namespace string) (json.RawMessage, error) {
	if len(request.Options) == 0 || string(request.Options) == "null" {
		return nil, nil
	}
	all, err := split(request.Options)
	if err != nil {
		return nil, fmt.Errorf("provider options: %w", err)
	}
	if own := all.find(namespace); own != nil {
		return own.value, nil
	}
	return nil, nil
}

// IsObject reports whether a text is one JSON object.
func IsObject(text []byte) bool {
	var s Scanner
	s.Reset(text)
	return s.peek() == '{' && Valid(text)
}

// Valid reports whether a text is one JSON value.
func Valid(text []byte) bool {
	var s Scanner
	s.Reset(text)
	s.Skip()
	return s.End() == nil
}
