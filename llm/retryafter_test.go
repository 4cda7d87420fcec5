package llm_test

import (
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/llm"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// contract: R3
func TestRetryAfterIsReadInAllItsForms(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		header map[string]string
		ms     int64
		source string
	}{
		"nothing":                {nil, 0, ""},
		"seconds":                {map[string]string{"Retry-After": "3"}, 3000, "retry-after"},
		"part of a second":       {map[string]string{"Retry-After": " 0.1 "}, 100, "retry-after"},
		"milliseconds":           {map[string]string{"Retry-After-Ms": "250"}, 250, "retry-after-ms"},
		"less than one":          {map[string]string{"Retry-After-Ms": "0.2"}, 1, "retry-after-ms"},
		"a date":                 {map[string]string{"Retry-After": "Wed, 04 Mar 2026 12:00:07 GMT"}, 7000, "retry-after"},
		"a date of 1985":         {map[string]string{"Retry-After": "Wednesday, 04-Mar-26 12:00:07 GMT"}, 7000, "retry-after"},
		"a date of C":            {map[string]string{"Retry-After": "Wed Mar  4 12:00:07 2026"}, 7000, "retry-after"},
		"a date that has been":   {map[string]string{"Retry-After": "Wed, 04 Mar 2026 11:00:00 GMT"}, 0, ""},
		"a date years ahead":     {map[string]string{"Retry-After": "Fri, 04 Mar 3026 12:00:00 GMT"}, 31536000000, "retry-after"},
		"a moment":               {map[string]string{"Acme-Tokens-Reset": "2026-03-04T12:00:05Z"}, 5000, "acme-tokens-reset"},
		"seconds since 1970":     {map[string]string{"X-Ratelimit-Reset": "1772625609"}, 9000, "x-ratelimit-reset"},
		"ms since 1970":          {map[string]string{"X-Ratelimit-Reset": "1772625609500"}, 9500, "x-ratelimit-reset"},
		"seconds to a reset":     {map[string]string{"X-Ratelimit-Reset": "9"}, 9000, "x-ratelimit-reset"},
		"the longest of all":     {map[string]string{"Retry-After": "3", "Retry-After-Ms": "4000", "X-Ratelimit-Retry-After": "2"}, 4000, "retry-after-ms"},
		"below zero":             {map[string]string{"Retry-After": "-3"}, 0, ""},
		"no number":              {map[string]string{"Retry-After": "soon", "Retry-After-Ms": "NaN"}, 0, ""},
		"more than there can be": {map[string]string{"Retry-After": "1e300"}, 31536000000, "retry-after"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := make(http.Header)
			for k, v := range test.header {
				header.Set(k, v)
			}
			ms, source := llm.RetryAfter(header.Get, noon, "acme-tokens-reset")
			same(t, test.ms, ms)
			same(t, test.source, source)
		})
	}
}

func TestAWaitIsNeverNegativeAndHasASource(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.String(), rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,3})?`)).Draw(t, "value")
		ms, source := llm.RetryAfter(func(string) string { return value }, noon)
		if ms < 0 || (ms > 0) != (source != "") {
			t.Fatalf("%q gives %d from %q", value, ms, source)
		}
	})
}
