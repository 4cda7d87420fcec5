package wire

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
)

// Parameters is the schema of a tool's arguments. A tool without one takes an
// object without fields.
func Parameters(tool *llm.Tool) ([]byte, error) {
	switch {
	case len(tool.Parameters) == 0 || string(tool.Parameters) == "null":
		return []byte(`{"type":"object","properties":{}}`), nil
	case !IsObject(tool.Parameters):
		return nil, fmt.Errorf("tool %q: its parameters are no JSON object", tool.Name)
	default:
		return tool.Parameters, nil
	}
}

// Arguments is the argument object of a call in the history. What the model
// wrote instead of an object goes back inside one, because services refuse, or
// fail to read, anything else.
func Arguments(call *llm.ToolCall) []byte {
	if !call.Bad && IsObject(call.Arguments) {
		return call.Arguments
	}
	raw := call.Raw
	if raw == "" {
		raw = string(call.Arguments)
	}
	var f Fields
	if raw != "" {
		f.Text("raw_arguments", raw)
	}
	return f.Object()
}

// MediaType is what an image says that it is, or looks like.
func MediaType(image *llm.Image) string {
	if image.MediaType != "" {
		return image.MediaType
	}
	for _, known := range [...]struct{ prefix, kind string }{
		{"\x89PNG", "image/png"}, {"\xff\xd8", "image/jpeg"}, {"GIF8", "image/gif"},
	} {
		if len(image.Data) >= len(known.prefix) && string(image.Data[:len(known.prefix)]) == known.prefix {
			return known.kind
		}
	}
	if len(image.Data) >= 12 && string(image.Data[8:12]) == "WEBP" {
		return "image/webp"
	}
	return "image/png"
}

// LastSpoken is the place of the last part of a message that is a call or text,
// -1 when there is none. Services refuse reasoning that nothing follows.
func LastSpoken(m *llm.Message) int {
	for i := len(m.Parts) - 1; i >= 0; i-- {
		if p := &m.Parts[i]; p.Kind == llm.PartToolCall || p.Kind == llm.PartText && strings.TrimSpace(p.Text) != "" {
			return i
		}
	}
	return -1
}

// DataURL is an image as an address: its own, or one that holds its data. It is
// empty when there is no image.
func DataURL(image *llm.Image) string {
	switch {
	case image == nil:
		return ""
	case len(image.Data) > 0:
		return "data:" + MediaType(image) + ";base64," + base64.StdEncoding.EncodeToString(image.Data)
	default:
		return image.URL
	}
}

// SameModel reports whether a message came from the model that is asked now.
func SameModel(m *llm.Message, request *llm.Request) bool {
	return m.Origin != nil && m.Origin.Provider == request.Provider && m.Origin.Model == request.Model
}

// List is a JSON array of the given texts.
func List(items ...[]byte) []byte {
	b := []byte{'['}
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, item...)
	}
	return append(b, ']')
}

// Interrupted answers a call whose result never came.
const Interrupted = "(tool failed: interrupted)"

// Blank reports whether a message has no call and no word, not even a thought.
func Blank(m *llm.Message) bool {
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.Kind == llm.PartToolCall || p.Kind == llm.PartReasoning && strings.TrimSpace(p.Reasoning.Text) != "" {
			return false
		}
	}
	return LastSpoken(m) < 0
}
