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

// said tells a response to a fresh listener in pieces and accepts it.
func said(t *testing.T, e *llm.Envelope, deltas ...llm.Delta) []view.Event {
	t.Helper()
	s := newStory()
	s.frame(0, attemptStart("1.0", 1, 1, "a/b"))
	for i := range deltas {
		s.heard = append(s.heard, heard{effect: "1.0", delta: &deltas[i]})
	}
	s.frame(1, s.accepted(attemptEnd("1.0", 1, 1, "a/b", ""), e)...)
	return s.events(t)
}

func compact(events []view.Event) string {
	var b strings.Builder
	for i := range events {
		e := &events[i]
		b.WriteString(string(e.Type))
		if text := e.Delta + e.Text + e.Thinking; text != "" {
			b.WriteString("(" + text + ")")
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

// contract: S3, S7
func TestWhoMissedSomethingIsToldTheRest(t *testing.T) {
	t.Parallel()
	text := func(block int, s string) llm.Delta { return llm.Delta{Kind: llm.DeltaText, Block: block, Text: s} }
	thought := func(block int, s string) llm.Delta { return llm.Delta{Kind: llm.DeltaReasoning, Block: block, Text: s} }
	whole := &llm.Envelope{AssistantText: "one two", Reasoning: []llm.Reasoning{{Text: "hm hm"}}}
	for name, c := range map[string]struct {
		deltas []llm.Delta
		want   string
	}{
		"nothing": {nil, "thinking_start thinking_delta(hm hm) thinking_end(hm hm) text_start text_delta(one two) text_end(one two)"},
		"the beginning of a thought": {
			[]llm.Delta{thought(0, "hm")},
			"thinking_start thinking_delta(hm) thinking_delta( hm) thinking_end(hm hm) text_start text_delta(one two) text_end(one two)",
		},
		"the beginning of the text": {
			[]llm.Delta{thought(0, "hm hm"), text(1, "one")},
			"thinking_start thinking_delta(hm hm) thinking_end(hm hm) text_start text_delta(one) text_delta( two) text_end(one two)",
		},
		"everything": {
			[]llm.Delta{thought(0, "hm hm"), text(1, "one two")},
			"thinking_start thinking_delta(hm hm) thinking_end(hm hm) text_start text_delta(one two) text_end(one two)",
		},
		"empty pieces": {
			[]llm.Delta{text(1, ""), thought(0, "hm hm"), text(1, "one two"), text(2, "")},
			"thinking_start thinking_delta(hm hm) thinking_end(hm hm) text_start text_delta(one two) text_end(one two)",
		},
		"a thought that went on": {
			[]llm.Delta{thought(0, "hm"), text(1, "one two"), thought(0, " hm")},
			"thinking_start thinking_delta(hm) thinking_end(hm) text_start text_delta(one two) text_end(one two) " +
				"thinking_start thinking_delta( hm) thinking_end( hm)",
		},
		"something that was put right later": {
			[]llm.Delta{text(1, "<b>one")},
			"text_start text_delta(<b>one) text_end(<b>one) thinking_start thinking_delta(hm hm) thinking_end(hm hm)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events := said(t, whole, c.deltas...)
			same(t, "message_start "+c.want+" message_end attempt_end", compact(events))
			same(t, "one two", events[len(events)-2].Message.Content)
		})
	}
}

func TestCallsEndAsTheyWereAccepted(t *testing.T) {
	t.Parallel()
	// The provider gave no id, and the name was put right.
	accepted := &llm.Envelope{ToolCalls: []llm.ToolCall{
		call("call_1", "server__weather", `{"city":"Athens"}`), {ID: "b", Name: "x", Bad: true, Raw: `{"y":`},
	}}
	events := said(t, accepted,
		llm.Delta{Kind: llm.DeltaToolCall, Block: 0, Name: "weather", Text: `{"city":"At`},
		llm.Delta{Kind: llm.DeltaToolCall, Block: 1, CallID: "b", Name: "x", Text: `{"y":`})
	same(t, `message_start toolcall_start toolcall_delta({"city":"At) toolcall_start toolcall_delta({"y":) toolcall_delta(hens"}) `+
		"toolcall_end toolcall_end message_end attempt_end", compact(events))
	same(t, view.ToolCall{ID: "call_1", Name: "server__weather", Parameters: []byte(`{"city":"Athens"}`)}, *events[6].ToolCall)
	same(t, view.ToolCall{ID: "b", Name: "x", Parameters: []byte(`{}`)}, *events[7].ToolCall)
}

// contract: S2
func TestATextThatIsTakenAfterAllIsToldAgain(t *testing.T) {
	t.Parallel()
	s := newStory()
	s.frame(0, opened())
	rejected := attemptEnd("2.0", 1, 1, "a/b", kernel.OutcomeRejected)
	rejected.Output = s.json(&llm.Envelope{AssistantText: "for want of a better one"})
	s.frame(1, s.runStart(1, &spec.Run{}), attemptStart("2.0", 1, 1, "a/b"))
	s.stream("2.0", llm.Delta{Kind: llm.DeltaText, Text: "for want"}, 99)
	s.frame(1, rejected,
		&kernel.Message{Turn: 1, Entry: kernel.Entry{Kind: dialect.ItemAssistant, Ref: rejected.Output}},
		s.finalReport(1, "for want of a better one"), runEnd(1, 1))
	events := s.events(t)
	same(t, "session_start run_start message_start text_start text_delta text_end message_end attempt_end "+
		"message_start text_start text_delta text_end message_end final_report session_end execute_complete", types(events))
	same(t, "rejected accepted", events[6].Outcome+" "+events[12].Outcome)
	same(t, "for want of a better one", events[12].Message.Content)
}

// contract: S2
func TestAnAttemptThatIsNeverHeardOfAgainIsClosed(t *testing.T) {
	t.Parallel()
	s := newStory()
	s.frame(0, attemptStart("1.0", 1, 1, "a/b"))
	s.stream("1.0", llm.Delta{Kind: llm.DeltaText, Text: "lost"}, 9)
	s.frame(1, attemptStart("2.0", 1, 2, "a/b"))
	s.stream("2.0", llm.Delta{Kind: llm.DeltaText, Text: "found"}, 9)
	s.frame(1, s.accepted(attemptEnd("2.0", 1, 2, "a/b", ""), &llm.Envelope{AssistantText: "found"})...)
	events := s.events(t)
	same(t, "message_start text_start text_delta(lost) text_end(lost) message_end "+
		"message_start text_start text_delta(found) text_end(found) message_end attempt_end", compact(events))
	same(t, "unknown", events[4].Outcome)
}

// contract: S2
func TestALaterRunHasItsOwnStartAndEndAndOnlyItsOwnMessages(t *testing.T) {
	t.Parallel()
	s := newStory()
	before := s.accepted(attemptEnd("", 0, 0, "", ""), &llm.Envelope{AssistantText: "from before"})
	s.frame(0, opened(), s.userMessage("before"), before[1])
	for run := range int64(2) {
		s.frame(1, s.runStart(run+1, &spec.Run{}), s.userMessage("hi"), s.finalReport(1, "x"), runEnd(run+1, 1))
	}
	events := s.events(t)
	one := "session_start run_start message_start message_end final_report session_end execute_complete"
	same(t, one+" "+one, types(events))
	for _, e := range events {
		if e.Type == view.EventSessionEnd {
			same(t, 1, len(e.Messages))
			same(t, "hi", e.Messages[0].Content)
		}
	}
}

func TestARunWhoseProfileIsNotFoundStillHasItsStartAndEnd(t *testing.T) {
	t.Parallel()
	same(t, "session_start message_start message_end final_report error session_end execute_complete", types(nothing().events(t)))
}

func TestAClientThatReconnectsHearsTheEndOfWhatItSawBegin(t *testing.T) {
	t.Parallel()
	s := weather()
	full := s.events(t)
	s.heard = s.heard[len(s.heard)-17:] // from the end of the first tool on
	if got := types(s.events(t)); !strings.HasPrefix(got, "tool_execution_end message_start message_end tool_execution_end") {
		t.Errorf("after %d events: %s", len(full), got)
	}
}

// contract: S4
func TestEventsDoNotGrowWithTheHistory(t *testing.T) {
	t.Parallel()
	largest := func(turns int64) map[view.EventType]int {
		size := make(map[view.EventType]int)
		for _, e := range manyTurns(turns).events(t) {
			size[e.Type] = max(size[e.Type], len(view.MarshalEvent(&e)))
		}
		delete(size, view.EventSessionEnd) // which has the new messages
		return size
	}
	small, large := largest(10), largest(500)
	for kind, n := range large {
		if n > small[kind]+10 { // some more digits
			t.Errorf("%s has %d bytes after 10 turns and %d after 500", kind, small[kind], n)
		}
	}
}
