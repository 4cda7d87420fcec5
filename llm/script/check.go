package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
)

// maxDelayMS is a day: a longer one is a slip of the finger.
const maxDelayMS = 24 * 60 * 60 * 1000

var (
	repeats  = []Repeat{RepeatLast, RepeatNothing}
	finishes = []llm.FinishReason{
		llm.FinishStop, llm.FinishLength, llm.FinishToolCalls,
		llm.FinishContentFilter, llm.FinishRefusal, llm.FinishUnknown,
	}
	classes = []llm.ErrorClass{
		llm.ClassAuth, llm.ClassQuota, llm.ClassRateLimit, llm.ClassNetwork, llm.ClassTimeout, llm.ClassServer,
		llm.ClassModel, llm.ClassContextOverflow, llm.ClassRefusal, llm.ClassInvalidResponse, llm.ClassAborted,
		llm.ClassUnknown,
	}
)

// check says what is wrong with a reply, beginning with the key. Files are
// checked when they are read; replies built in code when they are played, so
// that a slip there is a receipt that names its place and not a panic.
func (r *Reply) check() error {
	if len(r.Parts) > 0 && (r.Text != "" || len(r.Reasoning) > 0 || len(r.Calls) > 0) {
		return errors.New("parts: cannot stand beside text, reasoning or calls")
	}
	for i := range r.Parts {
		if !r.Parts[i].single() {
			return fmt.Errorf("parts[%d]: want exactly one of text, reasoning and call", i)
		}
	}
	if err := oneOf("finish", r.Finish, finishes); err != nil {
		return err
	}
	if r.Usage != nil {
		if err := checkUsage(*r.Usage); err != nil {
			return err
		}
	}
	for _, n := range [...]struct {
		key         string
		value, most int64
	}{
		{"chunk_size", int64(r.ChunkSize), 1 << 30},
		{"delay_ms", r.DelayMS, maxDelayMS},
		{"chunk_delay_ms", r.ChunkDelayMS, maxDelayMS},
	} {
		if n.value < 0 || n.value > n.most {
			return fmt.Errorf("%s: %d is out of range, want 0 to %d", n.key, n.value, n.most)
		}
	}
	if b := r.BreakAfter; b != nil && (b.Chunks < 0 || b.Bytes < 0) {
		return errors.New("break_after: want 0 or more")
	}
	if e := r.Error; e != nil {
		if e.Status != 0 && (e.Status < 100 || e.Status > 999) {
			return fmt.Errorf("error.status: %d is not an HTTP status", e.Status)
		}
		if err := oneOf("error.class", e.Class, classes); err != nil {
			return err
		}
	}
	return nil
}

func (p *Part) single() bool {
	n := 0
	for _, set := range [...]bool{p.Text != "", p.Reasoning != nil, p.Call != nil} {
		if set {
			n++
		}
	}
	return n == 1
}

func checkUsage(u llm.Usage) error {
	if min(u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning) < 0 {
		return errors.New("usage: counts cannot be negative")
	}
	return nil
}

// oneOf checks a word against those allowed; the empty word stands for the
// default.
func oneOf[S ~string](key string, got S, allowed []S) error {
	if got == "" || slices.Contains(allowed, got) {
		return nil
	}
	words := make([]string, len(allowed))
	for i, w := range allowed {
		words[i] = string(w)
	}
	return fmt.Errorf("%s: %.60q is none of %s%s", key, got, strings.Join(words, ", "), didYouMean(string(got), words))
}

// didYouMean finishes a complaint about a word with the closest that exists.
func didYouMean(got string, known []string) string {
	best, distance := "", len(got)/3+2
	for _, k := range slices.Sorted(slices.Values(known)) {
		if d := editDistance(got, k); d < distance {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// editDistance counts the bytes to insert, delete or replace to turn a into b.
// Long words are not worth the work: they are far from everything.
func editDistance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
