package llmtest

import (
	"time"

	"github.com/ai-agent-go/ai-agent/llm"
)

// failures are what services answer instead. Each is one typed failed attempt.
//
// contract: R2, R3, R4, R10
func failures() []*testCase {
	failed := func(name string, class llm.ErrorClass, status int) *testCase {
		return &testCase{name: name, request: hello, anonymous: true, want: want{Finish: llm.FinishError, Class: class, Status: status}}
	}
	partial := func(name string, class llm.ErrorClass) *testCase {
		c := failed(name, class, 0)
		c.only = modeStream
		c.want.Envelope.AssistantText = "Hello, "
		return c
	}
	limited := failed("rate-limited", llm.ClassRateLimit, 429)
	limited.want.RetryAfterMS = 7000
	limitedBody := failed("rate-limited-in-body", llm.ClassRateLimit, 429)
	limitedBody.want.RetryAfterMS = 9000
	return []*testCase{
		limited,
		limitedBody,
		failed("server-error", llm.ClassServer, 500),
		failed("overloaded", llm.ClassServer, 503),
		failed("unauthorized", llm.ClassAuth, 401),
		failed("quota", llm.ClassQuota, 429),
		failed("overflow", llm.ClassContextOverflow, 400),
		failed("bad-request", llm.ClassModel, 400),
		failed("redirect", llm.ClassModel, 307),
		failed("gateway-page", llm.ClassServer, 502),
		failed("html", llm.ClassInvalidResponse, 0),
		failed("error-in-200", llm.ClassServer, 0),
		failed("nothing", llm.ClassInvalidResponse, 0),
		failed("not-json", llm.ClassInvalidResponse, 0),
		partial("error-midway", llm.ClassServer),
		partial("cut", llm.ClassNetwork),
		partial("cut-inside-an-event", llm.ClassNetwork),
		partial("ends-early", llm.ClassNetwork),
		partial("garbage-midway", llm.ClassInvalidResponse),
	}
}

// times are about waiting: for silence, for whole answers, and not at all.
//
// contract: R10, R11, R13
func times() []*testCase {
	patient := func(a *Adapter) *llm.Request {
		r := hello(a)
		r.TimeoutMS = 5000
		return r
	}
	stopped := want{Envelope: llm.Envelope{AssistantText: "Hello, "}, Finish: llm.FinishAborted, Class: llm.ClassAborted}
	return []*testCase{
		{
			name: "abort-midway", request: hello, only: modeStream, abort: abortFirst, want: stopped,
		},
		{
			name: "abort-before", request: hello, abort: abortBefore,
			want: want{Finish: llm.FinishAborted, Class: llm.ClassAborted},
		},
		{
			name: "left-midway", request: hello, only: modeStream, abort: breakFirst,
		},
		{
			name: "silence", request: patient, only: modeStream, takes: 9 * time.Second,
			want: want{Envelope: llm.Envelope{AssistantText: "Hello, "}, Finish: llm.FinishError, Class: llm.ClassTimeout},
		},
		{
			name: "kept-alive", request: patient, only: modeStream, takes: 5 * time.Second,
			want: want{Envelope: llm.Envelope{AssistantText: "Hello, "}, Finish: llm.FinishError, Class: llm.ClassTimeout},
		},
		{
			name: "slow-but-alive", request: patient, only: modeStream, takes: 12 * time.Second,
			want: want{Envelope: llm.Envelope{AssistantText: "Hello, world!"}, Finish: llm.FinishStop, Usage: counted()},
		},
		{
			name: "too-slow", request: patient, only: modeWhole, takes: 5 * time.Second,
			want: want{Finish: llm.FinishError, Class: llm.ClassTimeout},
		},
	}
}
