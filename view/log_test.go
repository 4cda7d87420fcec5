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

// line is what tests compare of an entry.
func line(e *view.LogEntry) string {
	return fmt.Sprintf("%s %s %s %s %s", e.Severity, e.Direction, e.Type, e.RemoteIdentifier, e.Details["event"])
}

func lines(v *view.Session) []string {
	all := make([]string, len(v.Logs))
	for i := range v.Logs {
		all[i] = line(&v.Logs[i])
	}
	return all
}

// contract: B8, T3, T4, T9, X7
func TestEveryFactHasItsLogWithAStableCode(t *testing.T) {
	t.Parallel()
	s := newStory()
	thinking := s.json(&llm.Envelope{Reasoning: []llm.Reasoning{{Text: "hm"}}, AssistantText: "text"})
	failed := func(e *llm.Error, slugs ...dialect.Slug) *kernel.AttemptEnd {
		f := attemptEnd("1.0", 1, 1, "a/b", kernel.OutcomeRejected)
		f.Error, f.Slugs = e, slugs
		return f
	}
	final := attemptStart("1.0", 1, 1, "a/b")
	final.Final, final.Reason = true, dialect.FinalMaxTurns
	routed := attemptEnd("1.0", 1, 1, "a/b", kernel.OutcomeAccepted)
	routed.ActualProvider, routed.Output, routed.Warnings = "c", thinking, []string{"max_tokens was made up"}
	start := &kernel.ToolStart{Turn: 1, CallID: "a", Name: "weather", Server: "local", Kind: spec.ToolLocal}
	for _, c := range []struct {
		fact kernel.Fact
		want []string
	}{
		{opened(), []string{"VRB response llm agent:init session_started"}},
		{&kernel.ProfileRequested{Run: 1}, []string{"VRB response llm agent:settings profile_requested"}},
		{&kernel.ProfileResolved{Run: 1}, []string{"VRB response llm agent:settings profile_resolved"}},
		{&kernel.ProfileFailed{Run: 1}, []string{"ERR response llm agent:settings profile_failed"}},
		{&kernel.RunStart{Run: 1}, []string{"VRB response llm agent:start run_started"}},
		{&kernel.TurnStart{Turn: 1}, []string{"VRB response llm agent:turn-start turn_started"}},
		{attemptStart("1.0", 1, 1, "a/b"), []string{"VRB request llm a:b llm_request_prepared"}},
		{final, []string{"WRN response llm agent:final-turn final_turn_detected", "VRB request llm a:b llm_request_prepared"}},
		{attemptEnd("1.0", 1, 1, "a/b", kernel.OutcomeAccepted), []string{"VRB response llm a:b llm_response"}},
		{routed, []string{
			"THK response llm thinking llm_thinking", "VRB response llm a/c:b llm_response", "WRN response llm agent:llm-params llm_warning",
		}},
		{attemptEnd("1.0", 1, 1, "a/b", kernel.OutcomeAborted), []string{"WRN response llm a:b llm_aborted"}},
		{failed(&llm.Error{Class: llm.ClassRateLimit}), []string{
			"WRN response llm a:b llm_rate_limit", "WRN response llm agent:turn-failure turn_failure",
		}},
		{failed(nil, dialect.SlugTextOnly), []string{
			"WRN response llm a:b plain_text_ignored", "WRN response llm agent:turn-failure turn_failure",
		}},
		{failed(nil, dialect.SlugEmpty), []string{
			"WRN response llm a:b empty_response_without_tools", "WRN response llm agent:turn-failure turn_failure",
		}},
		{failed(nil, dialect.SlugSchemaFailed), []string{
			"WRN response llm a:b final_report_schema_validation_failed", "WRN response llm agent:turn-failure turn_failure",
		}},
		{start, []string{"VRB request tool local:local:weather tool_started"}},
		{&kernel.ToolEnd{CallID: "a", Name: "weather", Status: kernel.ToolOK}, []string{"VRB response tool tool:weather tool_finished"}},
		{&kernel.ToolEnd{CallID: "a", Name: "weather", Status: kernel.ToolTimeout}, []string{"WRN response tool tool:weather tool_execution_failed"}},
		{&kernel.OutputStored{Name: "weather"}, []string{"WRN response tool tool:weather tool_output_stored"}},
		{&kernel.ChildEnd{Session: "c", OK: true}, []string{"VRB response llm agent:orchestrator child_finished"}},
		{&kernel.ChildEnd{Session: "c"}, []string{"WRN response llm agent:orchestrator child_failed"}},
		{&kernel.StageStart{Stage: kernel.StageAdvisor}, []string{"VRB request llm agent:orchestrator advisor_started"}},
		{&kernel.StageStart{Stage: kernel.StageRouter}, []string{"VRB request llm agent:orchestrator router_started"}},
		{&kernel.StageStart{Stage: kernel.StageHandoff}, []string{"VRB request llm agent:orchestrator handoff_started"}},
		{&kernel.ChildEnd{Stage: kernel.StageAdvisor, OK: true}, []string{"VRB response llm agent:orchestrator advisor_finished"}},
		{&kernel.ChildEnd{Stage: kernel.StageRouter, OK: true}, []string{"VRB response llm agent:orchestrator router_finished"}},
		{&kernel.ChildEnd{Stage: kernel.StageHandoff}, []string{"WRN response llm agent:orchestrator handoff_failed"}},
		{&kernel.Handoff{Stage: kernel.StageHandoff}, []string{"VRB response llm agent:orchestrator handed_over"}},
		{&kernel.Progress{}, []string{"VRB response llm agent:progress task_status"}},
		{&kernel.Wait{}, []string{"WRN response llm agent:retry llm_rate_limit_backoff"}},
		{&kernel.Guard{Outcome: kernel.GuardSkipped}, []string{"WRN response llm agent:context context_guard_skipped_provider"}},
		{&kernel.Guard{Outcome: kernel.GuardForced}, []string{"WRN response llm agent:context context_guard_forced_final"}},
		{&kernel.Guard{Outcome: kernel.GuardDropped}, []string{"WRN response llm agent:context tool_output_dropped"}},
		{&kernel.ForcedFinal{}, []string{"WRN response llm agent:orchestrator final_turn_forced"}},
		{&kernel.Awaiting{}, []string{"VRB response llm agent:suspended awaiting_tool_execution"}},
		{&kernel.QueueUpdate{}, []string{"VRB response llm agent:input queue_update"}},
		{&kernel.Ignored{}, []string{"VRB response llm agent:input input_ignored"}},
		{note("WRN", "tool_autocorrected"), []string{"WRN response tool agent:sanitizer tool_autocorrected"}},
		{note("WRN", "tool_payload_sanitized"), []string{"WRN response tool agent:sanitizer tool_payload_sanitized"}},
		{note("ERR", "llm_invalid_tool_parameters"), []string{"ERR response tool agent:sanitizer llm_invalid_tool_parameters"}},
		{note("WRN", "tool_limit_exceeded"), []string{"WRN response tool agent:limits tool_limit_exceeded"}},
		{note("WRN", "turns_collapsed"), []string{"WRN response llm agent:orchestrator turns_collapsed"}},
		{note("WRN", "text_fallback"), []string{"WRN response llm agent:fallback-report text_fallback"}},
		{note("ERR", "handoff_failed"), []string{"ERR response llm agent:orchestrator handoff_failed"}},
		{note("ERR", "router_handoff_failed"), []string{"ERR response llm agent:orchestrator router_handoff_failed"}},
		{note("ERR", "invariant"), []string{"ERR response llm agent:error invariant"}},
		{note("VRB", "tool_approved"), []string{"VRB response tool agent:tools tool_approved"}},
		{note("WRN", "context_guard_forced_final"), []string{"WRN response llm agent:context context_guard_forced_final"}},
		{note("VRB", "something_new"), []string{"VRB response llm agent:something_new something_new"}},
		{s.finalReport(1, "x"), []string{"VRB response llm agent:final-report-accepted final_report_accepted"}},
		{s.failure(1, "aborted", "x"), []string{"ERR response llm agent:failure-report failure_report"}},
		{s.userMessage("hi"), nil},
		{&kernel.ToolEntry{}, nil},
	} {
		got := lines(folded(t, s.store, c.fact))
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", kernel.FactKind(c.fact), got, c.want)
		}
	}
}

