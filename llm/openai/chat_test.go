package openai_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/openai"
)

// stream makes a body of chunks with the given deltas.
func stream(deltas ...string) []byte {
	var b strings.Builder
	for _, d := range deltas {
		fmt.Fprintf(&b, "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", d)
	}
	b.WriteString("data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	return []byte(b.String())
}

// sent returns one message of the last request.
func sent(t *testing.T, c *canned, index int) map[string]any {
	t.Helper()
	var body struct{ Messages []map[string]any }
	if err := json.Unmarshal(c.sent, &body); err != nil {
		t.Fatal(err)
	}
	return body.Messages[index]
}

// Reasoning arrives under three names; the first that is not empty counts, and
// it goes back under its own.
//
// contract: V4
func TestReasoningGoesBackUnderTheNameThatItCameBy(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"reasoning_content", "reasoning", "reasoning_text"} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			c := &canned{kind: "text/event-stream", body: stream(
				`{"content":"","`+field+`":"I "}`, `{"`+field+`":"think."}`, `{"content":"Yes."}`,
			)}
			p := chat(t, openai.Config{Transport: c, BaseURL: "http://localhost:8000/v1"})
			request := hello()
			receipt := llm.Call(t.Context(), p, request)
			if diff := cmp.Diff([]llm.Reasoning{{Text: "I think.", ID: field}}, receipt.Output.Reasoning); diff != "" {
				t.Fatal(diff)
			}
			if receipt.Output.Layout != nil {
				t.Errorf("reasoning comes first: %v", receipt.Output.Layout)
			}
			said := receipt.Output.Message()
			request.History = append(request.History, &said)
			llm.Call(t.Context(), p, request)
			if diff := cmp.Diff(map[string]any{"role": "assistant", "content": "Yes.", field: "I think."}, sent(t, c, 1)); diff != "" {
				t.Error(diff)
			}
			request.Model = "another"
			llm.Call(t.Context(), p, request)
			if diff := cmp.Diff(map[string]any{"role": "assistant", "content": "I think.\n\nYes."}, sent(t, c, 1)); diff != "" {
				t.Error(diff)
			}
			silent := chat(t, openai.Config{Transport: c, BaseURL: "http://localhost:8000/v1", ReasoningField: "-"})
			request.Model = "m"
			llm.Call(t.Context(), silent, request)
			if diff := cmp.Diff(map[string]any{"role": "assistant", "content": "Yes."}, sent(t, c, 1)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A router's account of the reasoning comes in pieces and goes back whole.
//
// contract: V4
func TestReasoningDetailsGoBackByteForByte(t *testing.T) {
	t.Parallel()
	c := &canned{kind: "text/event-stream", body: stream(
		`{"reasoning":"I ","reasoning_details":[{"type":"reasoning.text","text":"I ","format":"x-v1","index":0}]}`,
		`{"reasoning":"think.","reasoning_details":[{"type":"reasoning.text","text":"think.","format":"x-v1","index":0}]}`,
		`{"reasoning_details":[{"type":"reasoning.text","signature":"c2ln+/=","format":"x-v1","index":0}]}`,
		`{"reasoning_details":[{"type":"reasoning.encrypted","data":"ZW5j","id":"e1","format":"x-v1","index":1}]}`,
		`{"content":"Yes."}`,
	)}
	p := chat(t, openai.Config{Transport: c, BaseURL: "https://openrouter.ai/api/v1"})
	request := hello()
	receipt := llm.Call(t.Context(), p, request)
	said := receipt.Output.Message()
	request.History = append(request.History, &said)
	llm.Call(t.Context(), p, request)
	want := map[string]any{
		"role": "assistant", "content": "Yes.", "reasoning": "I think.",
		"reasoning_details": []any{
			map[string]any{"type": "reasoning.text", "text": "I think.", "signature": "c2ln+/=", "format": "x-v1", "index": 0.0},
			map[string]any{"type": "reasoning.encrypted", "data": "ZW5j", "id": "e1", "format": "x-v1", "index": 1.0},
		},
	}
	if diff := cmp.Diff(want, sent(t, c, 1)); diff != "" {
		t.Error(diff)
	}
}

// Services that do not count their calls give all of them one number, or none.
func TestCallsWithoutNumbersOfTheirOwnAreToldApartByTheirIDs(t *testing.T) {
	t.Parallel()
	for name, number := range map[string]string{"all zero": `"index":0,`, "none": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &canned{kind: "text/event-stream", body: stream(
				`{"tool_calls":[{`+number+`"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}`,
				`{"tool_calls":[{`+number+`"function":{"arguments":"1}"}}]}`,
				`{"tool_calls":[{`+number+`"id":"b","function":{"name":"f","arguments":{"x":2}}}]}`,
				`{"tool_calls":[{`+number+`"id":"c","function":{"name":"f","arguments":""}}]}`,
				`{"tool_calls":[{`+number+`"function":{"arguments":"{\"x\":3}"}}]}`,
			)}
			receipt := llm.Call(t.Context(), chat(t, openai.Config{Transport: c}), hello())
			var got []string
			for _, call := range receipt.Output.ToolCalls {
				got = append(got, call.ID+string(call.Arguments))
			}
			if diff := cmp.Diff([]string{`a{"x":1}`, `b{"x":2}`, `c{"x":3}`}, got); diff != "" {
				t.Error(diff)
			}
			if receipt.Finish.Reason != llm.FinishToolCalls || receipt.Finish.Raw != "stop" {
				t.Errorf("finish %+v", receipt.Finish)
			}
		})
	}
}

