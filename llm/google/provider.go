package google

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"net/http"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// DefaultBaseURL is the vendor's own service.
const DefaultBaseURL = "https://generativelanguage.googleapis.com/v1beta"

// Config holds what is optional. The zero value is the vendor's service.
type Config struct {
	// BaseURL is what /models/<model>:generateContent is appended to. Defaults
	// to [DefaultBaseURL].
	BaseURL string
	// Headers are sent with every request and replace our own of that name.
	Headers map[string]string
	// Name is the namespace of the provider options that are ours. Defaults to
	// "google".
	Name string
	// Secrets are headers whose values are asked for at every call, as the key
	// is, and are repeated nowhere. They replace all others of that name.
	Secrets map[string]llm.Key
	// Transport makes the connections. Defaults to one of the provider's own,
	// which uses the proxy that the environment names.
	Transport http.RoundTripper
}

// Provider asks models through the Gemini API. It may be used concurrently.
type Provider struct {
	client *wire.Client
	config Config
	memory wire.Memory[transcript, *transcript]
}

var _ llm.Provider = (*Provider)(nil)

// New makes a provider. The key is asked for at every call; nil sends none. The
// configuration may be nil and is copied.
func New(key llm.Key, config *Config) (*Provider, error) {
	p := &Provider{}
	if config != nil {
		p.config = *config
	}
	c := &p.config
	c.Headers = maps.Clone(c.Headers)
	c.BaseURL = cmp.Or(c.BaseURL, DefaultBaseURL)
	c.Name = cmp.Or(c.Name, "google")
	if err := wire.CheckURL(c.BaseURL); err != nil {
		return nil, fmt.Errorf("google: %w", err)
	}
	p.client = wire.NewClient(&wire.Endpoint{
		BaseURL: c.BaseURL, Headers: c.Headers, Secrets: c.Secrets, Key: key, Transport: c.Transport, Rules: rules,
		Sign: func(h http.Header, key string) { h.Set("X-Goog-Api-Key", key) },
	})
	return p, nil
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

// rules are how this service names its failures.
var rules = &wire.Rules{
	Codes: map[string]llm.ErrorClass{
		"API_KEY_INVALID":    llm.ClassAuth,
		"UNAUTHENTICATED":    llm.ClassAuth,
		"PERMISSION_DENIED":  llm.ClassAuth,
		"BILLING_DISABLED":   llm.ClassQuota,
		"RESOURCE_EXHAUSTED": llm.ClassRateLimit,
		"DEADLINE_EXCEEDED":  llm.ClassTimeout,
		"INTERNAL":           llm.ClassServer,
		"UNAVAILABLE":        llm.ClassServer,
	},
	Words: []wire.Word{
		{Text: "api key not valid", Class: llm.ClassAuth},
		{Text: "exceeds the maximum number of tokens", Class: llm.ClassContextOverflow},
	},
}
