package script

import (
	"unicode/utf8"

	"github.com/ai-agent-go/ai-agent/llm"
)

// chunk is one delta on its way. seal is what the provider attaches to a block
// of reasoning once it is complete.
type chunk struct {
	delta llm.Delta
	seal  *llm.Reasoning
}

// chunks cuts a reply whose templates are filled into deltas of at most size
// characters; 0 is no limit.
func (r *Reply) chunks(size int) []chunk {
	var out []chunk
	for block, p := range r.parts() {
		d := llm.Delta{Kind: llm.DeltaText, Block: block}
		text := p.Text
		switch {
		case p.Reasoning != nil:
			d.Kind, text = llm.DeltaReasoning, p.Reasoning.Text
		case p.Call != nil:
			d.Kind, d.CallID, d.Name = llm.DeltaToolCall, p.Call.ID, p.Call.Name
			text = p.Call.text()
		}
		for _, piece := range split(text, size) {
			d.Text = piece
			out = append(out, chunk{delta: d})
			d.CallID, d.Name = "", "" // these come with the first delta only
		}
		out[len(out)-1].seal = p.Reasoning
	}
	return out
}

// text is the arguments as a model writes them. They are plain JSON values by
// now.
func (c *Call) text() string {
	switch v := c.Arguments.(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		return string(llm.MustMarshalJSON(v))
	}
}

// split cuts text between characters. An empty text is one empty piece.
func split(text string, size int) []string {
	var pieces []string
	start, n := 0, 0
	for i := range text {
		if n == size && i > 0 && size > 0 {
			pieces = append(pieces, text[start:i])
			start, n = i, 0
		}
		n++
	}
	return append(pieces, text[start:])
}

// arrive returns the chunks that arrive before the connection is cut.
func (b *Break) arrive(chunks []chunk) []chunk {
	if b.Chunks == 0 && b.Bytes == 0 {
		return nil
	}
	if b.Chunks > 0 && b.Chunks < len(chunks) {
		chunks = chunks[:b.Chunks]
	}
	if b.Bytes == 0 {
		return chunks
	}
	left := b.Bytes
	for i := range chunks {
		text := chunks[i].delta.Text
		if len(text) < left {
			left -= len(text)
			continue
		}
		if len(text) == left {
			return chunks[:i+1]
		}
		for left > 0 && !utf8.RuneStart(text[left]) {
			left--
		}
		if left == 0 {
			return chunks[:i]
		}
		chunks[i].delta.Text, chunks[i].seal = text[:left], nil
		return chunks[:i+1]
	}
	return chunks
}
