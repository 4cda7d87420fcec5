package provider

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm/openai"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Type is a kind of service.
type Type string

// The types.
const (
	OpenAI     Type = "openai"
	Compatible Type = "openai-compatible"
	Anthropic  Type = "anthropic"
	Google     Type = "google"
	OpenRouter Type = "openrouter"
	Ollama     Type = "ollama"
	Mistral    Type = "mistral"
)

// kind is what is known of a type.
type kind struct {
	// keys are the variables in which its key usually is, the first that is set
	// counts. None means that no key is needed.
	keys []string
	// address is the variable that usually holds its base URL.
	address string
	// model is the one that a first run asks.
	model string
	// base is its base URL, where the adapter's own default is another's.
	base string
	// flavor is its accent of Chat Completions.
	flavor openai.Flavor
	// fields are the configuration's that only some types have.
	fields []string
}

// kinds in the order in which a first run prefers them.
var kinds = []struct {
	Type
	kind
}{
	{Anthropic, kind{
		keys: []string{"ANTHROPIC_API_KEY"}, address: "ANTHROPIC_BASE_URL", model: "claude-sonnet-5-5",
		fields: []string{"cache", "cacheTtl", "effort", "betas"},
	}},
	{OpenAI, kind{
		keys: []string{"OPENAI_API_KEY"}, address: "OPENAI_BASE_URL", model: "gpt-6.1-sol",
		fields: []string{"openaiMode", "flavor", "includeUsage", "reasoningField", "reasoningSummary"},
	}},
	{Google, kind{keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, model: "gemini-3.8-flash"}},
	{OpenRouter, kind{
		keys: []string{"OPENROUTER_API_KEY"}, model: "anthropic/claude-sonnet-5.5",
		base: "https://openrouter.ai/api/v1", flavor: openai.FlavorOpenRouter, fields: []string{"includeUsage", "reasoningField"},
	}},
	{Mistral, kind{
		keys: []string{"MISTRAL_API_KEY"}, model: "mistral-large-latest",
		base: "https://api.mistral.ai/v1", flavor: openai.FlavorMistral, fields: []string{"includeUsage", "reasoningField"},
	}},
	{Ollama, kind{address: "OLLAMA_HOST"}},
	{Compatible, kind{flavor: openai.FlavorCompatible, fields: []string{"flavor", "includeUsage", "reasoningField"}}},
}

// kindOf returns what is known of a type, nil when it is none.
func kindOf(t Type) *kind {
	for i := range kinds {
		if kinds[i].Type == t {
			return &kinds[i].kind
		}
	}
	return nil
}

// Types lists the types, those that a first run prefers in front.
func Types() []Type {
	list := make([]Type, len(kinds))
	for i := range kinds {
		list[i] = kinds[i].Type
	}
	return list
}

// DefaultModel is the model that a first run asks of a service, empty where
// that depends on the machine. It is a choice of ours, to be replaced by
// configuration; the catalogue knows it.
func DefaultModel(t Type) string {
	if k := kindOf(t); k != nil {
		return k.model
	}
	return ""
}

// KeyVariables are the variables in which a type's key usually is, the first
// that is set counts. There are none for types that need no key.
func KeyVariables(t Type) []string {
	if k := kindOf(t); k != nil {
		return slices.Clone(k.keys)
	}
	return nil
}

// Config is one provider as people write it. Name is required; the rest has
// defaults. Fields that a type does not have must be left out.
type Config struct {
	// Name is what targets call the provider.
	Name string `json:"-"`
	// Type defaults to the name, when that is one.
	Type Type `json:"type,omitempty"`
	// BaseURL defaults to the vendor's service; [Compatible] needs one.
	BaseURL string `json:"baseUrl,omitempty"`
	// Key refers to the secret: env:NAME or file:PATH. Defaults to the variable
	// that the type's key is usually in; [Compatible] and [Ollama] have none.
	Key spec.Secret `json:"apiKey,omitzero"`
	// Headers are sent with every request and replace our own of that name. A
	// value may be a reference as Key is.
	Headers map[string]string `json:"headers,omitempty"`

	// Mode is the API of [OpenAI]: "responses" or "chat". Defaults to responses.
	Mode string `json:"openaiMode,omitempty"`
	// Flavor is the accent of Chat Completions: openai, compatible, openrouter
	// or mistral. Defaults to what the address tells.
	Flavor openai.Flavor `json:"flavor,omitempty"`
	// IncludeUsage asks for token counts in streams. Defaults to true; some
	// services refuse it.
	IncludeUsage *bool `json:"includeUsage,omitempty"`
	// ReasoningField is the name under which reasoning is sent back; "-" sends
	// none. Defaults to the name under which it came.
	ReasoningField string `json:"reasoningField,omitempty"`
	// ReasoningSummary asks for a summary of the reasoning; "-" asks for none.
	// Defaults to "auto". For the responses mode.
	ReasoningSummary string `json:"reasoningSummary,omitempty"`
	// Cache is "full" or "none": whether prompts are marked for the cache of
	// [Anthropic]. Defaults to full.
	Cache string `json:"cache,omitempty"`
	// CacheTTL is "5m" or "1h". Defaults to the service's choice.
	CacheTTL string `json:"cacheTtl,omitempty"`
	// Effort is how a reasoning effort is sent to [Anthropic]: "auto", "budget"
	// or "adaptive". Defaults to auto.
	Effort string `json:"effort,omitempty"`
	// Betas are sent to [Anthropic] in the header of that name.
	Betas []string `json:"betas,omitempty"`

	// Custom are options of the service itself, for the targets that name this
	// provider; see [Config.TargetOptions].
	Custom Custom `json:"custom,omitzero"`
}