// contract: A1
func TestARouterSaysWhoAnsweredAndWhatItCost(t *testing.T) {
	t.Parallel()
	c := &canned{kind: "application/json", body: []byte(`{"id":"gen-1","provider":"Acme","model":"acme/large","choices":[{"message":{"content":"Hi."},` +
		`"finish_reason":"stop","native_finish_reason":"end_turn"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"cost":0.00123,"cost_details":{"upstream_inference_cost":0.001}}}`)}
	p := chat(t, openai.Config{Transport: c, BaseURL: "https://openrouter.ai/api/v1"})
	r := llm.Call(t.Context(), p, hello())
	if r.ActualProvider != "Acme" || r.ActualModel != "acme/large" || r.Finish != (llm.Finish{Reason: llm.FinishStop, Raw: "end_turn"}) {
		t.Errorf("%q, %q, %+v", r.ActualProvider, r.ActualModel, r.Finish)
	}
	if r.Cost == nil || *r.Cost != 1_230_000 || r.UpstreamCost == nil || *r.UpstreamCost != 1_000_000 {
		t.Errorf("cost %v, upstream %v", r.Cost, r.UpstreamCost)
	}
	if !strings.Contains(string(c.sent), `"usage":{"include":true}`) {
		t.Errorf("the router is not asked to count: %s", c.sent)
	}
}

// The mapping of the settings is data; this is the table seen from outside.
//
// contract: R8, P9
func TestSettingsAreSentUnderTheNamesOfTheService(t *testing.T) {
	t.Parallel()
	full := llm.Sampling{
		Temperature: new(0.0), TopP: new(0.5), TopK: new(int64(7)), RepeatPenalty: new(1.5), MaxTokens: new(int64(9)),
		Stop: []string{"x"}, ReasoningEffort: "low",
	}
	for flavor, test := range map[openai.Flavor]struct {
		want     map[string]any
		warnings int
	}{
		openai.FlavorOpenAI: {map[string]any{
			"temperature": 0.0, "top_p": 0.5, "frequency_penalty": 1.5, "max_completion_tokens": 9.0, "stop": []any{"x"}, "reasoning_effort": "low",
		}, 1},
		openai.FlavorCompatible: {map[string]any{
			"temperature": 0.0, "top_p": 0.5, "top_k": 7.0, "repeat_penalty": 1.5, "max_tokens": 9.0, "stop": []any{"x"}, "reasoning_effort": "low",
		}, 0},
		openai.FlavorOpenRouter: {map[string]any{
			"temperature": 0.0, "top_p": 0.5, "top_k": 7.0, "repetition_penalty": 1.5, "max_tokens": 9.0, "stop": []any{"x"},
			"reasoning": map[string]any{"effort": "low"}, "usage": map[string]any{"include": true},
		}, 0},
		openai.FlavorMistral: {map[string]any{
			"temperature": 0.0, "top_p": 0.5, "frequency_penalty": 1.5, "max_tokens": 9.0, "stop": []any{"x"},
		}, 2},
	} {
		t.Run(string(flavor), func(t *testing.T) {
			t.Parallel()
			c := &canned{kind: "text/event-stream", body: stream(`{"content":"Hi."}`)}
			p := chat(t, openai.Config{Transport: c, BaseURL: "http://localhost/v1", Flavor: flavor})
			request := hello()
			request.Stream = false
			got := func() map[string]any {
				var body map[string]any
				if err := json.Unmarshal(c.sent, &body); err != nil {
					t.Fatal(err)
				}
				delete(body, "model")
				delete(body, "messages")
				return body
			}
			request.Sampling = full
			r := llm.Call(t.Context(), p, request)
			if diff := cmp.Diff(test.want, got()); diff != "" {
				t.Error(diff)
			}
			if len(r.Warnings) != test.warnings {
				t.Errorf("warnings %q", r.Warnings)
			}
			request.Sampling = llm.Sampling{}
			llm.Call(t.Context(), p, request)
			for _, name := range []string{"temperature", "top_p", "top_k", "max_tokens", "max_completion_tokens", "stop", "reasoning", "reasoning_effort"} {
				if _, ok := got()[name]; ok {
					t.Errorf("%s is sent though it is unset", name)
				}
			}
			request.Sampling = llm.Sampling{ReasoningTokens: new(int64(2000)), ReasoningEffort: "low"}
			llm.Call(t.Context(), p, request)
			if budget, _ := got()["reasoning"].(map[string]any); flavor == openai.FlavorOpenRouter && budget["max_tokens"] != 2000.0 {
				t.Errorf("the budget beats the effort: %v", got())
			}
		})
	}
}

