package journal

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds values inside values: nothing of ours comes near it, and a
// forged encoding must not exhaust the stack.
const maxDepth = 32

// refSize is the length of the arrays that are references by another name.
const refSize = len(Ref{})

// value codes what has no Fields method, by the shape of its type: a struct is
// its fields in the order in which they are declared, a pointer is optional, a
// slice a list, an array of 32 bytes a [Ref]. A field cannot be forgotten,
// unless it is unexported, and changing a type changes its encoding. Kinds that have no place in a journal,
// maps and floats among them, are a programmer's mistake and panic.
func (c *Codec) value(v reflect.Value, depth int) {
	if depth > maxDepth {
		c.fail("nested deeper than %d", maxDepth)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		if f, ok := reflect.TypeAssert[Fielder](v.Addr()); ok && depth > 0 {
			f.Fields(c)
			return
		}
		for i := range v.NumField() { //nolint:modernize // an iterator over fields allocates
			if field := v.Field(i); field.CanSet() {
				c.value(field, depth+1)
			}
		}
	case reflect.Int64, reflect.Int:
		n := v.Int()
		c.Int(&n)
		if c.reading {
			v.SetInt(n)
		}
	case reflect.String:
		c.text(v)
	case reflect.Bool:
		b := v.Bool()
		c.Bool(&b)
		if c.reading {
			v.SetBool(b)
		}
	case reflect.Pointer:
		c.optional(v, depth)
	case reflect.Slice:
		c.list(v, depth)
	case reflect.Array:
		c.ref(v)
	default:
		panic(fmt.Sprintf("journal: %s has no encoding", v.Type()))
	}
}

// Cached codes what v points to by the shape of its type and keeps the encoding
// in memo, for values that are coded again and again and never change: the next
// time the bytes are copied.
func (c *Codec) Cached(memo *[]byte, v any) {
	if !c.reading && *memo != nil {
		c.buf = append(c.buf, *memo...)
		return
	}
	start := len(c.buf)
	if c.reading {
		start = c.pos
	}
	c.value(reflect.ValueOf(v).Elem(), 1)
	switch {
	case c.err != nil:
	case c.reading:
		*memo = slices.Clone(c.buf[start:c.pos])
	default:
		*memo = slices.Clone(c.buf[start:])
	}
}

// text is [Text] for a string of any type.
func (c *Codec) text(v reflect.Value) {
	s := v.String()
	if !c.reading {
		if !utf8.ValidString(s) {
			s = strings.ToValidUTF8(s, "\uFFFD")
			v.SetString(s)
		}
		c.length(len(s))
		c.buf = append(c.buf, s...)
		return
	}
	c.String(&s)
	v.SetString(s)
}

func (c *Codec) ref(v reflect.Value) {
	switch p := v.Addr().Interface().(type) {
	case *Ref:
		c.Ref(p)
	case *[refSize]byte:
		c.Ref((*Ref)(p))
	default:
		panic(fmt.Sprintf("journal: %s has no encoding", v.Type()))
	}
}

func (c *Codec) optional(v reflect.Value, depth int) {
	present := !v.IsNil()
	c.Bool(&present)
	if c.reading {
		v.SetZero()
		if present && c.err == nil {
			v.Set(reflect.New(v.Type().Elem()))
		}
	}
	if present && c.err == nil {
		c.value(v.Elem(), depth+1)
	}
}

func (c *Codec) list(v reflect.Value, depth int) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		b := v.Bytes()
		c.Bytes(&b)
		if c.reading {
			v.SetBytes(b)
		}
		return
	}
	n := c.length(v.Len())
	if c.reading {
		v.SetZero()
		if n > maxElements {
			c.fail("list of %d elements", n)
			return
		}
		if n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
	}
	for i := range v.Len() {
		if c.err != nil {
			return
		}
		c.value(v.Index(i), depth+1)
	}
}
