package view_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/view"
)

// only picks notices of some types.
func only(all []view.Notice, types ...view.NoticeType) []view.Notice {
	return slices.DeleteFunc(slices.Clone(all), func(n view.Notice) bool { return !slices.Contains(types, n.Type) })
}

// outputs is what goes out of the answer, each piece with its source.
func outputs(all []view.Notice) string {
	var parts []string
	for _, n := range only(all, view.NoticeOutput) {
		parts = append(parts, string(n.Meta.Source)+":"+n.Text)
	}
	return strings.Join(parts, "|")
}

// answer is a run in which text is the answer, seen as far as told.
func answer(config *spec.Run, text, told string) *story {
	s := newStory()
	s.frame(0, opened())
	s.frame(1, s.runStart(1, config), s.userMessage("hi"), &kernel.TurnStart{Turn: 1}, attemptStart("2.0", 1, 1, "a/b"))
	s.stream("2.0", llm.Delta{Kind: llm.DeltaText, Text: told}, 4)
	report := s.finalReport(1, strings.TrimSpace(text))
	report.Source, report.Format = kernel.SourceText, config.Format
	s.frame(1, append(s.accepted(attemptEnd("2.0", 1, 1, "a/b", ""), &llm.Envelope{AssistantText: text}), report, runEnd(1, 1))...)
	return s
}

// contract: B3
func TestTheAnswerGoesOutOnce(t *testing.T) {
	t.Parallel()
	chat := &spec.Run{Completion: spec.CompleteText, Format: spec.FormatMarkdown}
	for name, c := range map[string]struct {
		story *story
		want  string
	}{
		"streamed":           {answer(chat, "sunny", "sunny"), "stream:sunn|stream:y"},
		"with space at ends": {answer(chat, "\nsunny\n", "\nsunny\n"), "stream:\nsun|stream:ny\n"},
		"streamed in part":   {answer(chat, "sunny", "sunn"), "stream:sunn|finalize:y"},
		"not streamed":       {answer(chat, "sunny", ""), "finalize:sunny"},
		"by a tool":          {weather(), "finalize:Sunny in Athens."},
		"a failure":          {aborted(), "stream:It se|stream:ems t|stream:hat|finalize:The run was aborted."},
		"no profile":         {nothing(), "finalize:no profile"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := c.story.notices(t)
			same(t, c.want, outputs(all))
			reports := only(all, view.NoticeFinalReport, view.NoticeHandoff)
			same(t, 1, len(reports))
			same(t, true, reports[0].Meta.IsFinal)
		})
	}
}

// contract: B3
func TestTextBesideCallsGoesOutWhereTextIsTheAnswer(t *testing.T) {
	t.Parallel()
	for _, streamed := range []string{"Let me see.", ""} {
		s := newStory()
		s.frame(0, opened())
		s.frame(1, s.runStart(1, &spec.Run{Completion: spec.CompleteText}), &kernel.TurnStart{Turn: 1}, attemptStart("2.0", 1, 1, "a/b"))
		s.stream("2.0", llm.Delta{Kind: llm.DeltaText, Text: streamed}, 99)
		s.frame(1, s.accepted(attemptEnd("2.0", 1, 1, "a/b", ""), &llm.Envelope{
			AssistantText: "Let me see.", ToolCalls: []llm.ToolCall{call("a", "weather", "{}")},
		})...)
		s.frame(1, &kernel.TurnStart{Turn: 2}, attemptStart("4.0", 2, 1, "a/b"))
		s.frame(1, append(s.accepted(attemptEnd("4.0", 2, 1, "a/b", ""), &llm.Envelope{AssistantText: "sunny"}),
			s.finalReport(2, "sunny"), runEnd(1, 2))...)
		want := "stream:Let me see.|finalize:sunny"
		if streamed == "" {
			want = "replay:Let me see.|finalize:sunny"
		}
		same(t, want, outputs(s.notices(t)))
	}
}

// contract: B3
func TestOtherTextGoesOutOnlyWhereTheRunWantsIt(t *testing.T) {
	t.Parallel()
	for preamble, want := range map[bool]string{
		false: "finalize:sunny", true: "stream:Let |stream:me s|stream:ee|finalize:sunny",
	} {
		s := answer(&spec.Run{Completion: spec.CompleteReport, Preamble: preamble}, "Let me see", "Let me see")
		s.heard[len(s.heard)-2].fact = s.finalReport(1, "sunny")
		same(t, want, outputs(s.notices(t)))
	}
}

// contract: B3
func TestThinkingIsToldAsItComesOrAfterwards(t *testing.T) {
	t.Parallel()
	var got []string
	for _, n := range only(weather().notices(t), view.NoticeThinking) {
		got = append(got, fmt.Sprintf("%s:%s", n.Meta.Source, n.Text))
	}
	same(t, []string{"stream:Two cities: ", "stream:two calls.", "replay:Athens will do."}, got)
}

