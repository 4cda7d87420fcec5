package aiagent_test

import (
	"strings"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/store/memory"
)

// A fork knows what others said and answered in its original.
//
// contract: B5, V2
func TestAForkOfASessionWithOthersKeepsWhatTheySaid(t *testing.T) {
	t.Parallel()
	c := newCast(t, memory.New(), map[string]*script.Provider{
		"desk": script.New(hand(""), report("You bought it."), report("unused")), "sales": says("Sold."), "law": says("Legal."),
	})
	a := player("desk")
	a.Advisors, a.Router = []*aiagent.Agent{player("law")}, []*aiagent.Agent{player("sales")}
	o := c.run(a, "Hello")
	s := must(c.rt.Session(t.Context(), "s"))

	fork := must(s.Fork(t.Context(), &aiagent.ForkOptions{ID: "f"}))
	must(fork.Execute(t.Context(), aiagent.Prompt("What did I do?")).Result())
	c.check("f")
	requests := c.asked["desk"].requests
	h := requests[len(requests)-1].History
	first, last := h[0].Content(), h[len(h)-1].Content()
	if !strings.Contains(first, "Legal.") || !strings.Contains(first, "Hello") || !strings.Contains(last, "Sold.") {
		t.Errorf("the fork's model reads\n%s\n…\n%s", first, last)
	}

	// While the advisor is asked nothing has been said yet: the fork says it, and
	// its model answers without advice, because the advisor was interrupted.
	at := frameOf(o.archive, func(f kernel.Fact) bool { _, ok := f.(*kernel.StageStart); return ok })
	early := must(s.Fork(t.Context(), &aiagent.ForkOptions{ID: "e", At: at}))
	if got := said(t, early); got != "user:Hello" {
		t.Errorf("the early fork has %q", got)
	}
	if r := must(early.Execute(t.Context(), aiagent.Continue()).Result()); r.Report.Text() != "Sold." {
		t.Errorf("the early fork: %+v", r)
	}
	c.check("e")
}
