package llmtest

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/ai-agent-go/ai-agent/llm"
)

// testCase is one story: a request, and what must come of it.
type testCase struct {
	name string
	// request makes the request; the suite fills in provider, model and stream.
	request func(a *Adapter) *llm.Request
	// only is the one mode that the case makes sense in.
	only  string
	abort abort
	// takes is how much time passes until the receipt, to the nanosecond.
	takes time.Duration
	// golden says that the case is about the request.
	golden bool
	// anonymous says that the answer has no id.
	anonymous bool
	want      want
}

// want is what must come of a case, in words that all providers share.
type want struct {
	Envelope llm.Envelope
	// Opaque says that the provider's own data must have been kept.
	Opaque       bool
	Finish       llm.FinishReason
	Usage        *llm.Usage
	Class        llm.ErrorClass
	Status       int
	RetryAfterMS int64
}

// abort is when the caller loses interest.
type abort int

const (
	never abort = iota
	abortBefore
	abortFirst
	breakFirst
)

func (c *testCase) requests() int {
	if c.abort == abortBefore {
		return 0
	}
	return 1
}

func allCases() []*testCase {
	return slices.Concat(answers(), oddities(), failures(), times(), requests())
}

// hello is the simplest request.
func hello(*Adapter) *llm.Request {
	m := llm.Text(llm.RoleUser, "Hello?")
	return &llm.Request{CorrelationID: "s/1/1/1", System: "Be brief.", History: []*llm.Message{&m}}
}

// weather offers a tool.
func weather(a *Adapter) *llm.Request {
	r := hello(a)
	r.Tools = []llm.Tool{weatherTool()}
	r.ToolChoice = llm.ToolChoiceAuto
	return r
}

func weatherTool() llm.Tool {
	return llm.Tool{
		Name: "weather", Description: "Tells the weather.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`),
	}
}

// thinking asks a model to think.
func thinking(a *Adapter) *llm.Request {
	r := weather(a)
	r.Sampling = llm.Sampling{ReasoningEffort: "high", MaxTokens: new(int64(4000))}
	return r
}

// counted is what the wire says of every good answer: 11 tokens of prompt, 3 of
// them from the cache, and 7 of answer.
func counted() *llm.Usage { return &llm.Usage{Input: 8, CacheRead: 3, Output: 7} }

func call(id, city string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: "weather", Arguments: json.RawMessage(`{"city":"` + city + `"}`)}
}
