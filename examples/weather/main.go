// Weather is an agent with one tool. Its model is a script, so it runs offline:
// no key, no network, the same answer every time.
package main

import (
	"context"
	"fmt"
	"os"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/tool"
)

// place is what the tool wants to know. Its schema is derived from the type.
type place struct {
	City string `json:"city" jsonschema:"the city to ask for"`
}

func weather(_ context.Context, p place) (string, error) {
	return "sunny in " + p.City, nil
}

func main() {
	// The model first calls the tool, then reports what the tool said.
	model := script.New(
		script.Calls(script.Call{Name: "weather", Arguments: map[string]any{"city": "Athens"}}),
		script.Calls(script.Call{Name: "agent__final_report", Arguments: map[string]any{
			"report_format": "markdown", "report_content": `Tomorrow it is {{tool "weather"}}.`,
		}}),
	)

	result := aiagent.Run(context.Background(), aiagent.Config{
		Providers: map[string]llm.Provider{"script": model},
	}, &aiagent.Agent{
		System:  "You tell people the weather.",
		Targets: []aiagent.Target{{Provider: "script", Model: "demo"}},
		Tools:   []tool.Tool{tool.Must(tool.New("weather", "Tells the weather of a city.", weather))},
	}, "What will the weather be in Athens tomorrow?")

	fmt.Println(result.Text())
	for _, entry := range result.Accounting {
		fmt.Printf("- %s %s%s: %s\n", entry.Type, entry.Model, entry.Command, entry.Status)
	}
	if !result.Success {
		os.Exit(1)
	}
}
