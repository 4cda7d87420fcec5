package view_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/view"
)

// story is a session as a listener hears of it: frames of facts, and deltas.
type story struct {
	store
	at    int64
	seq   uint64
	heard []heard
	// answer says that text is the answer.
	answer bool
}

// heard is one thing that a listener hears.
type heard struct {
	seq    uint64
	at     int64
	fact   kernel.Fact
	effect string
	delta  *llm.Delta
	call   string
	text   string
}

func newStory() *story { return &story{store: make(store), at: now} }

// frame tells facts, some milliseconds after what was before.
func (s *story) frame(after int64, facts ...kernel.Fact) {
	s.seq++
	s.at += after
	for _, f := range facts {
		s.heard = append(s.heard, heard{seq: s.seq, at: s.at, fact: f})
	}
}

// stream tells a text in pieces of some bytes.
func (s *story) stream(effect string, d llm.Delta, size int) {
	for text := d.Text; text != ""; {
		d.Text = text[:min(size, len(text))]
		text = text[len(d.Text):]
		piece := d
		s.heard = append(s.heard, heard{seq: s.seq, effect: effect, delta: &piece})
	}
}

func (s *story) toolDelta(call, text string) {
	s.heard = append(s.heard, heard{seq: s.seq, call: call, text: text})
}

// fold tells the story to a stream, and what the stream makes of it to a
// listener of events and one of notices.
func (s *story) fold(t testing.TB, place view.Place, onEvent func(view.Event), onNotice func(view.Notice)) *view.Stream {
	t.Helper()
	fold := view.NewStream(s.read)
	notices := view.NewNotices(fold, place)
	for _, h := range s.heard {
		var events []view.Event
		var told []view.Notice
		switch {
		case h.delta != nil:
			events = fold.Shown(h.seq, h.effect, s.shown(h.delta))
			told = notices.Delta(events)
		case h.fact == nil:
			events = fold.ToolDelta(h.seq, h.call, h.text)
		default:
			var err error
			if events, err = fold.Fact(h.seq, h.at, h.fact); err != nil {
				t.Fatal(err)
			}
			told = notices.Fact(h.seq, h.at, h.fact, events)
		}
		for i := range events {
			onEvent(events[i])
		}
		for i := range told {
			onNotice(told[i])
		}
	}
	return fold
}

// shown marks the answer as the host does.
func (s *story) shown(d *llm.Delta) dialect.Shown {
	return dialect.Shown{Delta: *d, Answer: s.answer && d.Kind == llm.DeltaText}
}

func (s *story) events(t testing.TB) []view.Event {
	t.Helper()
	var all []view.Event
	s.fold(t, view.Place{}, func(e view.Event) { all = append(all, e) }, func(view.Notice) {})
	return all
}

func (s *story) notices(t testing.TB, place view.Place) []view.Notice {
	t.Helper()
	var all []view.Notice
	s.fold(t, place, func(view.Event) {}, func(n view.Notice) { all = append(all, n) })
	return all
}

// types lists the types of events, repeated ones once.
func types(events []view.Event) string {
	var all []string
	for i := range events {
		if kind := string(events[i].Type); len(all) == 0 || all[len(all)-1] != kind {
			all = append(all, kind)
		}
	}
	return strings.Join(all, " ")
}

// The parts of stories.

func (s *story) userMessage(text string) *kernel.Message {
	m := llm.Text(llm.RoleUser, text)
	return &kernel.Message{Entry: kernel.Entry{Kind: dialect.ItemUser, Ref: s.json(&m), Bytes: int64(len(text))}}
}

func (s *story) runStart(run int64, config *spec.Run) *kernel.RunStart {
	s.answer = config.Completion.IsText()
	return &kernel.RunStart{
		Run: run, Config: s.json(config), Agent: "demo", Format: config.Format, Targets: []string{"script/demo", "other/large"},
		MaxTurns: 10, Nonce: "0a1b2c3d", Transport: config.Transport, Completion: config.Completion, Preamble: config.Preamble,
	}
}

func attemptStart(effect string, turn, attempt int64, model string) *kernel.AttemptStart {
	provider, name, _ := strings.Cut(model, "/")
	return &kernel.AttemptStart{
		Effect: effect, Turn: turn, Attempt: attempt, Provider: provider, Model: name, Context: 100 * turn, New: 40, Schema: 60,
		Expected: 100*turn + 100, Window: 1000, Limit: 700,
	}
}

