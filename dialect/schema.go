package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/ai-agent-go/ai-agent/llm"
)

// schema is a compiled JSON Schema.
type schema struct{ compiled *jsonschema.Schema }

// noLoader refuses references that leave the document: a schema comes from
// outside and must not make us read a file or a URL.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("reference to %q leaves the schema, which is not allowed", url)
}

func compileSchema(raw json.RawMessage) (*schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	const name = "schema.json"
	if err := c.AddResource(name, doc); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	compiled, err := c.Compile(name)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	return &schema{compiled}, nil
}

// violation is one place where a value does not fit.
type violation struct {
	path []string
	text string
}

func (v violation) String() string { return "/" + strings.Join(v.path, "/") + ": " + v.text }

// check returns every violation, in a fixed order, with what was received.
func (s *schema) check(value any) []violation {
	err := s.compiled.Validate(value)
	if err == nil {
		return nil
	}
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return []violation{{text: err.Error()}}
	}
	printer := message.NewPrinter(language.English)
	var all []violation
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			if extra, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
				slices.Sort(extra.Properties) // found in the order of a map
			}
			text := e.ErrorKind.LocalizedString(printer) + received(value, e.InstanceLocation)
			all = append(all, violation{path: e.InstanceLocation, text: text})
		}
		for _, cause := range e.Causes {
			walk(cause)
		}
	}
	walk(failed)
	// The library walks maps, so its order is not ours.
	slices.SortFunc(all, func(a, b violation) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// received says in brief which value a violation is about. Whole objects and
// arrays say little at that length and are left out.
func received(value any, path []string) string {
	switch v := at(value, path).(type) {
	case nil, map[string]any, []any:
		return ""
	default:
		return ", received " + clip(string(llm.MustMarshalJSON(v)), 60)
	}
}

// at returns the value at a path, nil when there is none.
func at(value any, path []string) any {
	for _, step := range path {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// fit makes a value fit by unpacking strings that hold JSON where something
// else is wanted, one in each round: models like to encode twice. It returns
// the violations that are left.
func (s *schema) fit(value any, rounds int) []violation {
	all := s.check(value)
	for ; len(all) > 0 && rounds > 0; rounds-- {
		i := slices.IndexFunc(all, func(v violation) bool { return unpack(value, v.path) })
		if i < 0 {
			break
		}
		all = s.check(value)
	}
	return all
}

// unpack replaces the string at a path by the JSON that it holds and reports
// whether there was any. A string in a string is no progress.
func unpack(value any, path []string) bool {
	if len(path) == 0 {
		return false
	}
	text, ok := at(value, path).(string)
	if !ok {
		return false
	}
	inner, err := decode([]byte(text))
	if err != nil {
		return false
	}
	if _, again := inner.(string); again {
		return false
	}
	last := path[len(path)-1]
	switch holder := at(value, path[:len(path)-1]).(type) {
	case map[string]any:
		holder[last] = inner
	case []any:
		i, _ := strconv.Atoi(last)
		holder[i] = inner
	}
	return true
}

// maxViolations bounds what a model is told at once.
const maxViolations = 10

func describe(all []violation) string {
	texts := make([]string, 0, maxViolations+1)
	for i, v := range all {
		if i == maxViolations {
			texts = append(texts, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		texts = append(texts, clip(v.String(), 200))
	}
	return strings.Join(texts, "; ")
}

// clip cuts text to so many bytes, at the edge of a rune.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}

// decode reads JSON with numbers kept as written, as the validator wants it.
func decode(raw []byte) (any, error) {
	if !bytes.ContainsAny(raw, "0123456789") {
		// Without a digit there is no number, and the short way is the same.
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, fmt.Errorf("read JSON: %w", err)
		}
		return v, nil
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	return v, nil
}