// contract: V4
func TestOneServiceWantsIDsOfNineCharacters(t *testing.T) {
	t.Parallel()
	c := &canned{kind: "text/event-stream", body: stream(`{"content":"Hi."}`)}
	p := chat(t, openai.Config{Transport: c, BaseURL: "https://api.mistral.ai/v1"})
	request := hello()
	seen := make(map[string]bool)
	for _, id := range []string{"abcdefghi", "call_1", "call_1", strings.Repeat("x", 200), ""} {
		call := llm.NewToolCall(id, "f", "{}")
		request.History = append(
			request.History,
			&llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{{Kind: llm.PartToolCall, Call: &call}}},
			&llm.Message{Role: llm.RoleTool, Parts: []llm.Part{{Kind: llm.PartToolResult, Result: &llm.ToolResult{CallID: id, Content: "ok"}}}},
		)
	}
	llm.Call(t.Context(), p, request)
	for i := 1; i < len(request.History); i += 2 {
		calls, _ := sent(t, c, i)["tool_calls"].([]any)
		call, _ := calls[0].(map[string]any)
		id, _ := call["id"].(string)
		if len(id) != 9 || strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || seen[id] {
			t.Errorf("id %q", id)
		}
		seen[id] = true
		if got := sent(t, c, i+1)["tool_call_id"]; got != id {
			t.Errorf("the result of %q is sent as that of %q", id, got)
		}
	}
	if !seen["abcdefghi"] {
		t.Error("an id that fits is not kept")
	}
}

func TestImpossibleConfigurationsAreRefused(t *testing.T) {
	t.Parallel()
	for _, config := range []openai.Config{
		{BaseURL: "localhost:8000"}, {BaseURL: "ftp://host"}, {BaseURL: "http://host?x=1"}, {BaseURL: "http://us:pw@ho st/"}, {Flavor: "vanilla"},
	} {
		if _, err := openai.NewChat(nil, &config); err == nil || strings.Contains(err.Error(), "pw") {
			t.Errorf("%+v gives %v", config, err)
		}
	}
}

// Options may not replace what the adapter stands for; no request leaves.
//
// contract: P9
func TestOptionsCannotReplaceTheConversation(t *testing.T) {
	t.Parallel()
	for _, options := range []string{`{"openai":{"messages":[]}}`, `{"openai":{"model":"x"}}`, `{"openai":[]}`, `{`} {
		c := &canned{kind: "text/event-stream", body: stream(`{"content":"Hi."}`)}
		request := hello()
		request.Options = json.RawMessage(options)
		r := llm.Call(t.Context(), chat(t, openai.Config{Transport: c}), request)
		if r.Error == nil || r.Error.Code != "unsendable" || c.sent != nil {
			t.Errorf("%s gives %v, and %q was sent", options, r.Error, c.sent)
		}
	}
}

// A server of one's own needs no key.
func TestWithoutAKeyNoneIsSent(t *testing.T) {
	t.Parallel()
	var header http.Header
	p, err := openai.NewChat(nil, &openai.Config{BaseURL: "http://localhost/v1", Headers: map[string]string{"X-Own": "1"}, Transport: roundTrip(func(r *http.Request) {
		header = r.Header
	})})
	if err != nil {
		t.Fatal(err)
	}
	llm.Call(t.Context(), p, hello())
	if header.Get("Authorization") != "" || header.Get("X-Own") != "1" {
		t.Errorf("headers %v", header)
	}
}

type roundTrip func(r *http.Request)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	f(r)
	return nil, http.ErrServerClosed
}

// A stream that breaks inside its last event is not complete because that event
// began with the reason to finish; one that breaks after it is.
//
// contract: R4
func TestTheBeginningOfAnEventDoesNotCompleteAnAnswer(t *testing.T) {
	t.Parallel()
	piece := "data: {\"id\":\"c1\",\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n"
	for tail, want := range map[string]llm.ErrorClass{
		`data: {"choices":[{"finish_reason":"stop","delta":{"content":"lo`:                               llm.ClassNetwork,
		`data: {"choices":[{"finish_reason":"stop","delta":{"content":"lo"}}]`:                           llm.ClassNetwork,
		"data: {\"choices\":[{\"finish_reason\":\"stop\",\"delta\":{\"content\":\"lo\"}}]}\n\ndata: [DO": "",
		`data: {"choices":[{"finish_reason":"stop","delta":{"content":"lo"}}]}`:                          "",
	} {
		r := llm.Call(t.Context(), chat(t, openai.Config{Transport: &canned{kind: "text/event-stream", body: []byte(piece + tail)}}), hello())
		switch {
		case want == "" && (r.Error != nil || r.Output.AssistantText != "Hello"):
			t.Errorf("%s gives %q, %v", tail, r.Output.AssistantText, r.Error)
		case want != "" && (r.Error == nil || r.Error.Class != want):
			t.Errorf("%s gives %v, want %s", tail, r.Error, want)
		}
	}
}
