package anthropic_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/anthropic"
)

// taken keeps what was sent, and answers with a message of one word.
type taken struct {
	header http.Header
	body   map[string]any
}

func (s *taken) RoundTrip(r *http.Request) (*http.Response, error) {
	data, _ := io.ReadAll(r.Body)
	s.header, s.body = r.Header, nil
	_ = json.Unmarshal(data, &s.body)
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(`{"id":"m1","content":[{"type":"text","text":"Hi."}],"stop_reason":"end_turn"}`)),
	}, nil
}

// exchange sends a request and returns what was sent and what came of it.
func exchange(t *testing.T, config anthropic.Config, change func(r *llm.Request)) (*taken, *llm.Receipt) {
	t.Helper()
	s := new(taken)
	config.Transport = s
	p, err := anthropic.New(llm.FixedKey("secret-key"), &config)
	if err != nil {
		t.Fatal(err)
	}
	m := llm.Text(llm.RoleUser, "Hello?")
	r := &llm.Request{Provider: "p", Model: "claude-x", System: "Be brief.", History: []*llm.Message{&m}, Tools: []llm.Tool{{Name: "f"}}}
	change(r)
	return s, llm.Call(t.Context(), p, r)
}

// The mapping of reasoning is data; this is the table seen from outside.
//
// contract: R8, P9
func TestEffortsBecomeBudgets(t *testing.T) {
	t.Parallel()
	enabled := func(n float64) map[string]any { return map[string]any{"type": "enabled", "budget_tokens": n} }
	for name, test := range map[string]struct {
		mode     anthropic.Effort
		sampling llm.Sampling
		thinking any
		output   any
		warnings []string
	}{
		"unset":            {"", llm.Sampling{MaxTokens: new(int64(10000))}, nil, nil, nil},
		"minimal":          {"", llm.Sampling{MaxTokens: new(int64(10000)), ReasoningEffort: "minimal"}, enabled(1024), nil, nil},
		"low":              {"", llm.Sampling{MaxTokens: new(int64(10000)), ReasoningEffort: "low"}, enabled(2000), nil, nil},
		"medium":           {"", llm.Sampling{MaxTokens: new(int64(10000)), ReasoningEffort: "medium"}, enabled(5000), nil, nil},
		"high":             {"", llm.Sampling{MaxTokens: new(int64(10000)), ReasoningEffort: "high"}, enabled(8000), nil, nil},
		"high, very long":  {"", llm.Sampling{MaxTokens: new(int64(1_000_000)), ReasoningEffort: "high"}, enabled(128_000), nil, nil},
		"no room":          {"", llm.Sampling{MaxTokens: new(int64(1000)), ReasoningEffort: "high"}, nil, nil, []string{"reasoning_effort"}},
		"none":             {"", llm.Sampling{MaxTokens: new(int64(10000)), ReasoningEffort: "none"}, map[string]any{"type": "disabled"}, nil, nil},
		"tokens":           {"", llm.Sampling{MaxTokens: new(int64(10000)), ReasoningTokens: new(int64(1777)), ReasoningEffort: "high"}, enabled(1777), nil, nil},
		"no tokens":        {"", llm.Sampling{MaxTokens: new(int64(10000)), ReasoningTokens: new(int64(0))}, map[string]any{"type": "disabled"}, nil, nil},
		"adaptive":         {anthropic.EffortAdaptive, llm.Sampling{MaxTokens: new(int64(10000)), ReasoningEffort: "max"}, map[string]any{"type": "adaptive"}, map[string]any{"effort": "max"}, nil},
		"illegal settings": {"", llm.Sampling{MaxTokens: new(int64(10000)), ReasoningEffort: "low", Temperature: new(1.0), TopK: new(int64(3))}, enabled(2000), nil, []string{"temperature", "top_k"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := exchange(t, anthropic.Config{Effort: test.mode}, func(r *llm.Request) { r.Sampling = test.sampling })
			if diff := cmp.Diff([]any{test.thinking, test.output}, []any{s.body["thinking"], s.body["output_config"]}); diff != "" {
				t.Error(diff)
			}
			if len(r.Warnings) != len(test.warnings) {
				t.Fatalf("warnings %q", r.Warnings)
			}
			for i, setting := range test.warnings {
				if _, sent := s.body[setting]; sent || !strings.HasPrefix(r.Warnings[i], setting+" was left out") {
					t.Errorf("%s: sent %v, warning %q", setting, sent, r.Warnings[i])
				}
			}
		})
	}
}

