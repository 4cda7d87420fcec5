package journal_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/journal"
)

type term string

// leaf has one of every kind that has an encoding.
type leaf struct {
	Number int64
	Small  int
	Yes    bool
	Text   string
	Word   term
	Ref    journal.Ref
	Name   [32]byte
	Bytes  []byte
	Record journal.Record
	hidden int
}

// tree holds others, and itself.
type tree struct {
	Leaf     leaf
	Maybe    *leaf
	Leaves   []leaf
	Words    []term
	Pointers []*leaf
	Inner    struct{ A, B int64 }
	Trees    []tree
	Last     int64
}

var types = journal.NewTypes(new(tree))

// fill sets everything that a value holds to something drawn.
func fill(t *rapid.T, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() {
				fill(t, field, depth)
			}
		}
	case reflect.Int64, reflect.Int:
		v.SetInt(rapid.Int64().Draw(t, "n"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "b"))
	case reflect.String:
		v.SetString(rapid.String().Draw(t, "s"))
	case reflect.Array:
		copy(v.Slice(0, v.Len()).Bytes(), rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, "a"))
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "some") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem(), depth)
		}
	case reflect.Slice:
		n := rapid.IntRange(0, 3).Draw(t, "len")
		if n == 0 || depth > 2 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			if v.Type().Elem().Kind() == reflect.Uint8 {
				v.Index(i).SetUint(rapid.Uint64Range(0, 255).Draw(t, "byte"))
				continue
			}
			fill(t, v.Index(i), depth+1)
		}
	default:
		t.Fatalf("a %s", v.Kind())
	}
}

// contract: P10
func TestWhatTypesEncodeTheyDecode(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var v, again tree
		fill(t, reflect.ValueOf(&v).Elem(), 0)
		data := types.Append(nil, nil, &v)
		if err := types.Decode(data, &again); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(v, again, cmp.AllowUnexported(leaf{})); d != "" {
			t.Fatal(d)
		}
		var c journal.Codec
		if !bytes.Equal(types.Append(&c, []byte("before"), &again)[6:], data) || !bytes.Equal(types.Append(&c, nil, &again), data) {
			t.Fatal("two encodings of one value")
		}
		// Every field counts.
		changed := v
		changed.Last++
		if bytes.Equal(types.Append(nil, nil, &changed), data) {
			t.Fatal("one encoding of two values")
		}
		// Nothing that is cut off is taken for whole.
		if len(data) > 0 {
			cut := rapid.IntRange(0, len(data)-1).Draw(t, "cut")
			if err := types.Decode(data[:cut], new(tree)); !errors.Is(err, journal.ErrCorrupt) {
				t.Fatalf("cut at %d of %d: %v", cut, len(data), err)
			}
		}
	})
}

func TestWhatIsUnexportedIsNotEncoded(t *testing.T) {
	t.Parallel()
	a, b := tree{}, tree{}
	b.Leaf.hidden = 7
	if !bytes.Equal(types.Append(nil, nil, &a), types.Append(nil, nil, &b)) {
		t.Error("a hidden field is in the encoding")
	}
}

func TestTextThatIsNoTextIsPutRight(t *testing.T) {
	t.Parallel()
	v := tree{Leaf: leaf{Word: "a\xffb"}}
	data := types.Append(nil, nil, &v)
	var again tree
	if err := types.Decode(data, &again); err != nil || again.Leaf.Word != "a\uFFFDb" || v.Leaf.Word != again.Leaf.Word {
		t.Errorf("%q became %q, %v", v.Leaf.Word, again.Leaf.Word, err)
	}
}

func TestNestingIsBounded(t *testing.T) {
	t.Parallel()
	v := &tree{}
	for range 40 {
		v = &tree{Trees: []tree{*v}}
	}
	if err := types.Decode(types.Append(nil, nil, v), new(tree)); !errors.Is(err, journal.ErrCorrupt) {
		t.Errorf("decoding 40 levels: %v", err)
	}
}

func TestWhatHasNoEncodingPanicsAtOnce(t *testing.T) {
	t.Parallel()
	for name, example := range map[string]any{
		"a map": new(struct{ M map[string]int }), "a float": new(struct{ F float64 }), "an interface": new(struct{ E error }),
		"another array": new(struct{ A [3]byte }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("it was made known")
				}
			}()
			journal.NewTypes(example)
		})
	}
}

func FuzzTypes(f *testing.F) {
	f.Add(types.Append(nil, nil, &tree{Leaf: leaf{Text: "x"}, Maybe: &leaf{}, Words: []term{"a"}, Trees: []tree{{Last: 1}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v tree
		if types.Decode(data, &v) == nil && !bytes.Equal(types.Append(nil, nil, &v), data) {
			t.Error("decoded from another encoding than its own")
		}
	})
}
