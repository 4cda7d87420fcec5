package anthropic

import (
	"bytes"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// decoder reads answers of the Messages API.
type decoder struct {
	answer *wire.Answer
	names  wire.ToolNames
	scan   wire.Scanner
	// inputs are arguments that came with the start of a call. They count when
	// no pieces of them follow.
	inputs map[int64][]byte
	// signatures come in pieces, too.
	signatures map[int64]string
	stopped    bool
}

// Complete implements [wire.Decoder].
func (d *decoder) Complete() bool { return d.stopped }

// piece is what one event says. Its texts are parts of the event.
type piece struct {
	index int64
	// blockType and deltaType are the kinds of what the event starts or adds.
	blockType, deltaType                     string
	id, name, text, signature, data, partial []byte
	input                                    []byte
}

// Event implements [wire.Decoder].
func (d *decoder) Event(name, data []byte) (last, heard bool) {
	switch string(name) {
	case "ping":
		return false, false
	case "error":
		rules.ReadFailure(d.answer, data)
		return true, true
	}
	s := &d.scan
	s.Reset(data)
	var p piece
	kind := ""
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "type":
			kind = event(s.Text())
		case "index":
			p.index = s.Int()
		case "delta":
			d.delta(&p)
		case "content_block":
			d.block(&p)
		case "message":
			d.message(false)
		case "usage":
			d.usage()
		default:
			s.Skip()
		}
	}
	if err := s.End(); err != nil {
		d.answer.Malformed("an event is " + err.Error())
		return true, true
	}
	switch kind {
	case "error": // without the name of the event
		rules.ReadFailure(d.answer, data)
		return true, true
	case "ping":
		return false, false
	case "content_block_start":
		d.start(&p)
	case "content_block_delta":
		d.add(&p)
	case "content_block_stop":
		d.finishBlock(p.index)
	case "message_delta":
		d.stopped = d.stopped || d.answer.Finish.Raw != ""
	case "message_stop":
		d.finish()
		return true, true
	}
	return false, true
}

// event returns a known word without making a string of it.
func event(word []byte) string {
	switch string(word) {
	case "content_block_delta":
		return "content_block_delta"
	case "text_delta":
		return "text_delta"
	case "input_json_delta":
		return "input_json_delta"
	case "thinking_delta":
		return "thinking_delta"
	default:
		return string(word)
	}
}

// delta reads what an event adds, to a block or to the message.
func (d *decoder) delta(p *piece) {
	s := &d.scan
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "type":
			p.deltaType = event(s.Text())
		case "text", "thinking":
			p.text = s.Text()
		case "partial_json":
			p.partial = s.Text()
		case "signature":
			p.signature = s.Text()
		case "stop_reason":
			d.stopReason(s.Text())
		default:
			s.Skip()
		}
	}
}

// block reads the block that an event starts, or one of a whole message.
func (d *decoder) block(p *piece) {
	s := &d.scan
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "type":
			p.blockType = s.String()
		case "id":
			p.id = s.Text()
		case "name":
			p.name = s.Text()
		case "text", "thinking":
			p.text = s.Text()
		case "signature":
			p.signature = s.Text()
		case "data":
			p.data = s.Text()
		case "input":
			p.input = s.Raw()
		default:
			s.Skip()
		}
	}
}

// start begins a block.
func (d *decoder) start(p *piece) {
	switch p.blockType {
	case "text":
		d.answer.Text(p.index, p.text)
	case "thinking":
		d.answer.Reasoning(p.index, p.text)
		d.sign(p)
	case "redacted_thinking":
		d.answer.Sign(llm.DeltaReasoning, p.index, "", string(p.data), "")
	case "tool_use":
		d.answer.Call(p.index, string(p.id), d.names.Back(string(p.name)), nil)
		if len(p.input) > 0 && string(p.input) != "{}" && string(p.input) != "null" {
			if d.inputs == nil {
				d.inputs = make(map[int64][]byte)
			}
			d.inputs[p.index] = bytes.Clone(p.input)
		}
	default:
		d.answer.Warn("a block of type %s was left out", wire.OneLine(p.blockType))
	}
}

// add continues a block.
func (d *decoder) add(p *piece) {
	switch p.deltaType {
	case "text_delta":
		d.answer.Text(p.index, p.text)
	case "thinking_delta":
		d.answer.Reasoning(p.index, p.text)
	case "signature_delta":
		d.sign(p)
	case "input_json_delta":
		if len(p.partial) > 0 {
			delete(d.inputs, p.index)
			d.answer.Call(p.index, "", "", p.partial)
		}
	}
}

func (d *decoder) sign(p *piece) {
	if len(p.signature) == 0 {
		return
	}
	if d.signatures == nil {
		d.signatures = make(map[int64]string)
	}
	d.signatures[p.index] += string(p.signature)
	d.answer.Sign(llm.DeltaReasoning, p.index, d.signatures[p.index], "", "")
}

// finishBlock uses the arguments that came at once.
func (d *decoder) finishBlock(index int64) {
	if input, ok := d.inputs[index]; ok {
		delete(d.inputs, index)
		d.answer.Call(index, "", "", input)
	}
}
