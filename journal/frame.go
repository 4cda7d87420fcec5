package journal

import (
	"crypto/sha256"
	"fmt"
	"slices"
)

// FormatVersion is the version of the frame encoding.
const FormatVersion = 1

// Record is something whose meaning belongs to a room above: its kind and its
// encoding.
type Record struct {
	Kind string
	Body []byte
}

// Fields codes a record.
func (r *Record) Fields(c *Codec) {
	c.String(&r.Kind)
	c.Bytes(&r.Body)
}

// Frame is one input of a session with everything that followed from it.
type Frame struct {
	// Seq numbers a session's frames from 1 without gaps.
	Seq uint64
	// Time is the input's, in milliseconds since 1970, never before the
	// previous frame's.
	Time int64
	// Kernel and Dialect are the versions of the code that made the frame.
	// Bit-for-bit replay is promised by the same versions.
	Kernel, Dialect uint64
	// Prev is the hash of the frame before; for the first one, [Genesis].
	Prev    Ref
	Input   Record
	Effects []Record
	Facts   []Record
	// State is the hash of the session's state after this frame.
	State Ref
	// Blobs names what this frame brought into the session's keeping.
	Blobs []Ref
}

// Fields codes a frame.
func (f *Frame) Fields(c *Codec) {
	version := uint64(FormatVersion)
	c.Uint(&version)
	if version != FormatVersion {
		c.fail("frame format %d, this program reads %d", version, FormatVersion)
		return
	}
	c.Uint(&f.Seq)
	c.Int(&f.Time)
	c.Uint(&f.Kernel)
	c.Uint(&f.Dialect)
	c.Ref(&f.Prev)
	f.Input.Fields(c)
	each := func(c *Codec, r *Record) { r.Fields(c) }
	List(c, &f.Effects, each)
	List(c, &f.Facts, each)
	c.Ref(&f.State)
	List(c, &f.Blobs, (*Codec).Ref)
}

// Encode returns the frame's bytes; their hash is the frame's.
func (f *Frame) Encode() []byte { return f.Append(nil) }

// Append appends the frame's bytes to buf.
func (f *Frame) Append(buf []byte) []byte {
	size := 160 + len(f.Input.Body) + len(f.Blobs)*(refSize+1)
	for _, records := range [...][]Record{f.Effects, f.Facts} {
		for i := range records {
			size += len(records[i].Kind) + len(records[i].Body) + 4
		}
	}
	return Encode(slices.Grow(buf, size), f)
}

// Hash names the frame.
func (f *Frame) Hash() Ref { return RefOf(f.Encode()) }

// DecodeFrame reads what [Frame.Encode] wrote.
func DecodeFrame(data []byte) (Frame, error) {
	var f Frame
	err := Decode(data, &f)
	return f, err
}

// Genesis is what a session's first frame follows: the hash of its key, so
// that no journal can be passed off as another session's.
func Genesis(k Key) Ref {
	return sha256.Sum256([]byte("ai-agent journal 1\x00" + k.Tenant + "\x00" + k.Session))
}

// Chain checks frames one after the other: numbers without gaps, each naming
// the hash of the one before, time never running backwards.
type Chain struct {
	head Ref
	seq  uint64
	time int64
}

// NewChain starts at a session's beginning.
func NewChain(k Key) *Chain { return &Chain{head: Genesis(k)} }

// ResumeChain goes on after a frame that was checked before.
func ResumeChain(head Ref, seq uint64, time int64) *Chain {
	return &Chain{head: head, seq: seq, time: time}
}

// Head is the hash of the last frame.
func (c *Chain) Head() Ref { return c.head }

// Seq is the number of the last frame.
func (c *Chain) Seq() uint64 { return c.seq }

// Next checks that f follows, given its encoded bytes, and moves on.
func (c *Chain) Next(f *Frame, encoded []byte) error {
	switch {
	case f.Seq != c.seq+1:
		return fmt.Errorf("%w: frame %d follows frame %d", ErrCorrupt, f.Seq, c.seq)
	case f.Prev != c.head:
		return fmt.Errorf("%w: frame %d does not follow the frame before it: it names %s, that one is %s",
			ErrCorrupt, f.Seq, f.Prev.Short(), c.head.Short())
	case f.Time < c.time:
		return fmt.Errorf("%w: frame %d is older than the one before it", ErrCorrupt, f.Seq)
	}
	c.head, c.seq, c.time = RefOf(encoded), f.Seq, f.Time
	return nil
}
