package openai

import "github.com/ai-agent-go/ai-agent/llm/internal/wire"

// chatDecoder reads answers of Chat Completions.
type chatDecoder struct {
	answer *wire.Answer
	names  wire.ToolNames
	scan   wire.Scanner
	// inner reads what has to wait until the rest of a message is known.
	inner wire.Scanner
	// field is the name under which reasoning comes, once it is known.
	field string
	// details are a router's own account of the reasoning.
	details details
	refusal []byte
	// moved are calls that the service numbers like an earlier one, by that
	// number; next is the number for another one.
	moved map[int64]int64
	next  int64
	// choice says that there was one, finish that it ended.
	choice, finish bool
}

var _ wire.Decoder = (*chatDecoder)(nil)

// Complete implements [wire.Decoder].
func (d *chatDecoder) Complete() bool {
	if d.finish {
		d.end()
	}
	return d.finish
}

// Event implements [wire.Decoder].
func (d *chatDecoder) Event(name, data []byte) (last, heard bool) {
	switch {
	case string(data) == "[DONE]":
		d.over()
		return true, true
	case string(name) == "error":
		rules.ReadFailure(d.answer, data)
		return true, true
	}
	if !d.read(data) {
		return true, true
	}
	return false, true
}

// Whole implements [wire.Decoder].
func (d *chatDecoder) Whole(data []byte) {
	if d.read(data) {
		d.over()
	}
}

// over takes the service's word that this was all. The reason may be missing,
// the answer may not.
func (d *chatDecoder) over() {
	if !d.choice {
		d.answer.Malformed("it has no choices")
		return
	}
	d.finish = true
	d.end()
}

// read takes in a chunk or a whole completion, which differ in one name.
func (d *chatDecoder) read(data []byte) bool {
	s := &d.scan
	s.Reset(data)
	failed := false
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "id":
			first(&d.answer.ResponseID, s)
		case "model":
			first(&d.answer.Model, s)
		case "provider":
			first(&d.answer.Provider, s)
		case "choices":
			d.choices()
		case "usage":
			readUsage(s, d.answer)
		case "error":
			failed = len(s.Raw()) > len("null")
		default:
			s.Skip()
		}
	}
	if err := s.End(); err != nil {
		d.answer.Malformed("a piece of it is " + err.Error())
		return false
	}
	if failed {
		rules.ReadFailure(d.answer, data)
		return false
	}
	return true
}

// first keeps the first text that is not empty: every chunk repeats it.
func first(to *string, s *wire.Scanner) {
	if text := s.Text(); *to == "" && len(text) > 0 {
		*to = string(text)
	}
}

// choices reads the first choice; we never ask for more.
func (d *chatDecoder) choices() {
	s := &d.scan
	for open := s.Array(); open && s.More(); {
		d.choice = true
		var reason, native []byte
		for field := s.Object(); field && s.More(); {
			switch string(s.Key()) {
			case "delta", "message":
				d.message()
			case "finish_reason":
				reason = s.Text()
			case "native_finish_reason":
				native = s.Text()
			case "usage":
				readUsage(s, d.answer)
			default:
				s.Skip()
			}
		}
		if len(reason) > 0 {
			d.reason(string(reason), string(native))
		}
	}
}

// message reads a message or what is added to it. Reasoning comes before text
// and text before calls, whatever the order of the fields.
func (d *chatDecoder) message() {
	s := &d.scan
	var thought, text, calls []byte
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "content":
			if s.IsArray() {
				d.content()
			} else {
				text = s.Text()
			}
		case "reasoning_content":
			d.thought(&thought, "reasoning_content")
		case "reasoning":
			d.thought(&thought, "reasoning")
		case "reasoning_text":
			d.thought(&thought, "reasoning_text")
		case "reasoning_details":
			piece := d.details.read(s)
			if !d.details.empty() {
				d.answer.Reasoning(0, nil)
			}
			if d.field == "" {
				thought = piece
			}
		case "refusal":
			d.refusal = append(d.refusal, s.Text()...)
		case "tool_calls":
			calls = s.Raw()
		default:
			s.Skip()
		}
	}
	if len(thought) > 0 {
		d.answer.Reasoning(0, thought)
	}
	if len(text) > 0 {
		d.answer.Text(0, text)
	}
	if len(calls) > 0 {
		d.inner.Reset(calls)
		d.calls(&d.inner)
	}
}

// thought reads reasoning that comes under a name. The first name counts: some
// services say everything twice.
func (d *chatDecoder) thought(to *[]byte, field string) {
	if piece := d.scan.Text(); len(piece) > 0 && (d.field == "" || d.field == field) {
		d.field, *to = field, piece
	}
}
