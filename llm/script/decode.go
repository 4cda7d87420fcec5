package script

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/ai-agent-go/ai-agent/llm"
)

// decoder turns plain values into a script. It keeps the first error, with the
// place where it happened, and does nothing after it.
type decoder struct{ err error }

// field reads one value into its place.
type field func(at string, v any)

func (d *decoder) fail(at, format string, args ...any) {
	if d.err != nil {
		return
	}
	if at == "" {
		at = "the file"
	}
	d.err = fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...))
}

// want complains about a value of the wrong kind.
func (d *decoder) want(at, what string, v any) { d.fail(at, "want %s, got %s", what, describe(v)) }

func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return fmt.Sprintf("the text %.60q", v)
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return fmt.Sprintf("the number %.60s", v.String())
	case []any:
		return "a list"
	default:
		return "an object"
	}
}

// object reads the keys of an object; a key without a field is an error.
func (d *decoder) object(at string, v any, fields map[string]field) {
	object, ok := v.(map[string]any)
	if !ok {
		d.want(at, "an object", v)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		read, known := fields[key]
		if !known {
			d.fail(member(at, key), "unknown key%s", didYouMean(key, slices.Collect(maps.Keys(fields))))
		}
		if d.err != nil {
			return
		}
		read(member(at, key), object[key])
	}
}

func text[S ~string](d *decoder, p *S) field {
	return func(at string, v any) {
		s, ok := v.(string)
		if !ok {
			d.want(at, "text", v)
		}
		*p = S(s)
	}
}

// whole reads an integer. Its bounds are those of its type; what makes sense is
// checked with the reply.
func whole[N int | int64](d *decoder, p *N) field {
	return func(at string, v any) {
		n, ok := v.(json.Number)
		i, err := n.Int64()
		if !ok || err != nil || i != int64(N(i)) {
			d.want(at, "a whole number", v)
			return
		}
		*p = N(i)
	}
}

func amount(d *decoder, p **float64) field {
	return func(at string, v any) {
		n, ok := v.(json.Number)
		f, err := n.Float64()
		if !ok || err != nil || f < 0 {
			d.want(at, "a number that is not negative", v)
			return
		}
		*p = &f
	}
}

func list[T any](d *decoder, p *[]T, each func(p *T) field) field {
	return func(at string, v any) {
		items, ok := v.([]any)
		if !ok {
			d.want(at, "a list", v)
			return
		}
		out := make([]T, len(items))
		for i := range items {
			if d.err != nil {
				return
			}
			each(&out[i])(index(at, i), items[i])
		}
		if len(out) > 0 {
			*p = out
		}
	}
}

func texts(d *decoder, p *[]string) field {
	return list(d, p, func(p *string) field { return text(d, p) })
}

// dictionary reads an object of texts, whatever its keys are. A number is taken
// as the text it is written with: nobody quotes the 3 of a retry-after.
func dictionary(d *decoder, p *map[string]string) field {
	return func(at string, v any) {
		object, ok := v.(map[string]any)
		if !ok {
			d.want(at, "an object", v)
			return
		}
		out := make(map[string]string, len(object))
		for _, key := range slices.Sorted(maps.Keys(object)) {
			v := object[key]
			if n, ok := v.(json.Number); ok {
				v = n.String()
			}
			var s string
			text(d, &s)(member(at, key), v)
			out[key] = s
		}
		if len(out) > 0 {
			*p = out
		}
	}
}

func usage(d *decoder, p **llm.Usage) field {
	return func(at string, v any) {
		u := new(llm.Usage)
		d.object(at, v, map[string]field{
			"input": whole(d, &u.Input), "output": whole(d, &u.Output),
			"cache_read": whole(d, &u.CacheRead), "cache_write": whole(d, &u.CacheWrite),
			"reasoning": whole(d, &u.Reasoning),
		})
		*p = u
	}
}

// plain turns what YAML gives into what JSON gives: objects, lists, texts,
// booleans, json.Number and nil. Aliases can make a small file stand for a huge
// value, so values are counted down from left.
func plain(v any, at string, depth int, left *int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	if *left--; *left < 0 {
		return nil, fmt.Errorf("more than %d values, aliases counted", maxValues)
	}
	var err error
	switch v := v.(type) {
	case nil, string, bool:
		return v, nil
	case int64:
		return json.Number(strconv.FormatInt(v, 10)), nil
	case uint64:
		return json.Number(strconv.FormatUint(v, 10)), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%s: %v is no number that JSON can hold", at, v)
		}
		return json.Number(strconv.FormatFloat(v, 'g', -1, 64)), nil
	case []any:
		out := make([]any, len(v))
		for i := range v {
			if out[i], err = plain(v[i], index(at, i), depth+1, left); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if out[k], err = plain(v[k], member(at, k), depth+1, left); err != nil {
				return nil, err
			}
		}
		return out, nil
	default:
		return nil, fmt.Errorf("%s: a value of the YAML type %T cannot stand in a script", at, v)
	}
}

func index(at string, i int) string { return fmt.Sprintf("%s[%d]", at, i) }

// member writes the path of a key; keys that do not read as a word are quoted.
func member(at, key string) string {
	if at == "" {
		return fmt.Sprintf("%.60s", printable(key))
	}
	return fmt.Sprintf("%s.%.60s", at, printable(key))
}

func printable(key string) string {
	if quoted := strconv.Quote(key); quoted != `"`+key+`"` || key == "" {
		return quoted
	}
	return key
}
