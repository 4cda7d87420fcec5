package provider

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ai-agent-go/ai-agent/llm/ollama"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Found is a provider that this machine can reach.
type Found struct {
	Config Config
	// Model is one to begin with: [DefaultModel], or the one that a server of
	// one's own has loaded last.
	Model string
	// Why says how it was found, for people.
	Why string
}

// maxProbe is how long a server on this machine may take to say that it is
// there.
const maxProbe = 500 * time.Millisecond

// FromEnvironment returns the providers whose usual keys are set, in the order
// in which a first run should prefer them:
//
//	ANTHROPIC_API_KEY                   anthropic    ANTHROPIC_BASE_URL
//	OPENAI_API_KEY                      openai       OPENAI_BASE_URL
//	GEMINI_API_KEY or GOOGLE_API_KEY    google
//	OPENROUTER_API_KEY                  openrouter
//	MISTRAL_API_KEY                     mistral
//	(when it answers)                   ollama       OLLAMA_HOST
//
// An address of the third column is used when it is set. It looks at names and
// whether they are set; keys themselves are read when a request is made.
func FromEnvironment(ctx context.Context, w *World) []Found {
	var list []Found
	for i := range kinds {
		k := &kinds[i]
		c := Config{Name: string(k.Type), Type: k.Type}
		if k.address != "" {
			c.BaseURL = strings.TrimSpace(w.getenv(k.address))
		}
		if k.Type == Ollama {
			if found, ok := localServer(ctx, w, c); ok {
				list = append(list, found)
			}
			continue
		}
		for _, name := range k.keys {
			if w.getenv(name) == "" {
				continue
			}
			c.Key = spec.Secret{Ref: "env:" + name}
			if k.Type == OpenAI && c.BaseURL != "" && host(c.BaseURL) != "api.openai.com" {
				c.Mode = "chat" // those who imitate the service imitate this
			}
			list = append(list, Found{Config: c, Model: k.model, Why: name + " is set"})
			break
		}
	}
	return list
}

// localServer looks for a server on this machine and the models that it has.
func localServer(ctx context.Context, w *World, c Config) (Found, bool) {
	c.BaseURL = serverAddress(c.BaseURL)
	ctx, cancel := context.WithTimeout(ctx, maxProbe)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.BaseURL+"/tags", http.NoBody)
	if err != nil {
		return Found{}, false
	}
	client := &http.Client{}
	if w != nil && w.Transport != nil {
		client.Transport = w.Transport
	} else {
		own := &http.Transport{DisableKeepAlives: true} // no proxy: it is this machine
		client.Transport = own
		defer own.CloseIdleConnections()
	}
	response, err := client.Do(request)
	if err != nil {
		return Found{}, false
	}
	defer func() { _ = response.Body.Close() }()
	var tags struct {
		Models []struct {
			Name       string
			ModifiedAt time.Time `json:"modified_at"`
		}
	}
	err = json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&tags)
	if err != nil || response.StatusCode != http.StatusOK || len(tags.Models) == 0 {
		return Found{}, false
	}
	last := tags.Models[0]
	for _, m := range tags.Models {
		if m.ModifiedAt.After(last.ModifiedAt) {
			last = m
		}
	}
	return Found{Config: c, Model: last.Name, Why: "a server answers at " + c.BaseURL}, true
}

// serverAddress makes an address of what the server's own variable may hold: a
// host, a host and a port, or a whole address. Where the server should listen
// everywhere, this machine is where to ask.
func serverAddress(given string) string {
	if given == "" {
		return ollama.DefaultBaseURL
	}
	if !strings.Contains(given, "://") {
		given = "http://" + given
	}
	u, err := url.Parse(given)
	if err != nil || u.Hostname() == "" {
		return ollama.DefaultBaseURL
	}
	name, port := u.Hostname(), u.Port()
	if name == "0.0.0.0" || name == "::" {
		name = "localhost"
	}
	if port == "" && u.Scheme == "http" {
		port = "11434"
	}
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	if port != "" {
		name += ":" + port
	}
	return u.Scheme + "://" + name + "/api"
}
