package sim

import (
	"encoding/json"
	"fmt"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

const (
	citySchema = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},` +
		`"required":["city"],"additionalProperties":false}`
	reportSchema = `{"type":"object","properties":{"answer":{"type":"string"},"score":{"type":"number"}},` +
		`"required":["answer"],"additionalProperties":false}`
)

// palette is every tool that an agent may have: one of each kind.
func palette() []spec.Tool {
	city := json.RawMessage(citySchema)
	anything := json.RawMessage(`{"type":"object"}`)
	return []spec.Tool{
		{Name: "weather", Kind: spec.ToolLocal, Parameters: city, Description: "Says how the weather is."},
		{Name: "maps__find", Kind: spec.ToolLocal, Parameters: city, Server: "maps", TimeoutMS: 1_500},
		{Name: "places__find", Kind: spec.ToolLocal, Parameters: anything, Server: "places", ReplaySafe: true},
		{Name: "read", Kind: spec.ToolLocal, Parameters: anything, ReplaySafe: true},
		{Name: "ask_user", Kind: spec.ToolRemote, Parameters: anything},
		{Name: "screen", Kind: spec.ToolRemote, Parameters: city, ReplaySafe: true},
		{Name: "pay", Kind: spec.ToolLocal, Parameters: city, Approval: true},
		{Name: "pay_there", Kind: spec.ToolRemote, Parameters: anything, Approval: true},
		{Name: "agent__helper", Kind: spec.ToolAgent, Parameters: anything, Agent: "helper"},
		{Name: "agent__risky", Kind: spec.ToolAgent, Parameters: anything, Agent: "risky", Approval: true},
	}
}

// drawAgents draws the session's configuration and perhaps others that take
// its place during the session.
func drawAgents(c chance) []spec.Agent {
	agents := []spec.Agent{drawAgent(c, 1)}
	for len(agents) < 3 && c.percent(30) {
		agents = append(agents, drawAgent(c, len(agents)+1))
	}
	return agents
}

func drawAgent(c chance, n int) spec.Agent {
	a := spec.Agent{
		ID: fmt.Sprintf("agent%d", n), System: oneOf(c, "", "You are a test.", "You are a test, and a long one. "+flood(900)),
		Format:     oneOf(c, spec.Formats()...),
		Transport:  oneOf(c, spec.TransportNative, spec.TransportXMLFinal, spec.TransportXML),
		Completion: spec.CompleteReport, OnAuthError: oneOf(c, spec.AuthFail, spec.AuthFail, spec.AuthSkip),
		Capture:    oneOf(c, spec.CaptureErrors, spec.CaptureAll, spec.CaptureNone),
		ToolChoice: oneOf(c, llm.ToolChoiceUnset, llm.ToolChoiceAuto, llm.ToolChoiceRequired),
		Limits: spec.Limits{
			MaxTurns: max(c.between(1, 6), c.between(1, 6)), MaxRetries: c.between(1, 5), MaxToolCallsPerTurn: c.between(1, 5),
			ToolTimeoutMS: oneOf(c, int64(2_000), 10_000, 300_000), LLMTimeoutMS: oneOf(c, int64(0), 10_000),
			ToolResponseMaxBytes: oneOf(c, int64(0), 64, 500, 4_000, -1),
		},
		NoProgress: c.percent(30), Batch: c.percent(40), ToolOutput: c.percent(50), NoStream: c.percent(30),
	}
	if c.percent(25) {
		a.Completion = spec.CompleteText
	}
	if a.Format == spec.FormatJSON && c.percent(70) {
		a.Schema = json.RawMessage(reportSchema)
	}
	if c.percent(25) {
		a.Limits.RemoteToolTimeoutMS = oneOf(c, int64(500), 2_000, 3_600_000)
	}
	if c.percent(15) {
		a.Limits.RunTimeoutMS = oneOf(c, int64(1_000), 5_000, 60_000)
	}
	for i := range c.between(1, 4) {
		a.Targets = append(a.Targets, drawTarget(c, i))
	}
	for _, t := range palette() {
		if c.percent(50) {
			a.Tools = append(a.Tools, t)
		}
	}
	if c.percent(12) {
		a.Profiles = append(a.Profiles, oneOf(c, "good", "good", "capped", "nobody"))
		if c.percent(50) {
			a.Targets = nil // the profile is all there is
		}
	}
	if c.percent(15) {
		drawBudget(c, &a)
	}
	if c.percent(20) {
		drawStages(c, &a)
	}
	return a
}

// drawStages lets other agents play a part in the run.
func drawStages(c chance, a *spec.Agent) {
	for _, name := range []string{"law", "cost", "taste"} {
		if c.percent(30) {
			a.Advisors = append(a.Advisors, name)
		}
	}
	if c.percent(60) {
		a.Router = []spec.Destination{{Agent: "sales", Description: "Sells."}, {Agent: "support"}}
	}
	if c.percent(40) {
		a.Handoff = "editor"
	}
}

// drawBudget limits what the agent may spend, which needs a price and an output
// bound for every target.
func drawBudget(c chance, a *spec.Agent) {
	l := &a.Limits
	limit := oneOf(c, &l.MaxCost, &l.MaxSessionCost, &l.MaxUserCost, &l.MaxTenantCost)
	if c.percent(20) {
		l.MaxTenantCost = llm.Dollar / 50
	}
	*limit = llm.Money(c.between(1, 40)) * llm.Dollar / 1_000
	for i := range a.Targets {
		t := &a.Targets[i]
		t.Price = &llm.Price{Input: llm.Dollar / 2, Output: 2 * llm.Dollar, CacheRead: llm.Dollar / 20}
		t.MaxOutput = max(t.MaxOutput, 20)
		output := t.MaxOutput
		t.Sampling.MaxTokens = &output
	}
}

func drawTarget(c chance, n int64) spec.Target {
	t := spec.Target{Provider: oneOf(c, "p", "q"), Model: fmt.Sprintf("m%d", n)}
	switch c.in(5) {
	case 0: // as small as can be
		t.Window, t.Buffer, t.MaxOutput = c.between(60, 900), 10, 20
	case 1:
		t.Window, t.Buffer, t.MaxOutput = c.between(1_000, 6_000), 100, c.between(50, 400)
	default:
		t.Window = oneOf(c, int64(0), 32_000, 200_000)
	}
	if c.percent(60) {
		t.Price = &llm.Price{
			Input: llm.Money(c.between(0, 5_000_000_000)), Output: llm.Money(c.between(0, 20_000_000_000)),
			CacheRead: llm.Money(c.between(0, 500_000_000)), CacheWrite: 1,
		}
	}
	if c.percent(30) {
		temperature := 0.5
		t.Sampling.Temperature = &temperature
	}
	return t
}
