package script_test

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func same(t rapid.TB, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("difference (-want +got):\n%s", diff)
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// ask makes a streaming request with a history.
func ask(history ...*llm.Message) *llm.Request {
	return &llm.Request{
		CorrelationID: "s/1/1/1", Provider: "demo", Model: "model-a", Stream: true,
		History: append([]*llm.Message{message(llm.RoleUser, "What is the weather in Paris?")}, history...),
	}
}

func message(role llm.Role, text string) *llm.Message {
	m := llm.Text(role, text)
	return &m
}

func toolResult(id, name, content string) *llm.Message {
	return &llm.Message{Role: llm.RoleTool, Parts: []llm.Part{{
		Kind: llm.PartToolResult, Result: &llm.ToolResult{CallID: id, Name: name, Content: content},
	}}}
}

// hear listens to the end, checks the rules of llm.Provider, and returns the
// texts of the deltas beside the receipt.
func hear(ctx context.Context, t testing.TB, p llm.Provider, request *llm.Request) ([]string, *llm.Receipt) {
	t.Helper()
	var texts []string
	var last *llm.Receipt
	var seen llm.Collector
	for d, r := range p.Generate(ctx, request) {
		if last != nil {
			t.Fatal("something follows the receipt")
		}
		if last = r; r != nil {
			if d != (llm.Delta{}) {
				t.Fatalf("a delta comes with the receipt: %+v", d)
			}
			continue
		}
		seen.Add(d)
		texts = append(texts, d.Text)
	}
	if last == nil {
		t.Fatal("there was no receipt")
	}
	// What listeners saw is what the receipt holds.
	same(t, seen.Envelope(nil).AssistantText, last.Output.AssistantText)
	return texts, last
}

func wantFailure(t testing.TB, r *llm.Receipt, class llm.ErrorClass, parts ...string) {
	t.Helper()
	if r.Error == nil {
		t.Fatalf("got success, want class %s", class)
	}
	if r.Error.Class != class {
		t.Fatalf("got %v, want class %s", r.Error, class)
	}
	for _, p := range parts {
		if !strings.Contains(r.Error.Message, p) {
			t.Fatalf("the message %q does not contain %q", r.Error.Message, p)
		}
	}
}

func first(t testing.TB, reply script.Reply) *llm.Receipt {
	t.Helper()
	return llm.Call(t.Context(), script.New(reply), ask())
}
