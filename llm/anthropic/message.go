package anthropic

import (
	"encoding/base64"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// transcript is a conversation as far as it has been written. It is kept between
// requests; what it has written stays as it is.
type transcript struct {
	// text is the messages so far, the last one still open at its end: what
	// follows may belong to it.
	text []byte
	// role is the open message's, empty before the first.
	role string
	ids  wire.CallIDs
	// mark is the end of the user's last block, lastMark what it was before the
	// model's last message.
	mark, lastMark int
	// calls says that there are any; unsigned that the model's last message has
	// some and does not begin with thinking that it can be given back.
	calls, unsigned bool
}

// Size implements [wire.Transcript].
func (s *transcript) Size() int { return len(s.text) }

const (
	user      = "user"
	assistant = "assistant"
)

// forTail returns a state to write a request's tail with. It shares nothing
// that the tail could change.
func (s *transcript) forTail(tail []*llm.Message) *transcript {
	f := &transcript{role: s.role, ids: s.ids}
	for _, m := range tail {
		if m.Role == llm.RoleAssistant {
			f.ids = s.ids.Clone()
			break
		}
	}
	return f
}

// message writes a message.
func (s *transcript) message(m *llm.Message, request *llm.Request) {
	if m.Role == llm.RoleAssistant {
		s.answered()
		s.assistant(m, request)
		return
	}
	if m.Role != llm.RoleTool {
		s.answered()
	}
	for i := range m.Parts {
		switch part := &m.Parts[i]; part.Kind {
		case llm.PartText:
			s.said(user, part.Text)
		case llm.PartImage:
			if block := imageBlock(part.Image); block != nil {
				s.block(user, block)
			}
		case llm.PartToolResult:
			s.result(part.Result)
		case llm.PartReasoning, llm.PartToolCall: // nobody but the model has these
		}
	}
}

// answered answers the calls that were left without a result, so that no
// conversation is ever refused (contract V2).
func (s *transcript) answered() {
	for _, id := range s.ids.Pending() {
		s.result(&llm.ToolResult{CallID: id, Content: wire.Interrupted, Failed: true})
	}
}

// block adds a block to the open message when it is of that role, or to a new
// one.
func (s *transcript) block(role string, block []byte) {
	if role == assistant && s.role == "" {
		s.said(user, "(the conversation goes on)") // the user has to begin
	}
	switch {
	case s.role == role:
		s.text = append(s.text, ',')
	case s.role != "":
		s.text = append(s.text, "]},"...)
		fallthrough
	default:
		s.text = append(append(append(s.text, `{"role":"`...), role...), `","content":[`...)
		if role == assistant {
			s.lastMark = s.mark
		}
	}
	s.role = role
	s.text = append(s.text, block...)
	if role == user {
		s.mark = len(s.text)
	}
}

// close ends the last message. The model cannot be asked to go on with its own
// words, so a user asks.
func (s *transcript) close() {
	s.answered()
	if s.role == assistant {
		s.said(user, "Please go on.")
	}
	if s.role != "" {
		s.text = append(s.text, "]}"...)
	}
}

// said adds text. The API refuses text that is blank.
func (s *transcript) said(role, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	var f wire.Fields
	f.Text("type", "text")
	f.Text("text", text)
	s.block(role, f.Object())
}

// assistant writes a message of the model. Thinking goes back as it came to the
// model that it came from; for others, and without its signature, it is text
// without any tag, which models would imitate.
func (s *transcript) assistant(m *llm.Message, request *llm.Request) {
	same := wire.SameModel(m, request)
	spoken := wire.LastSpoken(m)
	s.ids.Begin()
	first, signed, calls := true, false, false
	for i := range m.Parts {
		part := &m.Parts[i]
		switch part.Kind {
		case llm.PartText:
			s.said(assistant, part.Text)
		case llm.PartToolCall:
			s.call(part.Call)
			calls = true
		case llm.PartReasoning:
			// A message must not end with thinking, so thinking alone is text.
			if block := thinkingBlock(part.Reasoning); block != nil && same && i < spoken {
				signed = signed || first
				s.block(assistant, block)
			} else {
				s.said(assistant, part.Reasoning.Text)
			}
		case llm.PartToolResult, llm.PartImage: // the model has none
			continue
		}
		first = false
	}
	s.calls = s.calls || calls
	s.unsigned = calls && !signed
}

// thinkingBlock is a block of thinking as the provider sent it, nil when it has
// no proof.
func thinkingBlock(r *llm.Reasoning) []byte {
	var f wire.Fields
	switch {
	case r.Redacted != "":
		f.Text("type", "redacted_thinking")
		f.Text("data", r.Redacted)
	case r.Signature != "":
		f.Text("type", "thinking")
		f.Text("thinking", r.Text)
		f.Text("signature", r.Signature)
	default:
		return nil
	}
	return f.Object()
}

func (s *transcript) call(call *llm.ToolCall) {
	var f wire.Fields
	f.Text("type", "tool_use")
	f.Text("id", s.ids.Call(call.ID, fitID))
	f.Text("name", wire.Fit(call.Name, wire.MaxToolName))
	f.Raw("input", wire.Arguments(call))
	s.block(assistant, f.Object())
}

// fitID makes an id that the API accepts.
func fitID(id string) string { return wire.Fit(id, 64) }

func (s *transcript) result(r *llm.ToolResult) {
	id, asked := s.ids.Result(r.CallID)
	if !asked {
		return
	}
	var f wire.Fields
	f.Text("type", "tool_result")
	f.Text("tool_use_id", id)
	var content [][]byte
	if strings.TrimSpace(r.Content) != "" {
		var text wire.Fields
		text.Text("type", "text")
		text.Text("text", r.Content)
		content = append(content, text.Object())
	}
	for i := range r.Images {
		if block := imageBlock(&r.Images[i]); block != nil {
			content = append(content, block)
		}
	}
	if len(content) > 0 {
		f.Raw("content", wire.List(content...))
	}
	if r.Failed {
		f.Bool("is_error", true)
	}
	s.block(user, f.Object())
}

// imageBlock is a picture, nil when there is none.
func imageBlock(image *llm.Image) []byte {
	var source wire.Fields
	switch {
	case image == nil:
		return nil
	case len(image.Data) > 0:
		source.Text("type", "base64")
		source.Text("media_type", wire.MediaType(image))
		source.Text("data", base64.StdEncoding.EncodeToString(image.Data))
	case image.URL != "":
		source.Text("type", "url")
		source.Text("url", image.URL)
	default:
		return nil
	}
	var f wire.Fields
	f.Text("type", "image")
	f.Raw("source", source.Object())
	return f.Object()
}
