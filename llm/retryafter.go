package llm

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// RetryAfter reads from an answer's headers how long its sender asks to be
// left alone (contract R3): the longest wait that any known header names, in
// milliseconds, and that header's name. Both are zero when none does, or when
// all that are named lie in the past.
//
// header returns a header's value by name, in any case, as [http.Header.Get]
// does. now is the time that dates are measured from. resets names further
// headers, known to one provider alone, that hold the moment a limit ends.
//
// [http.Header.Get]: https://pkg.go.dev/net/http#Header.Get
func RetryAfter(header func(name string) string, now time.Time, resets ...string) (ms int64, source string) {
	read := func(name string, read func(value string, now time.Time) int64) {
		value := strings.TrimSpace(header(name))
		if value == "" {
			return
		}
		if wait := read(value, now); wait > ms {
			ms, source = wait, name
		}
	}
	for _, h := range retryHeaders {
		read(h.name, h.read)
	}
	for _, name := range resets {
		read(name, resetTime)
	}
	return ms, source
}

var retryHeaders = [...]struct {
	name string
	read func(value string, now time.Time) int64
}{
	{"retry-after", secondsOrDate},
	{"retry_after", secondsOrDate},
	{"x-ratelimit-retry-after", secondsOrDate},
	{"retry-after-ms", milliseconds},
	{"retry_after_ms", milliseconds},
	{"x-ratelimit-reset", resetTime},
}

// maxRetryAfterMS is a year: nobody waits that long, and sums cannot overflow.
const maxRetryAfterMS = 365 * 24 * 60 * 60 * 1000

func secondsOrDate(value string, now time.Time) int64 {
	if n, ok := number(value); ok {
		return wholeMS(n * 1000)
	}
	return untilDate(value, now)
}

func milliseconds(value string, _ time.Time) int64 {
	n, _ := number(value)
	return wholeMS(n)
}

// resetTime reads a moment: a date, or a number so large that it can only be
// seconds or milliseconds since 1970. A smaller number is seconds from now.
func resetTime(value string, now time.Time) int64 {
	n, ok := number(value)
	switch {
	case !ok:
		return untilDate(value, now)
	case n >= 1e11:
		return wholeMS(n - float64(now.UnixMilli()))
	case n >= 1e9:
		return wholeMS(n*1000 - float64(now.UnixMilli()))
	default:
		return wholeMS(n * 1000)
	}
}

// untilDate knows RFC 3339 and the three forms of an HTTP date.
func untilDate(value string, now time.Time) int64 {
	for _, layout := range [...]string{
		"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC, time.RFC3339,
	} {
		if at, err := time.Parse(layout, value); err == nil {
			// Not at.Sub(now), which stops at 292 years.
			return wholeMS(float64(at.UnixMilli() - now.UnixMilli()))
		}
	}
	return 0
}

func number(value string) (float64, bool) {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, false
	}
	return n, true
}

// wholeMS rounds up: a wait that is too short is asked for twice. The tolerance
// keeps 0.1 seconds at 100 ms, although binary fractions make a little more.
func wholeMS(ms float64) int64 {
	return int64(math.Ceil(min(max(ms-1e-6, 0), maxRetryAfterMS)))
}
