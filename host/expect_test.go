package host_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/store/memory"
)

// contract: T14
func TestASessionCanBeExpectedBeforeItIsThere(t *testing.T) {
	t.Parallel()
	for name, poll := range map[string]int64{"opened here": 0, "opened by another process": 100} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				st := memory.New()
				here, err := host.New(host.Config{Store: st, Providers: map[string]llm.Provider{"script": script.New()}, PollMS: poll})
				if err != nil {
					t.Fatal(err)
				}
				opener := here
				if poll > 0 {
					opener = newHost(t, st)
				}
				key := journal.Key{Tenant: "t", Session: "s"}
				f, err := here.Expect(t.Context(), key)
				if err != nil {
					t.Fatal(err)
				}
				go func() {
					time.Sleep(time.Minute) // of fake time, in which it is looked for
					if err := opener.Open(t.Context(), key, agent(), host.Opening{Key: "open"}); err != nil {
						t.Error(err)
					}
				}()
				for e, err := range f.Events(t.Context()) {
					if err != nil {
						t.Fatal(err)
					}
					if start, ok := e.Fact.(*kernel.SessionStart); !ok || e.Seq != 1 || start.Identity.Session != "s" {
						t.Errorf("first comes %+v", e)
					}
					break
				}
				f.Close()
				_ = here.Close()
				_ = opener.Close()
			})
		})
	}
}
