package view_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/view"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// same fails when a value is not what it should be.
func same(t rapid.TB, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("difference (-want +got):\n%s", diff)
	}
}

// golden compares with a file, or writes it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got); if this is meant, run with -update and read the difference:\n%s", path, diff)
	}
}

// store holds contents by reference.
type store map[journal.Ref][]byte

func (s store) keep(data []byte) journal.Ref {
	ref := journal.RefOf(data)
	s[ref] = data
	return ref
}

func (s store) json(v any) journal.Ref { return s.keep(llm.MustMarshalJSON(v)) }

func (s store) content(text string) kernel.Content {
	return kernel.Content{Ref: s.keep([]byte(text)), Bytes: int64(len(text))}
}

var errNoContent = errors.New("no such content")

func (s store) read(ref journal.Ref) ([]byte, error) {
	if data, ok := s[ref]; ok {
		return data, nil
	}
	return nil, errNoContent
}

// folded is a session's view after some facts, all at the same time.
func folded(t rapid.TB, s store, facts ...kernel.Fact) *view.Session {
	t.Helper()
	v := view.NewSession(s.read)
	for _, f := range facts {
		if err := v.Apply(now, f); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// now is some moment, in milliseconds since 1970.
const now int64 = 1_767_225_600_000

// asJSON is a value as it goes over a wire, to be compared piece by piece.
func asJSON(t rapid.TB, v any) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal(llm.MustMarshalJSON(v), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// identity is the session of these tests, which answers in another one's place.
var identity = kernel.Identity{
	Tenant: "t", Session: "s", Parent: "p", Origin: "o", Agent: "demo", CallPath: "root:demo", Master: true,
}

func opened() *kernel.SessionStart { return &kernel.SessionStart{Identity: identity} }
