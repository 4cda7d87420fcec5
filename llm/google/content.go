package google

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// transcript is a conversation as far as it has been written.
type transcript struct {
	text []byte
	some bool
	// results are the results of the last message's calls, which are one
	// content together.
	results [][]byte
	// pictures came with results that cannot hold them.
	pictures [][]byte
	ids      wire.CallIDs
	// tools are the names of the calls that are being answered, by their ids.
	tools  map[string]string
	modern bool
	// model says that the last content is the model's.
	model bool
}

// Size implements [wire.Transcript].
func (t *transcript) Size() int { return len(t.text) }

// forTail returns a transcript to write a request's tail with. It shares
// nothing that the tail could change.
func (t *transcript) forTail(tail []*llm.Message) *transcript {
	f := *t
	f.text = nil
	f.results, f.pictures = slices.Clip(t.results), slices.Clip(t.pictures)
	for _, m := range tail {
		if m.Role == llm.RoleAssistant {
			f.ids = t.ids.Clone()
			break
		}
	}
	return &f
}

func (t *transcript) add(role string, parts [][]byte) {
	if len(parts) == 0 {
		return
	}
	if role == "model" && !t.some {
		t.add("user", [][]byte{textPart("(the conversation goes on)")}) // the user has to begin
	}
	if t.some {
		t.text = append(t.text, ',')
	}
	var f wire.Fields
	f.Text("role", role)
	f.Raw("parts", wire.List(parts...))
	t.text = append(t.text, f.Object()...)
	t.some, t.model = true, role == "model"
}

// message writes a message.
func (t *transcript) message(m *llm.Message, request *llm.Request) {
	if m.Role == llm.RoleTool {
		for i := range m.Parts {
			if m.Parts[i].Kind == llm.PartToolResult {
				t.result(m.Parts[i].Result)
			}
		}
		return
	}
	t.answered()
	if m.Role == llm.RoleAssistant {
		t.assistant(m, request)
		return
	}
	var parts [][]byte
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case llm.PartText:
			if strings.TrimSpace(p.Text) != "" {
				parts = append(parts, textPart(p.Text))
			}
		case llm.PartImage:
			parts = appendImage(parts, p.Image)
		case llm.PartReasoning, llm.PartToolCall, llm.PartToolResult: // a user has none
		}
	}
	t.add("user", parts)
}

// answered closes the results of a turn: calls that were left without one are
// answered (contract V2), and pictures are shown.
func (t *transcript) answered() {
	for _, id := range t.ids.Pending() {
		t.result(&llm.ToolResult{CallID: id, Content: wire.Interrupted, Failed: true})
	}
	t.add("user", t.results)
	t.results = nil
	if len(t.pictures) > 0 {
		t.add("user", append([][]byte{textPart("Images from the tool results above:")}, t.pictures...))
		t.pictures = nil
	}
}

// close ends a request, which a user or a result must do.
func (t *transcript) close() {
	t.answered()
	if t.model {
		t.add("user", [][]byte{textPart("Please go on.")})
	}
}

func textPart(text string) []byte {
	var f wire.Fields
	f.Text("text", text)
	return f.Object()
}

func appendImage(parts [][]byte, image *llm.Image) [][]byte {
	var f wire.Fields
	switch {
	case image == nil:
		return parts
	case len(image.Data) > 0:
		f.Any("inlineData", map[string]string{"mimeType": wire.MediaType(image), "data": base64.StdEncoding.EncodeToString(image.Data)})
	case image.URL != "":
		f.Any("fileData", map[string]string{"mimeType": mediaTypeOf(image), "fileUri": image.URL})
	default:
		return parts
	}
	return append(parts, f.Object())
}

// mediaTypeOf guesses what an address leads to, because the service asks.
func mediaTypeOf(image *llm.Image) string {
	for _, known := range [...][2]string{{".png", "image/png"}, {".webp", "image/webp"}, {".gif", "image/gif"}} {
		if image.MediaType == "" && strings.HasSuffix(strings.ToLower(image.URL), known[0]) {
			return known[1]
		}
	}
	if image.MediaType == "" {
		return "image/jpeg"
	}
	return image.MediaType
}

func (t *transcript) result(r *llm.ToolResult) {
	if _, asked := t.ids.Result(r.CallID); !asked {
		return
	}
	key := "output"
	if r.Failed {
		key = "error"
	}
	var f wire.Fields
	f.Text("name", t.tools[r.CallID])
	f.Any("response", map[string]string{key: strings.ToValidUTF8(r.Content, "\uFFFD")})
	var pictures [][]byte
	for i := range r.Images {
		pictures = appendImage(pictures, &r.Images[i])
	}
	if len(pictures) > 0 && t.modern {
		f.Raw("parts", wire.List(pictures...))
	} else {
		t.pictures = append(t.pictures, pictures...)
	}
	var part wire.Fields
	part.Raw("functionResponse", f.Object())
	t.results = append(t.results, part.Object())
}

// unsigned is what the service takes in place of a signature that there is not.
const unsigned = "skip_thought_signature_validator"

// assistant writes a message of the model. Thoughts and signatures go back to
// the model that they came from; for others thoughts are text.
func (t *transcript) assistant(m *llm.Message, request *llm.Request) {
	same, spoken := wire.SameModel(m, request), wire.LastSpoken(m)
	var parts [][]byte
	t.ids.Begin()
	t.tools = nil
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case llm.PartText:
			if strings.TrimSpace(p.Text) != "" {
				parts = append(parts, textPart(p.Text))
			}
		case llm.PartToolCall:
			parts = append(parts, t.call(p.Call, same))
		case llm.PartReasoning:
			r := p.Reasoning
			signature := ""
			if same {
				signature = signed(r.Signature)
			}
			switch {
			case same && (i < spoken || r.Text == "") && (r.Text != "" || signature != ""):
				parts = append(parts, thoughtPart(r.Text, signature))
			case strings.TrimSpace(r.Text) != "":
				parts = append(parts, textPart(r.Text))
			}
		case llm.PartToolResult, llm.PartImage: // the model has none
		}
	}
	if spoken < 0 && len(parts) > 0 && wire.Blank(m) {
		return // a signature alone is not worth a content
	}
	t.add("model", parts)
}

// thoughtPart is a thought, or, without text, the place of a signature.
func thoughtPart(text, signature string) []byte {
	var f wire.Fields
	f.Text("text", text)
	if text != "" {
		f.Bool("thought", true)
	}
	if signature != "" {
		f.Text("thoughtSignature", signature)
	}
	return f.Object()
}

// signed returns a signature that the service can read, or nothing.
func signed(signature string) string {
	if _, err := base64.StdEncoding.DecodeString(signature); err != nil {
		return ""
	}
	return signature
}

func (t *transcript) call(call *llm.ToolCall, same bool) []byte {
	name := wire.Fit(call.Name, wire.MaxToolName)
	first := t.tools == nil
	if first {
		t.tools = make(map[string]string)
	}
	t.ids.Call(call.ID, func(id string) string { return wire.Fit(id, 64) })
	t.tools[call.ID] = name
	var inner, f wire.Fields
	inner.Text("name", name)
	inner.Raw("args", wire.Arguments(call))
	f.Raw("functionCall", inner.Object())
	switch signature := signed(call.Signature); {
	case same && signature != "":
		f.Text("thoughtSignature", signature)
	case t.modern && first:
		f.Text("thoughtSignature", unsigned)
	}
	return f.Object()
}
