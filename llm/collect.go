package llm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
)

// Collector folds deltas into an envelope. Adapters feed it what they yield
// and take the envelope for their receipt, so that what listeners saw and what
// is stored cannot differ.
type Collector struct {
	// Pointers, because a builder that was written to must not move.
	blocks []*block
}

type block struct {
	kind      DeltaKind
	text      strings.Builder
	id, name  string
	signature string
	redacted  string
	itemID    string
}

// Add appends one delta. Blocks may interleave; a block keeps the kind of its
// first delta.
func (c *Collector) Add(d Delta) {
	b := c.block(d.Block)
	if b == nil {
		return
	}
	if b.kind == "" {
		b.kind = d.Kind
	}
	if d.CallID != "" && b.id == "" {
		b.id = d.CallID
	}
	if d.Name != "" && b.name == "" {
		b.name = d.Name
	}
	b.text.WriteString(d.Text)
}

// Sign attaches a provider's opaque data to a block: a signature, an encrypted
// payload, an item id. Empty values leave what is there.
func (c *Collector) Sign(index int, kind DeltaKind, signature, redacted, itemID string) {
	b := c.block(index)
	if b == nil {
		return
	}
	if b.kind == "" {
		b.kind = kind
	}
	if signature != "" {
		b.signature = signature
	}
	if redacted != "" {
		b.redacted = redacted
	}
	if itemID != "" {
		b.itemID = itemID
	}
}

// maxBlocks bounds what a hostile stream can make us allocate.
const maxBlocks = 4096

func (c *Collector) block(index int) *block {
	if index < 0 || index >= maxBlocks {
		return nil
	}
	for len(c.blocks) <= index {
		c.blocks = append(c.blocks, new(block))
	}
	return c.blocks[index]
}

// Envelope returns what was collected. Call ids that are missing or repeated
// are replaced by one that names the call's position, the provider's own kept
// beside it; arguments become canonical JSON objects, or are marked bad and
// kept raw (contract P8). An empty argument text means an empty object. Blocks
// with nothing in them are left out, and invalid UTF-8 becomes U+FFFD here,
// because JSON would do so later and move the offsets of the layout.
func (c *Collector) Envelope(origin *Origin) Envelope {
	e := Envelope{Origin: origin}
	var text strings.Builder
	var layout []LayoutItem
	for _, b := range c.blocks {
		content := validText(b.text.String())
		switch b.kind {
		case DeltaText:
			if content == "" {
				continue
			}
			text.WriteString(content)
			layout = append(layout, LayoutItem{PartText, text.Len()})
		case DeltaReasoning:
			r := Reasoning{Text: content, Signature: b.signature, Redacted: b.redacted, ID: b.itemID}
			if r == (Reasoning{}) {
				continue
			}
			layout = append(layout, LayoutItem{PartReasoning, len(e.Reasoning)})
			e.Reasoning = append(e.Reasoning, r)
		case DeltaToolCall:
			layout = append(layout, LayoutItem{PartToolCall, len(e.ToolCalls)})
			call := NewToolCall(b.id, b.name, content)
			call.Signature = b.signature
			e.ToolCalls = append(e.ToolCalls, call)
		}
	}
	nameCalls(e.ToolCalls)
	e.AssistantText = text.String()
	if !usual(layout) {
		e.Layout = layout
	}
	return e
}

// maxCallID is as long as a call's id may be. Some providers make ids of 450
// bytes and more, which every state and every result would carry.
const maxCallID = 128

// shorten replaces an id that is too long by one that is made of it.
func (c *ToolCall) shorten() {
	if len(c.ID) > maxCallID {
		sum := sha256.Sum256([]byte(c.ID))
		c.ProviderCallID, c.ID = c.ID, "call_"+hex.EncodeToString(sum[:12])
	}
}

// nameCalls gives every call an id of its own. The ids that the model chose
// are set aside first: one that we make up must not take a later call's.
func nameCalls(calls []ToolCall) {
	chosen := make(map[string]bool, len(calls))
	for i := range calls {
		calls[i].shorten()
		chosen[calls[i].ID] = true
	}
	used := make(map[string]bool, len(calls))
	for i := range calls {
		call := &calls[i]
		if call.ID == "" || used[call.ID] {
			if call.ProviderCallID == "" {
				call.ProviderCallID = call.ID
			}
			for n := i + 1; call.ID == "" || chosen[call.ID] || used[call.ID]; n++ {
				call.ID = "call_" + strconv.Itoa(n)
			}
		}
		used[call.ID] = true
	}
}

// usual reports whether a layout is reasoning, at most one text, calls.
func usual(layout []LayoutItem) bool {
	rank := map[PartKind]int{PartReasoning: 0, PartText: 1, PartToolCall: 2}
	texts, last := 0, 0
	for _, item := range layout {
		if item.Kind == PartText {
			texts++
		}
		if rank[item.Kind] < last || texts > 1 {
			return false
		}
		last = rank[item.Kind]
	}
	return true
}

// NewToolCall reads argument text strictly: a JSON object becomes canonical,
// blank text an empty object, and anything else a bad call with its raw text.
func NewToolCall(id, name, arguments string) ToolCall {
	call := ToolCall{ID: validText(id), Name: validText(name)}
	if strings.TrimSpace(arguments) == "" {
		call.Arguments = json.RawMessage("{}")
		return call
	}
	canonical, err := CanonicalJSON([]byte(arguments))
	if err != nil || !bytes.HasPrefix(canonical, []byte("{")) {
		call.Bad, call.Raw = true, validText(arguments)
		return call
	}
	call.Arguments = canonical
	return call
}

// validText makes what a provider sent fit for JSON and for journals, which
// hold nothing but UTF-8.
func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
