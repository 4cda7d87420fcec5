package openai

import (
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// itemTranscript is a conversation as far as it has been written: a list of
// items, of which a message, a call and a result are one each.
type itemTranscript struct {
	text []byte
	some bool
	ids  wire.CallIDs
}

// Size implements [wire.Transcript].
func (t *itemTranscript) Size() int { return len(t.text) }

// forTail returns a transcript to write a request's tail with. It shares
// nothing that the tail could change.
func (t *itemTranscript) forTail(tail []*llm.Message) *itemTranscript {
	f := &itemTranscript{some: t.some, ids: t.ids}
	for _, m := range tail {
		if m.Role == llm.RoleAssistant {
			f.ids = t.ids.Clone()
			break
		}
	}
	return f
}

func (t *itemTranscript) add(item *wire.Fields) {
	if t.some {
		t.text = append(t.text, ',')
	}
	t.some = true
	t.text = append(t.text, item.Object()...)
}

// message writes the items of a message.
func (t *itemTranscript) message(m *llm.Message, request *llm.Request) {
	switch m.Role {
	case llm.RoleTool:
		for i := range m.Parts {
			if m.Parts[i].Kind == llm.PartToolResult {
				t.result(m.Parts[i].Result)
			}
		}
	case llm.RoleAssistant:
		t.answered()
		t.assistant(m, request)
	case llm.RoleSystem, llm.RoleUser:
		t.answered()
		t.said(m)
	}
}

// answered answers the calls that were left without a result (contract V2).
func (t *itemTranscript) answered() {
	for _, id := range t.ids.Pending() {
		t.result(&llm.ToolResult{CallID: id, Content: wire.Interrupted})
	}
}

// said writes what a user says.
func (t *itemTranscript) said(m *llm.Message) {
	var parts [][]byte
	plain := true
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case llm.PartText:
			parts = append(parts, inputText(p.Text))
		case llm.PartImage:
			if url := wire.DataURL(p.Image); url != "" {
				parts = append(parts, inputImage(url))
				plain = false
			}
		case llm.PartReasoning, llm.PartToolCall, llm.PartToolResult: // a user has none
		}
	}
	var f wire.Fields
	f.Text("type", "message")
	f.Text("role", string(m.Role))
	switch {
	case len(parts) == 0:
		return
	case plain && len(parts) == 1:
		f.Text("content", m.Content())
	default:
		f.Raw("content", wire.List(parts...))
	}
	t.add(&f)
}

func inputText(text string) []byte {
	var f wire.Fields
	f.Text("type", "input_text")
	f.Text("text", text)
	return f.Object()
}

func inputImage(url string) []byte {
	var f wire.Fields
	f.Text("type", "input_image")
	f.Text("detail", "auto")
	f.Text("image_url", url)
	return f.Object()
}

func (t *itemTranscript) result(r *llm.ToolResult) {
	id, asked := t.ids.Result(r.CallID)
	if !asked {
		return
	}
	var f wire.Fields
	f.Text("type", "function_call_output")
	f.Text("call_id", id)
	parts := [][]byte{inputText(r.Content)}
	for i := range r.Images {
		if url := wire.DataURL(&r.Images[i]); url != "" {
			parts = append(parts, inputImage(url))
		}
	}
	if len(parts) > 1 {
		f.Raw("output", wire.List(parts...))
	} else {
		f.Text("output", r.Content)
	}
	t.add(&f)
}

// assistant writes what a model said, called and thought. Reasoning is an item
// of its own, which goes back to the model that it came from, encrypted, when
// something follows it; otherwise it is text. Items that the API gave ids are
// sent without, except for reasoning: calls with an id must have their
// reasoning before them, and that may be missing.
func (t *itemTranscript) assistant(m *llm.Message, request *llm.Request) {
	same, spoken := wire.SameModel(m, request), wire.LastSpoken(m)
	t.ids.Begin()
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case llm.PartText:
			t.spoke(p.Text)
		case llm.PartToolCall:
			t.call(p.Call)
		case llm.PartReasoning:
			if r := p.Reasoning; same && i < spoken && r.ID != "" && fieldName(r.ID) == "" && (r.Signature != "" || r.Redacted != "") {
				t.reasoning(r)
			} else {
				t.spoke(r.Text)
			}
		case llm.PartToolResult, llm.PartImage: // the model has none
		}
	}
}

func (t *itemTranscript) spoke(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	var f wire.Fields
	f.Text("type", "message")
	f.Text("role", "assistant")
	f.Text("content", text)
	t.add(&f)
}

func (t *itemTranscript) call(call *llm.ToolCall) {
	var f wire.Fields
	f.Text("type", "function_call")
	f.Text("call_id", t.ids.Call(call.ID, fit64))
	f.Text("name", wire.Fit(call.Name, wire.MaxToolName))
	f.Text("arguments", string(wire.Arguments(call)))
	t.add(&f)
}

func fit64(id string) string { return wire.Fit(id, 64) }

func (t *itemTranscript) reasoning(r *llm.Reasoning) {
	var f wire.Fields
	f.Text("type", "reasoning")
	f.Text("id", r.ID)
	var summary [][]byte
	if r.Text != "" {
		var part wire.Fields
		part.Text("type", "summary_text")
		part.Text("text", r.Text)
		summary = append(summary, part.Object())
	}
	f.Raw("summary", wire.List(summary...))
	if r.Signature != "" {
		f.Text("encrypted_content", r.Signature)
	} else {
		f.Text("encrypted_content", r.Redacted)
	}
	t.add(&f)
}
