package llmtest

import (
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
)

// answers are what models are there for.
//
// contract: P8, P9
func answers() []*testCase {
	return []*testCase{
		{
			name: "plain-text", request: hello,
			want: want{Envelope: llm.Envelope{AssistantText: "Hello, world!"}, Finish: llm.FinishStop, Usage: counted()},
		},
		{
			name: "one-call", request: weather,
			want: want{Envelope: llm.Envelope{ToolCalls: []llm.ToolCall{call("call_berlin", "Berlin")}}, Finish: llm.FinishToolCalls, Usage: counted()},
		},
		{
			name: "text-and-call", request: weather,
			want: want{
				Envelope: llm.Envelope{AssistantText: "Let me look.", ToolCalls: []llm.ToolCall{call("call_berlin", "Berlin")}},
				Finish:   llm.FinishToolCalls, Usage: counted(),
			},
		},
		{
			name: "parallel-calls", request: weather,
			want: want{
				Envelope: llm.Envelope{ToolCalls: []llm.ToolCall{call("call_berlin", "Berlin"), call("call_oslo", "Oslo"), call("call_rome", "Rome")}},
				Finish:   llm.FinishToolCalls, Usage: counted(),
			},
		},
		{
			name: "thinking-and-call", request: thinking,
			want: want{
				Envelope: llm.Envelope{
					Reasoning: []llm.Reasoning{{Text: "The user asks for the weather."}},
					ToolCalls: []llm.ToolCall{call("call_berlin", "Berlin")},
				},
				Finish: llm.FinishToolCalls, Usage: counted(), Opaque: true,
			},
		},
		{
			name: "redacted-thinking", request: thinking,
			want: want{
				Envelope: llm.Envelope{AssistantText: "Sunny."},
				Finish:   llm.FinishStop, Usage: counted(), Opaque: true,
			},
		},
		{
			name: "length", request: hello,
			want: want{Envelope: llm.Envelope{AssistantText: "Once upon a"}, Finish: llm.FinishLength, Usage: counted()},
		},
		{
			name: "empty", request: hello,
			want: want{Finish: llm.FinishStop, Usage: counted()},
		},
		{
			name: "refusal", request: hello,
			want: want{Finish: llm.FinishRefusal, Usage: counted(), Class: llm.ClassRefusal},
		},
		{
			name: "content-filter", request: hello,
			want: want{Finish: llm.FinishContentFilter, Usage: counted(), Class: llm.ClassRefusal},
		},
		{
			name: "cache-write", request: hello,
			want: want{
				Envelope: llm.Envelope{AssistantText: "Hello, world!"}, Finish: llm.FinishStop,
				Usage: &llm.Usage{Input: 2, CacheRead: 3, CacheWrite: 6, Output: 7, Reasoning: 4},
			},
		},
	}
}

// oddities are answers that are right in substance and strange in form.
//
// contract: P8
func oddities() []*testCase {
	twice := call("call_2", "Oslo")
	twice.ProviderCallID = "call_berlin"
	return []*testCase{
		{
			name: "missing-usage", request: hello,
			want: want{Envelope: llm.Envelope{AssistantText: "Hello, world!"}, Finish: llm.FinishStop},
		},
		{
			name: "duplicate-ids", request: weather,
			want: want{
				Envelope: llm.Envelope{ToolCalls: []llm.ToolCall{call("call_berlin", "Berlin"), twice}},
				Finish:   llm.FinishToolCalls, Usage: counted(),
			},
		},
		{
			name: "missing-ids", request: weather,
			want: want{
				Envelope: llm.Envelope{ToolCalls: []llm.ToolCall{call("call_1", "Berlin"), call("call_2", "Oslo")}},
				Finish:   llm.FinishToolCalls, Usage: counted(),
			},
		},
		{
			name: "no-arguments", request: weather,
			want: want{
				Envelope: llm.Envelope{ToolCalls: []llm.ToolCall{{ID: "call_berlin", Name: "weather", Arguments: []byte("{}")}}},
				Finish:   llm.FinishToolCalls, Usage: counted(),
			},
		},
		{
			name: "bad-arguments", request: weather, only: modeStream,
			want: want{
				Envelope: llm.Envelope{ToolCalls: []llm.ToolCall{{ID: "call_berlin", Name: "weather", Bad: true, Raw: `{"city": "Ber`}}},
				Finish:   llm.FinishToolCalls, Usage: counted(),
			},
		},
		{
			name: "interleaved", request: weather, only: modeStream,
			want: want{
				Envelope: llm.Envelope{ToolCalls: []llm.ToolCall{call("call_berlin", "Berlin"), call("call_oslo", "Oslo")}},
				Finish:   llm.FinishToolCalls, Usage: counted(),
			},
		},
		{
			// A lone half of a surrogate pair is replaced; everything else stays.
			name: "unicode", request: hello,
			want: want{Envelope: llm.Envelope{AssistantText: "😀 \uFFFD \u2028 é"}, Finish: llm.FinishStop, Usage: counted()},
		},
		{
			name: "huge-chunk", request: hello,
			want: want{Envelope: llm.Envelope{AssistantText: strings.Repeat("ab", 1_000_000)}, Finish: llm.FinishStop, Usage: counted()},
		},
		{
			name: "stays-open", request: hello, only: modeStream,
			want: want{Envelope: llm.Envelope{AssistantText: "Hello, world!"}, Finish: llm.FinishStop, Usage: counted()},
		},
		{
			name: "crlf-and-comments", request: hello, only: modeStream,
			want: want{Envelope: llm.Envelope{AssistantText: "Hello, world!"}, Finish: llm.FinishStop, Usage: counted()},
		},
		{
			name: "whole-though-streaming", request: hello, only: modeStream,
			want: want{Envelope: llm.Envelope{AssistantText: "Hello, world!"}, Finish: llm.FinishStop, Usage: counted()},
		},
	}
}
