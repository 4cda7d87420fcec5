package provider_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/catalog"
	"github.com/ai-agent-go/ai-agent/provider"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Every type goes to its service's address, with the key in its header.
//
// contract: U9
func TestEveryTypeSpeaksToItsService(t *testing.T) {
	t.Parallel()
	env := environment("ANTHROPIC_API_KEY="+secret, "OPENAI_API_KEY="+secret, "GOOGLE_API_KEY="+secret, "OPENROUTER_API_KEY="+secret, "MISTRAL_API_KEY="+secret)
	for _, c := range []struct {
		config      provider.Config
		url, header string
	}{
		{provider.Config{Name: "anthropic"}, "https://api.anthropic.com/v1/messages", "X-Api-Key"},
		{provider.Config{Name: "openai"}, "https://api.openai.com/v1/responses", "Authorization"},
		{provider.Config{Name: "old", Type: provider.OpenAI, Mode: "chat"}, "https://api.openai.com/v1/chat/completions", "Authorization"},
		{provider.Config{Name: "google"}, "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent", "X-Goog-Api-Key"},
		{provider.Config{Name: "openrouter"}, "https://openrouter.ai/api/v1/chat/completions", "Authorization"},
		{provider.Config{Name: "mistral"}, "https://api.mistral.ai/v1/chat/completions", "Authorization"},
		{provider.Config{Name: "ollama"}, "http://localhost:11434/api/chat", ""},
		{provider.Config{Name: "lab", Type: provider.Compatible, BaseURL: "http://lab.test/v1"}, "http://lab.test/v1/chat/completions", ""},
	} {
		w := &wire{answer: "{}"}
		p := mustNew(t, &c.config, &provider.World{Getenv: env, Transport: w})
		llm.Call(t.Context(), p, hello(c.config.Name, "m"))
		if len(w.got) != 1 || w.got[0].URL.String() != c.url {
			t.Errorf("%s: %d requests, the first to %v, want %s", c.config.Name, len(w.got), w.got[0].URL, c.url)
			continue
		}
		if c.header != "" && strings.TrimPrefix(w.got[0].Header.Get(c.header), "Bearer ") != secret {
			t.Errorf("%s: %s is %q", c.config.Name, c.header, w.got[0].Header.Get(c.header))
		}
	}
}

