package contract_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/tool"
)

// kind is a kind of session of which a golden journal is kept.
type kind struct {
	agent   *aiagent.Agent
	scripts map[string][]script.Step
	inputs  []aiagent.Input
	// fork is made of the session when it has ended.
	fork *aiagent.ForkOptions
}

func echo() tool.Tool {
	return tool.Must(tool.New("echo", "Says it again.", func(_ context.Context, in struct {
		Text string `json:"text"`
	},
	) (string, error) {
		return in.Text, nil
	}))
}

func call(id, name string, args map[string]any) script.Call {
	return script.Call{ID: id, Name: name, Arguments: args}
}

func says(id string) script.Call { return call(id, "echo", map[string]any{"text": "hello"}) }

func reports(text string) script.Reply {
	return script.Calls(call("report", spec.FinalReportTool, map[string]any{"report_format": "text", "report_content": text}))
}

func actor(name string, tools ...tool.Tool) *aiagent.Agent {
	tokens := int64(100)
	return &aiagent.Agent{
		ID: name, System: "You are " + name + ".", Tools: tools, Format: spec.FormatText, Transport: spec.TransportNative,
		Targets: []aiagent.Target{{
			Provider: name, Model: "m", Price: &llm.Price{Input: llm.Dollar, Output: llm.Dollar}, Sampling: llm.Sampling{MaxTokens: &tokens},
		}},
	}
}

// kinds are small sessions that between them have most of what a journal can
// hold. Each does one thing at a time, so that its journal is the same each time.
func kinds(t *testing.T) map[string]kind {
	t.Helper()
	remote := tool.Remote("remote", "Elsewhere.", json.RawMessage(`{"type":"object"}`))
	pay := echo()
	pay.Name, pay.Approval = "pay", true
	ask := []aiagent.Input{aiagent.Prompt("one")}
	and := func(more ...aiagent.Input) []aiagent.Input { return slices.Concat(ask, more) }

	parent := actor("main")
	parent.Agents = []*aiagent.Agent{actor("sub", echo())}
	staged := actor("main")
	staged.Advisors = []*aiagent.Agent{actor("law")}
	staged.Handoff = actor("editor")
	tight := actor("main", echo())
	tight.Limits.MaxCost = 4 * llm.Dollar / 1000
	xml := actor("main", echo())
	xml.Transport = spec.TransportXML
	batch := actor("main", echo())
	batch.Batch = true
	tag := func(name, attribute, text string) string {
		return "<ai-agent-{{nonce}}-" + name + attribute + ">" + text + "</ai-agent-{{nonce}}-" + name + ">"
	}
	return map[string]kind{
		"tools": {
			agent: actor("main", echo()), inputs: and(aiagent.Prompt("two")),
			scripts: map[string][]script.Step{"main": {
				script.Turn(script.Fail(500, "no"), script.Text("just talk"), script.Calls(says("a"))),
				script.Calls(call("x", "unknown", nil)), reports("first"), reports("second"),
			}},
		},
		"remote": {
			agent: actor("main", remote), scripts: map[string][]script.Step{"main": {script.Calls(call("r", "remote", nil)), reports("done")}},
			inputs: and(aiagent.Results(aiagent.ToolResult{CallID: "r", Output: "from afar"})),
		},
		"approval": {
			agent: actor("main", pay), inputs: and(aiagent.Approve("p", "ada"), aiagent.Deny("q", "ada", "no")),
			scripts: map[string][]script.Step{"main": {
				script.Calls(call("p", "pay", map[string]any{"text": "5"})), script.Calls(call("q", "pay", map[string]any{"text": "6"})), reports("paid"),
			}},
		},
		"child": {
			agent: parent, inputs: ask, scripts: map[string][]script.Step{
				"main": {script.Calls(call("s", "agent__sub", map[string]any{"prompt": "go"})), reports("done")},
				"sub":  {script.Calls(says("a")), reports("helped")},
			},
		},
		"stages": {
			agent: staged, inputs: ask, scripts: map[string][]script.Step{
				"law": {reports("legal")}, "main": {reports("draft")}, "editor": {reports("text")},
			},
		},
		"budget": {
			agent: tight, inputs: ask, scripts: map[string][]script.Step{"main": {
				script.Calls(says("a")), script.Calls(says("b")), reports("what it bought"),
			}},
		},
		"xml": {
			agent: xml, inputs: ask, scripts: map[string][]script.Step{"main": {
				script.Text(tag("0001", ` tool="echo"`, `{"text":"hello"}`)), script.Text(tag("FINAL", ` format="text"`, "by tag")),
			}},
		},
		"failure": {
			agent: actor("main"), inputs: and(aiagent.Continue()),
			scripts: map[string][]script.Step{"main": {script.Fail(401, "bad key")}},
		},
		"batch": {
			agent: batch, inputs: ask, scripts: map[string][]script.Step{"main": {
				script.Calls(call("b", "agent__batch", map[string]any{"calls": []any{
					map[string]any{"id": "1", "tool": "echo", "parameters": map[string]any{"text": "hello"}},
				}})), reports("done"),
			}},
		},
		"fork": {
			agent: actor("main", remote), inputs: ask, fork: &aiagent.ForkOptions{ID: "fork"},
			scripts: map[string][]script.Step{"main": {script.Calls(call("r", "remote", nil)), reports("without it")}},
		},
	}
}
