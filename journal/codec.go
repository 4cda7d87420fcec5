package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrCorrupt is wrapped by every error about bytes that are not a valid
// encoding, or that do not hash to what they should.
var ErrCorrupt = errors.New("journal is corrupt")

// Codec encodes or decodes values field by field in a fixed order. One
// description serves both directions, so that writer and reader cannot drift: a
// type's own declaration, see [Types], or a method where another form is wanted:
//
//	func (p *Point) Fields(c *journal.Codec) { c.Int(&p.X); c.Int(&p.Y) }
//
// The encoding is canonical: a value has exactly one, and a decoder refuses
// every other. After the first error a codec does nothing more.
type Codec struct {
	buf     []byte
	pos     int
	reading bool
	err     error
}

// Fielder is a value that says itself how it is encoded.
type Fielder interface{ Fields(c *Codec) }

// Encode appends a value's encoding to buf.
func Encode(buf []byte, v Fielder) []byte {
	c := Codec{buf: buf}
	v.Fields(&c)
	return c.buf
}

// Decode fills v from data, all of it.
func Decode(data []byte, v Fielder) error {
	c := Codec{buf: data, reading: true}
	v.Fields(&c)
	return c.finish()
}

// finish says what is wrong with an encoding that was read to its end, or not.
func (c *Codec) finish() error {
	if c.err == nil && c.pos != len(c.buf) {
		c.fail("%d bytes left over", len(c.buf)-c.pos)
	}
	return c.err
}

// Cached lets f code a value that never changes and keeps its encoding in memo:
// the next time the bytes are copied.
func (c *Codec) Cached(memo *[]byte, f func()) {
	if !c.reading && *memo != nil {
		c.buf = append(c.buf, *memo...)
		return
	}
	start := len(c.buf)
	if c.reading {
		start = c.pos
	}
	f()
	switch {
	case c.err != nil:
	case c.reading:
		*memo = slices.Clone(c.buf[start:c.pos])
	default:
		*memo = slices.Clone(c.buf[start:])
	}
}

// Reading reports whether the codec decodes.
func (c *Codec) Reading() bool { return c.reading }

// Fail ends decoding with an error; values with rules of their own call it.
func (c *Codec) Fail(reason string) { c.fail("%s", reason) }

func (c *Codec) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: offset %d: %s", ErrCorrupt, c.pos, fmt.Sprintf(format, args...))
	}
}

// Uint codes an unsigned integer in as few bytes as it needs.
func (c *Codec) Uint(v *uint64) {
	if !c.reading {
		if *v < 0x80 { // most are
			c.buf = append(c.buf, byte(*v))
			return
		}
		c.buf = binary.AppendUvarint(c.buf, *v)
		return
	}
	if c.err != nil {
		return
	}
	n, size := binary.Uvarint(c.buf[c.pos:])
	if size <= 0 {
		c.fail("bad integer")
		return
	}
	if size > 1 && c.buf[c.pos+size-1] == 0 {
		c.fail("integer is not in its shortest form")
		return
	}
	c.pos += size
	*v = n
}

// Int codes a signed integer.
func (c *Codec) Int(v *int64) {
	u := uint64(*v)<<1 ^ uint64(*v>>63) //nolint:gosec // zigzag: the bits are what is wanted
	c.Uint(&u)
	if c.reading {
		*v = int64(u>>1) ^ -int64(u&1)
	}
}

// Int32 codes a signed integer of 32 bits.
func (c *Codec) Int32(v *int32) {
	n := int64(*v)
	c.Int(&n)
	if c.reading {
		if n != int64(int32(n)) { //nolint:gosec // the comparison is the check
			c.fail("integer %d does not fit 32 bits", n)
			return
		}
		*v = int32(n) //nolint:gosec // checked
	}
}

// Bool codes a boolean.
func (c *Codec) Bool(v *bool) {
	var n uint64
	if *v {
		n = 1
	}
	if !c.reading {
		c.buf = append(c.buf, byte(n))
		return
	}
	if c.Uint(&n); n > 1 {
		c.fail("boolean %d", n)
	}
	*v = n == 1
}

// Ref codes a reference: one byte for the zero reference, 33 for others.
func (c *Codec) Ref(v *Ref) {
	present := !v.IsZero()
	c.Bool(&present)
	if !present {
		if c.reading {
			*v = Ref{}
		}
		return
	}
	if !c.reading {
		c.buf = append(c.buf, v[:]...)
		return
	}
	if b := c.take(len(v)); b != nil {
		copy(v[:], b)
		if v.IsZero() {
			c.fail("zero reference in its long form")
		}
	}
}

// Bytes codes a byte string. An empty one is read as nil, as an empty list is.
func (c *Codec) Bytes(v *[]byte) {
	n := c.length(len(*v))
	if !c.reading {
		c.buf = append(c.buf, *v...)
		return
	}
	*v = nil
	if b := c.take(n); len(b) > 0 {
		*v = slices.Clone(b)
	}
}

// Coded is a string type.
type Coded interface{ ~string }

// Text codes a string of any named type. An encoding holds valid UTF-8 only:
// what is not becomes U+FFFD, in the encoding and in the value itself, so that
// whoever encodes a value before using it uses what a reader will read.
func Text[S Coded](c *Codec, v *S) {
	if !c.reading {
		if !utf8.ValidString(string(*v)) {
			*v = S(strings.ToValidUTF8(string(*v), "\uFFFD"))
		}
		c.length(len(*v))
		c.buf = append(c.buf, *v...)
		return
	}
	b := c.take(c.length(0))
	if !utf8.Valid(b) {
		c.fail("text is not UTF-8")
		return
	}
	*v = S(b)
}

// String codes a plain string.
func (c *Codec) String(v *string) { Text(c, v) }

// maxElements bounds lists: far above anything real, far below what hurts.
const maxElements = 1 << 20

// List codes a slice; each codes one element.
func List[T any](c *Codec, v *[]T, each func(c *Codec, v *T)) {
	n := c.length(len(*v))
	if c.reading {
		*v = nil
		if n > maxElements {
			c.fail("list of %d elements", n)
			return
		}
		if n > 0 {
			*v = make([]T, n)
		}
	}
	for i := range *v {
		if c.err != nil {
			return
		}
		each(c, &(*v)[i])
	}
}

// Strings codes a list of strings.
func (c *Codec) Strings(v *[]string) { List(c, v, (*Codec).String) }

// Opt codes a pointer: absent or a value.
func Opt[T any](c *Codec, v **T, each func(c *Codec, v *T)) {
	present := *v != nil
	c.Bool(&present)
	if !present {
		if c.reading {
			*v = nil
		}
		return
	}
	if c.reading {
		*v = new(T)
	}
	each(c, *v)
}

// length codes a length. A decoded one never exceeds what is left to read, so
// that what a decoder allocates is in proportion to what it was given.
func (c *Codec) length(n int) int {
	u := uint64(n) //nolint:gosec // lengths are not negative
	c.Uint(&u)
	if !c.reading {
		return n
	}
	if c.err != nil {
		return 0
	}
	if left := uint64(len(c.buf) - c.pos); u > left { //nolint:gosec // pos never passes len
		c.fail("length %d, but only %d bytes are left", u, left)
		return 0
	}
	return int(u) //nolint:gosec // bounded by len(buf)
}

func (c *Codec) take(n int) []byte {
	if c.err != nil {
		return nil
	}
	if n > len(c.buf)-c.pos {
		c.fail("%d bytes wanted, %d left", n, len(c.buf)-c.pos)
		return nil
	}
	b := c.buf[c.pos : c.pos+n]
	c.pos += n
	return b
}
