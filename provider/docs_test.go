package provider_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/catalog"
	"github.com/ai-agent-go/ai-agent/provider"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/providers.md")

const manual = "../docs/providers.md"

// service is a row of the manual's tables.
type service struct {
	title  string
	config provider.Config
	model  string
}

func services() []service {
	lab := provider.Config{Name: "lab", Type: provider.Compatible, BaseURL: "http://lab.test/v1"}
	return []service{
		{"`anthropic`, from 4.6 on", provider.Config{Name: "anthropic"}, "claude-sonnet-5-5"},
		{"`anthropic`, up to 4.5", provider.Config{Name: "anthropic"}, "claude-opus-4-5"},
		{"`openai`", provider.Config{Name: "openai"}, "gpt-6.1-sol"},
		{"`openai`, mode `chat`", provider.Config{Name: "openai", Mode: "chat"}, "gpt-6.1-sol"},
		{"`google`, Gemini 3 and later", provider.Config{Name: "google"}, "gemini-3.8-flash"},
		{"`google`, Gemini 2", provider.Config{Name: "google"}, "gemini-2.5-pro"},
		{"`openrouter`", provider.Config{Name: "openrouter"}, "anthropic/claude-sonnet-5.5"},
		{"`mistral`", provider.Config{Name: "mistral"}, "mistral-large-latest"},
		{"`openai-compatible`", lab, "llama"},
		{"`ollama`", provider.Config{Name: "ollama"}, "qwen3"},
	}
}

// setting is a column: something that a request may have.
type setting struct {
	name string
	set  func(r *llm.Request)
}

func settings() []setting {
	return []setting{
		{"`temperature`", func(r *llm.Request) { r.Sampling.Temperature = new(0.5) }},
		{"`top_p`", func(r *llm.Request) { r.Sampling.TopP = new(0.5) }},
		{"`top_k`", func(r *llm.Request) { r.Sampling.TopK = new(int64(5)) }},
		{"`repeat_penalty`", func(r *llm.Request) { r.Sampling.RepeatPenalty = new(1.5) }},
		{"`max_tokens`", func(r *llm.Request) { r.Sampling.MaxTokens = new(int64(5000)) }},
		{"`stop`", func(r *llm.Request) { r.Sampling.Stop = []string{"END"} }},
		{"`reasoning_effort`", func(r *llm.Request) { r.Sampling.ReasoningEffort = "high" }},
		{"`reasoning_tokens`", func(r *llm.Request) { r.Sampling.ReasoningTokens = new(int64(2000)) }},
		{"`tool_choice`", func(r *llm.Request) { r.ToolChoice = llm.ToolChoiceRequired }},
		{"`response_format`", func(r *llm.Request) {
			r.ResponseFormat = json.RawMessage(`{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}}`)
		}},
	}
}

