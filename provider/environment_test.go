package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-agent-go/ai-agent/llm/catalog"
	"github.com/ai-agent-go/ai-agent/provider"
)

// nobody is a machine on which no server answers.
type nobody struct{}

func (nobody) RoundTrip(*http.Request) (*http.Response, error) { return nil, http.ErrServerClosed }

func names(found []provider.Found) (list []string) {
	for _, f := range found {
		list = append(list, f.Config.Name+" "+f.Model+" "+f.Config.Key.Ref)
	}
	return list
}

func TestProvidersAreFoundByTheirUsualKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ env, want []string }{
		{nil, nil},
		{[]string{"OPENAI_API_KEY=k"}, []string{"openai gpt-6.1-sol env:OPENAI_API_KEY"}},
		{[]string{"GOOGLE_API_KEY=k"}, []string{"google gemini-3.8-flash env:GOOGLE_API_KEY"}},
		{[]string{"GOOGLE_API_KEY=k", "GEMINI_API_KEY=g"}, []string{"google gemini-3.8-flash env:GEMINI_API_KEY"}},
		{
			[]string{"MISTRAL_API_KEY=k", "OPENROUTER_API_KEY=k", "ANTHROPIC_API_KEY=k", "OPENAI_API_KEY="},
			[]string{
				"anthropic claude-sonnet-5-5 env:ANTHROPIC_API_KEY", "openrouter anthropic/claude-sonnet-5.5 env:OPENROUTER_API_KEY",
				"mistral mistral-large-latest env:MISTRAL_API_KEY",
			},
		},
	} {
		world := &provider.World{Getenv: environment(c.env...), Transport: nobody{}}
		found := provider.FromEnvironment(t.Context(), world)
		if diff := cmp.Diff(c.want, names(found)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.env, diff)
		}
		for _, f := range found { // what is found can be made
			mustNew(t, &f.Config, world)
			if f.Why != strings.TrimPrefix(f.Config.Key.Ref, "env:")+" is set" {
				t.Errorf("why: %q", f.Why)
			}
		}
	}
}

// A server of one's own is found when it answers and has a model.
func TestALocalServerIsFoundWhenItAnswers(t *testing.T) {
	t.Parallel()
	tags := `{"models":[{"name":"old:1b","modified_at":"2026-01-01T00:00:00Z"},{"name":"new:7b","modified_at":"2026-10-01T00:00:00+02:00"},{"name":"mid:3b","modified_at":"2026-05-01T00:00:00Z"}]}`
	for host, want := range map[string]string{
		"":                         "http://localhost:11434/api",
		"0.0.0.0":                  "http://localhost:11434/api",
		"0.0.0.0:4000":             "http://localhost:4000/api",
		"gpu.lan":                  "http://gpu.lan:11434/api",
		"https://gpu.lan/whatever": "https://gpu.lan/api",
		"http://[::1]:5000":        "http://[::1]:5000/api",
		"::::":                     "http://localhost:11434/api",
	} {
		w := &wire{answer: tags}
		found := provider.FromEnvironment(t.Context(), &provider.World{Getenv: environment("OLLAMA_HOST=" + host), Transport: w})
		if len(found) != 1 || found[0].Model != "new:7b" || found[0].Config.BaseURL != want || w.got[0].URL.String() != want+"/tags" {
			t.Errorf("%q: %+v, want %s", host, found, want)
		}
	}
	for _, w := range []*wire{{answer: `{"models":[]}`}, {answer: "<html>"}, {status: 500, answer: tags}} {
		if found := provider.FromEnvironment(t.Context(), &provider.World{Getenv: environment(), Transport: w}); len(found) != 0 {
			t.Errorf("%q: %+v", w.answer, found)
		}
	}
}

// A key is never sent to the vendor when the user's address is another.
//
// contract: U9
func TestTheUsualAddressesCount(t *testing.T) {
	t.Parallel()
	env := environment("OPENAI_API_KEY=k", "OPENAI_BASE_URL=http://proxy.test/v1", "ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=http://other.test")
	found := provider.FromEnvironment(t.Context(), &provider.World{Getenv: env, Transport: nobody{}})
	if len(found) != 2 {
		t.Fatalf("%+v", found)
	}
	for i, want := range []string{"http://other.test/v1/messages", "http://proxy.test/v1/chat/completions"} {
		w := &wire{answer: "{}"}
		p := mustNew(t, &found[i].Config, &provider.World{Getenv: env, Transport: w})
		for range p.Generate(t.Context(), hello(found[i].Config.Name, "m")) {
		}
		if len(w.got) != 1 || w.got[0].URL.String() != want {
			t.Errorf("%v, want %s", w.got[0].URL, want)
		}
	}
}

// The router's lists name the program that asks; who runs it may choose how.
func TestTheRouterIsToldWhoAsks(t *testing.T) {
	t.Parallel()
	env := environment("OPENROUTER_API_KEY=k", "OPENROUTER_REFERER=https://example.com", "OPENROUTER_TITLE=Mine")
	for want, headers := range map[string]map[string]string{"https://example.com Mine": nil, "https://example.com Ours": {"x-title": "Ours"}} {
		w := &wire{answer: "{}"}
		p := mustNew(t, &provider.Config{Name: "openrouter", Headers: headers}, &provider.World{Getenv: env, Transport: w})
		for range p.Generate(t.Context(), hello("openrouter", "m")) {
		}
		if got := w.got[0].Header.Get("Http-Referer") + " " + w.got[0].Header.Get("X-Title"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What a first run asks is a model that the catalogue knows, with tools in mind:
// it thinks or writes enough, and has a price that a budget can count with.
func TestDefaultModelsAreInTheCatalogue(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, kind := range provider.Types() {
		model := provider.DefaultModel(kind)
		if model == "" {
			continue
		}
		seen++
		m, known := catalog.Default().Lookup(string(kind), model)
		if !known || m.Price == nil || m.Window < 200_000 || m.MaxOutput < 16_000 {
			t.Errorf("%s/%s: known %t, %+v", kind, model, known, m)
		}
	}
	if seen != 5 || provider.DefaultModel("no such type") != "" {
		t.Errorf("%d types have a default model, want 5", seen)
	}
}
