package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxJSONDepth bounds nesting, so that no input can exhaust the stack of a
// reader that is less careful than ours.
const maxJSONDepth = 512

// CanonicalJSON rewrites one JSON value so that equal values have equal bytes:
// object keys sorted, no space outside strings, numbers as they were written,
// strings with the escapes that JSON demands and no others but those of U+2028
// and U+2029, which encoding/json always writes. A key that stands twice in an
// object keeps its last value. Invalid UTF-8 becomes U+FFFD.
func CanonicalJSON(data []byte) (json.RawMessage, error) {
	if err := checkDepth(data); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read JSON: text after the value")
	}
	return MarshalJSON(v)
}

// MarshalJSON encodes a value with sorted map keys and without HTML escapes.
// It is how everything that is hashed is encoded.
func MarshalJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// MustMarshalJSON is [MarshalJSON] for values that cannot fail: our own types.
func MustMarshalJSON(v any) json.RawMessage {
	b, err := MarshalJSON(v)
	if err != nil {
		panic(err)
	}
	return b
}

func checkDepth(data []byte) error {
	depth, inString, escaped := 0, false, false
	for _, c := range data {
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped = c == '\\'
			inString = c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			if depth++; depth > maxJSONDepth {
				return fmt.Errorf("read JSON: nested deeper than %d", maxJSONDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}
