package view_test

import (
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/view"
)

// grown folds a story into a tree and returns it with all changes.
func grown(t *testing.T, s *story) (*view.Tree, []*view.SessionNode) {
	t.Helper()
	v := view.NewSession(s.read)
	tree := view.NewTree(v)
	var changes []*view.SessionNode
	for _, h := range s.heard {
		if h.fact == nil {
			continue
		}
		if err := v.Apply(h.at, h.fact); err != nil {
			t.Fatal(err)
		}
		if change := tree.Apply(h.at, h.fact); change != nil {
			changes = append(changes, change)
		}
		tree.Root() // looking at it changes nothing
	}
	return tree, changes
}

// contract: B3
func TestChangesOfTheTreeAddUpToTheTree(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*story{"weather": weather(), "aborted": aborted(), "many": manyTurns(20), "nothing": nothing()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree, changes := grown(t, s)
			var merged view.SessionNode
			for _, c := range changes {
				merged.Merge(c)
			}
			same(t, tree.Root(), &merged)
		})
	}
}

func TestWhatWasHandedOutDoesNotChange(t *testing.T) {
	t.Parallel()
	s := weather()
	v := view.NewSession(s.read)
	tree := view.NewTree(v)
	var nodes []*view.SessionNode
	var drawn []string
	for _, h := range s.heard {
		if h.fact == nil {
			continue
		}
		_ = v.Apply(h.at, h.fact)
		for _, n := range []*view.SessionNode{tree.Apply(h.at, h.fact), tree.Root()} {
			if n != nil {
				nodes = append(nodes, n)
				drawn = append(drawn, string(llm.MustMarshalJSON(n)))
			}
		}
	}
	for i, n := range nodes {
		same(t, drawn[i], string(llm.MustMarshalJSON(n)))
	}
}

// contract: B3
func TestAChangeCostsTheSameHoweverLongTheTreeIs(t *testing.T) {
	t.Parallel()
	largest := func(turns int64) int {
		_, changes := grown(t, manyTurns(turns))
		size := 0
		for _, c := range changes {
			size = max(size, len(llm.MustMarshalJSON(c)))
		}
		return size
	}
	if small, large := largest(10), largest(300); large > small+200 {
		t.Errorf("the largest change has %d bytes after 10 turns and %d after 300", small, large)
	}
}

func TestTotalsAreTheSumOfTheAccounts(t *testing.T) {
	t.Parallel()
	tree, _ := grown(t, weather())
	root := tree.Root()
	var want view.NodeTotals
	logs := 0
	for _, turn := range root.Turns {
		for _, o := range turn.Ops {
			logs += len(o.Logs)
			for _, e := range o.Accounting {
				if e.Tokens != nil {
					want.TokensIn += e.Tokens.Input
					want.TokensOut += e.Tokens.Output
					want.TokensCacheRead += e.Tokens.CacheRead
					want.TokensCacheWrite += e.Tokens.CacheWrite
				}
				if e.CostUSD != nil {
					want.CostUSD += *e.CostUSD
				}
			}
			if o.Kind == view.OpTool {
				want.ToolsRun++
			}
		}
	}
	want.AgentsRun = 1
	same(t, want, root.Totals)
	v := weather().fold(t, func(view.Event) {}, func(view.Notice) {})
	same(t, len(v.Logs), logs) // every entry belongs to an operation
}

// contract: T14
func TestAChildHangsBelowItsCall(t *testing.T) {
	t.Parallel()
	s := newStory()
	end := attemptEnd("1.0", 1, 1, "a/b", "")
	s.frame(0, opened(), s.runStart(1, &spec.Run{}), &kernel.TurnStart{Turn: 1}, attemptStart("1.0", 1, 1, "a/b"))
	facts := s.accepted(end, &llm.Envelope{ToolCalls: []llm.ToolCall{call("a", "researcher", `{"city":"Athens"}`)}})
	child := toolStart(end, "2.0", "a", 0, spec.ToolAgent)
	child.Name, child.Child = "researcher", "s.2-0"
	s.frame(5, append(facts, child)...)
	tree, _ := grown(t, s)
	o := tree.Root().Turns[1].Ops[1]
	same(t, "session s.2-0 root:demo:researcher", o.Kind+" "+o.ChildSession.ID+" "+o.ChildSession.CallPath)
	if o.ChildSession.Success != nil {
		t.Error("the child has ended before it did")
	}
	s.frame(50, &kernel.ChildEnd{Effect: "2.0", CallID: "a", Session: "s.2-0", OK: true, Cost: llm.Dollar, Usage: *usage(10, 20, 0, 0)},
		&kernel.ToolEnd{Effect: "2.0", Turn: 1, CallID: "a", Name: "researcher", Status: kernel.ToolOK, Output: s.content("found")})
	tree, _ = grown(t, s)
	root := tree.Root()
	same(t, view.NodeTotals{TokensIn: 10, TokensOut: 20, CostUSD: 1, ToolsRun: 1, AgentsRun: 2}, root.Totals)
	drawn := root.Render()
	want := "`-- 1-2 session local:researcher  00:00:00.005  50ms  ok  [logs 3]\n" +
		"        |-- request: bytes 17 \"{\\\"city\\\":\\\"Athens\\\"}\"\n" +
		"        |-- response: bytes 5 \"found\"\n" +
		"        `-- session s.2-0  50ms  ok\n" +
		"            `-- totals: tokens in=10 out=20 cacheR=0 cacheW=0, cost $1.0000, tools 0, agents 1\n"
	if !strings.HasSuffix(drawn, want) {
		t.Errorf("%s\nwant at its end\n%s", drawn, want)
	}
}

func TestLongTextsAreCutAndHarmless(t *testing.T) {
	t.Parallel()
	s := newStory()
	long := "\x1b[31m" + strings.Repeat("ä", 300)
	end := attemptEnd("1.0", 1, 1, "a/b", "")
	s.frame(0, opened())
	s.frame(1, s.runStart(1, &spec.Run{System: long}), s.userMessage(long), &kernel.TurnStart{Turn: 1, Final: true, Reason: dialect.FinalContext},
		attemptStart("1.0", 1, 1, "a/b"))
	s.frame(1, s.accepted(end, &llm.Envelope{AssistantText: long})...)
	tree, _ := grown(t, s)
	drawn := tree.Root().Render()
	prompt, payload := `"\x1b[31m`+strings.Repeat("ä", 115)+`"...`, `"\x1b[31m`+strings.Repeat("ä", 195)+`"...`
	for _, want := range []string{"system: " + prompt, "user: " + prompt, "assistant: " + prompt, "response: bytes 631 " + payload, "final: context"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("no %q in\n%s", want, drawn)
		}
	}
	if strings.Contains(drawn, "\x1b") {
		t.Error("a terminal would obey")
	}
	same(t, true, tree.Root().Turns[1].Ops[0].Response.Truncated)
}

func TestATreeCanBeginInTheMiddle(t *testing.T) {
	t.Parallel()
	s := weather()
	whole, _ := grown(t, s)
	s.heard = s.heard[6:]
	tree, _ := grown(t, s)
	root := tree.Root()
	same(t, len(whole.Root().Turns[2].Ops), len(root.Turns[len(root.Turns)-1].Ops))
	same(t, true, *root.Success)
}
