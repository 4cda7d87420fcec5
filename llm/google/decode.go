package google

import (
	"cmp"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// decoder reads answers of generateContent. A stream is a list of such answers,
// each with what is new.
type decoder struct {
	answer *wire.Answer
	names  wire.ToolNames
	scan   wire.Scanner
	// kind and at are the block that is being written: parts have no numbers,
	// so one goes on as long as its kind does.
	kind llm.DeltaKind
	at   int64
	// some says that there was a candidate or a verdict on the prompt.
	some, finish bool
}

var _ wire.Decoder = (*decoder)(nil)

// Complete implements [wire.Decoder].
func (d *decoder) Complete() bool {
	if d.finish {
		d.end()
	}
	return d.finish
}

// Event implements [wire.Decoder].
func (d *decoder) Event(_, data []byte) (last, heard bool) {
	counted := d.read(data)
	if d.finish && counted {
		d.end()
		return true, true
	}
	return false, true
}

// Whole implements [wire.Decoder].
func (d *decoder) Whole(data []byte) {
	d.read(data)
	if !d.some {
		d.answer.Malformed("it has no candidates")
		return
	}
	d.end()
}

// read takes in one answer and reports whether it counts tokens.
func (d *decoder) read(data []byte) (counted bool) {
	s := &d.scan
	s.Reset(data)
	failed := false
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "candidates":
			d.candidates()
		case "promptFeedback":
			d.feedback()
		case "usageMetadata":
			counted = d.usage()
		case "responseId":
			if id := s.Text(); d.answer.ResponseID == "" {
				d.answer.ResponseID = string(id)
			}
		case "modelVersion":
			if model := s.Text(); d.answer.Model == "" {
				d.answer.Model = string(model)
			}
		case "error":
			failed = s.IsObject()
			s.Skip()
		default:
			s.Skip()
		}
	}
	switch err := s.End(); {
	case err != nil:
		d.answer.Malformed("a piece of it is " + err.Error())
	case failed:
		rules.ReadFailure(d.answer, data)
	}
	return counted
}

// candidates reads the first candidate; we never ask for more.
func (d *decoder) candidates() {
	s := &d.scan
	for open := s.Array(); open && s.More(); {
		d.some = true
		for field := s.Object(); field && s.More(); {
			switch string(s.Key()) {
			case "content":
				for inner := s.Object(); inner && s.More(); {
					if string(s.Key()) == "parts" {
						for part := s.Array(); part && s.More(); {
							d.part()
						}
					} else {
						s.Skip()
					}
				}
			case "finishReason":
				if raw := s.Text(); len(raw) > 0 {
					d.finish = true
					d.answer.Finish = llm.Finish{Reason: cmp.Or(finishReasons[string(raw)], llm.FinishUnknown), Raw: string(raw)}
				}
			default:
				s.Skip()
			}
		}
	}
}

func (d *decoder) part() {
	s := &d.scan
	var text, signature, id, name, args []byte
	thought, call := false, false
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "text":
			text = s.Text()
		case "thought":
			thought = s.Bool()
		case "thoughtSignature":
			signature = s.Text()
		case "functionCall":
			call = true
			for field := s.Object(); field && s.More(); {
				switch string(s.Key()) {
				case "id":
					id = s.Text()
				case "name":
					name = s.Text()
				case "args":
					args = s.Raw()
				default:
					s.Skip()
				}
			}
		default:
			s.Skip()
		}
	}
	switch {
	case call:
		d.block(llm.DeltaToolCall, true)
		if string(args) == "null" {
			args = nil
		}
		d.answer.Call(d.at, string(id), d.names.Back(string(name)), args)
		d.sign(signature)
	case thought:
		d.block(llm.DeltaReasoning, false)
		d.answer.Reasoning(d.at, text)
		d.sign(signature)
	default:
		if len(text) > 0 {
			d.block(llm.DeltaText, false)
			d.answer.Text(d.at, text)
		}
		if len(signature) > 0 {
			// Text has no place for a signature: it is a thought without words.
			d.block(llm.DeltaReasoning, true)
			d.sign(signature)
		}
	}
}

func (d *decoder) sign(signature []byte) {
	if len(signature) > 0 {
		d.answer.Sign(d.kind, d.at, string(signature), "", "")
	}
}

// block goes on with a block of a kind, or begins one.
func (d *decoder) block(kind llm.DeltaKind, anew bool) {
	if anew || d.kind != kind {
		d.kind = kind
		d.at++
	}
}

// feedback reads the verdict on the prompt, which comes when there is no answer.
func (d *decoder) feedback() {
	s := &d.scan
	for open := s.Object(); open && s.More(); {
		if string(s.Key()) != "blockReason" {
			s.Skip()
			continue
		}
		if reason := s.Text(); len(reason) > 0 {
			d.some, d.finish = true, true
			d.answer.Finish = llm.Finish{Reason: llm.FinishContentFilter, Raw: string(reason)}
		}
	}
}

// usage reads counts. The prompt includes what came from the cache; thoughts
// are counted apart from the answer.
func (d *decoder) usage() bool {
	s := &d.scan
	var prompt, cached, output, thoughts, tools int64
	if !s.Object() {
		return false
	}
	for s.More() {
		switch string(s.Key()) {
		case "promptTokenCount":
			prompt = s.Int()
		case "cachedContentTokenCount":
			cached = s.Int()
		case "candidatesTokenCount":
			output = s.Int()
		case "thoughtsTokenCount":
			thoughts = s.Int()
		case "toolUsePromptTokenCount":
			tools = s.Int()
		default:
			s.Skip()
		}
	}
	d.answer.Usage = &llm.Usage{Input: max(prompt-cached, 0) + tools, CacheRead: cached, Output: output + thoughts, Reasoning: thoughts}
	return true
}
