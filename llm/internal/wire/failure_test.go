package wire

import (
	"net/http"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
)

var testRules = &Rules{
	Codes:  map[string]llm.ErrorClass{"insufficient_quota": llm.ClassQuota, "rate_limit_error": llm.ClassRateLimit},
	Words:  []Word{{"credit balance is too low", llm.ClassQuota}},
	Resets: []string{"acme-reset"},
}

// A code decides first, then the status, and words last: those of a 500 mean
// nothing.
//
// contract: R2, R3, R4
func TestFailuresAreSortedByCodeThenStatusThenWords(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		body   string
		class  llm.ErrorClass
		code   string
		text   string
	}{
		"status alone":             {429, ``, llm.ClassRateLimit, "", "Too Many Requests"},
		"code before status":       {429, `{"error":{"code":"insufficient_quota","message":"m"}}`, llm.ClassQuota, "insufficient_quota", "m"},
		"type is a code":           {400, `{"type":"error","error":{"type":"rate_limit_error","message":"m"}}`, llm.ClassRateLimit, "rate_limit_error", "m"},
		"status before words":      {500, `{"error":{"message":"invalid model: quota, rate limit"}}`, llm.ClassServer, "", "invalid model: quota, rate limit"},
		"words of a bad request":   {400, `{"error":{"message":"Your credit balance is too low"}}`, llm.ClassQuota, "", "Your credit balance is too low"},
		"overflow":                 {400, `{"error":{"message":"maximum context length is 8"}}`, llm.ClassContextOverflow, "", "maximum context length is 8"},
		"too large":                {413, `{"error":{"message":"m"}}`, llm.ClassContextOverflow, "", "m"},
		"text as error":            {404, `{"error":"model 'x' not found"}`, llm.ClassModel, "", "model 'x' not found"},
		"detail":                   {422, `{"detail":[{"msg":"field required"}]}`, llm.ClassModel, "", `[{"msg":"field required"}]`},
		"message alone":            {401, `{"message":"no","code":7}`, llm.ClassAuth, "7", "no"},
		"a list":                   {503, `[{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}]`, llm.ClassServer, "503", "m"},
		"a page":                   {504, `<html><body>Gateway <b>Time-out</b></body></html>`, llm.ClassTimeout, "", "  Gateway  Time-out   "},
		"a router's code":          {200, `{"error":{"code":502,"message":"m"}}`, llm.ClassServer, "502", "m"},
		"what a router wraps":      {400, `{"error":{"code":400,"message":"outer","metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long\"}}"}}}`, llm.ClassContextOverflow, "400", "prompt is too long"},
		"what it wraps is text":    {502, `{"error":{"code":502,"message":"outer","metadata":{"raw":"plain words"}}}`, llm.ClassServer, "502", "plain words"},
		"moderation":               {403, `{"error":{"code":403,"message":"flagged","metadata":{"reasons":["violence"]}}}`, llm.ClassRefusal, "403", "flagged"},
		"words without status":     {200, `{"error":{"message":"Rate limit reached"}}`, llm.ClassRateLimit, "", "Rate limit reached"},
		"nothing known, no status": {200, `{"error":{"message":"hm"}}`, llm.ClassModel, "", "hm"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var e *llm.Error
			if test.status == 200 {
				f, ok := readFailure([]byte(test.body))
				same(t, true, ok)
				e = testRules.sort(0, f)
			} else {
				e = testRules.failure(test.status, http.Header{}.Get, []byte(test.body))
				same(t, test.status, e.Status)
			}
			same(t, test.class, e.Class)
			same(t, test.code, e.Code)
			same(t, test.text, e.Message)
		})
	}
}

// An answer is not an error because it holds the word.
func TestAnswersAreNotTakenForFailures(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"id":"1","error":null,"choices":[]}`, `{"message":{"content":"error"}}`, `{"id":"x","message":"m"}`, `{"content":[],"message":"m"}`, `{}`, `[]`, `[1]`, `x`, ``,
	} {
		if f, ok := readFailure([]byte(body)); ok {
			t.Errorf("%s is taken for %+v", body, f)
		}
	}
}

// contract: R3
func TestTheLongestWaitThatIsAskedForCounts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		header map[string]string
		body   string
		ms     int64
		source string
	}{
		"header":            {map[string]string{"Retry-After": "3"}, `{}`, 3000, "retry-after"},
		"own header":        {map[string]string{"Acme-Reset": "9", "Retry-After": "3"}, `{}`, 9000, "acme-reset"},
		"body, ms":          {nil, `{"error":{"metadata":{"retry_after_ms":1500}}}`, 1500, "error.metadata.retry_after_ms"},
		"body, seconds":     {nil, `{"error":{"metadata":{"retry_after_seconds":2}}}`, 2000, "error.metadata.retry_after_seconds"},
		"body, unit open":   {nil, `{"error":{"metadata":{"retry_after":2.5}}}`, 2500, "error.metadata.retry_after"},
		"body, too large":   {nil, `{"error":{"metadata":{"retry_after":1500000}}}`, 1500000, "error.metadata.retry_after"},
		"body, as text":     {nil, `{"error":{"metadata":{"retry_after":"4"}}}`, 4000, "error.metadata.retry_after"},
		"under data":        {nil, `{"data":{"metadata":{"retry_after":6}},"error":{"message":"m"}}`, 6000, "error.metadata.retry_after"},
		"a delay":           {nil, `{"error":{"details":[{"@type":"x"},{"retryDelay":"3.2s"}]}}`, 3200, "error.details.retryDelay"},
		"header beats body": {map[string]string{"Retry-After": "30"}, `{"error":{"metadata":{"retry_after":6}}}`, 30000, "retry-after"},
		"nonsense":          {nil, `{"error":{"metadata":{"retry_after":-1,"retry_after_ms":"soon"},"details":[{"retryDelay":"never"}]}}`, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := make(http.Header)
			for k, v := range test.header {
				h.Set(k, v)
			}
			e := testRules.failure(429, h.Get, []byte(test.body))
			same(t, test.ms, e.RetryAfterMS)
			same(t, test.source, e.RetryAfterSource)
		})
	}
}

// FuzzFailure shows that no body is too strange to be sorted.
func FuzzFailure(f *testing.F) {
	f.Add([]byte(`{"error":{"message":"m","metadata":{"raw":"{\"error\":{\"metadata\":{\"raw\":\"x\"}}}"}}}`), 400)
	f.Add([]byte(`[{"error":{"details":[{"retryDelay":"1s"}]}}]`), 429)
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		e := testRules.failure(status, http.Header{}.Get, body)
		if e.Class == "" || e.RetryAfterMS < 0 {
			t.Fatalf("%q gives %+v", body, e)
		}
		if f, ok := readFailure(body); ok && testRules.sort(0, f).Class == "" {
			t.Fatal("no class")
		}
	})
}
