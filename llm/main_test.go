package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// same fails when a value is not what it should be.
func same(t rapid.TB, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("difference (-want +got):\n%s", diff)
	}
}

// throughJSON writes a value and reads it again.
func throughJSON[T any](t rapid.TB, v T) T {
	t.Helper()
	data, err := llm.MarshalJSON(v)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
