package ollama

import (
	"cmp"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// decoder reads answers of the chat API: one JSON text, or a line for every
// piece of it.
type decoder struct {
	answer *wire.Answer
	names  wire.ToolNames
	scan   wire.Scanner
	calls  int64
	some   bool
	done   bool
}

var _ wire.Decoder = (*decoder)(nil)

// Complete implements [wire.Decoder].
func (d *decoder) Complete() bool { return d.done }

// Event implements [wire.Decoder].
func (d *decoder) Event(_, data []byte) (last, heard bool) {
	d.read(data)
	if d.done {
		d.end()
	}
	return d.done, true
}

// Whole implements [wire.Decoder].
func (d *decoder) Whole(data []byte) {
	d.read(data)
	if !d.some || !d.done {
		d.answer.Malformed("it is no answer that is done")
		return
	}
	d.end()
}

// finishReasons are the service's reasons in our words.
var finishReasons = map[string]llm.FinishReason{"stop": llm.FinishStop, "length": llm.FinishLength}

func (d *decoder) read(data []byte) {
	s := &d.scan
	s.Reset(data)
	failed := false
	var usage llm.Usage
	counted := false
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "model":
			if model := s.Text(); d.answer.Model == "" {
				d.answer.Model = string(model)
			}
		case "message":
			d.message()
		case "done":
			d.done = s.Bool()
		case "done_reason":
			if raw := s.String(); raw != "" {
				d.answer.Finish = llm.Finish{Reason: cmp.Or(finishReasons[raw], llm.FinishUnknown), Raw: raw}
			}
		case "prompt_eval_count":
			usage.Input, counted = s.Int(), true
		case "eval_count":
			usage.Output, counted = s.Int(), true
		case "error":
			failed = true
			s.Skip()
		default:
			s.Skip()
		}
	}
	switch err := s.End(); {
	case err != nil:
		d.answer.Malformed("a line of it is " + err.Error())
	case failed:
		rules.ReadFailure(d.answer, data)
	case counted:
		d.answer.Usage = &usage
	}
}

// message reads a message or what is added to it. Thoughts come first, whatever
// the order of the fields.
func (d *decoder) message() {
	d.some = true
	s := &d.scan
	var text []byte
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "content":
			text = s.Text()
		case "thinking":
			if thought := s.Text(); len(thought) > 0 {
				d.answer.Reasoning(0, thought)
			}
		case "tool_calls":
			if len(text) > 0 {
				d.answer.Text(0, text)
				text = nil
			}
			for next := s.Array(); next && s.More(); {
				d.call()
			}
		default:
			s.Skip()
		}
	}
	if len(text) > 0 {
		d.answer.Text(0, text)
	}
}

func (d *decoder) call() {
	s := &d.scan
	var id, name, arguments []byte
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "id":
			id = s.Text()
		case "function":
			for field := s.Object(); field && s.More(); {
				switch string(s.Key()) {
				case "name":
					name = s.Text()
				case "arguments":
					arguments = s.Raw()
				default:
					s.Skip()
				}
			}
		default:
			s.Skip()
		}
	}
	if string(arguments) == "null" {
		arguments = nil
	}
	d.answer.Call(d.calls, string(id), d.names.Back(string(name)), arguments)
	d.calls++
}

// end judges the whole answer.
func (d *decoder) end() {
	if f := &d.answer.Finish; f.Reason == llm.FinishStop && d.calls > 0 {
		f.Reason = llm.FinishToolCalls
	}
}
