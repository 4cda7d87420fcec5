package anthropic_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/anthropic"
	"github.com/ai-agent-go/ai-agent/llm/llmtest"
)

var update = flag.Bool("update", false, "rewrite the golden requests")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// contract: P8, P9, R8, R9, R10, R13, V2, V4, B7
func TestConformance(t *testing.T) {
	t.Parallel()
	a := adapter()
	if *update {
		a.Update = func(name string, data []byte) {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Error(err)
			}
		}
	}
	llmtest.Run(t, a)
}

// adapter is what the suite tests.
func adapter() *llmtest.Adapter {
	return &llmtest.Adapter{
		New: func(t testing.TB, e *llmtest.Endpoint) llm.Provider {
			p, err := anthropic.New(e.Key, &anthropic.Config{BaseURL: e.BaseURL, Transport: e.Transport})
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
		Model: "claude-test-1", Namespace: "anthropic", Messages: "messages", Wire: "testdata/wire",
	}
}

// contract: P12
//
//nolint:paralleltest // it measures the whole process
func TestSpeed(t *testing.T) { llmtest.Speed(t, adapter(), llmtest.FormatMessages) }
