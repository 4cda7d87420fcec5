package journal_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/journal"
)

type word string

// everything has a field for each thing that a codec can do.
type everything struct {
	Uint    uint64
	Int     int64
	Int32   int32
	Bool    bool
	Ref     journal.Ref
	Bytes   []byte
	Word    word
	Strings []string
	Opt     *everything
	List    []everything
}

func (e *everything) Fields(c *journal.Codec) {
	each := func(c *journal.Codec, v *everything) { v.Fields(c) }
	c.Uint(&e.Uint)
	c.Int(&e.Int)
	c.Int32(&e.Int32)
	c.Bool(&e.Bool)
	c.Ref(&e.Ref)
	c.Bytes(&e.Bytes)
	journal.Text(c, &e.Word)
	c.Strings(&e.Strings)
	journal.Opt(c, &e.Opt, each)
	journal.List(c, &e.List, each)
}

func drawEverything(t *rapid.T, depth int) everything {
	e := everything{
		Uint:    rapid.Uint64().Draw(t, "uint"),
		Int:     rapid.Int64().Draw(t, "int"),
		Int32:   rapid.Int32().Draw(t, "int32"),
		Bool:    rapid.Bool().Draw(t, "bool"),
		Ref:     refs().Draw(t, "ref"),
		Bytes:   bodies().Draw(t, "bytes"),
		Word:    word(rapid.String().Draw(t, "word")),
		Strings: listOf(t, rapid.String(), "strings"),
	}
	if depth > 0 && rapid.Bool().Draw(t, "deeper") {
		inner := drawEverything(t, depth-1)
		e.Opt = &inner
		e.List = []everything{drawEverything(t, depth-1)}
	}
	return e
}

func TestEveryValueIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawEverything(t, 2)
		data := journal.Encode(nil, &want)
		// What was there before must not shine through.
		got := drawEverything(t, 1)
		if err := journal.Decode(data, &got); err != nil {
			t.Fatalf("decode: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("decode(encode(x)) is not x (-want +got):\n%s", diff)
		}
	})
}

func TestAnEncodingThatIsCutOffIsRefusedAtEveryByte(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := drawEverything(t, 1)
		data := journal.Encode(nil, &e)
		n := rapid.IntRange(0, len(data)-1).Draw(t, "length")
		if err := journal.Decode(data[:n], new(everything)); err == nil {
			t.Fatalf("%d of %d bytes were accepted", n, len(data))
		}
	})
}

func TestBytesThatDecodeAreTheOnlyEncodingOfTheirValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := drawEverything(t, 1)
		data := journal.Encode(nil, &e)
		data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		var got everything
		if journal.Decode(data, &got) != nil {
			return
		}
		if again := journal.Encode(nil, &got); !bytes.Equal(data, again) {
			t.Fatalf("two encodings of one value:\n%x\n%x", data, again)
		}
	})
}

// field codes a single value, so that a test can hand it hostile bytes.
type field func(c *journal.Codec)

func (f field) Fields(c *journal.Codec) { f(c) }

func TestHostileBytesAreRefused(t *testing.T) {
	t.Parallel()
	var (
		u  uint64
		i  int32
		b  bool
		r  journal.Ref
		bs []byte
		s  string
		l  []string
		o  *journal.Record
	)
	uints := field(func(c *journal.Codec) { c.Uint(&u) })
	for _, test := range []struct {
		name string
		hex  string
		into field
	}{
		{"nothing", "", uints},
		{"an integer in a longer form than it needs", "8100", uints},
		{"an integer of more than 64 bits", "ffffffffffffffffff02", uints},
		{"an integer without an end", "ffffffffffffffffffffffff", uints},
		{"bytes after the value", "0100", uints},
		{"a 32-bit integer that is too large", "8080808010", func(c *journal.Codec) { c.Int32(&i) }},
		{"a boolean that is neither", "02", func(c *journal.Codec) { c.Bool(&b) }},
		{"a reference that is cut off", "01ff", func(c *journal.Codec) { c.Ref(&r) }},
		{"the zero reference in its long form", "01" + hex.EncodeToString(make([]byte, 32)), func(c *journal.Codec) { c.Ref(&r) }},
		{"a byte string longer than what is left", "05aabb", func(c *journal.Codec) { c.Bytes(&bs) }},
		{"a byte string of 2^63 bytes", "80808080808080808001", func(c *journal.Codec) { c.Bytes(&bs) }},
		{"a text that is not UTF-8", "02c328", func(c *journal.Codec) { c.String(&s) }},
		{"a list longer than what is left", "ffffff7f00", func(c *journal.Codec) { c.Strings(&l) }},
		{"an option that is neither there nor absent", "03", func(c *journal.Codec) {
			journal.Opt(c, &o, func(c *journal.Codec, v *journal.Record) { v.Fields(c) })
		}},
	} {
		data, err := hex.DecodeString(test.hex)
		if err != nil {
			t.Fatal(err)
		}
		wantCorrupt(t, test.name, journal.Decode(data, test.into))
	}
}

func TestAListOfMoreThanAMillionIsRefused(t *testing.T) {
	t.Parallel()
	long := make([]bool, 1<<20+1)
	bools := func(c *journal.Codec) { journal.List(c, &long, (*journal.Codec).Bool) }
	data := journal.Encode(nil, field(bools))
	wantCorrupt(t, "a list of 2^20+1", journal.Decode(data, field(bools)))
}

func TestIntegersTakeAsFewBytesAsTheyNeed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		value int64
		hex   string
	}{
		{0, "00"},
		{-1, "01"},
		{1, "02"},
		{63, "7e"},
		{-64, "7f"},
		{64, "8001"},
		{math.MaxInt64, "feffffffffffffffff01"},
		{math.MinInt64, "ffffffffffffffffff01"},
	} {
		v := test.value
		got := hex.EncodeToString(journal.Encode(nil, field(func(c *journal.Codec) { c.Int(&v) })))
		if got != test.hex {
			t.Errorf("%d is written as %s, want %s", test.value, got, test.hex)
		}
	}
}

func TestTextThatIsNotUTF8IsWrittenSoThatItCanBeRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		written := string(rapid.SliceOf(rapid.Byte()).Draw(t, "text"))
		data := journal.Encode(nil, field(func(c *journal.Codec) { c.String(&written) }))
		var read string
		if err := journal.Decode(data, field(func(c *journal.Codec) { c.String(&read) })); err != nil {
			t.Fatalf("%q cannot be read back: %v", written, err)
		}
		if utf8.ValidString(written) && read != written {
			t.Fatalf("%q was read as %q", written, read)
		}
	})
}

func TestEncodeAppends(t *testing.T) {
	t.Parallel()
	n := uint64(5)
	got := journal.Encode([]byte("head"), field(func(c *journal.Codec) {
		if c.Reading() {
			t.Error("an encoder says that it is reading")
		}
		c.Uint(&n)
	}))
	if string(got) != "head\x05" {
		t.Errorf("got %q", got)
	}
}

func TestAValueCanRefuseWhatItReads(t *testing.T) {
	t.Parallel()
	var n uint64
	err := journal.Decode([]byte{7}, field(func(c *journal.Codec) {
		c.Uint(&n)
		if n == 7 {
			c.Fail("seven is not a number we use")
		}
		c.Fail("a second error must not hide the first")
	}))
	wantCorrupt(t, "seven", err)
	if want := "journal is corrupt: offset 1: seven is not a number we use"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}
