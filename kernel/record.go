package kernel

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
)

// codes knows everything that is journaled.
var codes = journal.NewTypes(vocabulary()...)

func vocabulary() []any {
	all := []any{new(State), new(Chunk), new(Answer)}
	all = append(all, blanks(newInputs)...)
	all = append(all, blanks(newEffects)...)
	return append(all, blanks(newFacts)...)
}

func blanks[T any](kinds map[string]func() T) []any {
	all := make([]any, 0, len(kinds))
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		all = append(all, kinds[kind]())
	}
	return all
}

// Encode returns the answer's bytes.
func (a *Answer) Encode() []byte { return codes.Append(nil, nil, a) }

// DecodeAnswer reads what [Answer.Encode] wrote.
func DecodeAnswer(data []byte) (a Answer, err error) {
	err = codes.Decode(data, &a)
	return a, err //nolint:wrapcheck // the caller says what was read
}

// EncodeInput makes a record of an input; its time is the frame's.
func EncodeInput(b InputBody) journal.Record {
	return journal.Record{Kind: b.input(), Body: codes.Append(nil, make([]byte, 0, 640), b)}
}

// DecodeInput reads a record that [EncodeInput] made.
func DecodeInput(r journal.Record) (InputBody, error) {
	blank := newInputs[r.Kind]
	if blank == nil {
		return nil, fmt.Errorf("%w: unknown input %.40q", journal.ErrCorrupt, r.Kind)
	}
	b := blank()
	if err := codes.Decode(r.Body, b); err != nil {
		return nil, fmt.Errorf("input %s: %w", r.Kind, err)
	}
	return b, nil
}

// add encodes a body behind the others. What was added before stays where it
// is, also when the buffer moves.
func (r *Framer) add(kind string, body any) {
	start := len(r.bodies)
	r.bodies = codes.Append(&r.codec, r.bodies, body)
	r.records = append(r.records, journal.Record{Kind: kind, Body: r.bodies[start:len(r.bodies):len(r.bodies)]})
}

// EncodeFact makes a record of a fact.
func EncodeFact(f Fact) journal.Record {
	return journal.Record{Kind: f.fact(), Body: codes.Append(nil, nil, f)}
}

// DecodeEffects reads the effects of a frame. Their ids are not in it: they
// follow from the frame's number and the effect's place.
func DecodeEffects(f *journal.Frame) ([]Effect, error) {
	effects := make([]Effect, len(f.Effects))
	for i, r := range f.Effects {
		blank := newEffects[r.Kind]
		if blank == nil {
			return nil, fmt.Errorf("%w: frame %d: unknown effect %.40q", journal.ErrCorrupt, f.Seq, r.Kind)
		}
		b := blank()
		if err := codes.Decode(r.Body, b); err != nil {
			return nil, fmt.Errorf("frame %d: effect %s: %w", f.Seq, r.Kind, err)
		}
		effects[i] = Effect{ID: effectID(int64(f.Seq), i), Body: b} //nolint:gosec // frames are counted from 1
	}
	return effects, nil
}

// DecodeFacts reads the facts of a frame.
func DecodeFacts(f *journal.Frame) ([]Fact, error) {
	facts := make([]Fact, len(f.Facts))
	for i, r := range f.Facts {
		blank := newFacts[r.Kind]
		if blank == nil {
			return nil, fmt.Errorf("%w: frame %d: unknown fact %.40q", journal.ErrCorrupt, f.Seq, r.Kind)
		}
		fact := blank()
		if err := codes.Decode(r.Body, fact); err != nil {
			return nil, fmt.Errorf("frame %d: fact %s: %w", f.Seq, r.Kind, err)
		}
		facts[i] = fact
	}
	return facts, nil
}

// NewFrame makes the frame of one step: what the journal keeps of it.
func NewFrame(prev journal.Ref, next *State, in Input, out *Output) journal.Frame {
	var framer Framer
	return framer.Frame(prev, next, in, out)
}

// Framer makes one frame after the other and reuses what it needs for that. A
// frame is valid until the next one is made.
type Framer struct {
	codec         journal.Codec
	state, bodies []byte
	records       []journal.Record
}

// Frame makes the frame of one step.
func (r *Framer) Frame(prev journal.Ref, next *State, in Input, out *Output) journal.Frame {
	r.state = codes.Append(&r.codec, r.state[:0], next)
	f := journal.Frame{
		Seq: uint64(next.Seq), Time: next.Time, Kernel: Version, Dialect: dialect.Version, //nolint:gosec // counted from 1
		Prev: prev, Input: in.record, State: journal.RefOf(r.state),
	}
	r.bodies, r.records = r.bodies[:0], r.records[:0]
	for i := range out.Effects {
		b := out.Effects[i].Body
		r.add(b.effect(), b)
	}
	for _, fact := range out.Facts {
		r.add(fact.fact(), fact)
	}
	if n := len(out.Effects); n > 0 {
		f.Effects = r.records[:n:n]
	}
	if n := len(out.Effects); len(r.records) > n {
		f.Facts = r.records[n:]
	}
	if n := len(in.Blobs) + len(out.Blobs); n > 0 {
		f.Blobs = append(make([]journal.Ref, 0, n), in.Blobs...)
	}
	for _, b := range out.Blobs {
		f.Blobs = append(f.Blobs, b.Ref)
	}
	return f
}
