package kernel

import (
	"fmt"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
)

// EncodeInput makes a record of an input; its time is the frame's.
func EncodeInput(b InputBody) journal.Record {
	return journal.Record{Kind: b.input(), Body: journal.Encode(nil, b)}
}

// DecodeInput reads a record that [EncodeInput] made.
func DecodeInput(r journal.Record) (InputBody, error) {
	b := newInput(r.Kind)
	if b == nil {
		return nil, fmt.Errorf("%w: unknown input %.40q", journal.ErrCorrupt, r.Kind)
	}
	if err := journal.Decode(r.Body, b); err != nil {
		return nil, fmt.Errorf("input %s: %w", r.Kind, err)
	}
	return b, nil
}

// encodeEffect makes a record of an effect. Its id is not in it: it follows
// from the frame's number and the effect's place.
func encodeEffect(e Effect) journal.Record {
	return journal.Record{Kind: e.Body.effect(), Body: journal.Encode(nil, e.Body)}
}

// DecodeEffects reads the effects of a frame.
func DecodeEffects(f *journal.Frame) ([]Effect, error) {
	effects := make([]Effect, len(f.Effects))
	for i, r := range f.Effects {
		b := newEffect(r.Kind)
		if b == nil {
			return nil, fmt.Errorf("%w: frame %d: unknown effect %.40q", journal.ErrCorrupt, f.Seq, r.Kind)
		}
		if err := journal.Decode(r.Body, b); err != nil {
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
		fact := newFact(r.Kind)
		if fact == nil {
			return nil, fmt.Errorf("%w: frame %d: unknown fact %.40q", journal.ErrCorrupt, f.Seq, r.Kind)
		}
		if err := journal.Decode(r.Body, fact); err != nil {
			return nil, fmt.Errorf("frame %d: fact %s: %w", f.Seq, r.Kind, err)
		}
		facts[i] = fact
	}
	return facts, nil
}

// NewFrame makes the frame of one step: what the journal keeps of it.
func NewFrame(prev journal.Ref, next *State, in Input, out *Output) journal.Frame {
	f := journal.Frame{
		Seq: uint64(next.Seq), Time: next.Time, Kernel: Version, Dialect: dialect.Version, //nolint:gosec // counted from 1
		Prev: prev, Input: in.record, State: next.Hash(),
	}
	if len(out.Effects) > 0 {
		f.Effects = make([]journal.Record, len(out.Effects))
	}
	for i := range out.Effects {
		f.Effects[i] = encodeEffect(out.Effects[i])
	}
	if len(out.Facts) > 0 {
		f.Facts = make([]journal.Record, len(out.Facts))
	}
	for i, fact := range out.Facts {
		f.Facts[i] = journal.Record{Kind: fact.fact(), Body: journal.Encode(nil, fact)}
	}
	if n := len(in.Blobs) + len(out.Blobs); n > 0 {
		f.Blobs = append(make([]journal.Ref, 0, n), in.Blobs...)
	}
	for _, b := range out.Blobs {
		f.Blobs = append(f.Blobs, b.Ref)
	}
	return f
}
