package openai

import (
	"cmp"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// content reads a list of parts, as some services send it.
func (d *chatDecoder) content() {
	s := &d.scan
	for open := s.Array(); open && s.More(); {
		for field := s.Object(); field && s.More(); {
			switch string(s.Key()) {
			case "text":
				d.answer.Text(0, s.Text())
			case "thinking":
				d.thinkingParts()
			default:
				s.Skip()
			}
		}
	}
}

// thinkingParts reads the thoughts inside a list of parts.
func (d *chatDecoder) thinkingParts() {
	s := &d.scan
	if !s.IsArray() {
		d.answer.Reasoning(0, s.Text())
		return
	}
	for open := s.Array(); open && s.More(); {
		for field := s.Object(); field && s.More(); {
			if string(s.Key()) == "text" {
				d.answer.Reasoning(0, s.Text())
			} else {
				s.Skip()
			}
		}
	}
}

// callPiece is a part of a call.
type callPiece struct {
	index           int64
	id, name, input []byte
}

func (d *chatDecoder) calls(s *wire.Scanner) {
	for open, i := s.Array(), int64(0); open && s.More(); i++ {
		p := callPiece{index: i}
		for field := s.Object(); field && s.More(); {
			switch string(s.Key()) {
			case "index":
				p.index = s.Int()
			case "id":
				p.id = s.Text()
			case "function":
				readFunction(s, &p)
			default:
				s.Skip()
			}
		}
		at := d.place(&p)
		d.answer.Call(at, string(p.id), d.names.Back(string(p.name)), p.input)
	}
}

func readFunction(s *wire.Scanner, p *callPiece) {
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "name":
			p.name = s.Text()
		case "arguments":
			if s.IsObject() {
				p.input = s.Raw() // some send the object and not its text
			} else {
				p.input = s.Text()
			}
		default:
			s.Skip()
		}
	}
}

// place finds the call that a piece belongs to. Services that do not count give
// all calls one number, or none; an id of its own then begins a new call.
func (d *chatDecoder) place(p *callPiece) int64 {
	at := p.index
	if moved, ok := d.moved[at]; ok {
		at = moved
	}
	known := d.answer.CallID(at)
	if len(p.id) == 0 || known == "" || known == string(p.id) {
		return at
	}
	if d.moved == nil {
		d.moved = make(map[int64]int64)
		d.next = 1 << 32 // above any number that a service counts to
	}
	d.next++
	d.moved[p.index] = d.next
	return d.next
}

// finishReasons are the services' reasons in our words.
var finishReasons = map[string]llm.FinishReason{
	"stop":           llm.FinishStop,
	"end_turn":       llm.FinishStop,
	"eos":            llm.FinishStop,
	"end":            llm.FinishStop,
	"stop_sequence":  llm.FinishStop,
	"length":         llm.FinishLength,
	"max_tokens":     llm.FinishLength,
	"model_length":   llm.FinishLength,
	"tool_calls":     llm.FinishToolCalls,
	"function_call":  llm.FinishToolCalls,
	"tool_use":       llm.FinishToolCalls,
	"content_filter": llm.FinishContentFilter,
	"error":          llm.FinishError,
}

func (d *chatDecoder) reason(raw, native string) {
	d.finish = true
	d.answer.Finish = llm.Finish{Reason: cmp.Or(finishReasons[raw], llm.FinishUnknown), Raw: cmp.Or(native, raw)}
}

// end judges the whole answer.
func (d *chatDecoder) end() {
	f := &d.answer.Finish
	if d.field != "" || !d.details.empty() {
		d.answer.Sign(llm.DeltaReasoning, 0, d.details.text(), "", d.field)
	}
	switch {
	case len(d.refusal) > 0:
		f.Reason = llm.FinishRefusal
		d.answer.Refused(string(d.refusal))
	case f.Reason == llm.FinishContentFilter:
		d.answer.Refused("the provider's filter stopped the answer")
	case f.Reason == llm.FinishError:
		d.answer.Fail(&llm.Error{Class: llm.ClassServer, Message: "the provider gave up in the middle of the answer"})
	case f.Reason == llm.FinishStop && d.answer.Calls() > 0:
		f.Reason = llm.FinishToolCalls // some say stop whatever happens
	}
}

// fieldName returns the name itself when reasoning comes under it, and nothing
// otherwise.
func fieldName(name string) string {
	switch name {
	case "reasoning_content", "reasoning", "reasoning_text":
		return name
	default:
		return ""
	}
}
