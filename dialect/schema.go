package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
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

// check returns every violation, in a fixed order.
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
			all = append(all, violation{path: e.InstanceLocation, text: e.ErrorKind.LocalizedString(printer)})
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

// maxViolations bounds what a model is told at once.
const maxViolations = 5

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
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	return v, nil
}
