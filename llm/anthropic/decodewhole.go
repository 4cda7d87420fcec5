package anthropic

import (
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// stopReasons are the API's reasons in our words.
var stopReasons = map[string]llm.FinishReason{
	"end_turn":                      llm.FinishStop,
	"stop_sequence":                 llm.FinishStop,
	"pause_turn":                    llm.FinishStop,
	"tool_use":                      llm.FinishToolCalls,
	"max_tokens":                    llm.FinishLength,
	"model_context_window_exceeded": llm.FinishLength,
	"refusal":                       llm.FinishRefusal,
}

func (d *decoder) stopReason(raw []byte) {
	if len(raw) == 0 {
		return
	}
	reason, ok := stopReasons[string(raw)]
	if !ok {
		reason = llm.FinishUnknown
	}
	d.answer.Finish = llm.Finish{Reason: reason, Raw: string(raw)}
}

// Whole implements [wire.Decoder].
func (d *decoder) Whole(data []byte) {
	d.scan.Reset(data)
	found := d.message(true)
	if err := d.scan.End(); err != nil || !found {
		d.answer.Malformed("it is no message")
		return
	}
	d.finish()
}

// message reads a whole message, or the start of one; content says that its
// content is wanted. It reports whether it was a message.
func (d *decoder) message(content bool) (found bool) {
	s := &d.scan
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "id":
			d.answer.ResponseID = s.String()
		case "model":
			d.answer.Model = s.String()
		case "usage":
			d.usage()
		case "stop_reason":
			d.stopReason(s.Text())
		case "content":
			if !content {
				s.Skip()
				continue
			}
			found = true
			d.content()
		default:
			s.Skip()
		}
	}
	return found
}

func (d *decoder) content() {
	s := &d.scan
	if !s.Array() {
		return
	}
	for index := int64(0); s.More(); index++ {
		p := piece{index: index}
		d.block(&p)
		d.start(&p)
		d.finishBlock(index)
	}
}

// usage reads counts. Those of a later event replace earlier ones, which they
// include.
func (d *decoder) usage() {
	s := &d.scan
	if !s.Object() {
		return
	}
	if d.answer.Usage == nil {
		d.answer.Usage = new(llm.Usage)
	}
	u := d.answer.Usage
	var parts int64
	for s.More() {
		switch string(s.Key()) {
		case "input_tokens":
			u.Input = s.Int()
		case "output_tokens":
			u.Output = s.Int()
		case "cache_read_input_tokens":
			u.CacheRead = s.Int()
		case "cache_creation_input_tokens":
			u.CacheWrite = s.Int()
		case "cache_creation":
			for part := s.Object(); part && s.More(); {
				s.Key()
				parts += s.Int()
			}
		case "output_tokens_details":
			for detail := s.Object(); detail && s.More(); {
				if string(s.Key()) == "thinking_tokens" {
					u.Reasoning = s.Int()
				} else {
					s.Skip()
				}
			}
		default:
			s.Skip()
		}
	}
	if u.CacheWrite == 0 {
		u.CacheWrite = parts
	}
}

// finish judges the whole answer.
func (d *decoder) finish() {
	d.stopped = true
	for index := range d.inputs {
		d.finishBlock(index)
	}
	if d.answer.Finish.Reason == llm.FinishRefusal {
		d.answer.Refused("")
	}
}

var _ wire.Decoder = (*decoder)(nil)
