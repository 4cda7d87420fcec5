package openai_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/llmtest"
	"github.com/ai-agent-go/ai-agent/llm/openai"
)

var update = flag.Bool("update", false, "rewrite the golden requests")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// contract: P8, P9, R8, R9, R10, R13, V2, V4, B7
func TestChatConformance(t *testing.T) {
	t.Parallel()
	conform(t, chatAdapter())
}

// contract: P12
//
//nolint:paralleltest // it measures the whole process
func TestChatSpeed(t *testing.T) { llmtest.Speed(t, chatAdapter(), llmtest.FormatChat) }

func chatAdapter() *llmtest.Adapter {
	return &llmtest.Adapter{
		New: func(t testing.TB, e *llmtest.Endpoint) llm.Provider {
			p, err := openai.NewChat(e.Key, &openai.Config{BaseURL: e.BaseURL + "/v1", Transport: e.Transport, Flavor: openai.FlavorOpenAI})
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
		Model: "gpt-test-1", Namespace: "openai", Messages: "messages", Wire: "testdata/chat",
	}
}

// contract: P8, P9, R8, R9, R10, R13, V2, V4, B7
func TestResponsesConformance(t *testing.T) {
	t.Parallel()
	conform(t, responsesAdapter())
}

// contract: P12
//
//nolint:paralleltest // it measures the whole process
func TestResponsesSpeed(t *testing.T) { llmtest.Speed(t, responsesAdapter(), llmtest.FormatResponses) }

func responsesAdapter() *llmtest.Adapter {
	return &llmtest.Adapter{
		New: func(t testing.TB, e *llmtest.Endpoint) llm.Provider {
			p, err := openai.NewResponses(e.Key, &openai.Config{BaseURL: e.BaseURL + "/v1", Transport: e.Transport})
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
		Model: "gpt-test-1", Namespace: "openai", Messages: "input", Wire: "testdata/responses",
	}
}

func conform(t *testing.T, a *llmtest.Adapter) {
	t.Helper()
	if *update {
		a.Update = func(name string, data []byte) {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Error(err)
			}
		}
	}
	llmtest.Run(t, a)
}
