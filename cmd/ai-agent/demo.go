package main

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/spf13/cobra"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/tool"
)

//go:embed demo.yaml
var demoScript []byte

// forecast is what the demonstration's tool takes.
type forecast struct {
	City string `json:"city" jsonschema:"the city to look up"`
}

// demoAgent is the agent of the demonstration: a scripted model and one tool,
// which may need a person's approval.
func demoAgent(approval bool) *aiagent.Agent {
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
	weather.ReplaySafe, weather.Approval = true, approval
	return &aiagent.Agent{
		ID: demoID, System: "You are a weather service. Look things up before you answer.",
		Targets: []aiagent.Target{{Provider: "script", Model: "demo"}},
		Tools:   []tool.Tool{weather},
	}
}

// demoID is the demonstration's agent.
const demoID = "demo"

func demoModel() (llm.Provider, error) {
	s, err := script.Parse("demo.yaml", demoScript)
	if err != nil {
		return nil, failed("demo script: %w", err)
	}
	return script.Play(s, script.Options{}), nil
}

func (a *app) demoCommand() *cobra.Command {
	var approval bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run a whole session offline: a scripted model, a tool, a report",
		Long: `demo runs one session with a scripted model, so it needs no key and no network.
The answer goes to stdout; what happens on the way goes to stderr. The session
is journaled like any other: show, replay and verify it afterwards. With
--approval the tool waits until somebody allows its calls, and so does the
session: in the store, not in a process.`,
		Example: "  ai-agent demo\n  ai-agent demo --approval\n  ai-agent demo --store memory",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			model, err := demoModel()
			if err != nil {
				return err
			}
			return a.execute(cmd.Context(), &job{
				agent: demoAgent(approval), providers: map[string]llm.Provider{scriptProvider: model},
				prompt: "What is the weather tomorrow in Athens and Oslo?", following: following{verbose: true},
			})
		},
	}
	cmd.Flags().BoolVar(&approval, "approval", false, "let the tool wait for approval")
	return cmd
}