func TestAnUnknownEffortIsNotSent(t *testing.T) {
	t.Parallel()
	s, r := exchange(t, anthropic.Config{}, func(r *llm.Request) { r.Sampling.ReasoningEffort = "extreme" })
	if s.body != nil || r.Error == nil || !strings.Contains(r.Error.Message, "high, low, medium, minimal") {
		t.Errorf("%v was sent, %v", s.body, r.Error)
	}
}

// contract: R8
func TestTheLimitThatTheAPIDemandsIsOursAndSaidSo(t *testing.T) {
	t.Parallel()
	s, r := exchange(t, anthropic.Config{}, func(*llm.Request) {})
	if s.body["max_tokens"] != 8192.0 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "8192") {
		t.Errorf("max_tokens %v, warnings %q", s.body["max_tokens"], r.Warnings)
	}
}

func TestNoToolIsForcedWhileThinking(t *testing.T) {
	t.Parallel()
	s, r := exchange(t, anthropic.Config{}, func(r *llm.Request) {
		r.ToolChoice = llm.ToolChoiceRequired
		r.Sampling = llm.Sampling{MaxTokens: new(int64(10000)), ReasoningEffort: "low"}
	})
	if diff := cmp.Diff(map[string]any{"type": "auto"}, s.body["tool_choice"]); diff != "" || len(r.Warnings) != 1 {
		t.Error(diff, r.Warnings)
	}
}

// A turn that another model began cannot go on with thinking.
//
// contract: V2, V4
func TestCallsWithoutSignedThinkingSwitchItOff(t *testing.T) {
	t.Parallel()
	call := llm.NewToolCall("c1", "f", "{}")
	result := &llm.Message{Role: llm.RoleTool, Parts: []llm.Part{{Kind: llm.PartToolResult, Result: &llm.ToolResult{CallID: "c1", Content: "ok"}}}}
	for _, own := range []bool{false, true} {
		m := &llm.Message{Role: llm.RoleAssistant, Origin: &llm.Origin{Provider: "p", Model: "other"}, Parts: []llm.Part{
			{Kind: llm.PartReasoning, Reasoning: &llm.Reasoning{Text: "Hm.", Signature: "c2ln"}}, {Kind: llm.PartToolCall, Call: &call},
		}}
		if own {
			m.Origin.Model = "claude-x"
		}
		s, _ := exchange(t, anthropic.Config{}, func(r *llm.Request) {
			r.Sampling = llm.Sampling{MaxTokens: new(int64(10000)), ReasoningEffort: "low"}
			r.History = append(r.History, m, result)
		})
		if _, on := s.body["thinking"]; on != own {
			t.Errorf("own thinking %v: thinking is on %v", own, on)
		}
	}
}

// Marks are for the cache of the vendor; how long it keeps them is known to the
// vendor's own host only.
func TestCacheMarksCanBeLongerOrLeftOut(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config anthropic.Config
		marks  int
		ttl    int
	}{
		"usual":     {anthropic.Config{}, 3, 0},
		"long":      {anthropic.Config{CacheTTL: "1h"}, 3, 3},
		"elsewhere": {anthropic.Config{CacheTTL: "1h", BaseURL: "https://proxy.example/anthropic"}, 3, 0},
		"none":      {anthropic.Config{Cache: anthropic.CacheNone}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := exchange(t, test.config, func(*llm.Request) {})
			text := llm.MustMarshalJSON(s.body)
			if marks, ttl := bytes.Count(text, []byte("cache_control")), bytes.Count(text, []byte(`"ttl":"1h"`)); marks != test.marks || ttl != test.ttl {
				t.Errorf("%d marks, %d with a time: %s", marks, ttl, text)
			}
		})
	}
}

