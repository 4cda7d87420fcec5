package llm

import (
	"slices"
	"unicode/utf8"
)

// Envelope is the provider-neutral content of one response (contract P8):
// what every adapter makes of its provider's payload, and all that anything
// above the adapters reads of it.
//
// Text, calls and reasoning are kept apart because readers want them apart.
// Their order, which some providers insist on getting back, is in Layout; it
// is left out when it is the usual one: reasoning, then text, then calls.
type Envelope struct {
	AssistantText string       `json:"assistant_text,omitempty"`
	ToolCalls     []ToolCall   `json:"tool_calls,omitempty"`
	Reasoning     []Reasoning  `json:"reasoning,omitempty"`
	Layout        []LayoutItem `json:"layout,omitempty"`
	Origin        *Origin      `json:"origin,omitempty"`
}

// LayoutItem places one piece of an envelope. Index counts within its kind;
// for text it is the byte offset in AssistantText where the piece ends.
type LayoutItem struct {
	Kind  PartKind `json:"kind"`
	Index int      `json:"index"`
}

// Empty reports that the response held nothing at all.
func (e *Envelope) Empty() bool {
	return e.AssistantText == "" && len(e.ToolCalls) == 0 && len(e.Reasoning) == 0
}

// Message turns the envelope into the assistant message that it stands for,
// its parts in the order in which the model produced them.
func (e *Envelope) Message() Message {
	m := Message{Role: RoleAssistant, Origin: e.Origin}
	layout := e.Layout
	if len(layout) == 0 {
		layout = e.usualLayout()
	}
	m.Parts = make([]Part, 0, len(layout))
	start := 0
	for _, item := range layout {
		switch item.Kind {
		case PartText:
			if item.Index < start || item.Index > len(e.AssistantText) {
				continue
			}
			m.Parts = append(m.Parts, Part{Kind: PartText, Text: e.AssistantText[start:item.Index]})
			start = item.Index
		case PartReasoning:
			if item.Index >= 0 && item.Index < len(e.Reasoning) {
				m.Parts = append(m.Parts, Part{Kind: PartReasoning, Reasoning: &e.Reasoning[item.Index]})
			}
		case PartToolCall:
			if item.Index >= 0 && item.Index < len(e.ToolCalls) {
				m.Parts = append(m.Parts, Part{Kind: PartToolCall, Call: &e.ToolCalls[item.Index]})
			}
		case PartToolResult, PartImage: // no response holds these
		}
	}
	return m
}

func (e *Envelope) usualLayout() []LayoutItem {
	layout := make([]LayoutItem, 0, len(e.Reasoning)+len(e.ToolCalls)+1)
	for i := range e.Reasoning {
		layout = append(layout, LayoutItem{PartReasoning, i})
	}
	if e.AssistantText != "" {
		layout = append(layout, LayoutItem{PartText, len(e.AssistantText)})
	}
	for i := range e.ToolCalls {
		layout = append(layout, LayoutItem{PartToolCall, i})
	}
	return layout
}

// IsText reports that all of the envelope is UTF-8: it reads back from JSON as
// it was written.
func (e *Envelope) IsText() bool {
	ok := utf8.ValidString(e.AssistantText)
	for i := range e.ToolCalls {
		c := &e.ToolCalls[i]
		ok = ok && valid(c.ID, c.Name, c.ProviderCallID, c.OriginalName, c.Raw, c.Signature, c.Source) && utf8.Valid(c.Arguments)
	}
	for i := range e.Reasoning {
		r := &e.Reasoning[i]
		ok = ok && valid(r.Text, r.Signature, r.Redacted, r.ID)
	}
	return ok && (e.Origin == nil || valid(e.Origin.Provider, e.Origin.Model))
}

func valid(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return !utf8.ValidString(s) })
}