func attemptEnd(effect string, turn, attempt int64, model string, outcome kernel.Outcome) *kernel.AttemptEnd {
	provider, name, _ := strings.Cut(model, "/")
	return &kernel.AttemptEnd{
		Effect: effect, Turn: turn, Attempt: attempt, Provider: provider, Model: name, Outcome: outcome, LatencyMS: 250,
	}
}

// accepted ends an attempt well and makes its message part of the conversation.
func (s *story) accepted(end *kernel.AttemptEnd, e *llm.Envelope) []kernel.Fact {
	data := llm.MustMarshalJSON(e)
	end.Outcome, end.Output = kernel.OutcomeAccepted, s.keep(data)
	return []kernel.Fact{end, &kernel.Message{
		Turn: end.Turn, Entry: kernel.Entry{Kind: dialect.ItemAssistant, Ref: end.Output, Bytes: int64(len(data))},
	}}
}

func (s *story) result(turn int64, call, name, text string) *kernel.Message {
	c := s.content(text)
	return &kernel.Message{Turn: turn, Entry: kernel.Entry{
		Kind: dialect.ItemResult, Ref: c.Ref, Bytes: c.Bytes, CallID: call, Name: name, Failed: strings.HasPrefix(text, "(tool failed"),
	}}
}

func call(id, name, arguments string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: name, Arguments: []byte(arguments)}
}

func (s *story) finalReport(turn int64, text string) *kernel.FinalReport {
	return &kernel.FinalReport{
		Turn: turn, OK: true, Source: kernel.SourceTool, Format: spec.FormatMarkdown,
		Payload: s.json(&spec.ReportPayload{Format: spec.FormatMarkdown, Content: text}), At: s.at,
	}
}

func (s *story) failure(turn int64, reason, text string) *kernel.FinalReport {
	return &kernel.FinalReport{
		Turn: turn, Source: kernel.SourceSynthetic, Format: spec.FormatMarkdown, Reason: reason, At: s.at,
		Payload: s.json(&spec.ReportPayload{
			Format: spec.FormatMarkdown, Content: text, Metadata: llm.MustMarshalJSON(map[string]string{"reason": reason}),
		}),
	}
}

func runEnd(run, turns int64) *kernel.RunEnd {
	return &kernel.RunEnd{
		Run: run, Status: kernel.StatusCompleted, OK: true, Exit: "EXIT-FINAL-ANSWER", Turns: turns, Started: now,
		Cost: llm.Dollar / 50, Total: llm.Dollar / 50,
	}
}

func runFailed(run, turns int64, reason, message string) *kernel.RunEnd {
	return &kernel.RunEnd{
		Run: run, Status: kernel.StatusError, Reason: reason, Error: message, Exit: "EXIT-CANCELED", Turns: turns, Started: now,
	}
}

func usage(in, out, read, write int64) *llm.Usage {
	return &llm.Usage{Input: in, Output: out, CacheRead: read, CacheWrite: write}
}

