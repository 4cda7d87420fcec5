package main

import (
	"context"
	"strings"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/catalog"
	"github.com/ai-agent-go/ai-agent/provider"
)

// services are the models that can be asked from here: those whose keys are in
// the environment, and those that run on this machine.
// They are looked for when somebody wants one.
type services struct {
	ctx    context.Context //nolint:containedctx // the command's
	looked bool
	found  []provider.Found
	open   map[string]*provider.Provider
}

func newServices(ctx context.Context) *services {
	return &services{ctx: ctx, open: make(map[string]*provider.Provider)}
}

func (s *services) all() []provider.Found {
	if !s.looked {
		s.looked, s.found = true, provider.FromEnvironment(s.ctx, nil)
	}
	return s.found
}

// close gives back what the services hold.
func (s *services) close() {
	for _, p := range s.open {
		p.Close()
	}
}

// names lists the services, for people.
func (s *services) names() string {
	names := make([]string, len(s.found))
	for i := range s.found {
		names[i] = s.found[i].Config.Name
	}
	return strings.Join(names, ", ")
}

// provider finds a service by its name.
func (s *services) provider(name string) (llm.Provider, error) {
	if p := s.open[name]; p != nil {
		return p, nil
	}
	for i := range s.all() {
		if s.found[i].Config.Name != name {
			continue
		}
		p, err := provider.New(&s.found[i].Config, nil)
		if err != nil {
			return nil, usage("%w", err)
		}
		s.open[name] = p
		return p, nil
	}
	return nil, s.missing(name)
}

// missing says what to do about a service that is not there.
func (s *services) missing(name string) error {
	for _, t := range provider.Types() {
		if keys := provider.KeyVariables(t); string(t) == name && len(keys) > 0 {
			return usage("provider %q has no key: set %s", name, strings.Join(keys, " or "))
		}
	}
	if len(s.found) == 0 {
		return usage("provider %q is not configured", name)
	}
	return usage("provider %q is not configured; there are: %s", name, s.names())
}

// targets are the models that were asked for, as provider/model, or the first
// that there is. What is chosen for the user is written out: window and price
// are looked up and become part of the configuration (contract P3, P5).
func (s *services) targets(models []string) ([]aiagent.Target, error) {
	if len(models) == 0 {
		if len(s.all()) == 0 {
			return nil, usage("no model to ask: set %s, start a server on this machine, or say --script FILE; ai-agent demo works offline",
				strings.Join(allKeys(), ", "))
		}
		first := &s.found[0]
		models = []string{first.Config.Name + "/" + first.Model}
	}
	targets := make([]aiagent.Target, len(models))
	for i, m := range models {
		name, model, ok := strings.Cut(m, "/")
		if !ok || name == "" || model == "" {
			return nil, usage("--model %q: want PROVIDER/MODEL", m)
		}
		if _, err := s.provider(name); err != nil {
			return nil, err
		}
		targets[i] = aiagent.Target{Provider: name, Model: model}
		if known, ok := catalog.Default().Lookup(name, model); ok {
			targets[i].Window, targets[i].Price = known.Window, known.Price
		}
	}
	return targets, nil
}

// allKeys are the variables that services are found by.
func allKeys() []string {
	var keys []string
	for _, t := range provider.Types() {
		keys = append(keys, provider.KeyVariables(t)...)
	}
	return keys
}
