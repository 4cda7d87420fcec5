package openai

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// DefaultBaseURL is the vendor's own service.
const DefaultBaseURL = "https://api.openai.com/v1"

// Config holds what is optional. The zero value is the vendor's service.
type Config struct {
	// BaseURL is what /chat/completions or /responses is appended to. Defaults
	// to [DefaultBaseURL].
	BaseURL string
	// Flavor says whose habits the service has; for [Chat] only. Defaults to
	// what the host of the base URL tells.
	Flavor Flavor
	// Headers are sent with every request and replace our own of that name.
	Headers map[string]string
	// Name is the namespace of the provider options that are ours. Defaults to
	// "openai".
	Name string
	// NoStreamUsage does not ask for token counts in streams, which some
	// services refuse; for [Chat] only.
	NoStreamUsage bool
	// ReasoningField is the name under which reasoning is sent back; for [Chat]
	// only. "-" sends none. Defaults to the name under which it came.
	ReasoningField string
	// ReasoningSummary asks for a summary of the reasoning when an effort is
	// configured; for [Responses] only. "-" asks for none. Defaults to "auto".
	ReasoningSummary string
	// Secrets are headers whose values are asked for at every call, as the key
	// is, and are repeated nowhere. They replace all others of that name.
	Secrets map[string]llm.Key
	// Transport makes the connections. Defaults to one of the provider's own,
	// which uses the proxy that the environment names.
	Transport http.RoundTripper
}

// base is what both APIs have in common.
type base struct {
	client *wire.Client
	config Config
}

func newBase(key llm.Key, config *Config) (base, error) {
	var b base
	if config != nil {
		b.config = *config
	}
	c := &b.config
	c.Headers = maps.Clone(c.Headers)
	c.BaseURL = cmp.Or(c.BaseURL, DefaultBaseURL)
	c.Name = cmp.Or(c.Name, "openai")
	c.ReasoningSummary = cmp.Or(c.ReasoningSummary, "auto")
	if err := wire.CheckURL(c.BaseURL); err != nil {
		return b, fmt.Errorf("openai: %w", err)
	}
	if c.Flavor == "" {
		c.Flavor = flavorOf(c.BaseURL)
	}
	if _, ok := flavors[c.Flavor]; !ok {
		return b, fmt.Errorf("openai: unknown flavor %q", c.Flavor)
	}
	b.client = wire.NewClient(&wire.Endpoint{
		BaseURL: c.BaseURL, Headers: c.Headers, Secrets: c.Secrets, Key: key, Transport: c.Transport, Rules: rules,
		Sign: func(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) },
	})
	return b, nil
}

// Close gives idle connections back. Calls that are under way go on.
func (b *base) Close() { b.client.Close() }

func flavorOf(baseURL string) Flavor {
	u, err := url.Parse(baseURL)
	if err != nil {
		return FlavorCompatible
	}
	switch u.Hostname() {
	case "api.openai.com":
		return FlavorOpenAI
	case "openrouter.ai":
		return FlavorOpenRouter
	case "api.mistral.ai":
		return FlavorMistral
	default:
		return FlavorCompatible
	}
}

// rules are how these services name their failures.
var rules = &wire.Rules{
	Codes: map[string]llm.ErrorClass{
		"invalid_api_key":            llm.ClassAuth,
		"authentication_error":       llm.ClassAuth,
		"permission_error":           llm.ClassAuth,
		"insufficient_quota":         llm.ClassQuota,
		"billing_hard_limit_reached": llm.ClassQuota,
		"insufficient_credits":       llm.ClassQuota,
		"rate_limit_exceeded":        llm.ClassRateLimit,
		"rate_limit_error":           llm.ClassRateLimit,
		"context_length_exceeded":    llm.ClassContextOverflow,
		"string_above_max_length":    llm.ClassContextOverflow,
		"content_filter":             llm.ClassRefusal,
		"content_policy_violation":   llm.ClassRefusal,
		"invalid_prompt":             llm.ClassRefusal,
		"model_not_found":            llm.ClassModel,
		"server_error":               llm.ClassServer,
		"internal_server_error":      llm.ClassServer,
		"overloaded_error":           llm.ClassServer,
		"timeout":                    llm.ClassTimeout,
	},
	Words: []wire.Word{
		{Text: "please reduce the length", Class: llm.ClassContextOverflow},
		{Text: "exceeded model token limit", Class: llm.ClassContextOverflow},
		{Text: "too large for model with", Class: llm.ClassContextOverflow},
	},
}
