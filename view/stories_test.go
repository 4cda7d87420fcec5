package view_test

import (
	"fmt"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

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
	}, entryOf("a", true, 5), s.result(1, "a", "weather", "sunny"))
	s.frame(60, &kernel.ToolEnd{
		Effect: "4.1", Turn: 1, CallID: "b", Name: "weather", Status: kernel.ToolTimeout, Error: "timeout",
		Output: s.content("(tool failed: timeout)"), LatencyMS: 100,
	}, entryOf("b", false, 0),
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

func entryOf(call string, ok bool, out int64) *kernel.ToolEntry {
	e := &kernel.ToolEntry{
		Turn: 1, CallID: call, Name: "weather", Server: "local", OK: ok, LatencyMS: 40, CharsIn: 17, CharsOut: out,
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
	remote.Name, remote.ArgsBytes, careful.Name, careful.ArgsBytes = "remote", 7, "careful", 7
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
		e := entryOf("a", true, 5)
		e.Turn = turn + 1
		s.frame(1, done, e, s.result(turn+1, "a", "weather", "sunny"))
	}
	s.frame(1, s.finalReport(turns, "done"), runEnd(1, turns))
	return s
}
