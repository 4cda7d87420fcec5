package interop_test

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/catalog"
	"github.com/ai-agent-go/ai-agent/provider"
	"github.com/ai-agent-go/ai-agent/spec"
)

var live = flag.Bool("live", false, "ask real services, those whose keys are in the environment; it costs a few cents")

// The services themselves, with the keys of whoever runs it. What has no key is
// named and passed over. LIVE_MODEL_ANTHROPIC and the like choose other models.
func TestLive(t *testing.T) {
	t.Parallel()
	if !*live {
		t.Skip("asks real services: run make live")
	}
	found := make(map[provider.Type]*provider.Found)
	for _, f := range provider.FromEnvironment(t.Context(), nil) {
		found[f.Config.Type] = &f
	}
	for _, kind := range provider.Types() {
		if kind == provider.Compatible {
			continue // it is at no address that we could know
		}
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			f := found[kind]
			if f == nil {
				t.Skip(missing(kind))
			}
			if model := os.Getenv("LIVE_MODEL_" + strings.ToUpper(string(kind))); model != "" {
				f.Model = model
			}
			p, err := provider.New(&f.Config, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			t.Logf("%s, because %s", f.Model, f.Why)
			for _, stream := range []bool{true, false} {
				(&visit{t: t, provider: p, name: f.Config.Name, model: f.Model, stream: stream}).suite()
			}
		})
	}
}

// missing says what would have to be there.
func missing(kind provider.Type) string {
	if kind == provider.Ollama {
		return "skipped: no server with a model answers at its usual address or at OLLAMA_HOST"
	}
	return "skipped: " + strings.Join(provider.KeyVariables(kind), " or ") + " is not set"
}

// The live suite itself, played with the judge in the services' place, so that
// it does not rot for want of keys.
func TestTheLiveSuiteRunsAgainstTheJudge(t *testing.T) {
	t.Parallel()
	needJudge(t)
	getenv := func(name string) string {
		return map[string]string{
			"ANTHROPIC_API_KEY": secret, "OPENAI_API_KEY": secret, "ANTHROPIC_BASE_URL": judge, "OPENAI_BASE_URL": judge + "/v1",
			"OLLAMA_HOST": judge,
		}[name]
	}
	world := &provider.World{Getenv: getenv}
	for _, f := range provider.FromEnvironment(t.Context(), world) {
		p, err := provider.New(&f.Config, world)
		if err != nil {
			t.Fatal(err)
		}
		(&visit{t: t, provider: p, name: f.Config.Name, model: f.Model, stream: true, mock: true}).suite()
		p.Close()
	}
}

// visit is a series of questions to one model.
type visit struct {
	t           *testing.T
	provider    llm.Provider
	name, model string
	stream      bool
	// mock says that nobody counts tokens at the other end.
	mock bool
}

// suite asks for a word, and for a tool with what follows.
func (v *visit) suite() {
	v.t.Helper()
	hello := v.ask(nil, said("Say hello."))
	if strings.TrimSpace(hello.Output.AssistantText) == "" || hello.Finish.Reason != llm.FinishStop {
		v.t.Errorf("%q, %+v", hello.Output.AssistantText, hello.Finish)
	}
	tools := []llm.Tool{{Name: "weather", Description: "Tells the weather of a city.", Parameters: json.RawMessage(
		`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)}}
	items := []dialect.Item{said("How is the weather in Berlin and Oslo? Ask the tool for both, then answer in one line.")}
	for range 4 {
		r := v.ask(tools, items...)
		items = append(items, dialect.Item{Kind: dialect.ItemAssistant, Assistant: &r.Output})
		for i := range r.Output.ToolCalls {
			call := &r.Output.ToolCalls[i]
			if call.Name != "weather" || call.Bad || !strings.Contains(string(call.Arguments), "city") {
				v.t.Errorf("call %+v", call)
			}
			items = append(items, dialect.Item{Kind: dialect.ItemResult, Result: &llm.ToolResult{CallID: call.ID, Name: call.Name, Content: "rain, 7 °C"}})
		}
		if len(r.Output.ToolCalls) == 0 {
			if !strings.Contains(strings.ToLower(r.Output.AssistantText), "rain") || len(items) < 4 {
				v.t.Errorf("the answer does not come from the tool: %q", r.Output.AssistantText)
			}
			return
		}
	}
	v.t.Error("four turns and no answer")
}

// ask sends a transcript and looks at what every answer must have.
func (v *visit) ask(tools []llm.Tool, items ...dialect.Item) *llm.Receipt {
	v.t.Helper()
	projector := dialect.NewProjector(spec.TransportNative)
	projector.Append(items...)
	request := &llm.Request{
		Provider: v.name, Model: v.model, System: "Be brief.", History: projector.History(), Stream: v.stream, TimeoutMS: 120_000, Tools: tools,
		Sampling: llm.Sampling{MaxTokens: new(int64(4000))},
	}
	if m, known := catalog.Default().Lookup(v.name, v.model); known && m.Able.Reasoning && tools != nil {
		request.Sampling.ReasoningEffort = "low"
	}
	r := read(v.t, v.provider, request)
	if r.Error != nil {
		v.t.Fatalf("%s/%s, stream %t: %v", v.name, v.model, v.stream, r.Error)
	}
	if !v.mock && (r.Usage == nil || r.Usage.Output == 0) {
		v.t.Errorf("usage %+v", r.Usage)
	}
	return r
}
