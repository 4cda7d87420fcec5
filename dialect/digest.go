package dialect

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"github.com/ai-agent-go/ai-agent/llm"
)

// digester names requests by everything in them. The history is a chain: each
// message is encoded and hashed once, however many requests hold it. So are the
// system prompt and the tools, which stay the same for a whole run.
type digester struct {
	// chain is the hash over the first hashed messages.
	chain  [sha256.Size]byte
	hashed int
	// fixed is the hash of the system prompt and the tools below.
	fixed  [sha256.Size]byte
	system string
	tools  []llm.Tool

	buf writer
}

func (d *digester) advance(history []*llm.Message) {
	for _, m := range history[d.hashed:] {
		d.buf = append(d.buf[:0], d.chain[:]...)
		d.buf.message(m)
		d.chain = sha256.Sum256(d.buf)
	}
	d.hashed = len(history)
}

// sameTools reports that two lists of tools are one and the same slice.
func sameTools(a, b []llm.Tool) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

func (d *digester) static(r *llm.Request) [sha256.Size]byte {
	if d.fixed == [sha256.Size]byte{} || d.system != r.System || !sameTools(d.tools, r.Tools) {
		d.buf = d.buf[:0]
		d.buf.text(r.System)
		d.buf.number(len(r.Tools))
		for i := range r.Tools {
			t := &r.Tools[i]
			d.buf.text(t.Name)
			d.buf.text(t.Description)
			d.buf.bytes(t.Parameters)
		}
		d.fixed, d.system, d.tools = sha256.Sum256(d.buf), r.System, r.Tools
	}
	return d.fixed
}

func (d *digester) sum(r *llm.Request) [sha256.Size]byte {
	fixed := d.static(r)
	d.buf = append(append(d.buf[:0], d.chain[:]...), fixed[:]...)
	w := &d.buf
	w.text(r.CorrelationID)
	w.text(r.Provider)
	w.text(r.Model)
	w.number(len(r.Tail))
	for _, m := range r.Tail {
		w.message(m)
	}
	w.text(string(r.ToolChoice))
	w.sampling(&r.Sampling)
	w.flag(r.Stream)
	w.int(r.TimeoutMS)
	w.bytes(r.Options)
	w.bytes(r.ResponseFormat)
	return sha256.Sum256(d.buf)
}

// writer writes values so that no two sequences of them are the same bytes:
// texts carry their length.
type writer []byte

func (w *writer) int(n int64)    { *w = binary.AppendVarint(*w, n) }
func (w *writer) number(n int)   { w.int(int64(n)) }
func (w *writer) text(s string)  { w.number(len(s)); *w = append(*w, s...) }
func (w *writer) bytes(b []byte) { w.number(len(b)); *w = append(*w, b...) }

func (w *writer) flag(b bool) {
	if b {
		*w = append(*w, 1)
		return
	}
	*w = append(*w, 0)
}

func (w *writer) optional(n *int64) {
	if w.flag(n != nil); n != nil {
		w.int(*n)
	}
}

func (w *writer) fraction(f *float64) {
	if w.flag(f != nil); f != nil {
		*w = binary.LittleEndian.AppendUint64(*w, math.Float64bits(*f))
	}
}

func (w *writer) sampling(s *llm.Sampling) {
	w.fraction(s.Temperature)
	w.fraction(s.TopP)
	w.optional(s.TopK)
	w.fraction(s.RepeatPenalty)
	w.optional(s.MaxTokens)
	w.text(s.ReasoningEffort)
	w.optional(s.ReasoningTokens)
	w.number(len(s.Stop))
	for _, stop := range s.Stop {
		w.text(stop)
	}
}

func (w *writer) message(m *llm.Message) {
	w.text(string(m.Role))
	if w.flag(m.Origin != nil); m.Origin != nil {
		w.text(m.Origin.Provider)
		w.text(m.Origin.Model)
	}
	w.number(len(m.Parts))
	for i := range m.Parts {
		w.part(&m.Parts[i])
	}
}

func (w *writer) part(p *llm.Part) {
	w.text(string(p.Kind))
	w.text(p.Text)
	if r := p.Reasoning; r != nil {
		w.texts("reasoning", r.Text, r.Signature, r.Redacted, r.ID)
	}
	if c := p.Call; c != nil {
		w.texts("call", c.ID, c.Name, string(c.Arguments), c.ProviderCallID, c.OriginalName, c.Raw, c.Signature, c.Source)
		w.flag(c.Bad)
	}
	if r := p.Result; r != nil {
		w.texts("result", r.CallID, r.Name, r.Content)
		w.flag(r.Failed)
		w.number(len(r.Images))
		for i := range r.Images {
			w.image(&r.Images[i])
		}
	}
	if p.Image != nil {
		w.image(p.Image)
	}
}

func (w *writer) texts(texts ...string) {
	for _, s := range texts {
		w.text(s)
	}
}

func (w *writer) image(i *llm.Image) {
	w.texts("image", i.MediaType, i.URL)
	w.bytes(i.Data)
}