func note(severity, code string) *kernel.Log { return &kernel.Log{Severity: severity, Code: code} }

// contract: B8
func TestEveryLogSaysWhoseItIsAndWhere(t *testing.T) {
	t.Parallel()
	s := weather()
	fold := view.NewStream(s.read)
	fold.HeadendID = "api:8080"
	for _, h := range s.heard {
		if h.fact != nil {
			if _, err := fold.Fact(h.seq, h.at, h.fact); err != nil {
				t.Fatal(err)
			}
		}
	}
	places := make(map[string]bool)
	for i := range fold.Logs {
		e := &fold.Logs[i]
		if e.Timestamp == 0 || e.AgentID != "demo" || e.AgentPath != "root:demo" || !strings.HasPrefix(e.CallPath, "root:demo") ||
			e.TxnID != "s" || e.ParentTxnID != "p" || e.OriginTxnID != "o" || e.HeadendID != "api:8080" || e.Message == "" {
			t.Errorf("incomplete: %+v", e)
		}
		if e.Type == "tool" && e.RemoteIdentifier != "summary" && e.CallPath != "root:demo:weather" {
			t.Errorf("a tool's call path is %q", e.CallPath)
		}
		if e.Path != "" {
			places[fmt.Sprintf("%s=%d.%d", e.Path, e.Turn, e.Subturn)] = true
		}
	}
	same(t, map[string]bool{"1-1=1.0": true, "1-2=1.0": true, "1-3=1.1": true, "1-4=1.2": true, "2-1=2.0": true}, places)
}

