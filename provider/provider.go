package provider

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/anthropic"
	"github.com/ai-agent-go/ai-agent/llm/catalog"
	"github.com/ai-agent-go/ai-agent/llm/google"
	"github.com/ai-agent-go/ai-agent/llm/ollama"
	"github.com/ai-agent-go/ai-agent/llm/openai"
	"github.com/ai-agent-go/ai-agent/spec"
)

// World is what providers meet outside of their configuration. The zero value,
// and nil, is this process's.
type World struct {
	// Catalog adds its advice to receipts. Defaults to none.
	Catalog *catalog.Catalog
	// Getenv reads a variable. Defaults to [os.Getenv].
	Getenv func(name string) string
	// Transport makes the connections of all providers. Defaults to one for
	// each, which uses the proxy that the environment names.
	Transport http.RoundTripper
}

func (w *World) getenv(name string) string {
	if w == nil || w.Getenv == nil {
		return os.Getenv(name)
	}
	return w.Getenv(name)
}

// Provider is an adapter that was made of configuration. It may be used
// concurrently; Close gives idle connections back.
type Provider struct {
	adapter
	catalog *catalog.Catalog
}

type adapter interface {
	llm.Provider
	Close()
}

var _ llm.Provider = (*Provider)(nil)

// New makes a provider. The configuration is copied, the world may be nil.
// Errors name the provider and the field, and hold no secret.
func New(c *Config, w *World) (*Provider, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if w == nil {
		w = &World{}
	}
	m := &maker{config: c, kind: kindOf(c.kindName()), transport: w.Transport}
	if err := m.secrets(w); err != nil {
		return nil, fmt.Errorf("provider %s: %w", c.Name, err)
	}
	a, err := m.adapter()
	if err != nil {
		return nil, fmt.Errorf("provider %s: %w", c.Name, err)
	}
	return &Provider{adapter: a, catalog: w.Catalog}, nil
}

// Generate implements [llm.Provider]. The request goes out as it is; what the
// catalogue has to say of it is added to the warnings of its receipt (contract
// P5).
func (p *Provider) Generate(ctx context.Context, request *llm.Request) iter.Seq2[llm.Delta, *llm.Receipt] {
	if p.catalog == nil {
		return p.adapter.Generate(ctx, request)
	}
	return func(yield func(llm.Delta, *llm.Receipt) bool) {
		for delta, receipt := range p.adapter.Generate(ctx, request) {
			if receipt != nil {
				receipt.Warnings = append(receipt.Warnings, p.catalog.RequestWarnings(request)...)
			}
			if !yield(delta, receipt) {
				return
			}
		}
	}
}

// maker makes one adapter.
type maker struct {
	config    *Config
	kind      *kind
	key       llm.Key
	headers   map[string]string
	hidden    map[string]llm.Key
	transport http.RoundTripper
}

// secrets prepares the key, and the headers whose values are references.
func (m *maker) secrets(w *World) (err error) {
	switch {
	case !m.config.Key.IsZero():
		if m.key, err = Key(m.config.Key, w.getenv); err != nil {
			return fmt.Errorf("apiKey: %w", err)
		}
	case len(m.kind.keys) > 0:
		m.key = envKey(w.getenv, m.kind.keys...)
	}
	m.headers = make(map[string]string)
	if m.config.kindName() == OpenRouter {
		// How the router's lists name the program that asks.
		for header, name := range map[string]string{"Http-Referer": "OPENROUTER_REFERER", "X-Title": "OPENROUTER_TITLE"} {
			if value := w.getenv(name); value != "" {
				m.headers[header] = value
			}
		}
	}
	for name, value := range m.config.Headers {
		m.headers[http.CanonicalHeaderKey(name)] = value
	}
	hidden := make(map[string]llm.Key)
	for _, name := range slices.Sorted(maps.Keys(m.headers)) {
		if value := m.headers[name]; strings.HasPrefix(value, "env:") || strings.HasPrefix(value, "file:") {
			if hidden[name], err = Key(spec.Secret{Ref: value}, w.getenv); err != nil {
				return fmt.Errorf("headers: %s: %w", name, err)
			}
			delete(m.headers, name)
		}
	}
	m.hidden = hidden
	return nil
}

// adapter makes the adapter of the type.
func (m *maker) adapter() (adapter, error) {
	c := m.config
	switch c.kindName() {
	case Anthropic:
		return anthropic.New(m.key, &anthropic.Config{ //nolint:wrapcheck // New adds the name
			BaseURL: c.BaseURL, Headers: m.headers, Secrets: m.hidden, Transport: m.transport, Betas: c.Betas,
			Cache: anthropic.CacheMode(c.Cache), CacheTTL: c.CacheTTL, Effort: anthropic.Effort(c.Effort),
		})
	case Google:
		return google.New(m.key, &google.Config{ //nolint:wrapcheck // New adds the name
			BaseURL: c.BaseURL, Headers: m.headers, Secrets: m.hidden, Transport: m.transport,
		})
	case Ollama:
		return ollama.New(&ollama.Config{ //nolint:wrapcheck // New adds the name
			BaseURL: c.BaseURL, Headers: m.headers, Secrets: m.hidden, Transport: m.transport, Key: m.key,
		})
	case OpenAI, Compatible, OpenRouter, Mistral:
		return m.openai()
	default:
		return nil, fmt.Errorf("type: unknown %q", c.Type) // check has refused it
	}
}

func (m *maker) openai() (adapter, error) {
	c := m.config
	config := &openai.Config{
		BaseURL: c.BaseURL, Flavor: c.Flavor, Headers: m.headers, Secrets: m.hidden, Transport: m.transport, Name: c.Namespace(),
		ReasoningField: c.ReasoningField, ReasoningSummary: c.ReasoningSummary, NoStreamUsage: c.IncludeUsage != nil && !*c.IncludeUsage,
	}
	if config.BaseURL == "" {
		config.BaseURL = m.kind.base
	}
	if config.Flavor == "" {
		config.Flavor = m.kind.flavor
	}
	if c.kindName() == OpenAI && c.Mode != "chat" {
		return openai.NewResponses(m.key, config) //nolint:wrapcheck // New adds the name
	}
	return openai.NewChat(m.key, config) //nolint:wrapcheck // New adds the name
}

// host is where an address leads to, empty when it leads nowhere.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
