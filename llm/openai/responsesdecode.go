package openai

import (
	"bytes"
	"cmp"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// itemDecoder reads answers of the Responses API.
type itemDecoder struct {
	answer *wire.Answer
	names  wire.ToolNames
	scan   wire.Scanner
	// told are the items of which pieces have come; what is said of them in
	// the end is the same again.
	told map[int64]bool
	// items are the places of items by their ids, and last the place of the
	// one spoken of last, for services that do not count.
	items   map[string]int64
	last    int64
	summary map[int64]int64
	refusal []byte
	ended   bool
}

var _ wire.Decoder = (*itemDecoder)(nil)

// Complete implements [wire.Decoder].
func (d *itemDecoder) Complete() bool { return d.ended }

// itemEvent is what one event says.
type itemEvent struct {
	kind                string
	index, part         int64
	counted             bool
	itemID, delta, args []byte
	item, response      []byte
}

// Event implements [wire.Decoder].
func (d *itemDecoder) Event(_, data []byte) (last, heard bool) {
	if string(data) == "[DONE]" {
		if !d.ended {
			d.answer.Malformed("it ends without saying so")
		}
		return true, true
	}
	s := &d.scan
	s.Reset(data)
	var e itemEvent
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "type":
			e.kind = eventKind(s.Text())
		case "output_index":
			e.index, e.counted = s.Int(), true
		case "summary_index":
			e.part = s.Int()
		case "item_id":
			e.itemID = s.Text()
		case "delta":
			e.delta = s.Text()
		case "arguments":
			e.args = s.Text()
		case "item":
			e.item = s.Raw()
		case "response":
			e.response = s.Raw()
		default:
			s.Skip()
		}
	}
	if err := s.End(); err != nil {
		d.answer.Malformed("an event is " + err.Error())
		return true, true
	}
	return d.happen(&e, data)
}

// eventKind returns the most frequent words without making strings of them.
func eventKind(word []byte) string {
	switch string(word) {
	case "response.output_text.delta":
		return "response.output_text.delta"
	case "response.function_call_arguments.delta":
		return "response.function_call_arguments.delta"
	case "response.reasoning_summary_text.delta":
		return "response.reasoning_summary_text.delta"
	default:
		return string(word)
	}
}

