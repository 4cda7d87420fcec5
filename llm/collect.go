package llm

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Collector folds deltas into an envelope. Adapters feed it what they yield
// and take the envelope for their receipt, so that what listeners saw and what
// is stored cannot differ.
type Collector struct {
	blocks []block
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
		c.blocks = append(c.blocks, block{})
	}
	return &c.blocks[index]
}

// Envelope returns what was collected. Call ids that are missing or repeated
// are replaced by one that names the call's position, the provider's own kept
// beside it; arguments become canonical JSON objects, or are marked bad and
// kept raw (contract P8). An empty argument text means an empty object.
func (c *Collector) Envelope(origin *Origin) Envelope {
	e := Envelope{Origin: origin}
	var text strings.Builder
	seen := make(map[string]bool)
	var layout []LayoutItem
	for i := range c.blocks {
		b := &c.blocks[i]
		switch b.kind {
		case DeltaText:
			if b.text.Len() == 0 {
				continue
			}
			text.WriteString(b.text.String())
			layout = append(layout, LayoutItem{PartText, text.Len()})
		case DeltaReasoning:
			layout = append(layout, LayoutItem{PartReasoning, len(e.Reasoning)})
			e.Reasoning = append(e.Reasoning, Reasoning{
				Text: b.text.String(), Signature: b.signature, Redacted: b.redacted, ID: b.itemID,
			})
		case DeltaToolCall:
			layout = append(layout, LayoutItem{PartToolCall, len(e.ToolCalls)})
			call := NewToolCall(b.id, b.name, b.text.String())
			call.Signature = b.signature
			if call.ID == "" || seen[call.ID] {
				call.ProviderCallID = call.ID
				for n := len(e.ToolCalls) + 1; call.ID == "" || seen[call.ID]; n++ {
					call.ID = "call_" + strconv.Itoa(n)
				}
			}
			seen[call.ID] = true
			e.ToolCalls = append(e.ToolCalls, call)
		}
	}
	e.AssistantText = text.String()
	if !usual(layout) {
		e.Layout = layout
	}
	return e
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
	call := ToolCall{ID: id, Name: name}
	if strings.TrimSpace(arguments) == "" {
		call.Arguments = json.RawMessage("{}")
		return call
	}
	canonical, err := CanonicalJSON([]byte(arguments))
	if err != nil || !bytes.HasPrefix(canonical, []byte("{")) {
		call.Bad, call.Raw = true, arguments
		return call
	}
	call.Arguments = canonical
	return call
}
