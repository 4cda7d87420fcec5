package llmtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-agent-go/ai-agent/llm"
)

// onlyGrows sends the requests of a conversation one after the other, then a
// branch of it, and then the same with a provider that has seen nothing. Each
// must begin with the one before, and what was remembered must not change what
// is sent (contract P12).
func (a *Adapter) onlyGrows(t *testing.T) {
	s := serve(t, []byte("500 application/json\n\n{}"))
	old := a.provider(t, s, llm.FixedKey(Secret))
	r := weather(a)
	r.Provider, r.Model = ProviderName, a.Model
	origin := &llm.Origin{Provider: ProviderName, Model: a.Model}
	var before []any
	for turn := range 6 {
		got := a.messages(t, s, old, r)
		fresh := a.messages(t, s, a.provider(t, s, llm.FixedKey(Secret)), r)
		if diff := cmp.Diff(fresh, got); diff != "" {
			t.Fatalf("turn %d: remembering changes the request (-fresh +remembered):\n%s", turn, diff)
		}
		if diff := cmp.Diff(before, got[:min(len(before), len(got))]); diff != "" && turn > 0 {
			t.Fatalf("turn %d: does not begin with the request before (-before +now):\n%s", turn, diff)
		}
		before = got
		id := fmt.Sprintf("call_%d", turn%2)
		said := assistant(origin, call(id, "Berlin"))
		said.Parts = append([]llm.Part{reasoning(llm.Reasoning{Text: "Hm.", Signature: "c2ln", ID: "rs_1"})}, said.Parts...)
		r.History = append(r.History, said, result(id, strings.Repeat("sunny ", turn)))
	}
	branch := *r
	other := llm.Text(llm.RoleUser, "Something else.")
	branch.History = append(append([]*llm.Message(nil), r.History[:3]...), &other)
	for _, request := range []*llm.Request{&branch, r, &branch} {
		got := a.messages(t, s, old, request)
		fresh := a.messages(t, s, a.provider(t, s, llm.FixedKey(Secret)), request)
		if diff := cmp.Diff(fresh, got); diff != "" {
			t.Fatalf("a branch: remembering changes the request (-fresh +remembered):\n%s", diff)
		}
	}
}

// messages sends a request and returns the conversation that arrived, without
// the marks that move along with it.
func (a *Adapter) messages(t *testing.T, s *server, p llm.Provider, r *llm.Request) []any {
	t.Helper()
	llm.Call(t.Context(), p, r)
	all := s.requests()
	var body map[string]any
	if err := json.Unmarshal(all[len(all)-1].body, &body); err != nil {
		t.Fatal(err)
	}
	list, ok := body[a.Messages].([]any)
	if !ok {
		t.Fatalf("the request has no %s", a.Messages)
	}
	unmark(list)
	return list
}

func unmark(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			unmark(x)
		}
	case map[string]any:
		delete(v, "cache_control")
		for _, x := range v {
			unmark(x)
		}
	}
}
