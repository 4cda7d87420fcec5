package aiagent_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/view"
)

// noticed listens to a session until its run has ended.
func noticed(t *testing.T, s *aiagent.Session, after uint64) []view.Notice {
	t.Helper()
	var all []view.Notice
	for n, err := range s.Notices(t.Context(), after) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
		if n.Type == view.NoticeAccountingFlush {
			break
		}
	}
	return all
}

func count(all []view.Notice) map[view.NoticeType]int {
	n := make(map[view.NoticeType]int)
	for i := range all {
		n[all[i].Type]++
	}
	return n
}

// contract: B3, A4
func TestTheLibrarysEventsTellAWholeRun(t *testing.T) {
	t.Parallel()
	first := script.Calls(askWeather("c", "Athens"), ask("t", "agent__task_status", map[string]any{
		"status": "in-progress", "now": "asking",
	}))
	first.Reasoning = []llm.Reasoning{{Text: "I think."}}
	b := newBed(t, first, report("It is sunny."))
	s := must(b.rt.Open(t.Context(), agent(weather()), &aiagent.SessionOptions{ID: "s"}))
	if r := must(s.Execute(t.Context(), aiagent.Prompt("hi")).Result()); r.Report.Text() != "It is sunny." {
		t.Fatalf("%+v", r)
	}
	all := noticed(t, s, 0)
	v := must(s.View(t.Context()))
	got := count(all)
	for kind, want := range map[view.NoticeType]int{
		view.NoticeOutput: 1, view.NoticeThinking: 1, view.NoticeTurnStarted: 2, view.NoticeProgress: 5, view.NoticeStatus: 1,
		view.NoticeFinalReport: 1, view.NoticeHandoff: 0, view.NoticeLog: len(v.Logs), view.NoticeAccounting: len(v.Accounting),
		view.NoticeSnapshot: 1, view.NoticeAccountingFlush: 1,
	} {
		if got[kind] != want {
			t.Errorf("%d times %s, want %d", got[kind], kind, want)
		}
	}
	var tree view.SessionNode
	for i, n := range all {
		m := n.Meta
		if m.Sequence != uint64(i+1) || m.SessionID != "s" || m.OriginID != "s" || m.AgentID != "agent" || m.CallPath != "agent" || !m.IsMaster {
			t.Errorf("meta %+v", m)
		}
		switch n.Type {
		case view.NoticeOutput:
			if n.Text != "It is sunny." || m.Source != view.SourceFinalize {
				t.Errorf("output %q by %s", n.Text, m.Source)
			}
		case view.NoticeOpTree:
			tree.Merge(n.Tree)
		case view.NoticeSnapshot:
			if whole := n.Snapshot.Snapshot.OpTree.Render(); whole != tree.Render() {
				t.Errorf("the changes add up to\n%s\nand the tree is\n%s", tree.Render(), whole)
			}
		}
	}
}

// contract: B3
func TestTheAnswerIsToldWhileItIsWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := script.Text("one two three")
		slow.ChunkSize, slow.ChunkDelayMS = 4, 1000
		b := newBed(t, slow)
		a := agent()
		a.Completion = spec.CompleteText
		s := must(b.rt.Open(t.Context(), a, &aiagent.SessionOptions{ID: "s"}))
		s.Execute(t.Context(), aiagent.Prompt("hi"))
		var text strings.Builder
		pieces := 0
		for _, n := range noticed(t, s, 0) {
			if n.Type == view.NoticeOutput {
				pieces++
				text.WriteString(n.Text)
				if n.Meta.Source != view.SourceStream {
					t.Errorf("%q is told by %s", n.Text, n.Meta.Source)
				}
			}
		}
		if text.String() != "one two three" || pieces < 2 {
			t.Errorf("%q in %d pieces", text.String(), pieces)
		}
		_ = b.rt.Close()
	})
}

// contract: B3
func TestListeningCanStartAnywhereAndKnowsWhatWasBefore(t *testing.T) {
	t.Parallel()
	b := newBed(t, script.Calls(askWeather("c", "Athens")), report("done"))
	s := must(b.rt.Open(t.Context(), agent(weather()), &aiagent.SessionOptions{ID: "s"}))
	must(s.Execute(t.Context(), aiagent.Prompt("hi")).Result())
	whole := noticed(t, s, 0)
	after := whole[len(whole)/2].Seq
	rest := noticed(t, s, after)
	want := whole
	for len(want) > 0 && want[0].Seq <= after {
		want = want[1:]
	}
	if len(rest) != len(want) || len(rest) == 0 {
		t.Fatalf("%d notices after frame %d, want %d", len(rest), after, len(want))
	}
	for i := range rest {
		a, b := llm.MustMarshalJSON(&rest[i]), llm.MustMarshalJSON(&want[i])
		if string(a) != string(b) {
			t.Errorf("notice %d is\n%s\nwant\n%s", i, a, b)
		}
	}
}

func TestListeningEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b := newBed(t, report("done"))
	s := must(b.rt.Open(t.Context(), agent(), &aiagent.SessionOptions{ID: "s"}))
	must(s.Execute(t.Context(), aiagent.Prompt("hi")).Result())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for n, err := range s.Notices(ctx, 0) {
		last = err
		if n.Type == view.NoticeAccountingFlush {
			cancel()
		}
	}
	if last == nil || ctx.Err() == nil {
		t.Errorf("it ended with %v", last)
	}
}