// contract: B4
func TestEveryRunEndsWithOneMarkerAndTwoSummaries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		story *story
		want  []string
	}{
		"a report": {weather(), []string{
			"EXIT-FINAL-ANSWER: the final report was accepted (fatal=false)",
			"requests=3 failed=1, tokens prompt=320 output=50 cacheR=50 cacheW=10 total=430, cost total=$0.02000 upstream=$0.00000, " +
				"latency sum=750ms avg=250ms, providers/models: 1x [1+0] other/upstream:large, 2x [1+1] script:demo, " +
				"stop reasons: error(1), tool_calls(2)",
			"requests=4, failed=1, capped=0, bytes in=137 out=37, providers/tools: 1x [1+0] agent:agent__final_report, " +
				"1x [1+0] agent:agent__task_status, 2x [1+1] local:weather",
		}},
		"nothing at all": {nothing(), []string{
			"EXIT-CANCELED: no profile (fatal=true)",
			"requests=0 failed=0, tokens prompt=0 output=0 cacheR=0 cacheW=0 total=0, cost total=$0.00000 upstream=$0.00000, " +
				"latency sum=0ms avg=0ms, providers/models: none",
			"requests=0, failed=0, capped=0, bytes in=0 out=0, providers/tools: none",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := c.story.fold(t, func(view.Event) {}, func(view.Notice) {})
			var got []string
			for _, e := range v.Logs[len(v.Logs)-3:] {
				got = append(got, e.Message)
			}
			same(t, c.want, got)
			same(t, []any{"llm_summary", "tool_summary"}, []any{
				v.Logs[len(v.Logs)-2].Details["event"], v.Logs[len(v.Logs)-1].Details["event"],
			})
			for _, e := range v.Logs[:len(v.Logs)-3] {
				if e.Severity == view.SeverityFinal || strings.HasPrefix(e.RemoteIdentifier, "agent:EXIT") {
					t.Errorf("one too many: %+v", e)
				}
			}
		})
	}
}

// nothing is a session that ran once and then could not start a run.
func nothing() *story {
	s := newStory()
	s.frame(0, opened())
	s.frame(1, &kernel.ProfileRequested{Run: 2})
	s.frame(1, &kernel.ProfileFailed{Run: 2}, s.userMessage("hi"), s.failure(0, kernel.ReasonProfile, "no profile"), runFailed(2, 0, kernel.ReasonProfile, "no profile"))
	return s
}

func TestTheSummariesAreOfOneRun(t *testing.T) {
	t.Parallel()
	capped := &kernel.OutputStored{Name: "weather"}
	v := folded(t, make(store), opened(), &kernel.RunStart{Run: 1}, attemptEnd("1.0", 1, 1, "a/b", kernel.OutcomeAccepted),
		capped, note("WRN", "tool_output_truncated"), runEnd(1, 1), &kernel.RunStart{Run: 2}, capped, runEnd(2, 0))
	var got []any
	for _, e := range v.Logs {
		switch e.Details["event"] {
		case "llm_summary":
			got = append(got, e.Details["requests"])
		case "tool_summary":
			got = append(got, e.Details["capped"])
		}
	}
	same(t, []any{int64(1), int64(2), int64(0), int64(1)}, got)
}

