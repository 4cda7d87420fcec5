package host_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/store/memory"
)

// contract: S7
func TestWhoeverBreaksOffGoesOnWhereHeWas(t *testing.T) {
	t.Parallel()
	h := newHost(t, memory.New(), script.Calls(script.Call{ID: "r", Name: "agent__final_report", Arguments: map[string]any{
		"report_format": "markdown", "report_content": "done",
	}}))
	defer h.Close() //nolint:errcheck // memory
	key := journal.Key{Tenant: "t", Session: "s"}
	if err := h.Open(t.Context(), key, agent(), host.Opening{Key: "open"}); err != nil {
		t.Fatal(err)
	}
	m := llm.Text(llm.RoleUser, "hi")
	content, blob := host.UserContent(&m)
	if _, err := h.Send(t.Context(), key, host.Command{Body: &kernel.Prompt{Content: content}, Blobs: []journal.Blob{blob}}); err != nil {
		t.Fatal(err)
	}
	// follow tells all facts, breaking off after every n of them.
	follow := func(n int) string {
		f, err := h.Follow(t.Context(), key, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var heard []string
		for over := false; !over; {
			for e, err := range f.Events(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Delta != nil {
					continue
				}
				heard = append(heard, fmt.Sprintf("%d.%d %s", e.Seq, e.Index, kernel.FactKind(e.Fact)))
				if over = kernel.FactKind(e.Fact) == "run_end"; over || len(heard)%n == 0 {
					break
				}
			}
		}
		return strings.Join(heard, "\n")
	}
	want := follow(1000)
	for n := 1; n < 8; n++ {
		if got := follow(n); got != want {
			t.Errorf("breaking off after every %d:\n%s\nwant\n%s", n, got, want)
		}
	}
}
