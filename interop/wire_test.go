package interop_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/anthropic"
	"github.com/ai-agent-go/ai-agent/llm/google"
	"github.com/ai-agent-go/ai-agent/llm/ollama"
	"github.com/ai-agent-go/ai-agent/llm/openai"
	"github.com/ai-agent-go/ai-agent/spec"
)

const secret = "sk-canary-interop-5d1c7e"

// format is a way to speak to the judge.
type format struct {
	name, path string
	model      string
	// ids says that calls keep their ids on this wire, thinks that reasoning
	// comes over it and signs that its signature does; counts that the judge
	// tells the usage of its fixtures.
	ids, thinks, signs, counts bool
	provider                   func(headers map[string]string) (llm.Provider, error)
}

func formats() []format {
	key := llm.FixedKey(secret)
	return []format{
		{
			name: "chat", path: "/v1/chat/completions", model: "gpt-5", ids: true, thinks: true, counts: true,
			provider: func(h map[string]string) (llm.Provider, error) {
				return openai.NewChat(key, &openai.Config{BaseURL: judge + "/v1", Headers: h})
			},
		},
		{
			name: "responses", path: "/v1/responses", model: "gpt-5", ids: true, thinks: true, counts: true,
			provider: func(h map[string]string) (llm.Provider, error) {
				return openai.NewResponses(key, &openai.Config{BaseURL: judge + "/v1", Headers: h})
			},
		},
		{
			name: "anthropic", path: "/v1/messages", model: "claude-sonnet-4-5", ids: true, thinks: true, signs: true, counts: true,
			provider: func(h map[string]string) (llm.Provider, error) {
				return anthropic.New(key, &anthropic.Config{BaseURL: judge, Headers: h})
			},
		},
		{
			name: "gemini", path: "/v1beta/models/gemini-2.5-pro:", model: "gemini-2.5-pro", thinks: true, counts: true,
			provider: func(h map[string]string) (llm.Provider, error) {
				return google.New(key, &google.Config{BaseURL: judge + "/v1beta", Headers: h})
			},
		},
		{
			name: "ollama", path: "/api/chat", model: "llama3.3",
			provider: func(h map[string]string) (llm.Provider, error) {
				return ollama.New(&ollama.Config{BaseURL: judge, Headers: h})
			},
		},
	}
}

// each runs a test over every format, streaming and not. The id keeps what one
// test asks apart from the others' questions.
func each(t *testing.T, run func(t *testing.T, f *format, stream bool, p llm.Provider, id string)) {
	t.Helper()
	needJudge(t)
	for _, f := range formats() {
		for _, stream := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/stream=%t", f.name, stream), func(t *testing.T) {
				t.Parallel()
				id := t.Name()
				p, err := f.provider(map[string]string{"X-Test-Id": id})
				if err != nil {
					t.Fatal(err)
				}
				if c, ok := p.(interface{ Close() }); ok {
					defer c.Close()
				}
				run(t, &f, stream, p, id)
			})
		}
	}
}

// ask makes a request of a transcript, through the projection that sessions use.
func ask(f *format, stream bool, items ...dialect.Item) *llm.Request {
	projector := dialect.NewProjector(spec.TransportNative)
	projector.Append(items...)
	return &llm.Request{
		Provider: "judge", Model: f.model, System: "Be brief.", History: projector.History(), Stream: stream, TimeoutMS: 20_000,
	}
}

func said(text string) dialect.Item {
	m := llm.Text(llm.RoleUser, text)
	return dialect.Item{Kind: dialect.ItemUser, User: &m}
}

// read checks that deltas and output agree, and returns the receipt.
func read(t *testing.T, p llm.Provider, request *llm.Request) *llm.Receipt {
	t.Helper()
	var shown llm.Collector
	for delta, receipt := range p.Generate(t.Context(), request) {
		if receipt == nil {
			shown.Add(delta)
			continue
		}
		if e := shown.Envelope(nil); e.AssistantText != receipt.Output.AssistantText || len(e.ToolCalls) != len(receipt.Output.ToolCalls) {
			t.Errorf("shown %+v, kept %+v", e, receipt.Output)
		}
		if strings.Contains(string(receipt.Raw), secret) || receipt.Error != nil && strings.Contains(receipt.Error.Error(), secret) {
			t.Error("the key came back")
		}
		return receipt
	}
	t.Fatal("no receipt")
	return nil
}

// contract: P9, P8
func TestTextFromSomebodyElsesServer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *format, stream bool, p llm.Provider, id string) {
		r := read(t, p, ask(f, stream, said("Say hello.")))
		want := `Hello from the other side of the wire: "grüße" 😀.`
		if r.Error != nil || r.Output.AssistantText != want || r.Finish.Reason != llm.FinishStop {
			t.Errorf("%q, %+v, %v", r.Output.AssistantText, r.Finish, r.Error)
		}
		if f.counts && (r.Usage == nil || r.Usage.Input != 11 || r.Usage.Output != 7) {
			t.Errorf("usage %+v", r.Usage)
		}
		entries := journal(t, id)
		if len(entries) != 1 { // contract: R9
			t.Fatalf("%d requests arrived, want 1", len(entries))
		}
		e := &entries[0]
		if !strings.HasPrefix(e.Path, f.path) || e.Body.Stream != stream && f.name != "gemini" {
			t.Errorf("path %s, stream %t", e.Path, e.Body.Stream)
		}
		roles(t, e, "system: Be brief.", "user: Say hello.")
	})
}

