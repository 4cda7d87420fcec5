package journal

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Types knows how values are laid out in memory and codes them by that: a struct
// is its exported fields in the order in which they are declared, a pointer is
// optional, a slice a list, an array of 32 bytes a [Ref]; a type with a Fields
// method codes itself. So a field cannot be forgotten, and changing a type
// changes its encoding. Kinds that have no place in a journal, maps and floats
// among them, are a programmer's mistake and panic when the types are made known.
//
// A state is encoded with every frame, so this is the hottest code that there is.
// The layouts are looked up once and then read and written by address, which is
// why this file, and no other, is unsafe. Types do not change once they are made.
type Types struct {
	layouts map[reflect.Type]*layout
}

// layout is how the values of one type are coded.
type layout struct {
	typ  reflect.Type
	size uintptr
	ops  []op
}

// op codes one field, or the whole of a value that is no struct.
type op struct {
	kind   opKind
	offset uintptr
	// elem is what a pointer or a slice leads to; typ is the slice's own type, or
	// that of a value with a Fields method.
	elem *layout
	typ  reflect.Type
}

type opKind uint8

const (
	opInt64 opKind = iota
	opInt
	opBool
	opText
	opRef
	opBytes
	opOptional
	opList
	opFields
)

// NewTypes makes types known, those that examples point to and all that they
// hold.
func NewTypes(examples ...any) *Types {
	t := &Types{layouts: make(map[reflect.Type]*layout)}
	for _, e := range examples {
		t.layout(reflect.TypeOf(e).Elem(), true)
	}
	return t
}

// layout finds the layout of a type, or makes it. whole says that it is coded for
// itself, so that a Fields method is its own caller.
func (t *Types) layout(typ reflect.Type, whole bool) *layout {
	if l := t.layouts[typ]; l != nil {
		return l
	}
	l := &layout{typ: typ, size: typ.Size()}
	t.layouts[typ] = l // before its fields: a type may hold itself
	t.add(l, typ, 0, whole)
	return l
}

// add appends what codes a value of a type at an offset.
func (t *Types) add(l *layout, typ reflect.Type, offset uintptr, whole bool) {
	o := op{offset: offset}
	switch {
	case !whole && reflect.PointerTo(typ).Implements(reflect.TypeFor[Fielder]()):
		o.kind, o.typ = opFields, typ
	case typ.Kind() == reflect.Struct:
		for f := range typ.Fields() {
			if f.IsExported() {
				t.add(l, f.Type, offset+f.Offset, false)
			}
		}
		return
	case typ.Kind() == reflect.Int64:
		o.kind = opInt64
	case typ.Kind() == reflect.Int:
		o.kind = opInt
	case typ.Kind() == reflect.Bool:
		o.kind = opBool
	case typ.Kind() == reflect.String:
		o.kind = opText
	case typ.Kind() == reflect.Array && typ.Elem().Kind() == reflect.Uint8 && typ.Len() == refSize:
		o.kind = opRef
	case typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.Uint8:
		o.kind = opBytes
	case typ.Kind() == reflect.Slice:
		o.kind, o.typ, o.elem = opList, typ, t.layout(typ.Elem(), false)
	case typ.Kind() == reflect.Pointer:
		o.kind, o.elem = opOptional, t.layout(typ.Elem(), false)
	default:
		panic(fmt.Sprintf("journal: %s has no encoding", typ))
	}
	l.ops = append(l.ops, o)
}

// of is the layout of what v points to, and its address.
func (t *Types) of(v any) (*layout, unsafe.Pointer) {
	value := reflect.ValueOf(v)
	l := t.layouts[value.Type().Elem()]
	if l == nil {
		panic(fmt.Sprintf("journal: %s was not made known", value.Type()))
	}
	return l, value.UnsafePointer()
}

// Append appends the encoding of what v points to. The codec may be nil; whoever
// encodes many values keeps one.
func (t *Types) Append(c *Codec, buf []byte, v any) []byte {
	if c == nil {
		c = new(Codec)
	}
	*c = Codec{buf: buf}
	l, p := t.of(v)
	l.code(c, p, 0)
	buf, c.buf = c.buf, nil
	return buf
}

// Decode fills what v points to from data, all of it.
func (t *Types) Decode(data []byte, v any) error {
	c := Codec{buf: data, reading: true}
	l, p := t.of(v)
	l.code(&c, p, 0)
	return c.finish()
}

// Part codes what v points to as a part of another value; Fields methods use it.
func (t *Types) Part(c *Codec, v any) {
	l, p := t.of(v)
	l.code(c, p, 1)
}

// refSize is the length of the arrays that are references by another name.
const refSize = len(Ref{})

// maxDepth bounds values inside values: nothing of ours comes near it, and a
// forged encoding must not exhaust the stack.
const maxDepth = 32

// slice is how a slice lies in memory.
type slice struct {
	data     unsafe.Pointer
	len, cap int
}

// code codes the value at an address.
func (l *layout) code(c *Codec, base unsafe.Pointer, depth int) {
	if depth > maxDepth {
		c.fail("nested deeper than %d", maxDepth)
		return
	}
	for i := range l.ops {
		o := &l.ops[i]
		p := unsafe.Add(base, o.offset)
		switch o.kind {
		case opInt64:
			c.Int((*int64)(p))
		case opInt:
			n := int64(*(*int)(p))
			c.Int(&n)
			if c.reading {
				*(*int)(p) = int(n)
			}
		case opBool:
			c.Bool((*bool)(p))
		case opText:
			c.String((*string)(p))
		case opRef:
			c.Ref((*Ref)(p))
		case opBytes:
			c.Bytes((*[]byte)(p))
		case opOptional:
			o.optional(c, (*unsafe.Pointer)(p), depth)
		case opList:
			o.list(c, p, depth)
		case opFields:
			reflect.NewAt(o.typ, p).Interface().(Fielder).Fields(c) //nolint:forcetypeassert // it was looked up
		}
		if c.err != nil {
			return
		}
	}
}

func (o *op) optional(c *Codec, p *unsafe.Pointer, depth int) {
	present := *p != nil
	c.Bool(&present)
	if c.reading {
		*p = nil
		if present && c.err == nil {
			*p = reflect.New(o.elem.typ).UnsafePointer()
		}
	}
	if present && c.err == nil {
		o.elem.code(c, *p, depth+1)
	}
}

func (o *op) list(c *Codec, p unsafe.Pointer, depth int) {
	s := (*slice)(p)
	n := c.length(s.len)
	if c.reading {
		*s = slice{}
		if n > maxElements {
			c.fail("list of %d elements", n)
			return
		}
		if n > 0 {
			reflect.NewAt(o.typ, p).Elem().Set(reflect.MakeSlice(o.typ, n, n))
		}
	}
	for i := range s.len {
		if c.err != nil {
			return
		}
		o.elem.code(c, unsafe.Add(s.data, uintptr(i)*o.elem.size), depth+1)
	}
}