// However long the conversation, there are at most four marks, which is what
// the API allows.
func TestThereAreAtMostFourMarks(t *testing.T) {
	t.Parallel()
	s, _ := exchange(t, anthropic.Config{}, func(r *llm.Request) {
		for range 5 {
			said, more := llm.Text(llm.RoleAssistant, "Yes."), llm.Text(llm.RoleUser, "More.")
			r.History = append(r.History, &said, &more)
		}
	})
	text := llm.MustMarshalJSON(s.body)
	if marks := bytes.Count(text, []byte("cache_control")); marks != 4 {
		t.Errorf("%d marks: %s", marks, text)
	}
}

// Older models think between calls only when a header says so, and only the
// vendor's own host knows the header.
func TestThinkingBetweenCallsNeedsAHeaderOnOlderModels(t *testing.T) {
	t.Parallel()
	think := func(model string) func(r *llm.Request) {
		return func(r *llm.Request) {
			r.Model, r.Sampling = model, llm.Sampling{MaxTokens: new(int64(10000)), ReasoningEffort: "low"}
		}
	}
	for name, test := range map[string]struct {
		config anthropic.Config
		change func(r *llm.Request)
		want   string
	}{
		"older":      {anthropic.Config{}, think("claude-sonnet-4-20250514"), "interleaved-thinking-2025-05-14"},
		"newer":      {anthropic.Config{}, think("claude-opus-4-7"), ""},
		"elsewhere":  {anthropic.Config{BaseURL: "https://proxy.example"}, think("claude-sonnet-4-20250514"), ""},
		"own betas":  {anthropic.Config{Betas: []string{"x-1", "y-2"}}, think("claude-opus-4-7"), "x-1,y-2"},
		"no thought": {anthropic.Config{}, func(r *llm.Request) { r.Model = "claude-sonnet-4-20250514" }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := exchange(t, test.config, test.change)
			if got := s.header.Get("Anthropic-Beta"); got != test.want {
				t.Errorf("anthropic-beta %q, want %q", got, test.want)
			}
		})
	}
}

// Long answers with thinking are streamed whatever was asked for: the service
// closes connections on which nothing happens.
func TestLongThinkingIsStreamed(t *testing.T) {
	t.Parallel()
	s, _ := exchange(t, anthropic.Config{}, func(r *llm.Request) {
		r.Sampling = llm.Sampling{MaxTokens: new(int64(30000)), ReasoningEffort: "low"}
	})
	if s.body["stream"] != true {
		t.Error("not streamed")
	}
}

func TestImpossibleConfigurationsAreRefused(t *testing.T) {
	t.Parallel()
	for _, config := range []anthropic.Config{{BaseURL: "localhost"}, {Cache: "some"}, {Effort: "great"}, {CacheTTL: "2h"}} {
		if _, err := anthropic.New(nil, &config); err == nil {
			t.Errorf("%+v is accepted", config)
		}
	}
}

// Newer models refuse a budget and take the word; the default tells them apart
// by their names.
//
// contract: R8
func TestTheModelsNameDecidesHowAnEffortIsSent(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"claude-opus-4-6":                       "adaptive",
		"claude-sonnet-5":                       "adaptive",
		"claude-haiku-5-5":                      "adaptive",
		"claude-fable-5-1":                      "adaptive",
		"us.anthropic.claude-sonnet-5-5-v1:0":   "adaptive",
		"anthropic/claude-opus-4.8":             "adaptive",
		"claude-opus-4-5":                       "enabled",
		"claude-sonnet-4-5-20250929":            "enabled",
		"claude-opus-4-20250514":                "enabled",
		"claude-3-7-sonnet-20250219":            "enabled",
		"kimi-k3-thinking":                      "enabled",
		"anthropic.claude-sonnet-4-20250514-v1": "enabled",
	} {
		s, _ := exchange(t, anthropic.Config{}, func(r *llm.Request) {
			r.Model, r.ToolChoice = model, llm.ToolChoiceRequired
			r.Sampling = llm.Sampling{ReasoningEffort: "high", MaxTokens: new(int64(10_000))}
		})
		thinking, _ := s.body["thinking"].(map[string]any)
		choice, _ := s.body["tool_choice"].(map[string]any)
		if thinking["type"] != want || choice["type"] != "auto" {
			t.Errorf("%s: thinking %v, want %q; tool choice %v", model, thinking, want, choice)
		}
	}
}