// weather is a session in which much happens: a rate limit, a response that is
// streamed, a status, tools that stream and fail, a report that is not streamed.
func weather() *story {
	s := newStory()
	config := &spec.Run{
		Agent: "demo", System: "You tell the weather.", Format: spec.FormatMarkdown, Completion: spec.CompleteReport,
		Limits: spec.Limits{MaxTurns: 10, MaxRetries: 3},
	}
	s.frame(0, opened())
	s.frame(5, s.runStart(1, config), s.userMessage("Athens and Berlin\ntomorrow?"),
		&kernel.TurnStart{Turn: 1, MaxTurns: 10}, attemptStart("2.0", 1, 1, "script/demo"))
	limited := attemptEnd("2.0", 1, 1, "script/demo", kernel.OutcomeRejected)
	limited.Error = &llm.Error{Class: llm.ClassRateLimit, Message: "slow down", Status: 429}
	limited.Finish.Reason = llm.FinishError
	s.frame(250, limited, attemptStart("3.0", 1, 2, "other/large"))

	thought, text := "Two cities: two calls.", "Let me look."
	s.stream("3.0", llm.Delta{Kind: llm.DeltaReasoning, Text: thought}, 12)
	s.stream("3.0", llm.Delta{Kind: llm.DeltaText, Block: 1, Text: text}, 8)
	s.stream("3.0", llm.Delta{Kind: llm.DeltaToolCall, Block: 2, CallID: "a", Name: "weather", Text: `{"city": "Athens"}`}, 10)
	end := attemptEnd("3.0", 1, 2, "other/large", "")
	end.Finish.Reason, end.Usage, end.Cost, end.CostKnown = llm.FinishToolCalls, usage(120, 30, 50, 10), llm.Dollar/100, true
	end.ActualProvider, end.ActualModel = "upstream", "large-1"
	s.frame(300, append(s.accepted(end, &llm.Envelope{
		AssistantText: text, Reasoning: []llm.Reasoning{{Text: thought}}, ToolCalls: []llm.ToolCall{
			call("a", "weather", `{"city":"Athens"}`), call("b", "weather", `{"city":"Berlin"}`),
			call("t", "agent__task_status", `{"now":"asking","status":"in-progress"}`),
		},
	}),
		toolStart(end, "4.0", "a", 0, spec.ToolLocal), toolStart(end, "4.1", "b", 1, spec.ToolLocal),
		&kernel.Progress{Turn: 1, CallID: "t", Status: dialect.TaskStatus{Status: "in-progress", Now: "asking", Pending: "answer"}},
	)...)
	s.toolDelta("a", "sun")
	s.toolDelta("a", "ny")
	s.frame(40, &kernel.ToolEnd{
		Effect: "4.0", Turn: 1, CallID: "a", Name: "weather", Status: kernel.ToolOK, Output: s.content("sunny"), LatencyMS: 40,
	}, entryOf("a", true, 17, 5), s.result(1, "a", "weather", "sunny"))
	s.frame(60, &kernel.ToolEnd{
		Effect: "4.1", Turn: 1, CallID: "b", Name: "weather", Status: kernel.ToolTimeout, Error: "timeout",
		Output: s.content("(tool failed: timeout)"), LatencyMS: 100,
	}, entryOf("b", false, 17, 0),
		&kernel.ToolEntry{Turn: 1, CallID: "t", Name: "agent__task_status", Server: "agent", OK: true, CharsIn: 39, CharsOut: 20},
		s.result(1, "b", "weather", "(tool failed: timeout)"), s.result(1, "t", "agent__task_status", "status shown to user"),
		&kernel.TurnStart{Turn: 2, MaxTurns: 10}, attemptStart("6.0", 2, 1, "script/demo"))

	last := attemptEnd("6.0", 2, 1, "script/demo", "")
	last.Finish.Reason, last.Usage, last.Cost, last.CostKnown = llm.FinishToolCalls, usage(200, 20, 0, 0), llm.Dollar/100, true
	s.frame(1500, append(s.accepted(last, &llm.Envelope{
		Reasoning: []llm.Reasoning{{Text: "Athens will do."}},
		ToolCalls: []llm.ToolCall{call("r", "agent__final_report", `{"report_content":"Sunny in Athens.","report_format":"markdown"}`)},
	}),
		&kernel.ToolEntry{Turn: 2, CallID: "r", Name: "agent__final_report", Server: "agent", OK: true, CharsIn: 64, CharsOut: 12},
		s.result(2, "r", "agent__final_report", `{"ok": true}`),
		s.finalReport(2, "Sunny in Athens."), runEnd(1, 2))...)
	return s
}

func toolStart(end *kernel.AttemptEnd, effect, call string, index int64, kind spec.ToolKind) *kernel.ToolStart {
	return &kernel.ToolStart{
		Effect: effect, Turn: end.Turn, CallID: call, Name: "weather", Server: "local", Kind: kind, ArgsBytes: 17,
		Output: end.Output, Index: index, Item: -1,
	}
}

func entryOf(call string, ok bool, in, out int64) *kernel.ToolEntry {
	e := &kernel.ToolEntry{
		Turn: 1, CallID: call, Name: "weather", Server: "local", OK: ok, LatencyMS: 40, CharsIn: in, CharsOut: out,
	}
	if !ok {
		e.Error = "timeout"
	}
	return e
}

