package ollama

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// DefaultBaseURL is a server on this machine.
const DefaultBaseURL = "http://localhost:11434/api"

// Config holds what is optional. The zero value is a server on this machine.
type Config struct {
	// BaseURL is where /chat is found. A host alone, or the /v1 of the server's
	// other API, leads to /api. Defaults to [DefaultBaseURL].
	BaseURL string
	// Headers are sent with every request and replace our own of that name.
	Headers map[string]string
	// Key is for servers behind a door that asks for one. Defaults to none.
	Key llm.Key
	// Name is the namespace of the provider options that are ours. Defaults to
	// "ollama".
	Name string
	// Secrets are headers whose values are asked for at every call, as the key
	// is, and are repeated nowhere. They replace all others of that name.
	Secrets map[string]llm.Key
	// Transport makes the connections. Defaults to one of the provider's own,
	// which uses the proxy that the environment names.
	Transport http.RoundTripper
}

// Provider asks models of one server. It may be used concurrently.
type Provider struct {
	client *wire.Client
	config Config
	memory wire.Memory[transcript, *transcript]
}

var _ llm.Provider = (*Provider)(nil)

// New makes a provider. The configuration may be nil and is copied.
func New(config *Config) (*Provider, error) {
	p := &Provider{}
	if config != nil {
		p.config = *config
	}
	c := &p.config
	c.Headers = maps.Clone(c.Headers)
	c.BaseURL = normal(cmp.Or(c.BaseURL, DefaultBaseURL))
	c.Name = cmp.Or(c.Name, "ollama")
	if err := wire.CheckURL(c.BaseURL); err != nil {
		return nil, fmt.Errorf("ollama: %w", err)
	}
	p.client = wire.NewClient(&wire.Endpoint{
		BaseURL: c.BaseURL, Headers: c.Headers, Secrets: c.Secrets, Key: c.Key, Transport: c.Transport, Rules: rules,
		Sign: func(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) },
	})
	return p, nil
}

// normal finds the chat API of a server.
func normal(base string) string {
	base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1")
	if !strings.HasSuffix(base, "/api") {
		base += "/api"
	}
	return base
}

// Close gives idle connections back. Calls that are under way go on.
func (p *Provider) Close() { p.client.Close() }

// Generate implements [llm.Provider].
func (p *Provider) Generate(ctx context.Context, request *llm.Request) iter.Seq2[llm.Delta, *llm.Receipt] {
	return func(yield func(llm.Delta, *llm.Receipt) bool) {
		answer := wire.NewAnswer(func(d llm.Delta) bool { return yield(d, nil) })
		call, err := p.encode(request)
		if err != nil {
			yield(llm.Delta{}, answer.Unsent(request, err))
			return
		}
		d := &decoder{answer: answer, names: wire.NamesOf(request.Tools)}
		if receipt := p.client.Exchange(ctx, call, d, answer); receipt != nil {
			yield(llm.Delta{}, receipt)
		}
	}
}

// rules are empty: this service has no codes, its statuses say it all.
var rules = &wire.Rules{}
