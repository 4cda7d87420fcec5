package main

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/spf13/cobra"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/tool"
)

//go:embed demo.yaml
var demoScript []byte

// forecast is what the demonstration's tool takes.
type forecast struct {
	City string `json:"city" jsonschema:"the city to look up"`
}

// demoAgent is the agent of the demonstration: a scripted model and one tool.
func demoAgent() *aiagent.Agent {
	weather := tool.Must(tool.New("weather", "Looks up tomorrow's weather in a city.",
		func(_ context.Context, in forecast) (string, error) {
			switch in.City {
			case "Athens":
				return "Athens: sunny, 24 °C", nil
			case "Oslo":
				return "Oslo: snow, -3 °C", nil
			default:
				return "", fmt.Errorf("no forecast for %s", in.City)
			}
		}))
	weather.ReplaySafe = true
	return &aiagent.Agent{
		ID: "demo", System: "You are a weather service. Look things up before you answer.",
		Targets: []aiagent.Target{{Provider: "script", Model: "demo"}},
		Tools:   []tool.Tool{weather},
	}
}

func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Run a whole session offline: a scripted model, a tool, a report",
		Long: `demo runs one session with a scripted model, so it needs no key and no network.
The answer goes to stdout; what happens on the way goes to stderr. The session
is journaled like any other: show, replay and verify it afterwards.`,
		Example: "  ai-agent demo\n  ai-agent demo --store memory",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := script.Parse("demo.yaml", demoScript)
			if err != nil {
				return fmt.Errorf("demo script: %w", err)
			}
			return a.execute(cmd.Context(), &job{
				agent: demoAgent(), provider: script.Play(s, script.Options{}),
				prompt: "What is the weather tomorrow in Athens and Oslo?", verbose: true,
			})
		},
	}
}
