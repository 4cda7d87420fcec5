package ollama

import (
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// transcript is a conversation as far as it has been written.
type transcript struct {
	text []byte
	some bool
	ids  wire.CallIDs
	// tools are the names of the calls that are being answered, by their ids:
	// results are matched by name and order.
	tools map[string]string
}

// Size implements [wire.Transcript].
func (t *transcript) Size() int { return len(t.text) }

// forTail returns a transcript to write a request's tail with. It shares
// nothing that the tail could change.
func (t *transcript) forTail(tail []*llm.Message) *transcript {
	f := *t
	f.text = nil
	for _, m := range tail {
		if m.Role == llm.RoleAssistant {
			f.ids = t.ids.Clone()
			break
		}
	}
	return &f
}

func (t *transcript) add(message *wire.Fields) {
	if t.some {
		t.text = append(t.text, ',')
	}
	t.some = true
	t.text = append(t.text, message.Object()...)
}

// message writes a message.
func (t *transcript) message(m *llm.Message, request *llm.Request) {
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
func (t *transcript) answered() {
	for _, id := range t.ids.Pending() {
		t.result(&llm.ToolResult{CallID: id, Content: wire.Interrupted})
	}
}

func (t *transcript) said(m *llm.Message) {
	var images [][]byte
	for i := range m.Parts {
		if data := imageData(m.Parts[i].Image); data != nil {
			images = append(images, data)
		}
	}
	text := m.Content()
	if text == "" && len(images) == 0 {
		return
	}
	var f wire.Fields
	f.Text("role", string(m.Role))
	f.Text("content", text)
	if len(images) > 0 {
		f.Raw("images", wire.List(images...))
	}
	t.add(&f)
}

func (t *transcript) result(r *llm.ToolResult) {
	if _, asked := t.ids.Result(r.CallID); !asked {
		return
	}
	var f wire.Fields
	f.Text("role", "tool")
	f.Text("tool_name", t.tools[r.CallID])
	f.Text("content", r.Content)
	var images [][]byte
	for i := range r.Images {
		if data := imageData(&r.Images[i]); data != nil {
			images = append(images, data)
		}
	}
	if len(images) > 0 {
		f.Raw("images", wire.List(images...))
	}
	t.add(&f)
}

// assistant writes a message of the model. Its thoughts go back to itself; for
// others, and when nothing follows them, they are text.
func (t *transcript) assistant(m *llm.Message, request *llm.Request) {
	same, spoken := wire.SameModel(m, request), wire.LastSpoken(m)
	var said, thought []string
	var calls [][]byte
	t.ids.Begin()
	t.tools = nil
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case llm.PartText:
			said = append(said, p.Text)
		case llm.PartToolCall:
			calls = append(calls, t.call(p.Call))
		case llm.PartReasoning:
			if same && i < spoken {
				thought = append(thought, p.Reasoning.Text)
			} else {
				said = append(said, p.Reasoning.Text)
			}
		case llm.PartToolResult, llm.PartImage: // the model has none
		}
	}
	text := strings.Join(said, "\n\n")
	if len(calls) == 0 && strings.TrimSpace(text) == "" {
		return
	}
	var f wire.Fields
	f.Text("role", "assistant")
	f.Text("content", text)
	if thinking := strings.Join(thought, "\n\n"); thinking != "" {
		f.Text("thinking", thinking)
	}
	if len(calls) > 0 {
		f.Raw("tool_calls", wire.List(calls...))
	}
	t.add(&f)
}

func (t *transcript) call(call *llm.ToolCall) []byte {
	if t.tools == nil {
		t.tools = make(map[string]string)
	}
	name := wire.Fit(call.Name, wire.MaxToolName)
	t.ids.Call(call.ID, func(id string) string { return wire.Fit(id, 64) })
	t.tools[call.ID] = name
	var function, f wire.Fields
	function.Text("name", name)
	function.Raw("arguments", wire.Arguments(call))
	f.Raw("function", function.Object())
	return f.Object()
}
