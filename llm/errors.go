package llm

import "fmt"

// ErrorClass says what kind of failure happened. It is all that decides what
// happens next, so every adapter maps to it once and nobody reads messages.
type ErrorClass string

// The error classes.
const (
	ClassAuth            ErrorClass = "auth_error"
	ClassQuota           ErrorClass = "quota_exceeded"
	ClassRateLimit       ErrorClass = "rate_limit"
	ClassNetwork         ErrorClass = "network_error"
	ClassTimeout         ErrorClass = "timeout"
	ClassServer          ErrorClass = "server_error"
	ClassModel           ErrorClass = "model_error"
	ClassContextOverflow ErrorClass = "context_overflow"
	ClassRefusal         ErrorClass = "refusal"
	ClassInvalidResponse ErrorClass = "invalid_response"
	ClassAborted         ErrorClass = "aborted"
	// ClassUnknown is an attempt whose outcome nobody saw: the process ended
	// between the request and the receipt.
	ClassUnknown ErrorClass = "outcome_unknown"
)

// Error is a provider's failure.
type Error struct {
	Class ErrorClass `json:"class"`
	// Message is one line for people, free of secrets.
	Message string `json:"message"`
	// Status is the HTTP status, zero when there was none.
	Status int `json:"status,omitempty"`
	// Code is the provider's own error code.
	Code string `json:"code,omitempty"`
	// RetryAfterMS is the wait that the provider asked for, zero when it did
	// not; RetryAfterSource names the header or field that said so.
	RetryAfterMS     int64  `json:"retry_after_ms,omitempty"`
	RetryAfterSource string `json:"retry_after_source,omitempty"`
}

// Error writes class, status, code and message in one line.
func (e *Error) Error() string {
	s := string(e.Class)
	if e.Status != 0 {
		s = fmt.Sprintf("%s (status %d)", s, e.Status)
	}
	if e.Code != "" {
		s += " [" + e.Code + "]"
	}
	return s + ": " + e.Message
}

// ClassOfStatus maps an HTTP status to its class. Adapters refine it with the
// provider's structured code before they look at any text.
func ClassOfStatus(status int) ErrorClass {
	switch {
	case status == 401 || status == 403:
		return ClassAuth
	case status == 402:
		return ClassQuota
	case status == 408 || status == 504:
		return ClassTimeout
	case status == 429:
		return ClassRateLimit
	case status >= 500:
		return ClassServer
	default:
		return ClassModel
	}
}