// The tables of the manual say what happens on the wire, because they are made
// of what happens on the wire.
//
// contract: R8, P9
func TestTheManualSaysWhatIsSent(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for name, table := range map[string]string{
		"settings": settingsTable(t), "services": servicesTable(t), "fields": fieldsTable(t), "catalogue": catalogueLine(),
	} {
		want = fill(t, want, name, table)
	}
	if *update {
		if err := os.WriteFile(manual, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("docs/providers.md (-code +manual); run go test ./provider -update:\n%s", diff)
	}
}

// fill puts a table between its marks.
func fill(t *testing.T, text, name, table string) string {
	t.Helper()
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
	before, rest, ok := strings.Cut(text, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("the manual has no place for the table %q", name)
	}
	return before + begin + table + end + after
}

func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// settingsTable shows under which names settings are sent.
func settingsTable(t *testing.T) string {
	t.Helper()
	head := []string{"service"}
	for _, s := range settings() {
		head = append(head, s.name)
	}
	table := row(head...) + row(slices.Repeat([]string{"---"}, len(head))...)
	for _, s := range services() {
		cells := []string{s.title}
		plain, _ := s.send(t, func(*llm.Request) {})
		for _, x := range settings() {
			changed, warnings := s.send(t, x.set)
			var names []string
			for path, value := range changed {
				if !reflect.DeepEqual(plain[path], value) {
					names = append(names, "`"+path+"`")
				}
			}
			slices.Sort(names)
			cell := strings.Join(names, ", ")
			if len(names) == 0 {
				if cell = "–"; len(warnings) == 0 {
					t.Errorf("%s: %s is left out without a warning", s.title, x.name)
				}
			}
			cells = append(cells, cell)
		}
		table += row(cells...)
	}
	return table
}

// send sends a request with a change and returns its fields by their paths,
// without the conversation, and what the receipt warns of.
func (s *service) send(t *testing.T, set func(r *llm.Request)) (fields map[string]any, warnings []string) {
	t.Helper()
	w := &wire{answer: "{}"}
	p := mustNew(t, &s.config, &provider.World{Getenv: func(string) string { return secret }, Transport: w})
	request := hello(s.config.Name, s.model)
	request.Tools = weather()
	set(request)
	receipt := llm.Call(t.Context(), p, request)
	var body map[string]any
	if err := json.Unmarshal([]byte(w.sent[0]), &body); err != nil {
		t.Fatal(err)
	}
	fields = make(map[string]any)
	flatten(fields, "", body)
	for _, warning := range receipt.Warnings {
		if strings.Contains(warning, "left out") {
			warnings = append(warnings, warning)
		}
	}
	return fields, warnings
}

// flatten writes objects as paths with dots, three deep; below are schemas.
func flatten(out map[string]any, path string, v any) {
	object, ok := v.(map[string]any)
	if !ok || strings.Count(path, ".") >= 2 {
		out[path] = v
		return
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if name == "messages" || name == "input" || name == "contents" || name == "tools" {
			continue
		}
		below := name
		if path != "" {
			below = path + "." + name
		}
		flatten(out, below, object[name])
	}
}

// servicesTable shows where services are and what a first run asks of them.
func servicesTable(t *testing.T) string {
	t.Helper()
	table := row("type", "address", "key", "first model", "options under") + row(slices.Repeat([]string{"---"}, 5)...)
	for _, kind := range provider.Types() {
		c := provider.Config{Name: string(kind), Type: kind}
		address := "`baseUrl`"
		if kind == provider.Compatible {
			c.Name, c.BaseURL = "lab", "http://lab.test/v1"
		} else {
			w := &wire{answer: "{}"}
			p := mustNew(t, &c, &provider.World{Getenv: func(string) string { return secret }, Transport: w})
			llm.Call(t.Context(), p, hello(c.Name, "<model>"))
			address = "`" + strings.ReplaceAll(w.got[0].URL.String(), "%3Cmodel%3E", "<model>") + "`"
		}
		var keys []string
		for _, name := range provider.KeyVariables(kind) {
			keys = append(keys, "`"+name+"`")
		}
		key, model, space := strings.Join(keys, " or "), provider.DefaultModel(kind), "`"+c.Namespace()+"`"
		if key == "" {
			key = "none"
		}
		if model = "`" + model + "`"; model == "``" {
			model = map[provider.Type]string{provider.Ollama: "the one that was changed last"}[kind]
		}
		if kind == provider.Compatible {
			space = "the provider's name"
		}
		table += row("`"+string(kind)+"`", address, key, model, space)
	}
	return table
}

// fieldsTable shows which types have which fields of the configuration.
func fieldsTable(t *testing.T) string {
	t.Helper()
	special := map[string]func(c *provider.Config){
		"openaiMode":       func(c *provider.Config) { c.Mode = "chat" },
		"flavor":           func(c *provider.Config) { c.Flavor = "compatible" },
		"includeUsage":     func(c *provider.Config) { c.IncludeUsage = new(false) },
		"reasoningField":   func(c *provider.Config) { c.ReasoningField = "-" },
		"reasoningSummary": func(c *provider.Config) { c.ReasoningSummary = "-" },
		"cache":            func(c *provider.Config) { c.Cache = "none" },
		"cacheTtl":         func(c *provider.Config) { c.CacheTTL = "1h" },
		"effort":           func(c *provider.Config) { c.Effort = "budget" },
		"betas":            func(c *provider.Config) { c.Betas = []string{"x"} },
	}
	fields := 0
	for f := range reflect.TypeFor[provider.Config]().Fields() {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); special[tag] != nil {
			fields++
		}
	}
	if fields != len(special) || reflect.TypeFor[provider.Config]().NumField() != fields+6 {
		t.Errorf("the configuration has fields that the manual does not know of")
	}
	table := row("field", "types") + row("---", "---")
	for _, name := range slices.Sorted(maps.Keys(special)) {
		var types []string
		for _, kind := range provider.Types() {
			c := provider.Config{Name: "x", Type: kind, BaseURL: "http://lab.test/v1"}
			special[name](&c)
			if p, err := provider.New(&c, &provider.World{}); err == nil {
				p.Close()
				types = append(types, "`"+string(kind)+"`")
			}
		}
		table += row("`"+name+"`", strings.Join(types, ", "))
	}
	return table
}

func catalogueLine() string {
	c, total := catalog.Default(), 0
	for _, p := range c.Providers() {
		total += len(c.Models(p))
	}
	return fmt.Sprintf("It knows %d models of %d providers, as of %s.\n", total, len(c.Providers()), c.Date())
}
