package openai

import (
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// chatTranscript is a conversation as far as it has been written.
type chatTranscript struct {
	chat *Chat
	text []byte
	// some says that something is written already: a comma has to come first.
	some bool
	ids  wire.CallIDs
	// calls says that there are any.
	calls bool
	// pictures came with the results of tools, which take text only. They
	// follow the last result, as a message of the user.
	pictures [][]byte
}

// Size implements [wire.Transcript].
func (t *chatTranscript) Size() int { return len(t.text) }

// forTail returns a transcript to write a request's tail with. It shares
// nothing that the tail could change.
func (t *chatTranscript) forTail(tail []*llm.Message) *chatTranscript {
	f := &chatTranscript{chat: t.chat, some: t.some, ids: t.ids, pictures: slices.Clip(t.pictures)}
	for _, m := range tail {
		if m.Role == llm.RoleAssistant {
			f.ids = t.ids.Clone()
			break
		}
	}
	return f
}

func (t *chatTranscript) add(message *wire.Fields) {
	if t.some {
		t.text = append(t.text, ',')
	}
	t.some = true
	t.text = append(t.text, message.Object()...)
}

// message writes a message.
func (t *chatTranscript) message(m *llm.Message, request *llm.Request) {
	switch m.Role {
	case llm.RoleTool:
		for i := range m.Parts {
			if m.Parts[i].Kind == llm.PartToolResult {
				t.result(m.Parts[i].Result)
			}
		}
	case llm.RoleAssistant:
		t.close()
		t.assistant(m, request)
	case llm.RoleSystem, llm.RoleUser:
		t.close()
		t.said(m)
	}
}

// close ends the results of a turn: calls that were left without one are
// answered (contract V2), and pictures are shown.
func (t *chatTranscript) close() {
	for _, id := range t.ids.Pending() {
		t.result(&llm.ToolResult{CallID: id, Content: wire.Interrupted})
	}
	if len(t.pictures) > 0 {
		var f wire.Fields
		f.Text("role", "user")
		var text wire.Fields
		text.Text("type", "text")
		text.Text("text", "Images from the tool results above:")
		f.Raw("content", wire.List(append([][]byte{text.Object()}, t.pictures...)...))
		t.add(&f)
		t.pictures = nil
	}
}

// said writes what a user says. One text is sent as such, which everybody
// understands.
func (t *chatTranscript) said(m *llm.Message) {
	var f wire.Fields
	f.Text("role", string(m.Role))
	var parts [][]byte
	plain := true
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case llm.PartText:
			var text wire.Fields
			text.Text("type", "text")
			text.Text("text", p.Text)
			parts = append(parts, text.Object())
		case llm.PartImage:
			if url := wire.DataURL(p.Image); url != "" {
				parts = append(parts, chatImage(url))
				plain = false
			}
		case llm.PartReasoning, llm.PartToolCall, llm.PartToolResult: // a user has none
		}
	}
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

func chatImage(url string) []byte {
	var f wire.Fields
	f.Text("type", "image_url")
	f.Any("image_url", map[string]string{"url": url})
	return f.Object()
}

func (t *chatTranscript) result(r *llm.ToolResult) {
	id, asked := t.ids.Result(r.CallID)
	if !asked {
		return
	}
	var f wire.Fields
	f.Text("role", "tool")
	f.Text("tool_call_id", id)
	f.Text("content", r.Content)
	t.add(&f)
	for i := range r.Images {
		if url := wire.DataURL(&r.Images[i]); url != "" {
			t.pictures = append(t.pictures, chatImage(url))
		}
	}
}

// assistant writes a message of the model. Its reasoning goes back under the
// name that it came by to the model that it came from; for others, and when
// nothing follows it, it is text without any tag.
func (t *chatTranscript) assistant(m *llm.Message, request *llm.Request) {
	same, spoken := wire.SameModel(m, request), wire.LastSpoken(m)
	var calls [][]byte
	var reasoning, details, field string
	var content prose
	t.ids.Begin()
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case llm.PartText:
			content.text(p.Text)
		case llm.PartToolCall:
			calls = append(calls, t.call(p.Call))
		case llm.PartReasoning:
			r := p.Reasoning
			if same && i < spoken && (fieldName(r.ID) != "" || isDetails(r.Signature)) {
				reasoning += r.Text
				field, details = r.ID, r.Signature
			} else {
				content.thought(r.Text)
			}
		case llm.PartToolResult, llm.PartImage: // the model has none
		}
	}
	text := content.String()
	if len(calls) == 0 && text == "" {
		return
	}
	var f wire.Fields
	f.Text("role", "assistant")
	if text == "" {
		f.Raw("content", []byte("null"))
	} else {
		f.Text("content", text)
	}
	t.reasoned(&f, field, reasoning, details)
	if len(calls) > 0 {
		f.Raw("tool_calls", wire.List(calls...))
		t.calls = true
	}
	t.add(&f)
}

// reasoned adds reasoning as the configuration wants it, or as it came.
func (t *chatTranscript) reasoned(f *wire.Fields, field, text, details string) {
	switch own := t.chat.config.ReasoningField; {
	case own == "-":
		return
	case own != "":
		field = own
	default:
		field = fieldName(field)
	}
	if field != "" && text != "" {
		f.Text(field, text)
	}
	if isDetails(details) {
		f.Raw("reasoning_details", []byte(details))
	}
}

// isDetails knows a router's account of reasoning, which is a list.
func isDetails(text string) bool { return strings.HasPrefix(text, "[") && wire.Valid([]byte(text)) }

func (t *chatTranscript) call(call *llm.ToolCall) []byte {
	var function, f wire.Fields
	function.Text("name", wire.Fit(call.Name, wire.MaxToolName))
	function.Text("arguments", string(wire.Arguments(call)))
	f.Text("id", t.ids.Call(call.ID, t.chat.accent.callID))
	f.Text("type", "function")
	f.Raw("function", function.Object())
	return f.Object()
}

// prose is what a model said, where some of its thoughts have become text.
type prose struct {
	pieces []string
	// spoken says that the last piece is text, which goes on without a break.
	spoken bool
}

func (p *prose) text(text string) {
	if p.spoken {
		p.pieces[len(p.pieces)-1] += text
		return
	}
	p.pieces, p.spoken = append(p.pieces, text), true
}

func (p *prose) thought(text string) {
	if strings.TrimSpace(text) != "" {
		p.pieces, p.spoken = append(p.pieces, text), false
	}
}

// String is all of it, empty when it is blank.
func (p *prose) String() string {
	text := strings.Join(p.pieces, "\n\n")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}
