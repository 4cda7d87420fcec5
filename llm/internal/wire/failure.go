package wire

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
)

// Rules sort the failures of one service into classes. A structured code
// decides first, then the status, and the words of the message last, and only
// where the status says no more than "bad request": the word "model" in the
// body of a 500 means nothing.
type Rules struct {
	// Codes maps the service's own codes and types of error.
	Codes map[string]llm.ErrorClass
	// Words are looked for in the lower-case message, in order.
	Words []Word
	// Resets are headers of this service alone that hold the moment at which a
	// limit ends.
	Resets []string
}

// Word is a phrase and what it means.
type Word struct {
	Text  string
	Class llm.ErrorClass
}

// maxFailure bounds the body of a failure.
const maxFailure = 1 << 20

// failure is what an error body says.
type failure struct {
	// codes are the structured codes, the most specific first.
	codes   []string
	message string
	// refused is set by bodies that name the reasons of a moderation.
	refused bool
	retry   llmRetry
}

type llmRetry struct {
	ms     int64
	source string
}

func (r *llmRetry) atLeast(ms int64, source string) {
	if ms > r.ms {
		r.ms, r.source = ms, source
	}
}

// failure makes an error of a response whose status is one.
func (r *Rules) failure(status int, header func(string) string, raw []byte) *llm.Error {
	f, ok := readFailure(raw)
	if !ok {
		f.message = pageText(raw)
	}
	if strings.TrimSpace(f.message) == "" {
		f.message = http.StatusText(status)
	}
	f.retry.atLeast(llm.RetryAfter(header, now(), r.Resets...))
	return r.sort(status, f)
}

// sort finds the class of a failure. The status is zero when it came inside an
// answer whose status was good.
func (r *Rules) sort(status int, f failure) *llm.Error {
	e := &llm.Error{
		Class: r.class(status, f), Message: cmp.Or(f.message, "the provider reported an error"), Status: status,
		RetryAfterMS: f.retry.ms, RetryAfterSource: f.retry.source,
	}
	if len(f.codes) > 0 {
		e.Code = f.codes[0] // Exchange hides secrets in it and makes it short
	}
	return e
}

func (r *Rules) class(status int, f failure) llm.ErrorClass {
	for _, code := range f.codes {
		if class, ok := r.Codes[code]; ok {
			return class
		}
	}
	if f.refused {
		return llm.ClassRefusal
	}
	for _, code := range f.codes {
		// Routers put the status of the service behind them into the code.
		if n, err := strconv.Atoi(code); err == nil && n >= 400 && n <= 599 {
			status = n
		}
	}
	class := llm.ClassOfStatus(status)
	if class != llm.ClassModel {
		return class
	}
	text := strings.ToLower(f.message)
	for _, list := range [...][]Word{r.Words, commonWords} {
		for _, w := range list {
			if strings.Contains(text, w.Text) {
				return w.Class
			}
		}
	}
	switch status {
	case http.StatusRequestEntityTooLarge:
		return llm.ClassContextOverflow
	case 0:
		return statusless(text)
	default:
		return llm.ClassModel
	}
}

// commonWords are how many services say that a request is too long.
var commonWords = []Word{
	{"context_length_exceeded", llm.ClassContextOverflow},
	{"context length exceeded", llm.ClassContextOverflow},
	{"maximum context length", llm.ClassContextOverflow},
	{"exceeds the context window", llm.ClassContextOverflow},
	{"exceed context limit", llm.ClassContextOverflow},
	{"exceeds the available context size", llm.ClassContextOverflow},
	{"context window exceeds", llm.ClassContextOverflow},
	{"prompt is too long", llm.ClassContextOverflow},
	{"input is too long", llm.ClassContextOverflow},
	{"too many tokens", llm.ClassContextOverflow},
	{"reduce the length of the messages", llm.ClassContextOverflow},
	{"input token count", llm.ClassContextOverflow},
	{"maximum prompt length", llm.ClassContextOverflow},
	{"longer than the model's context length", llm.ClassContextOverflow},
}

// statusless sorts by words where there is nothing else: no status, no code
// that is known.
func statusless(text string) llm.ErrorClass {
	for _, w := range [...]Word{
		{"rate limit", llm.ClassRateLimit},
		{"too many requests", llm.ClassRateLimit},
		{"quota", llm.ClassQuota},
		{"billing", llm.ClassQuota},
		{"insufficient", llm.ClassQuota},
		{"unauthorized", llm.ClassAuth},
		{"authentication", llm.ClassAuth},
		{"api key", llm.ClassAuth},
		{"timed out", llm.ClassTimeout},
		{"timeout", llm.ClassTimeout},
		{"overloaded", llm.ClassServer},
		{"internal error", llm.ClassServer},
		{"server error", llm.ClassServer},
		{"unavailable", llm.ClassServer},
	} {
		if strings.Contains(text, w.Text) {
			return w.Class
		}
	}
	return llm.ClassModel
}