func TestAFailedAttemptIsLoggedWithWhatAPersonNeeds(t *testing.T) {
	t.Parallel()
	s := newStory()
	bad := attemptEnd("1.0", 2, 1, "a/b", kernel.OutcomeRejected)
	bad.Slugs, bad.Output = []dialect.Slug{dialect.SlugTextOnly, dialect.SlugTruncated}, s.json(&llm.Envelope{AssistantText: "blah"})
	config := &spec.Run{Limits: spec.Limits{MaxRetries: 3}}
	v := folded(t, s.store, opened(), s.runStart(1, config), &kernel.TurnStart{Turn: 2, MaxTurns: 5}, attemptStart("1.0", 2, 1, "a/b"), bad)
	e := v.Logs[len(v.Logs)-1]
	same(t, "Turn 2 failed after 1 attempt(s) of 3 (maxTurns=5); last_error=content_without_tools_or_report, output_truncated", e.Message)
	same(t, map[string]any{
		"event": "turn_failure", "max_retries": int64(3), "provider": "a", "model": "b", "raw_response": `{"assistant_text":"blah"}`,
		"slugs": []dialect.Slug{dialect.SlugTextOnly, dialect.SlugTruncated},
	}, e.Details)

	// The provider's own bytes say more, and are cut where a log line ends.
	bad.Raw = s.keep([]byte(strings.Repeat("ä", 131_072)))
	v = folded(t, s.store, opened(), bad)
	e = v.Logs[len(v.Logs)-1]
	same(t, strings.Repeat("ä", 65_536)+"…", e.Details["raw_response"])
	same(t, "Turn 2 failed after 1 attempt(s) (maxTurns=0); last_error=content_without_tools_or_report, output_truncated", e.Message)
}

// contract: T9
func TestAStoredResultIsLoggedWithItsHandle(t *testing.T) {
	t.Parallel()
	v := folded(t, make(store), &kernel.OutputStored{
		Turn: 1, CallID: "a", Name: "weather", Handle: "session-s/1", Reason: "size_cap", Output: kernel.Content{Bytes: 5000}, Lines: 7, Tokens: 90,
	})
	same(t, map[string]any{
		"event": "tool_output_stored", "handle": "session-s/1", "reason": "size_cap", "bytes": int64(5000), "lines": int64(7),
		"tokens": int64(90), "tool": "weather",
	}, v.Logs[0].Details)
}

// contract: T4, F6
func TestEvidenceIsLoggedWhole(t *testing.T) {
	t.Parallel()
	s := make(store)
	v := folded(t, s, &kernel.Log{Severity: "ERR", Code: "llm_invalid_tool_parameters", Ref: s.keep([]byte(`{"city":`))})
	same(t, any(`{"city":`), v.Logs[0].Details["payload"])
}

// contract: U11
func TestSeveritiesHaveLevelsAndPriorities(t *testing.T) {
	t.Parallel()
	down := attemptEnd("1.0", 1, 1, "a/b", kernel.OutcomeRejected)
	down.Error = &llm.Error{Class: llm.ClassServer}
	limited := attemptEnd("1.0", 1, 1, "a/b", kernel.OutcomeRejected)
	limited.Error = &llm.Error{Class: llm.ClassRateLimit}
	for want, fact := range map[string]kernel.Fact{
		"INFO VRB 6":     &kernel.TurnStart{Turn: 1},
		"INFO VRB 6 ":    &kernel.ToolStart{Name: "weather"},
		"WARNING WRN 4":  &kernel.ForcedFinal{},
		"WARNING WRN 4 ": limited,
		"ERROR WRN 4":    down,
		"ERROR WRN 4 ":   &kernel.ToolEnd{Status: kernel.ToolFailed},
		"ERROR ERR 3":    &kernel.ProfileFailed{},
	} {
		e := folded(t, make(store), fact).Logs[0]
		same(t, strings.TrimSpace(want), fmt.Sprintf("%s %s %d", e.Level(), e.Severity, e.Severity.Priority()))
	}
	same(t, []int{5, 6, 7}, []int{
		view.SeverityFinal.Priority(), view.SeverityThinking.Priority(), view.SeverityTrace.Priority(),
	})
}

func TestWhoReadsNoLogNeedNotHaveOne(t *testing.T) {
	t.Parallel()
	s := weather()
	v := view.NewSession(s.read)
	v.Brief = true
	for _, h := range s.heard {
		if h.fact != nil {
			if err := v.Apply(h.at, h.fact); err != nil {
				t.Fatal(err)
			}
		}
	}
	same(t, 0, len(v.Logs))
	same(t, 7, len(v.Messages))
}
