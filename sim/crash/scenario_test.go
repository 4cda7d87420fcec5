package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/tool"
)

// scenario is a session and what is said to it. Everything is said with a key,
// so that the process that takes over can say it all again.
type scenario struct {
	agent   func(folder string) *aiagent.Agent
	scripts map[string][]script.Step
	// prompts are said one after the other, steer during the first.
	prompts []string
	steer   string
	// answers is what is said to calls that wait, by the tool's name.
	answers map[string]func(call string) aiagent.Input
}

func ask(id, name string) script.Call {
	return script.Call{ID: id, Name: name, Arguments: map[string]any{}}
}

func report(text string) script.Reply {
	return script.Calls(script.Call{ID: "report", Name: spec.FinalReportTool, Arguments: map[string]any{
		"report_format": "text", "report_content": text,
	}})
}

// worker is a tool that notes its executions in a file.
func worker(folder, name string, safe bool) tool.Tool {
	t := tool.Must(tool.New(name, "Works.", func(context.Context, struct{}) (string, error) { return name + " done", nil }))
	run := t.Execute
	t.ReplaySafe = safe
	t.Execute = func(ctx context.Context, c tool.Call) iter.Seq2[string, *tool.Result] {
		note(folder, fmt.Sprintf("%s %t %s\n", name, safe, c.Key))
		return run(ctx, c)
	}
	return t
}