// contract: B3
func TestEveryAttemptIsAnnounced(t *testing.T) {
	t.Parallel()
	s := newStory()
	s.frame(0, opened(), s.runStart(1, &spec.Run{}), &kernel.TurnStart{Turn: 1})
	down := attemptEnd("1.0", 1, 1, "a/b", kernel.OutcomeRejected)
	down.Error = &llm.Error{Class: llm.ClassTimeout}
	empty := attemptEnd("1.1", 1, 2, "a/b", kernel.OutcomeRejected)
	empty.Slugs = []dialect.Slug{dialect.SlugEmpty}
	last := attemptStart("1.2", 1, 3, "a/b")
	last.Final, last.Reason, last.Slugs = true, dialect.FinalContext, []dialect.Slug{dialect.SlugEmpty}
	s.frame(1, attemptStart("1.0", 1, 1, "a/b"), down, attemptStart("1.1", 1, 2, "a/b"), empty, last)
	var got []view.TurnStarted
	for _, n := range only(s.notices(t), view.NoticeTurnStarted) {
		got = append(got, *n.Turn)
	}
	same(t, []view.TurnStarted{
		{Turn: 1, Attempt: 1},
		{Turn: 1, Attempt: 2, IsRetry: true, RetrySlugs: []dialect.Slug{"provider_timeout"}},
		{
			Turn: 1, Attempt: 3, IsRetry: true, IsFinalTurn: true, ForcedFinalReason: dialect.FinalContext,
			RetrySlugs: []dialect.Slug{dialect.SlugEmpty},
		},
	}, got)
}

// contract: B3, T11
func TestProgressTellsOfTheAgentAndOfItsTools(t *testing.T) {
	t.Parallel()
	s := weather()
	var steps, statuses []string
	for _, n := range s.notices(t) {
		if n.Type == view.NoticeStatus {
			statuses = append(statuses, n.Progress.Message)
		}
		if n.Type != view.NoticeProgress {
			continue
		}
		p := n.Progress
		text := string(p.Type)
		if p.Tool != nil {
			text += " " + p.Tool.Provider + ":" + p.Tool.Name + " " + p.Status
		}
		steps = append(steps, strings.TrimSpace(text))
	}
	// Nothing of agent__task_status and agent__final_report, which are our own.
	same(t, []string{
		"agent_started", "tool_started local:weather", "tool_started local:weather", "agent_update",
		"tool_finished local:weather ok", "tool_finished local:weather failed", "agent_finished",
	}, steps)
	same(t, []string{"in-progress | now: asking | pending: answer"}, statuses)
}

func TestNobodyIsToldOfOurOwnToolsOrOfAgentsAsTools(t *testing.T) {
	t.Parallel()
	s := newStory()
	end := attemptEnd("1.0", 1, 1, "a/b", "")
	s.frame(0, opened(), s.runStart(1, &spec.Run{}), &kernel.TurnStart{Turn: 1}, attemptStart("1.0", 1, 1, "a/b"))
	s.frame(1, s.accepted(end, &llm.Envelope{ToolCalls: []llm.ToolCall{call("a", "x", "{}"), call("b", "y", "{}")}})...)
	own, child := toolStart(end, "2.0", "a", 0, spec.ToolLocal), toolStart(end, "2.1", "b", 1, spec.ToolAgent)
	own.Server, child.Child = "agent", "s.2-1"
	s.frame(1, own, child)
	for _, call := range []string{"a", "b"} {
		s.frame(1, &kernel.ToolEnd{Effect: "2.x", Turn: 1, CallID: call, Status: kernel.ToolOK})
	}
	same(t, 1, len(only(s.notices(t), view.NoticeProgress))) // agent_started
}

// contract: B3
func TestSnapshotAndFlushComeOnceWhateverTheOutcome(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*story{"a report": weather(), "an abort": aborted(), "no profile": nothing()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.title = "the weather"
			all := s.notices(t)
			last := all[len(all)-2:]
			same(t, []view.NoticeType{view.NoticeSnapshot, view.NoticeAccountingFlush}, []view.NoticeType{last[0].Type, last[1].Type})
			same(t, 2, len(only(all, view.NoticeSnapshot, view.NoticeAccountingFlush)))
			tree := last[0].Snapshot.Snapshot.OpTree
			same(t, "the weather", tree.SessionTitle)
			sameJSON(t, fmt.Sprintf(`{"reason":"final","sessionId":"s","originId":"o","timestamp":%d,"snapshot":{"version":2,"opTree":%s}}`,
				s.at, llm.MustMarshalJSON(tree)), string(llm.MustMarshalJSON(last[0].Snapshot)))
		})
	}
}
