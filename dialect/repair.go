package dialect

import (
	"encoding/json"
	"strings"

	"github.com/kaptinlin/jsonrepair"

	"github.com/ai-agent-go/ai-agent/llm"
)

// The steps that make JSON of what a model meant as JSON, as they are named in
// [Call.Repairs]. None of them changes a value: what is inside a string stays,
// x86 and x41 included.
const (
	stepUnquote   = "unquoted"
	stepFence     = "code_fence"
	stepEllipsis  = "ellipsis"
	stepHexEscape = "hex_escape"
	stepLineBreak = "line_escape"
	stepFirst     = "first_value"
	stepClose     = "closed"
	stepLibrary   = "jsonrepair"
)

const (
	// libraryBudget bounds what the repair library reads of one response: it
	// takes time that grows with the square of its input.
	libraryBudget = 100 << 10
	// maxRepairable bounds what is repaired at all.
	maxRepairable = 4 << 20
)

// repairer makes JSON of what models write, for one response.
type repairer struct{ budget int }

// read returns the JSON value that the text holds, canonical, with the steps
// that it took. open is the bracket with which the value must begin: { or [.
// A text that is proper JSON of another kind is not searched for one.
func (r *repairer) read(text string, open byte) (json.RawMessage, []string, bool) {
	if value, ok := strict(text, open); ok {
		return value, nil, true
	}
	if len(text) > maxRepairable {
		return nil, nil, false
	}
	var quoted string
	if json.Unmarshal([]byte(text), &quoted) == nil {
		value, steps, ok := r.search(quoted, open)
		return value, append([]string{stepUnquote}, steps...), ok
	}
	if json.Valid([]byte(text)) {
		return nil, nil, false
	}
	return r.search(text, open)
}

// search tries the cheap steps in their order, each on top of those before,
// and the library when none of them led to proper JSON.
func (r *repairer) search(text string, open byte) (json.RawMessage, []string, bool) {
	var steps []string
	if value, more, ok := extract(text, open); ok {
		return value, more, true
	}
	for _, step := range [...]struct {
		name  string
		apply func(string) string
	}{{stepFence, unfence}, {stepEllipsis, trimEllipsis}, {stepHexEscape, hexEscapes}, {stepLineBreak, lineEscapes}} {
		changed := step.apply(text)
		if changed == text {
			continue
		}
		text, steps = changed, append(steps, step.name)
		if value, more, ok := extract(text, open); ok {
			return value, append(steps, more...), true
		}
	}
	start := strings.IndexByte(text, open)
	if start < 0 {
		return nil, nil, false
	}
	if value, ok := r.library(text[start:], open); ok {
		return value, append(steps, stepLibrary), true
	}
	if end := balanced(text[start:]); end > 0 && end < len(text)-start {
		if value, ok := r.library(text[start:start+end], open); ok {
			return value, append(steps, stepFirst, stepLibrary), true
		}
	}
	return nil, nil, false
}

func (r *repairer) library(text string, open byte) (json.RawMessage, bool) {
	if len(text) > r.budget {
		return nil, false
	}
	r.budget -= len(text)
	repaired, err := jsonrepair.Repair(text)
	if err != nil {
		return nil, false
	}
	return strict(repaired, open)
}

// extract reads the text as it is, then the first value in it, then the text
// with its brackets closed.
func extract(text string, open byte) (json.RawMessage, []string, bool) {
	if value, ok := strict(text, open); ok {
		return value, nil, true
	}
	if value, ok := firstValue(text, open); ok {
		return value, []string{stepFirst}, true
	}
	if closed, ok := closeBrackets(text, open); ok {
		if value, ok := strict(closed, open); ok {
			return value, []string{stepClose}, true
		}
	}
	return nil, nil, false
}

// strict reads proper JSON of one kind.
func strict(text string, open byte) (json.RawMessage, bool) {
	value, err := llm.CanonicalJSON([]byte(text))
	if err != nil || value[0] != open {
		return nil, false
	}
	return value, true
}