// Keys are asked for at every call, so a new one counts at once; without one
// nothing leaves.
//
// contract: P6, U9
func TestKeysAreResolvedAtEveryCall(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	now := ""
	getenv := func(name string) string {
		if name == "WORK_KEY" {
			return now
		}
		return ""
	}
	for ref, set := range map[string]func(value string){
		"env:WORK_KEY": func(value string) { now = value },
		"file:" + file: func(value string) {
			if err := os.WriteFile(file, []byte(value+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		w := &wire{answer: "{}"}
		p := mustNew(t, &provider.Config{Name: "work", Type: provider.Anthropic, Key: spec.Secret{Ref: ref}}, &provider.World{Getenv: getenv, Transport: w})
		if r := llm.Call(t.Context(), p, hello("work", "m")); r.Error == nil || r.Error.Class != llm.ClassAuth || len(w.got) != 0 {
			t.Errorf("%s: without a key %v, %d requests", ref, r.Error, len(w.got))
		}
		for _, value := range []string{"first-key", "second-key"} {
			set(value)
			llm.Call(t.Context(), p, hello("work", "m"))
			if got := w.got[len(w.got)-1].Header.Get("X-Api-Key"); got != value {
				t.Errorf("%s: %q was sent, want %q", ref, got, value)
			}
		}
	}
}

// A header may be a secret, too; what the service repeats of it is hidden.
//
// contract: B7, U9
func TestHeadersMayBeSecrets(t *testing.T) {
	t.Parallel()
	w := &wire{status: 403, answer: `{"error":{"message":"no pass for ` + secret + `"}}`}
	config := &provider.Config{
		Name: "lab", Type: provider.Compatible, BaseURL: "http://lab.test/v1", Headers: map[string]string{"X-Pass": "env:PASS", "X-Team": "blue"},
	}
	p := mustNew(t, config, &provider.World{Getenv: environment("PASS=" + secret), Transport: w})
	r := llm.Call(t.Context(), p, hello("lab", "m"))
	if h := w.got[0].Header; h.Get("X-Pass") != secret || h.Get("X-Team") != "blue" {
		t.Errorf("headers %v", h)
	}
	if r.Error == nil || !strings.Contains(r.Error.Message, "no pass for [redacted]") || strings.Contains(string(r.Raw), secret) {
		t.Errorf("%v, %s", r.Error, r.Raw)
	}
	p = mustNew(t, config, &provider.World{Getenv: environment(), Transport: w})
	if r := llm.Call(t.Context(), p, hello("lab", "m")); r.Error == nil || !strings.Contains(r.Error.Message, "X-Pass: the variable PASS is not set") || len(w.got) != 1 {
		t.Errorf("%v, %d requests", r.Error, len(w.got))
	}
}

// Mistakes are named with the provider and the field, and never by repeating
// what might be a secret.
//
// contract: B7
func TestWhatIsWrongIsSaid(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]provider.Config{
		"a provider needs a name": {Type: provider.OpenAI},
		"provider work: type is missing; want one of anthropic, google, mistral": {Name: "work"},
		`provider work: type: unknown "claude"`:                                  {Name: "work", Type: "claude"},
		"provider lab: baseUrl is missing":                                       {Name: "lab", Type: provider.Compatible},
		"provider openai: openaiMode: unknown":                                   {Name: "openai", Mode: "assistants"},
		"provider google: effort is not for the type google":                     {Name: "google", Effort: "budget"},
		"provider openai: cacheTtl is not for the type openai":                   {Name: "openai", CacheTTL: "1h"},
		"provider anthropic: anthropic: cache TTL":                               {Name: "anthropic", CacheTTL: "2h"},
		"provider openai: apiKey: a secret is referred to by env:NAME or file":   {Name: "openai", Key: spec.Secret{Ref: secret}},
		"provider openai: openai: base URL: want http(s)://host/path":            {Name: "openai", BaseURL: "ftp://x"},
		"provider lab: headers: X-Pass: a secret is referred to by":              {Name: "lab", Type: provider.Compatible, BaseURL: "http://x", Headers: map[string]string{"X-Pass": "env:"}},
		"provider lab: openai: unknown flavor":                                   {Name: "lab", Type: provider.Compatible, BaseURL: "http://x", Flavor: "vanilla"},
		"provider openai: custom.provider is for the type openrouter":            {Name: "openai", Custom: provider.Custom{Provider: json.RawMessage(`{}`)}},
		"provider openai: custom.providerOptions: want an object":                {Name: "openai", Custom: provider.Custom{ProviderOptions: json.RawMessage(`[1]`)}},
	} {
		_, err := provider.New(&c, &provider.World{Getenv: environment()})
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
}

// Options of a service belong to the request; what they become is in a target.
//
// contract: P6, P9
func TestCustomOptionsAreTheTargets(t *testing.T) {
	t.Parallel()
	c := &provider.Config{Name: "router", Type: provider.OpenRouter, Custom: provider.Custom{
		ProviderOptions: json.RawMessage(`{"seed":7}`), Provider: json.RawMessage(`{"order":["a","b"]}`),
	}}
	options, err := c.TargetOptions()
	if err != nil || string(options) != `{"openrouter":{"provider":{"order":["a","b"]},"seed":7}}` {
		t.Fatalf("%s, %v", options, err)
	}
	w := &wire{answer: "{}"}
	p := mustNew(t, c, &provider.World{Getenv: environment("OPENROUTER_API_KEY=" + secret), Transport: w})
	request := hello("router", "m")
	request.Options = options
	llm.Call(t.Context(), p, request)
	if !strings.Contains(w.sent[0], `"seed":7`) || !strings.Contains(w.sent[0], `"provider":{"order":["a","b"]}`) {
		t.Errorf("sent %s", w.sent[0])
	}
	lab := &provider.Config{Name: "lab", Type: provider.Compatible, Custom: provider.Custom{ProviderOptions: json.RawMessage(`{"a":1}`)}}
	if options, err := lab.TargetOptions(); err != nil || string(options) != `{"lab":{"a":1}}` {
		t.Errorf("%s, %v", options, err)
	}
	if options, err := (&provider.Config{Name: "openai"}).TargetOptions(); err != nil || options != nil {
		t.Errorf("%s, %v", options, err)
	}
}

// A catalogue adds warnings to receipts. With none, with the real one and with
// one that lies the requests are the same, to the byte.
//
// contract: P5
func TestTheCatalogueNeverChangesARequest(t *testing.T) {
	t.Parallel()
	hostile := new(catalog.Catalog).With(catalog.Model{
		Provider: "openai", ID: "gpt-5", Window: 1, MaxOutput: 1, Price: &llm.Price{Input: 1 << 62}, Able: catalog.Abilities{NoTemperature: true},
	})
	var sent []string
	for _, c := range []struct {
		catalog  *catalog.Catalog
		warnings int
	}{{nil, 0}, {new(catalog.Catalog), 0}, {catalog.Default(), 1}, {hostile, 3}} {
		w := &wire{answer: "{}"}
		p := mustNew(t, &provider.Config{Name: "openai"}, &provider.World{Getenv: environment("OPENAI_API_KEY=" + secret), Transport: w, Catalog: c.catalog})
		request := hello("openai", "gpt-5")
		request.Sampling = llm.Sampling{Temperature: new(0.3), MaxTokens: new(int64(1 << 30)), ReasoningEffort: "high"}
		r := llm.Call(t.Context(), p, request)
		if len(r.Warnings) != c.warnings {
			t.Errorf("warnings %q, want %d", r.Warnings, c.warnings)
		}
		sent = append(sent, w.sent[0])
	}
	for i, s := range sent {
		if s != sent[0] {
			t.Errorf("with catalogue %d %s\nwithout %s", i, s, sent[0])
		}
	}
}
