package view_test

import (
	"fmt"
	"testing"

	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/view"
)

// longSession is a session of many turns, each with two tools. The first turns
// warm a fold up; then follow the turns that are measured.
func longSession(turns int) *story {
	s := newStory()
	s.frame(0, opened())
	s.frame(1, s.runStart(1, &spec.Run{Format: spec.FormatMarkdown}), s.userMessage("hi"))
	for i := range int64(turns) {
		turn := i + 1
		id := func(n int) string { return fmt.Sprintf("%d.%d", turn, n) }
		end := attemptEnd(id(0), turn, 1, "script/demo", "")
		end.Finish.Reason, end.Usage, end.Cost, end.CostKnown = llm.FinishToolCalls, usage(1000, 100, 0, 0), 1000, true
		s.frame(1, &kernel.TurnStart{Turn: turn, MaxTurns: int64(turns)}, attemptStart(id(0), turn, 1, "script/demo"))
		facts := s.accepted(end, &llm.Envelope{
			AssistantText: fmt.Sprintf("Let me look at it, turn %d.", turn), Reasoning: []llm.Reasoning{{Text: "I had better ask."}},
			ToolCalls: []llm.ToolCall{call("a", "weather", `{"city":"Athens"}`), call("b", "weather", `{"city":"Berlin"}`)},
		})
		for n, call := range []string{"a", "b"} {
			facts = append(facts, toolStart(end, id(n+1), call, int64(n), spec.ToolLocal))
		}
		s.frame(1, facts...)
		for n, call := range []string{"a", "b"} {
			text := fmt.Sprintf("sunny %d.%d", turn, n)
			e := entryOf(call, true, int64(len(text)))
			e.Turn = turn
			s.frame(1, &kernel.ToolEnd{
				Effect: id(n + 1), Turn: turn, CallID: call, Name: "weather", Status: kernel.ToolOK, Output: s.content(text),
			}, e, s.result(turn, call, "weather", text))
		}
	}
	return s
}

// BenchmarkTurn is what a turn costs, by what is folded and by how many turns
// were before: the latter must not matter.
func BenchmarkTurn(b *testing.B) {
	const measured = 50
	for _, before := range []int{0, 300} {
		s := longSession(before + measured)
		from := 0
		for i, h := range s.heard {
			if f, ok := h.fact.(*kernel.TurnStart); ok && f.Turn == int64(before)+1 {
				from = i
			}
		}
		for _, fold := range []string{"session", "session-without-logs", "stream", "stream-without-logs", "notices"} {
			b.Run(fmt.Sprintf("fold=%s/turns=%d", fold, before), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					apply := folder(s, fold)
					for _, h := range s.heard[:from] {
						apply(h)
					}
					b.StartTimer()
					for _, h := range s.heard[from:] {
						apply(h)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/measured, "ns/turn")
			})
		}
	}
}

func folder(s *story, fold string) func(heard) {
	st := view.NewStream(s.read)
	switch fold {
	case "session-without-logs", "stream-without-logs":
		st.Brief = true
	case "notices":
		n := view.NewNotices(st)
		return func(h heard) {
			events, _ := st.Fact(h.seq, h.at, h.fact)
			n.Fact(h.seq, h.at, h.fact, events)
		}
	}
	if fold == "session" || fold == "session-without-logs" {
		return func(h heard) { _ = st.Apply(h.at, h.fact) }
	}
	return func(h heard) { _, _ = st.Fact(h.seq, h.at, h.fact) }
}

// BenchmarkDelta is what a piece of a response costs.
func BenchmarkDelta(b *testing.B) {
	b.ReportAllocs()
	st := view.NewStream(make(store).read)
	n := view.NewNotices(st)
	d := &llm.Delta{Kind: llm.DeltaText, Text: "word "}
	for b.Loop() {
		n.Delta(st.Delta(1, "1.0", d))
	}
}

// contract: B3, S4
func TestATurnAllocatesTheSameHoweverManyWereBefore(t *testing.T) { //nolint:paralleltest // it counts allocations
	const measured = 40
	for _, fold := range []string{"session", "stream", "notices"} {
		perTurn := func(before int) float64 {
			s := longSession(before + measured + 1)
			apply := folder(s, fold)
			next := 0
			turn := func() {
				for n := 0; next < len(s.heard); next++ {
					if _, begins := s.heard[next].fact.(*kernel.TurnStart); begins {
						if n++; n > 1 {
							return
						}
					}
					apply(s.heard[next])
				}
			}
			for range before {
				turn()
			}
			return testing.AllocsPerRun(measured, turn)
		}
		// Numbers of three digits either way, which cost an allocation each.
		if few, many := perTurn(100), perTurn(700); many > few*1.02+1 {
			t.Errorf("%s: %v allocations a turn after 100 turns, %v after 700", fold, few, many)
		}
	}
}
