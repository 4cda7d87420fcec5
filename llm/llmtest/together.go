package llmtest

import (
	"bytes"
	"sync"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
)

// together sends one request many times at once, as attempts that overlap and
// sessions that share a beginning do. All must be the same on the wire. Under
// the race detector it also shows that nothing is shared that changes.
func (a *Adapter) together(t *testing.T) {
	s := serve(t, []byte("500 application/json\n\n{}"))
	p := a.provider(t, s, llm.FixedKey(Secret))
	r := toolLoop(a)
	r.Provider, r.Model = ProviderName, a.Model
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 10 {
				mine := *r
				mine.History = r.History[:1+3*((n+i)%2)] // two lengths of one history
				llm.Call(t.Context(), p, &mine)
			}
		})
	}
	wg.Wait()
	kinds := make(map[int][]byte)
	for _, got := range s.requests() {
		if first := kinds[len(got.body)]; first != nil && !bytes.Equal(first, got.body) {
			t.Fatalf("the same request is sent in two ways:\n%s\n%s", first, got.body)
		}
		kinds[len(got.body)] = got.body
	}
	if len(kinds) != 2 {
		t.Errorf("%d different requests, want 2", len(kinds))
	}
}
