package view_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/view"
)

// contract: S2, S3
func TestWhateverHappensStartsHaveTheirEndsAndDeltasAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := randomStory(t)
		fold := view.NewStream(a.read)
		w := newWellFormed(t)
		w.whole = func(m *view.Message, text, thinking string, calls []string) {
			if !a.orderly {
				return
			}
			same(t, m.Content, text)
			same(t, m.Reasoning, thinking)
			same(t, len(m.ToolCalls), len(calls))
		}
		for _, h := range a.heard {
			var events []view.Event
			var err error
			switch {
			case h.delta != nil:
				events = fold.Shown(h.seq, h.effect, a.shown(h.delta))
			case h.fact == nil:
				events = fold.ToolDelta(h.seq, h.call, h.text)
			default:
				events, err = fold.Fact(h.seq, h.at, h.fact)
			}
			if err != nil {
				t.Fatal(err)
			}
			for i := range events {
				w.event(&events[i])
			}
		}
		if w.session || w.role != "" {
			t.Fatal("something is left open at the end")
		}
	})
}

// contract: B3
func TestWhateverHappensTheAnswerIsToldOnceAndTheTreeAddsUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := randomStory(t)
		fold := view.NewStream(a.read)
		notices := view.NewNotices(fold)
		var tree view.SessionNode
		var sequence uint64
		output := ""
		ends := make(map[view.NoticeType]int)
		for _, h := range a.heard {
			var told []view.Notice
			switch {
			case h.delta != nil:
				told = notices.Delta(fold.Shown(h.seq, h.effect, a.shown(h.delta)))
			case h.fact != nil:
				events, err := fold.Fact(h.seq, h.at, h.fact)
				if err != nil {
					t.Fatal(err)
				}
				told = notices.Fact(h.seq, h.at, h.fact, events)
			}
			for i := range told {
				n := &told[i]
				sequence++
				same(t, sequence, n.Meta.Sequence)
				switch n.Type {
				case view.NoticeTurnStarted:
					output = ""
				case view.NoticeProgress:
					if n.Progress.Type == view.AgentStarted {
						output = ""
					}
				case view.NoticeOutput:
					output += n.Text
				case view.NoticeOpTree:
					tree.Merge(n.Tree)
				case view.NoticeFinalReport:
					// Text beside calls is told, too, where text is the answer.
					answer := n.Report.Text()
					if n.Report.Source == kernel.SourceText && a.orderly || !a.text {
						same(t, words(answer), words(output))
					} else if !strings.HasSuffix(words(output), words(answer)) {
						t.Fatalf("the answer %q is told as %q", answer, output)
					}
				case view.NoticeSnapshot:
					same(t, n.Snapshot.Snapshot.OpTree, &tree)
				}
				ends[n.Type]++
			}
			if _, ended := h.fact.(*kernel.RunEnd); ended {
				runs := int(fold.Run)
				same(t, []int{runs, runs}, []int{ends[view.NoticeSnapshot], ends[view.NoticeAccountingFlush]})
			}
		}
	})
}