// note writes a line down for good.
func note(folder, line string) {
	f, err := os.OpenFile(filepath.Join(folder, "executions"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(line)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		panic(err)
	}
	_ = f.Close()
}

func player(name string, tools ...tool.Tool) *aiagent.Agent {
	tokens := int64(100)
	return &aiagent.Agent{
		ID: name, Tools: tools, Format: spec.FormatText, Transport: spec.TransportNative,
		Targets: []aiagent.Target{{
			Provider: name, Model: "m", Price: &llm.Price{Input: llm.Dollar, Output: llm.Dollar}, Sampling: llm.Sampling{MaxTokens: &tokens},
		}},
	}
}

func remote() tool.Tool {
	return tool.Remote("remote", "Runs elsewhere.", json.RawMessage(`{"type":"object"}`))
}

func scenarios() map[string]scenario {
	answer := map[string]func(string) aiagent.Input{
		"remote": func(call string) aiagent.Input {
			return aiagent.Results(aiagent.ToolResult{CallID: call, Output: "from afar"})
		},
		"pay": func(call string) aiagent.Input { return aiagent.Approve(call, "ada") },
	}
	return map[string]scenario{
		"tools": {
			agent: func(f string) *aiagent.Agent {
				return player("main", worker(f, "once", false), worker(f, "often", true))
			},
			scripts: map[string][]script.Step{"main": {
				script.Calls(ask("a", "once"), ask("b", "often")), script.Calls(ask("c", "often")), report("done"),
			}},
			prompts: []string{"one"},
		},
		"retries": {
			agent: func(string) *aiagent.Agent { return player("main") },
			scripts: map[string][]script.Step{"main": {
				script.Turn(script.Fail(500, "no"), script.Text("just talk"), report("done")), report("done again"),
				script.Turn(script.Fail(429, "slow down"), report("done")), report("and again"),
			}},
			prompts: []string{"one", "two", "three", "four"},
		},
		"remote": {
			agent: func(f string) *aiagent.Agent { return player("main", worker(f, "once", false), remote()) },
			scripts: map[string][]script.Step{"main": {
				script.Calls(ask("a", "once"), ask("r1", "remote"), ask("r2", "remote")), report("done"),
			}},
			prompts: []string{"one"}, answers: answer,
		},
		"approval": {
			agent: func(f string) *aiagent.Agent {
				pay := worker(f, "pay", false)
				pay.Approval = true
				return player("main", pay)
			},
			scripts: map[string][]script.Step{"main": {script.Calls(ask("p", "pay")), report("done")}},
			prompts: []string{"one"}, answers: answer,
		},
		"child": {
			agent: func(f string) *aiagent.Agent {
				a := player("main")
				a.Agents = []*aiagent.Agent{player("sub", worker(f, "once", false), remote())}
				return a
			},
			scripts: map[string][]script.Step{
				"main": {script.Calls(script.Call{ID: "s", Name: "agent__sub", Arguments: map[string]any{"prompt": "go"}}), report("done")},
				"sub":  {script.Calls(ask("a", "once"), ask("r", "remote")), report("helped")},
			},
			prompts: []string{"one"}, answers: answer,
		},
		"stages": {
			agent: func(f string) *aiagent.Agent {
				a := player("main", worker(f, "once", false))
				a.Advisors = []*aiagent.Agent{player("law"), player("cost")}
				a.Handoff = player("editor", worker(f, "often", true))
				return a
			},
			scripts: map[string][]script.Step{
				"law": {report("legal")}, "cost": {report("cheap")}, "main": {script.Calls(ask("a", "once")), report("draft")},
				"editor": {script.Calls(ask("b", "often")), report("text")},
			},
			prompts: []string{"one"},
		},
		"steering": {
			agent: func(f string) *aiagent.Agent { return player("main", worker(f, "once", false)) },
			scripts: map[string][]script.Step{"main": {
				script.Calls(ask("a", "once")), script.Calls(ask("b", "once")), report("done"), report("done"), report("done"), report("done"),
			}},
			prompts: []string{"one", "two", "three"}, steer: "mind the gap",
		},
		"conversation": {
			agent: func(f string) *aiagent.Agent {
				return player("main", worker(f, "once", false), worker(f, "often", true))
			},
			scripts: map[string][]script.Step{"main": {
				script.Calls(ask("a", "once")), script.Calls(ask("b", "often"), ask("c", "once")), report("one"),
				script.Calls(ask("d", "once")), script.Calls(ask("e", "often"), ask("f", "once")), report("two"),
				script.Calls(ask("g", "once")), script.Calls(ask("h", "often"), ask("i", "once")), report("three"),
				script.Calls(ask("j", "once")), script.Calls(ask("k", "often"), ask("l", "once")), report("four"),
				script.Calls(ask("m", "once")), script.Calls(ask("n", "often"), ask("o", "once")), report("five"),
				script.Calls(ask("p", "once")), script.Calls(ask("q", "often"), ask("r", "once")), report("six"),
			}},
			prompts: []string{"one", "two", "three", "four", "five", "six"},
		},
		"batch": {
			agent: func(f string) *aiagent.Agent {
				a := player("main", worker(f, "once", false), worker(f, "often", true), remote())
				a.Batch = true
				return a
			},
			scripts: map[string][]script.Step{"main": {
				script.Calls(script.Call{ID: "b", Name: spec.BatchTool, Arguments: map[string]any{"calls": []any{
					map[string]any{"id": "1", "tool": "once", "parameters": map[string]any{}},
					map[string]any{"id": "2", "tool": "often", "parameters": map[string]any{}},
					map[string]any{"id": "3", "tool": "remote", "parameters": map[string]any{}},
				}}}), report("done"),
			}},
			prompts: []string{"one"}, answers: answer,
		},
		"siblings": {
			agent: func(f string) *aiagent.Agent {
				pay := worker(f, "pay", false)
				pay.Approval = true
				a := player("main")
				a.Agents = []*aiagent.Agent{player("left", worker(f, "once", false), pay), player("right", worker(f, "once", false), remote())}
				return a
			},
			scripts: map[string][]script.Step{
				"main": {script.Calls(
					script.Call{ID: "l", Name: "agent__left", Arguments: map[string]any{"prompt": "go"}},
					script.Call{ID: "r", Name: "agent__right", Arguments: map[string]any{"prompt": "go"}}), report("done")},
				"left":  {script.Calls(ask("a", "once")), script.Calls(ask("p", "pay")), report("left")},
				"right": {script.Calls(ask("a", "once"), ask("r", "remote")), report("right")},
			},
			prompts: []string{"one"}, answers: answer,
		},
		"grandchild": {
			agent: func(f string) *aiagent.Agent {
				sub, a := player("sub", worker(f, "once", false)), player("main")
				sub.Agents = []*aiagent.Agent{player("subsub", worker(f, "often", true), remote())}
				a.Agents = []*aiagent.Agent{sub}
				return a
			},
			scripts: map[string][]script.Step{
				"main":   {script.Calls(script.Call{ID: "s", Name: "agent__sub", Arguments: map[string]any{"prompt": "go"}}), report("done")},
				"sub":    {script.Calls(script.Call{ID: "t", Name: "agent__subsub", Arguments: map[string]any{"prompt": "go"}}, ask("a", "once")), report("sub")},
				"subsub": {script.Calls(ask("b", "often"), ask("r", "remote")), report("subsub")},
			},
			prompts: []string{"one"}, answers: answer,
		},
		"router": {
			agent: func(f string) *aiagent.Agent {
				a := player("main")
				a.Advisors = []*aiagent.Agent{player("law", remote())}
				a.Router = []*aiagent.Agent{player("sales", worker(f, "once", false), remote())}
				a.Handoff = player("editor")
				return a
			},
			scripts: map[string][]script.Step{
				"law":   {script.Calls(ask("r", "remote")), report("legal")},
				"main":  {script.Calls(script.Call{ID: "x", Name: spec.RouterTool, Arguments: map[string]any{"agent": "sales"}})},
				"sales": {script.Calls(ask("a", "once"), ask("r", "remote")), report("sold")}, "editor": {report("text")},
			},
			prompts: []string{"one"}, answers: answer,
		},
		"budget": {
			agent: func(f string) *aiagent.Agent {
				a := player("main", worker(f, "once", false))
				a.Limits.MaxUserCost, a.Limits.MaxTenantCost = llm.Dollar, 2*llm.Dollar
				return a
			},
			scripts: map[string][]script.Step{"main": {script.Calls(ask("a", "once")), report("done")}},
			prompts: []string{"one"},
		},
	}
}

// drive says everything to the session and follows it to its end.
func drive(ctx context.Context, sc scenario, st store.Store, folder string) error {
	providers := make(map[string]llm.Provider, len(sc.scripts))
	for name, steps := range sc.scripts {
		providers[name] = script.New(steps...)
	}
	rt, err := aiagent.New(aiagent.Config{Store: st, Providers: providers})
	if err != nil {
		return err
	}
	defer rt.Close() //nolint:errcheck // the store is closed by whoever opened it
	s, err := rt.Open(ctx, sc.agent(folder), &aiagent.SessionOptions{ID: "s", Key: "open", User: "ada"})
	if err != nil {
		return err
	}
	fmt.Println("ack open")
	for i, prompt := range sc.prompts {
		key := fmt.Sprintf("prompt %d", i)
		st := s.Execute(ctx, aiagent.Prompt(prompt).Keyed(key))
		if i == 0 && sc.steer != "" {
			if err := s.Send(ctx, aiagent.Steering(sc.steer).Keyed("steer")); err != nil {
				return fmt.Errorf("steer: %w", err)
			}
			fmt.Println("ack steer")
		}
		if err := follow(ctx, sc, s, st, key); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// follow answers what the run asks for until it has ended.
func follow(ctx context.Context, sc scenario, s *aiagent.Session, st *aiagent.Stream, key string) error {
	for {
		r, err := st.Result()
		if err != nil {
			return err
		}
		fmt.Println("ack", key)
		if r.Status != kernel.StatusAwaiting {
			return nil
		}
		next := r.Pending[0]
		in := sc.answers[next.Name]
		if in == nil {
			return fmt.Errorf("nobody answers %s", next.Name)
		}
		key = "answer " + next.ID
		st = s.Execute(ctx, in(next.ID).Keyed(key))
	}
}
