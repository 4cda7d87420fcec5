package aiagent_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/tool"
	"github.com/ai-agent-go/ai-agent/view"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type city struct {
	City string `json:"city" jsonschema:"the city to ask for"`
}

func weather() tool.Tool {
	return tool.Must(tool.New("weather", "Tells the weather of a city.",
		func(_ context.Context, c city) (string, error) { return "sunny in " + c.City, nil }))
}

func report(text string) script.Reply {
	return script.Calls(script.Call{Name: "agent__final_report", Arguments: map[string]any{
		"report_format": "markdown", "report_content": text,
	}})
}

func agent(tools ...tool.Tool) *aiagent.Agent {
	return &aiagent.Agent{
		System: "You tell the weather.", Tools: tools,
		Targets: []aiagent.Target{{Provider: "script", Model: "demo"}},
	}
}

func config(turns ...script.Step) aiagent.Config {
	return aiagent.Config{Providers: map[string]llm.Provider{"script": script.New(turns...)}}
}

// contract: B2, F1, V1, A1, A2
func TestAPromptGoesInAToolRunsAndTheReportComesOut(t *testing.T) {
	t.Parallel()
	result := aiagent.Run(t.Context(), config(
		script.Calls(script.Call{Name: "weather", Arguments: map[string]any{"city": "Athens"}}),
		report(`It is {{tool "weather"}}.`),
	), agent(weather()), "Athens tomorrow?")

	if !result.Success || result.Err() != nil {
		t.Fatalf("success %t, error %q, %v", result.Success, result.Error, result.Err())
	}
	if got, want := result.Text(), "It is sunny in Athens."; got != want {
		t.Errorf("answer %q, want %q", got, want)
	}
	var roles []string
	for _, m := range result.Conversation {
		roles = append(roles, string(m.Role))
	}
	if got, want := strings.Join(roles, " "), "user assistant tool assistant tool"; got != want {
		t.Errorf("conversation %q, want %q", got, want)
	}
	var kinds []string
	for _, a := range result.Accounting {
		kinds = append(kinds, a.Type+":"+a.Status+":"+a.Command)
	}
	if got, want := strings.Join(kinds, " "), "llm:ok: tool:ok:weather llm:ok: tool:ok:agent__final_report"; got != want {
		t.Errorf("accounting %q, want %q", got, want)
	}
	_ = view.Event{}
	_ = synctest.Wait
	_ = bytes.MinRead
	_ = journal.ErrCorrupt
	_ = kernel.Version
}
