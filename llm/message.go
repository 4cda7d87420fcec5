package llm

import (
	"encoding/json"
	"strings"
)

// Role says who speaks in a message.
type Role string

// The four roles. A tool message carries tool results and nothing else.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// PartKind says which of a part's fields are meaningful.
type PartKind string

// The kinds of part.
const (
	PartText       PartKind = "text"
	PartReasoning  PartKind = "reasoning"
	PartToolCall   PartKind = "tool_call"
	PartToolResult PartKind = "tool_result"
	PartImage      PartKind = "image"
)

// Part is one typed piece of a message. Exactly the fields of its kind are set.
type Part struct {
	Kind      PartKind    `json:"kind"`
	Text      string      `json:"text,omitempty"`
	Reasoning *Reasoning  `json:"reasoning,omitempty"`
	Call      *ToolCall   `json:"call,omitempty"`
	Result    *ToolResult `json:"result,omitempty"`
	Image     *Image      `json:"image,omitempty"`
}

// Reasoning is a model's thinking. Signature and Redacted are the provider's
// own bytes and travel back to it unchanged, or not at all: another provider
// never sees them.
type Reasoning struct {
	Text string `json:"text,omitempty"`
	// Signature proves to the provider that the text is its own.
	Signature string `json:"signature,omitempty"`
	// Redacted is thinking that the provider encrypted; Text is empty then.
	Redacted string `json:"redacted,omitempty"`
	// ID is the provider's id of the item, where it has one.
	ID string `json:"id,omitempty"`
}

// ToolCall is a model's wish to run a tool.
type ToolCall struct {
	// ID is unique in its message. It is the model's own where the model gave
	// a usable one (contract P8).
	ID   string `json:"call_id"`
	Name string `json:"tool_name"`
	// Arguments is a canonical JSON object. It is empty when Bad is set.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// ProviderCallID keeps the provider's id where ID differs from it.
	ProviderCallID string `json:"provider_call_id,omitempty"`
	// OriginalName keeps the name that the model wrote where Name differs.
	OriginalName string `json:"original_name,omitempty"`
	// Raw keeps the argument text as received where it was not a JSON object.
	Raw string `json:"raw_arguments,omitempty"`
	// Bad marks arguments that could not be read as a JSON object.
	Bad bool `json:"bad,omitempty"`
	// Signature is a provider's proof attached to the call.
	Signature string `json:"signature,omitempty"`
	// Source is empty for a call that the provider reported as one, and says
	// where it was found otherwise: in the text.
	Source string `json:"source,omitempty"`
}

// ToolResult answers one tool call.
type ToolResult struct {
	CallID  string `json:"call_id"`
	Name    string `json:"tool_name,omitempty"`
	Content string `json:"content"`
	// Failed tells providers that have a flag for it that the tool failed.
	Failed bool    `json:"failed,omitempty"`
	Images []Image `json:"images,omitempty"`
}

// Image is picture data or a reference to it. Data is base64 in JSON.
type Image struct {
	MediaType string `json:"media_type,omitempty"`
	Data      []byte `json:"data,omitempty"`
	URL       string `json:"url,omitempty"`
}

// Message is one entry of a conversation as a provider is sent it.
type Message struct {
	Role  Role   `json:"role"`
	Parts []Part `json:"parts"`
	// Origin names the provider and model that produced an assistant message,
	// so that signatures are only ever returned to where they came from.
	Origin *Origin `json:"origin,omitempty"`
}

// Origin is where an assistant message came from.
type Origin struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
}

// Text makes a message of one text part.
func Text(role Role, text string) Message {
	return Message{Role: role, Parts: []Part{{Kind: PartText, Text: text}}}
}

// Content returns the message's text parts, joined.
func (m *Message) Content() string {
	if len(m.Parts) == 1 && m.Parts[0].Kind == PartText {
		return m.Parts[0].Text
	}
	var b strings.Builder
	for i := range m.Parts {
		if m.Parts[i].Kind == PartText {
			b.WriteString(m.Parts[i].Text)
		}
	}
	return b.String()
}