// Custom are options that we know nothing of and pass on.
type Custom struct {
	// ProviderOptions are merged into every request.
	ProviderOptions json.RawMessage `json:"providerOptions,omitempty"`
	// Provider is the routing block of [OpenRouter].
	Provider json.RawMessage `json:"provider,omitempty"`
}

// Namespace is the provider's own in the options of a request: the type, or for
// [Compatible], behind which many services are, the name.
func (c *Config) Namespace() string {
	if t := c.kindName(); t != Compatible {
		return string(t)
	}
	return c.Name
}

// TargetOptions are the custom options in the form in which targets hold them,
// nil when there are none. They belong into the target, because a request is
// data that is journaled before it is sent (contract P6); nothing is added to
// it here.
func (c *Config) TargetOptions() (json.RawMessage, error) {
	fields := make(map[string]json.RawMessage)
	if len(c.Custom.ProviderOptions) > 0 {
		if err := json.Unmarshal(c.Custom.ProviderOptions, &fields); err != nil {
			return nil, fmt.Errorf("provider %s: custom.providerOptions: want an object", c.Name)
		}
	}
	if len(c.Custom.Provider) > 0 {
		if c.kindName() != OpenRouter {
			return nil, fmt.Errorf("provider %s: custom.provider is for the type %s", c.Name, OpenRouter)
		}
		fields["provider"] = c.Custom.Provider
	}
	if len(fields) == 0 {
		return nil, nil
	}
	out, err := json.Marshal(map[string]any{c.Namespace(): fields})
	if err != nil {
		return nil, fmt.Errorf("provider %s: custom: %w", c.Name, err)
	}
	return out, nil
}

// kindName is the type, with its default.
func (c *Config) kindName() Type { return cmp.Or(c.Type, Type(c.Name)) }

// check says what is wrong with a configuration.
func (c *Config) check() error {
	k := kindOf(c.kindName())
	switch {
	case c.Name == "":
		return errors.New("a provider needs a name")
	case k == nil && c.Type == "":
		return fmt.Errorf("provider %s: type is missing; want one of %s", c.Name, typeList())
	case k == nil:
		return fmt.Errorf("provider %s: type: unknown %q; want one of %s", c.Name, c.Type, typeList())
	case c.kindName() == Compatible && c.BaseURL == "":
		return fmt.Errorf("provider %s: baseUrl is missing; the type %s has no service of its own", c.Name, Compatible)
	case c.Mode != "" && c.Mode != "responses" && c.Mode != "chat":
		return fmt.Errorf("provider %s: openaiMode: unknown %q; want responses or chat", c.Name, c.Mode)
	}
	for _, f := range c.special() {
		if f.set && !slices.Contains(k.fields, f.name) {
			return fmt.Errorf("provider %s: %s is not for the type %s", c.Name, f.name, c.kindName())
		}
	}
	_, err := c.TargetOptions()
	return err
}

type field struct {
	name string
	set  bool
}

// special are the fields that only some types have.
func (c *Config) special() []field {
	return []field{
		{"openaiMode", c.Mode != ""},
		{"flavor", c.Flavor != ""},
		{"includeUsage", c.IncludeUsage != nil},
		{"reasoningField", c.ReasoningField != ""},
		{"reasoningSummary", c.ReasoningSummary != ""},
		{"cache", c.Cache != ""},
		{"cacheTtl", c.CacheTTL != ""},
		{"effort", c.Effort != ""},
		{"betas", len(c.Betas) > 0},
	}
}

func typeList() string {
	var names []string
	for _, t := range Types() {
		names = append(names, string(t))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
