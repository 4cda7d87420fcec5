package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/tool"
)

// scriptProvider is the provider that answers from a file.
const scriptProvider = "script"

// scriptOptions is what a target of the script provider remembers: where its
// file is. It is part of the run's configuration, so that whoever goes on with
// the session finds it.
type scriptOptions struct {
	Script string `json:"script,omitempty"`
}

func openScript(file string) (llm.Provider, error) {
	p, err := script.Open(file, script.Options{})
	if err != nil {
		return nil, usage("%w", err)
	}
	return p, nil
}

// scriptTarget is the model that a script stands for.
func scriptTarget(file string) aiagent.Target {
	path, err := filepath.Abs(file)
	if err != nil {
		path = file
	}
	return aiagent.Target{Provider: scriptProvider, Model: "script", Options: llm.MustMarshalJSON(scriptOptions{path})}
}

// pinned reads the configuration that a session's next request is made with.
func pinned(archive *journal.Archive) (*spec.Run, *kernel.State, error) {
	state, err := rebuild(archive)
	if err != nil {
		return nil, nil, failed("%w", err)
	}
	config := state.Config
	if state.Run != nil {
		config = state.Run.Config
	}
	if config == nil {
		return nil, nil, failed("session %s has not been opened", archive.Key.Session)
	}
	run := new(spec.Run)
	if err := json.Unmarshal(archive.Blobs[config.Ref], run); err != nil {
		return nil, nil, failed("session %s: configuration %s: %w", archive.Key.Session, config.Ref.Short(), err)
	}
	return run, state, nil
}

// models finds who answers for a session. A script that is given answers for all
// of its targets.
func models(run *spec.Run, file string, s *services) (map[string]llm.Provider, error) {
	providers := make(map[string]llm.Provider)
	for i := range run.Targets {
		t := &run.Targets[i]
		var o scriptOptions
		_ = json.Unmarshal(t.Options, &o) // other providers have other options
		var err error
		switch {
		case file != "":
			providers[t.Provider], err = openScript(file)
		case t.Provider != scriptProvider:
			if providers[t.Provider], err = s.provider(t.Provider); err != nil {
				err = usage("the session asks %s: %w; --script FILE lets a script answer", t, err)
			}
		case o.Script != "":
			if providers[t.Provider], err = openScript(o.Script); err != nil {
				err = usage("the session's model is a script that cannot be read any more: %w; say --script FILE", err)
			}
		case run.Agent == demoID:
			providers[t.Provider], err = demoModel()
		default:
			err = usage("the session does not say which script its model is; say --script FILE")
		}
		if err != nil {
			return nil, err
		}
	}
	return providers, nil
}

// declaredTools reads tools that somebody else runs.
func declaredTools(file string) ([]tool.Tool, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, usage("%w", err)
	}
	var declared []struct {
		Name        string         `yaml:"name"`
		Description string         `yaml:"description"`
		Parameters  map[string]any `yaml:"parameters"`
		Approval    bool           `yaml:"approval"`
	}
	if err := yaml.UnmarshalWithOptions(data, &declared, yaml.Strict()); err != nil {
		return nil, usage("tools %s: %w", file, err)
	}
	tools := make([]tool.Tool, len(declared))
	for i, d := range declared {
		if d.Parameters == nil {
			d.Parameters = map[string]any{"type": "object"}
		}
		parameters, err := llm.MarshalJSON(d.Parameters)
		if err != nil {
			return nil, usage("tools %s: %w", file, fmt.Errorf("%s: parameters: %w", d.Name, err))
		}
		tools[i] = tool.Remote(d.Name, d.Description, parameters)
		tools[i].Approval = d.Approval
	}
	return tools, nil
}
