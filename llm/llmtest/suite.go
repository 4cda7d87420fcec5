package llmtest

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ai-agent-go/ai-agent/llm"
)

// Secret is the key that adapters are given. Nothing that comes out of them may
// contain it.
const Secret = "sk-canary-7f3a9c51e2d84b06" //nolint:gosec // it opens nothing

// Adapter is what the suite tests.
type Adapter struct {
	// New makes a provider that speaks to the endpoint. When it has a method
	// Close, the suite calls it.
	New func(t testing.TB, e *Endpoint) llm.Provider
	// Model is the model that requests ask for.
	Model string
	// Namespace is the adapter's own in provider options.
	Namespace string
	// Messages is the field of a request that holds the conversation.
	Messages string
	// Wire is the directory of the traffic.
	Wire string
	// NoIDs says that the service gives its answers no ids, NoCache that it does
	// not tell how many tokens came from its cache, and NoSignatures that it has
	// no proof of reasoning. What a service does not say is not asked for.
	NoIDs, NoCache, NoSignatures bool
	// Update is given the files with their sections named sent as they should
	// be, to write them. When it is nil they are compared.
	Update func(name string, data []byte)
}

// Endpoint is where the suite listens.
type Endpoint struct {
	BaseURL   string
	Key       llm.Key
	Transport http.RoundTripper
}

// ProviderName is the provider that requests name.
const ProviderName = "under-test"

// Run runs all cases as subtests.
func Run(t *testing.T, a *Adapter) {
	for _, c := range allCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := readArchive(t, filepath.Join(a.Wire, c.name+".txtar"))
			played := false
			for _, mode := range []string{modeStream, modeWhole} {
				if c.only != "" && c.only != mode {
					continue
				}
				answer, why := file.section(mode)
				if answer == nil {
					if why == "" && !c.golden {
						t.Errorf("the file has neither a section %q nor one %q", mode, "no "+mode)
					}
					continue
				}
				played = true
				t.Run(mode, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) { a.play(t, c, mode, answer, file) })
				})
			}
			if !played {
				t.Skip(strings.TrimSpace(file.comment()))
			}
		})
	}
	t.Run("a-key-that-fails", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, a.keyFails)
	})
	t.Run("many-at-once", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, a.together)
	})
	t.Run("a-conversation-only-grows", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, a.onlyGrows)
	})
}

// play runs one case in one mode.
func (a *Adapter) play(t *testing.T, c *testCase, mode string, answer []byte, file *archive) {
	s := serve(t, answer)
	p := a.provider(t, s, llm.FixedKey(Secret))
	request := c.request(a)
	request.Provider, request.Model, request.Stream = ProviderName, a.Model, mode == modeStream
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	if c.abort == abortBefore {
		cancel(nil)
	}
	start := time.Now()
	var heard listener
	for delta, receipt := range p.Generate(ctx, request) {
		if receipt != nil {
			heard.end(t, receipt)
			continue
		}
		heard.delta(t, delta)
		if c.abort == abortFirst {
			cancel(errors.New("the user pressed stop"))
		}
		if c.abort == breakFirst {
			break
		}
	}
	if took := time.Since(start); took != c.takes {
		t.Errorf("took %v, want %v", took, c.takes)
	}
	requests := s.requests()
	if want := c.requests(); len(requests) != want {
		t.Fatalf("%d requests on the wire, want %d", len(requests), want)
	}
	for _, r := range requests {
		r.check(t)
	}
	if c.abort == breakFirst {
		if heard.receipt != nil {
			t.Error("a receipt after the loop was left")
		}
		return
	}
	heard.check(t, s)
	c.check(t, a, heard.receipt, request)
	if c.golden && (mode == modeStream || c.only != "") {
		file.golden(t, a, requests[0])
	}
}

// provider makes a provider that is closed with the test.
func (a *Adapter) provider(t *testing.T, s *server, key llm.Key) llm.Provider {
	t.Helper()
	p := a.New(t, &Endpoint{BaseURL: "http://llm.test", Key: key, Transport: s.transport})
	if c, ok := p.(interface{ Close() }); ok {
		t.Cleanup(c.Close)
	}
	return p
}

// keyFails shows that without a key nothing leaves.
func (a *Adapter) keyFails(t *testing.T) {
	s := serve(t, []byte("200 application/json\n\n{}"))
	p := a.provider(t, s, func(context.Context) (string, error) { return "", errors.New("the variable ACME_KEY is not set") })
	request := hello(a)
	request.Provider, request.Model = ProviderName, a.Model
	receipt := llm.Call(t.Context(), p, request)
	if receipt.Error == nil || receipt.Error.Class != llm.ClassAuth || !strings.Contains(receipt.Error.Message, "ACME_KEY is not set") {
		t.Errorf("a key that fails gives %v", receipt.Error)
	}
	if n := len(s.requests()); n != 0 {
		t.Errorf("%d requests left without a key", n)
	}
}

func readArchive(t *testing.T, name string) *archive {
	t.Helper()
	data, err := os.ReadFile(name) //nolint:gosec // the adapter names its own files
	if err != nil {
		t.Fatalf("every case has its traffic: %v", err)
	}
	return parseArchive(name, data)
}
