package llm_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
)

// contract: R2, R3, R4
func TestEveryStatusHasAClass(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]llm.ErrorClass{
		0: llm.ClassModel, 400: llm.ClassModel, 404: llm.ClassModel, 422: llm.ClassModel,
		401: llm.ClassAuth, 403: llm.ClassAuth, 402: llm.ClassQuota, 429: llm.ClassRateLimit,
		408: llm.ClassTimeout, 504: llm.ClassTimeout,
		500: llm.ClassServer, 502: llm.ClassServer, 503: llm.ClassServer, 529: llm.ClassServer,
	} {
		if got := llm.ClassOfStatus(status); got != want {
			t.Errorf("status %d is %s, want %s", status, got, want)
		}
	}
}

func TestAnErrorIsWrittenInOneLine(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]llm.Error{
		"timeout: too slow": {Class: llm.ClassTimeout, Message: "too slow"},
		"rate_limit (status 429) [slow_down]: wait": {
			Class: llm.ClassRateLimit, Status: 429, Code: "slow_down", Message: "wait",
		},
	} {
		same(t, want, e.Error())
	}
	var target *llm.Error
	if err := fmt.Errorf("attempt 2: %w", &llm.Error{Class: llm.ClassAuth}); !errors.As(err, &target) || target.Class != llm.ClassAuth {
		t.Error("an error's class cannot be found in what wraps it")
	}
}

// contract: P7
func TestAnErrorIsReadFromJSONAsItWasWritten(t *testing.T) {
	t.Parallel()
	want := llm.Error{
		Class: llm.ClassRateLimit, Message: "m", Status: 429, Code: "c",
		RetryAfterMS: 3000, RetryAfterSource: "retry-after",
	}
	same(t, want, throughJSON(t, want))
}