// A turn with thinking and two calls, their results, and the answer.
//
// contract: P8, P9, V2, V4
func TestToolsAndReasoningWithSomebodyElsesServer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *format, stream bool, p llm.Provider, id string) {
		tools := []llm.Tool{{Name: "weather", Description: "Tells the weather.", Parameters: json.RawMessage(
			`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)}}
		question := said("How is the weather in Berlin and Oslo?")
		first := ask(f, stream, question)
		first.Tools, first.ToolChoice = tools, llm.ToolChoiceAuto
		first.Sampling = llm.Sampling{ReasoningEffort: "low", MaxTokens: new(int64(8000))}
		r := read(t, p, first)
		if r.Error != nil || r.Finish.Reason != llm.FinishToolCalls || len(r.Output.ToolCalls) != 2 {
			t.Fatalf("%+v, %+v, %v", r.Output, r.Finish, r.Error)
		}
		thought(t, f, r, "Two cities: two calls.")
		calls := r.Output.ToolCalls
		var got []string
		for _, c := range calls {
			got = append(got, c.Name+string(c.Arguments))
		}
		if diff := cmp.Diff([]string{`weather{"city":"Berlin","days":[1,2.5]}`, `weather{"city":"Oslo"}`}, got); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if f.ids && (calls[0].ID != "call_berlin" || calls[1].ID != "call_oslo") {
			t.Errorf("ids %q, %q", calls[0].ID, calls[1].ID)
		}
		second := ask(
			f, stream, question, dialect.Item{Kind: dialect.ItemAssistant, Assistant: &r.Output},
			dialect.Item{Kind: dialect.ItemResult, Result: &llm.ToolResult{CallID: calls[0].ID, Name: "weather", Content: "sunny"}},
			dialect.Item{Kind: dialect.ItemResult, Result: &llm.ToolResult{CallID: calls[1].ID, Name: "weather", Content: "rain"}},
		)
		second.Tools, second.ToolChoice, second.Sampling = tools, llm.ToolChoiceAuto, first.Sampling
		r = read(t, p, second)
		if r.Error != nil || r.Output.AssistantText != "Sunny in Berlin, rain in Oslo." || r.Finish.Reason != llm.FinishStop {
			t.Fatalf("%+v, %+v, %v", r.Output, r.Finish, r.Error)
		}
		thought(t, f, r, "Both answered.")
		entries := journal(t, id)
		if len(entries) != 2 { // contract: R9
			t.Fatalf("%d requests arrived, want 2", len(entries))
		}
		understood(t, f, &entries[1])
	})
}

// thought checks the reasoning of an answer.
func thought(t *testing.T, f *format, r *llm.Receipt, text string) {
	t.Helper()
	if !f.thinks {
		return
	}
	if len(r.Output.Reasoning) == 0 || r.Output.Reasoning[0].Text != text {
		t.Errorf("reasoning %+v, want %q", r.Output.Reasoning, text)
	} else if f.signs && r.Output.Reasoning[0].Signature == "" {
		t.Error("the signature is gone")
	}
}

// understood checks that the judge found in our request what we meant.
func understood(t *testing.T, f *format, e *entry) {
	t.Helper()
	if len(e.Body.Tools) != 1 || e.Body.Tools[0].Function.Name != "weather" {
		t.Errorf("tools %+v", e.Body.Tools)
	}
	var calls, results []string
	var ids []string
	for i := range e.Body.Messages {
		m := &e.Body.Messages[i]
		for _, c := range m.ToolCalls {
			calls = append(calls, c.Function.Name+strings.ReplaceAll(c.Function.Arguments, " ", ""))
			ids = append(ids, c.ID)
		}
		if m.Role == "tool" {
			results = append(results, m.text(t))
			if n := len(results); f.ids && m.ToolCallID != ids[n-1] {
				t.Errorf("result %d answers %q, want %q", n, m.ToolCallID, ids[n-1])
			}
		}
	}
	if diff := cmp.Diff([]string{`weather{"city":"Berlin","days":[1,2.5]}`, `weather{"city":"Oslo"}`}, calls); diff != "" {
		t.Errorf("calls as the judge read them (-want +got):\n%s", diff)
	}
	for i, want := range []string{"sunny", "rain"} {
		if i >= len(results) || !strings.Contains(results[i], want) {
			t.Errorf("results as the judge read them: %q", results)
			break
		}
	}
}

// roles checks the messages of a request as the judge read them.
func roles(t *testing.T, e *entry, want ...string) {
	t.Helper()
	var got []string
	for i := range e.Body.Messages {
		m := &e.Body.Messages[i]
		got = append(got, m.Role+": "+m.text(t))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages as the judge read them (-want +got):\n%s", diff)
	}
}

// contract: R2, R3, R4
func TestFailuresOfSomebodyElsesServer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *format, stream bool, p llm.Provider, id string) {
		for _, c := range []struct {
			say    string
			class  llm.ErrorClass
			status int
			wait   int64
		}{
			{"Be busy.", llm.ClassRateLimit, 429, 7000},
			{"Know nobody.", llm.ClassAuth, 401, 0},
			{"Break down.", llm.ClassServer, 500, 0},
			{"Overflow.", llm.ClassContextOverflow, 400, 0},
		} {
			r := read(t, p, ask(f, stream, said(c.say)))
			if r.Error == nil || r.Error.Class != c.class || r.Error.Status != c.status || r.Error.RetryAfterMS != c.wait {
				t.Errorf("%s %+v, want %s", c.say, r.Error, c.class)
			}
		}
		if n := len(journal(t, id)); n != 4 { // contract: R9
			t.Errorf("%d requests arrived, want 4", n)
		}
	})
}
