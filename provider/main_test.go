package provider_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/provider"
)

// A judge brings a library that starts a goroutine when it is loaded.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

const secret = "sk-canary-provider-81d2"

// wire keeps requests and answers each with the same words.
type wire struct {
	status int
	kind   string
	answer string

	mu   sync.Mutex
	got  []*http.Request
	sent []string
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	w.got, w.sent = append(w.got, r), append(w.sent, string(body))
	status := w.status
	if status == 0 {
		status = http.StatusOK
	}
	kind := w.kind
	if kind == "" {
		kind = "application/json"
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Request: r,
		Body: io.NopCloser(bytes.NewReader([]byte(w.answer))),
	}, nil
}

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for _, p := range pairs {
			if value, ok := strings.CutPrefix(p, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

func hello(name, model string) *llm.Request {
	m := llm.Text(llm.RoleUser, "Hello?")
	return &llm.Request{Provider: name, Model: model, History: []*llm.Message{&m}}
}

func mustNew(t *testing.T, c *provider.Config, w *provider.World) *provider.Provider {
	t.Helper()
	p, err := provider.New(c, w)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}
