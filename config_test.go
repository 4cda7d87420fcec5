package aiagent_test

import (
	"strings"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store/memory"
)

// profiled is a bed whose runtime knows profiles.
func profiled(t *testing.T, profiles map[string]spec.Profile, turns ...script.Step) *bed {
	t.Helper()
	b := &bed{t: t, store: memory.New(), provider: &recorder{Provider: script.New(turns...)}}
	b.rt = must(aiagent.New(aiagent.Config{
		Store: b.store, Profiles: profiles, Providers: map[string]llm.Provider{"script": b.provider},
	}))
	t.Cleanup(func() { _ = b.rt.Close() })
	return b
}

// contract: P1, P3, P11
func TestProfilesAreLookedUpWhenTheRunStarts(t *testing.T) {
	t.Parallel()
	b := profiled(t, map[string]spec.Profile{"fast": {
		ID: "fast", Provider: "script", DefaultModel: "quick", DefaultReasoningEffort: "low",
	}}, report("done"))
	a := agent()
	a.Targets, a.Profiles = nil, []string{"fast"}
	o := b.run(a, "hi")
	if !o.Success {
		t.Fatal(o.Error)
	}
	request := b.provider.last()
	if request.Model != "quick" || request.Sampling.ReasoningEffort != "low" || request.Sampling.MaxTokens != nil {
		t.Errorf("request to %s with %+v", request.Model, request.Sampling)
	}
	if len(facts[*kernel.ProfileRequested](o)) != 1 || len(facts[*kernel.ProfileResolved](o)) != 1 {
		t.Error("the look-up is not in the journal")
	}
}

// contract: P2, P3, F7
func TestAProfileThatCannotBeUsedKeepsTheRunFromStarting(t *testing.T) {
	t.Parallel()
	profiles := map[string]spec.Profile{
		"capped":  {ID: "capped", Provider: "script", DefaultModel: "m", MaxTokensCap: 10},
		"closed":  {ID: "closed", Provider: "script", DefaultModel: "m", AllowedModels: []string{"other"}},
		"nothing": {ID: "nothing", Provider: "script"},
		"good":    {ID: "good", Provider: "script", DefaultModel: "m"},
	}
	for id, want := range map[string]string{
		"unknown": spec.ProfileNotFound, "capped": spec.ProfileConstraint, "closed": spec.ProfileConstraint,
		"nothing": spec.ProfileIncomplete,
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			b := profiled(t, profiles, report("done"), report("done"))
			a := agent()
			limit := int64(100)
			a.Targets, a.Profiles, a.Sampling.MaxTokens = nil, []string{id}, &limit
			o := b.run(a, "hi")
			if o.Success || reason(o) != `{"reason":"profile_error"}` || len(b.provider.requests) != 0 {
				t.Errorf("success %t, reason %s, %d requests", o.Success, reason(o), len(b.provider.requests))
			}
			if f := facts[*kernel.ProfileFailed](o); len(f) != 1 || f[0].Code != want {
				t.Errorf("%+v, want %s", f, want)
			}
			if len(facts[*kernel.RunStart](o)) != 0 {
				t.Error("the run started")
			}
		})
	}
}

// contract: P4, P3
func TestAConfigurationChangeTakesEffectWithTheNextRun(t *testing.T) {
	t.Parallel()
	h, started, release := hold()
	b := newBed(t, script.Calls(ask("c", "hold", nil)), report("one"), report("two"))
	s := must(b.rt.Open(t.Context(), agent(h), &aiagent.SessionOptions{ID: "s"}))
	st := s.Execute(t.Context(), aiagent.Prompt("hi"))
	<-started
	other := agent(h)
	other.Targets = []aiagent.Target{{Provider: "other", Model: "new"}}
	if err := s.Configure(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	close(release)
	must(st.Result())
	must(s.Execute(t.Context(), aiagent.Prompt("again")).Result())
	var asked []string
	for _, r := range b.provider.requests {
		asked = append(asked, r.Provider)
	}
	if got := strings.Join(asked, " "); got != "script script other" {
		t.Errorf("asked %q", got)
	}
	b.check("s")
}

// priced is an agent with a budget.
func priced(budget llm.Money) *aiagent.Agent {
	a := agent(weather())
	tokens := int64(100)
	a.Sampling.MaxTokens = &tokens
	a.Targets[0].Price = &llm.Price{Input: llm.Dollar, Output: 10 * llm.Dollar}
	a.Limits.MaxCost = budget
	return a
}

// contract: A5, L8
func TestABudgetForcesTheLastTurnAndIsNeverExceeded(t *testing.T) {
	t.Parallel()
	busy := withUsage(script.Calls(askWeather("c", "Athens")), 500, 90)
	// Worst case of a request: up to about 3,000 tokens in and 100 out.
	b := newBed(t, repeat(busy, 50)...)
	o := b.run(priced(llm.Dollar/100), "hi")
	f := facts[*kernel.ForcedFinal](o)
	if len(f) != 1 || f[0].Reason != dialect.FinalBudget {
		t.Errorf("forced final %+v", f)
	}
	if o.Cost > llm.Dollar/100 || o.Cost == 0 {
		t.Errorf("cost %v of a budget of %v", o.Cost, llm.Dollar/100)
	}
	if o.Success || reason(o) != `{"reason":"budget_exhausted"}` {
		t.Errorf("success %t, reason %s", o.Success, reason(o))
	}
}

// contract: A5, F7
func TestABudgetThatDoesNotSufficeForOneRequestSendsNone(t *testing.T) {
	t.Parallel()
	b := newBed(t, report("done"))
	o := b.run(priced(1000), "hi")
	if len(b.provider.requests) != 0 || reason(o) != `{"reason":"budget_exhausted"}` {
		t.Errorf("%d requests, reason %s", len(b.provider.requests), reason(o))
	}
}

// contract: A5
func TestABudgetNeedsAPriceAndAnOutputBound(t *testing.T) {
	t.Parallel()
	noPrice, noBound := priced(llm.Dollar), priced(llm.Dollar)
	noPrice.Targets[0].Price = nil
	noBound.Sampling.MaxTokens = nil
	for name, a := range map[string]*aiagent.Agent{"price": noPrice, "max_tokens": noBound} {
		o := newBed(t, report("done")).run(a, "hi")
		if o.Success || !strings.Contains(o.Error, name) {
			t.Errorf("without %s: %q", name, o.Error)
		}
	}
}