// aborted is a session that is aborted in the middle of a response, after a
// call that somebody else was to answer.
func aborted() *story {
	s := newStory()
	config := &spec.Run{Agent: "demo", Format: spec.FormatMarkdown, Completion: spec.CompleteText}
	s.frame(0, opened())
	s.frame(5, s.runStart(1, config), s.userMessage("hi"), &kernel.TurnStart{Turn: 1, MaxTurns: 10},
		attemptStart("2.0", 1, 1, "script/demo"))
	end := attemptEnd("2.0", 1, 1, "script/demo", "")
	facts := s.accepted(end, &llm.Envelope{ToolCalls: []llm.ToolCall{
		call("r", "remote", `{"x":1}`), call("w", "careful", `{"y":2}`),
	}})
	remote, careful := toolStart(end, "3.0", "r", 0, spec.ToolRemote), toolStart(end, "3.1", "w", 1, kernel.ToolAwaitsApproval)
	remote.Name, careful.Name = "remote", "careful"
	s.frame(250, append(facts, remote, careful, &kernel.Awaiting{Calls: []kernel.PendingCall{
		{CallID: "r", Name: "remote", Kind: "remote", Output: end.Output, Index: 0},
		{CallID: "w", Name: "careful", Kind: "approval", Output: end.Output, Index: 1, Deadline: now + 1000},
	}})...)
	s.frame(100, &kernel.ToolEnd{
		Effect: "3.0", Turn: 1, CallID: "r", Name: "remote", Status: kernel.ToolOK, Output: s.content("far"),
	}, &kernel.Awaiting{Calls: []kernel.PendingCall{{CallID: "w", Name: "careful", Kind: "approval", Output: end.Output, Index: 1}}})
	allowed := toolStart(end, "5.0", "w", 1, spec.ToolLocal)
	allowed.Name = "careful"
	s.frame(100, &kernel.Log{Severity: "VRB", Code: "tool_approved", Message: "careful was allowed by ada", Turn: 1}, allowed)
	s.frame(50, &kernel.ToolEnd{
		Effect: "5.0", Turn: 1, CallID: "w", Name: "careful", Status: kernel.ToolOK, Output: s.content("done"), LatencyMS: 50,
	}, s.result(1, "r", "remote", "far"), s.result(1, "w", "careful", "done"),
		&kernel.TurnStart{Turn: 2, MaxTurns: 10}, attemptStart("6.0", 2, 1, "script/demo"))
	s.stream("6.0", llm.Delta{Kind: llm.DeltaText, Text: "It seems that"}, 5)
	const message = "The run was aborted."
	cut := attemptEnd("6.0", 2, 1, "script/demo", kernel.OutcomeAborted)
	cut.Error = &llm.Error{Class: llm.ClassAborted, Message: "aborted"}
	cut.Output = s.json(&llm.Envelope{AssistantText: "It seems that"})
	terminal := s.json(&kernel.Terminal{StopReason: "aborted", ErrorMessage: message, Partial: cut.Output})
	s.frame(70, cut, &kernel.Message{Turn: 2, Entry: kernel.Entry{Kind: dialect.ItemTerminal, Ref: terminal, Failed: true}},
		s.failure(2, kernel.ReasonAborted, message), runFailed(1, 2, kernel.ReasonAborted, message))
	// The provider does not listen and goes on.
	s.stream("6.0", llm.Delta{Kind: llm.DeltaText, Text: " nobody listens"}, 5)
	return s
}

// manyTurns is a session of so many turns, each with a tool.
func manyTurns(turns int64) *story {
	s := newStory()
	s.frame(0, opened())
	s.frame(1, s.runStart(1, &spec.Run{Format: spec.FormatMarkdown}), s.userMessage("hi"))
	for turn := range turns {
		effect, tool := fmt.Sprintf("%d.0", s.seq), fmt.Sprintf("%d.1", s.seq)
		end := attemptEnd(effect, turn+1, 1, "script/demo", "")
		s.frame(1, &kernel.TurnStart{Turn: turn + 1, MaxTurns: turns}, attemptStart(effect, turn+1, 1, "script/demo"))
		s.frame(1, append(s.accepted(end, &llm.Envelope{ToolCalls: []llm.ToolCall{call("a", "weather", `{"city":"Athens"}`)}}),
			toolStart(end, tool, "a", 0, spec.ToolLocal))...)
		done := &kernel.ToolEnd{Effect: tool, Turn: turn + 1, CallID: "a", Name: "weather", Status: kernel.ToolOK, Output: s.content("sunny")}
		e := entryOf("a", true, 17, 5)
		e.Turn = turn + 1
		s.frame(1, done, e, s.result(turn+1, "a", "weather", "sunny"))
	}
	s.frame(1, s.finalReport(turns, "done"), runEnd(1, turns))
	return s
}