func (d *itemDecoder) happen(e *itemEvent, data []byte) (last, heard bool) {
	switch e.kind {
	case "response.output_text.delta":
		d.answer.Text(d.place(e), e.delta)
	case "response.function_call_arguments.delta":
		d.answer.Call(d.place(e), "", "", e.delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		at := d.place(e)
		if d.summary == nil {
			d.summary = make(map[int64]int64)
		}
		if e.part > d.summary[at] { // the next part of a summary is a new paragraph
			d.answer.Reasoning(at, []byte("\n\n"))
		}
		d.summary[at] = e.part
		d.answer.Reasoning(at, e.delta)
	case "response.refusal.delta":
		d.refusal = append(d.refusal, e.delta...)
	case "response.output_item.added", "response.output_item.done":
		d.item(e)
	case "response.created", "response.in_progress", "response.queued":
		d.response(e.response, false)
		return false, e.kind == "response.created"
	case "response.completed", "response.incomplete", "response.done":
		d.response(e.response, len(d.told) == 0)
		return true, true
	case "response.failed":
		rules.ReadFailure(d.answer, e.response)
		return true, true
	case "error":
		rules.ReadFailure(d.answer, data)
		return true, true
	case "keepalive":
		return false, false
	}
	return false, true
}

// place finds the item that an event is about: by its number, by its id, or
// because it is the one that was begun last.
func (d *itemDecoder) place(e *itemEvent) int64 {
	at := d.last
	if known, ok := d.items[string(e.itemID)]; e.counted {
		at = e.index
	} else if ok {
		at = known
	}
	d.tell(at)
	return at
}

func (d *itemDecoder) tell(at int64) {
	if !d.told[at] {
		if d.told == nil {
			d.told = make(map[int64]bool)
		}
		d.told[at] = true
	}
}

// item reads the beginning or the end of an item.
func (d *itemDecoder) item(e *itemEvent) {
	var in item
	in.read(e.item)
	at := e.index
	known, ok := d.items[string(in.id)]
	switch {
	case e.counted:
	case ok:
		at = known
	default:
		at = int64(len(d.items))
	}
	if len(in.id) > 0 && !ok {
		if d.items == nil {
			d.items = make(map[string]int64)
		}
		d.items[string(in.id)] = at
	}
	d.last = at
	d.use(&in, at, e.kind == "response.output_item.done")
}

// use takes in an item; whole says that all of it is there.
func (d *itemDecoder) use(in *item, at int64, whole bool) {
	told := d.told[at]
	switch in.kind {
	case "message":
		if whole && !told {
			d.answer.Text(at, in.text)
			d.refusal = append(d.refusal, in.refusal...)
		}
	case "function_call":
		input := in.arguments
		if told || !whole {
			input = nil
		}
		d.answer.Call(at, string(in.callID), d.names.Back(string(in.name)), input)
	case "reasoning":
		d.answer.Reasoning(at, nil)
		if whole && !told {
			d.answer.Reasoning(at, in.text)
		}
		if whole {
			d.answer.Sign(llm.DeltaReasoning, at, string(in.encrypted), "", string(in.id))
		}
	default:
		if whole {
			d.answer.Warn("an item of type %s was left out", wire.OneLine(in.kind))
		}
	}
	if whole {
		d.tell(at)
	}
}

// Whole implements [wire.Decoder].
func (d *itemDecoder) Whole(data []byte) {
	d.response(data, true)
	if !d.ended {
		d.answer.Malformed("it is no response that ended")
	}
}

// response reads the object around the items; output says that the items
// themselves are wanted.
func (d *itemDecoder) response(data []byte, output bool) {
	var s wire.Scanner
	s.Reset(data)
	var status, reason string
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "id":
			first(&d.answer.ResponseID, &s)
		case "model":
			first(&d.answer.Model, &s)
		case "status":
			status = s.String()
		case "incomplete_details":
			for detail := s.Object(); detail && s.More(); {
				if string(s.Key()) == "reason" {
					reason = s.String()
				} else {
					s.Skip()
				}
			}
		case "usage":
			readUsage(&s, d.answer)
		case "output":
			if !output {
				s.Skip()
				continue
			}
			for i, next := int64(0), s.Array(); next && s.More(); i++ {
				var in item
				in.read(bytes.Clone(s.Raw()))
				d.use(&in, i, true)
			}
		default:
			s.Skip()
		}
	}
	if s.End() != nil {
		d.answer.Malformed("the response is not JSON")
		return
	}
	d.status(status, reason)
}

// status judges the whole answer, when it is there.
func (d *itemDecoder) status(status, reason string) {
	f := &d.answer.Finish
	switch status {
	case "completed":
		f.Reason = llm.FinishStop
		if d.answer.Calls() > 0 {
			f.Reason = llm.FinishToolCalls
		}
	case "incomplete":
		f.Reason = cmp.Or(incompleteReasons[reason], llm.FinishUnknown)
	case "failed", "cancelled":
		d.answer.Fail(&llm.Error{Class: llm.ClassServer, Code: status, Message: "the provider gave up on the answer"})
		return
	default:
		return // it goes on
	}
	d.ended = true
	f.Raw = cmp.Or(reason, status)
	switch {
	case len(d.refusal) > 0:
		f.Reason = llm.FinishRefusal
		d.answer.Refused(string(d.refusal))
	case f.Reason == llm.FinishContentFilter:
		d.answer.Refused("the provider's filter stopped the answer")
	}
}

// incompleteReasons are the API's reasons in our words.
var incompleteReasons = map[string]llm.FinishReason{
	"max_output_tokens": llm.FinishLength,
	"content_filter":    llm.FinishContentFilter,
}
