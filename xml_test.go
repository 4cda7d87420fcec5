package aiagent_test

import (
	"fmt"
	"strings"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/view"
)

// final is a report by tag.
func final(text string) string {
	return `<ai-agent-{{nonce}}-FINAL format="markdown">` + text + `</ai-agent-{{nonce}}-FINAL>`
}

// slot is a call by tag.
func slot(number int, payload string) string {
	return fmt.Sprintf(`<ai-agent-{{nonce}}-%04d tool="weather">%s</ai-agent-{{nonce}}-%04d>`, number, payload, number)
}

func speaking(transport spec.Transport) *aiagent.Agent {
	a := agent(weather())
	a.Transport = transport
	return a
}

// contract: M1, M2, M9
func TestXMLFinalIsTheDefaultAndTakesTheReportByTag(t *testing.T) {
	t.Parallel()
	a := speaking("")
	b := newBed(t, script.Calls(askWeather("c", "Athens")), script.Text("So: "+final(`it is {{tool "weather"}}`)))
	o := b.run(a, "hi")
	if !o.Success || o.Text() != "it is sunny in Athens" {
		t.Fatalf("%s, %q", o.Error, o.Text())
	}
	if got := accounts(o); !strings.HasSuffix(got, "ok:agent/agent__final_report_xml") {
		t.Errorf("accounting %q", got)
	}
	request := b.provider.requests[0]
	if strings.Contains(offered(request), spec.FinalReportTool) || !strings.Contains(offered(request), "weather") {
		t.Errorf("offered %q", offered(request))
	}
	if request.System != a.System {
		t.Errorf("the system prompt became %q", request.System)
	}
	if !strings.HasPrefix(notice(request), "# System Notice") || !strings.Contains(notice(request), "-FINAL") {
		t.Errorf("the model is told %q", notice(request))
	}
	if got := roles(o); got != "user assistant tool assistant" {
		t.Errorf("conversation %q", got)
	}
}

// contract: M1, M2, M3, M4, M8, M9
func TestInXMLEverythingTravelsByTag(t *testing.T) {
	t.Parallel()
	a := speaking(spec.TransportXML)
	a.Limits.MaxToolCallsPerTurn = 2
	b := newBed(t,
		script.Text(slot(1, `{"city":"Athens"}`)+slot(2, `{"city":"Oslo"}`)),
		// Slots of the first turn are used up; the right ones go on from 3.
		script.Turn(script.Text(slot(1, `{"city":"Again"}`)), script.Text(slot(3, `{"city":"Rome"}`))),
		script.Text(final("done")),
	)
	o := b.run(a, "hi")
	if !o.Success || o.Text() != "done" {
		t.Fatalf("%s, %q", o.Error, o.Text())
	}
	var ran []string
	for _, f := range facts[*kernel.ToolEntry](o) {
		ran = append(ran, f.Name)
	}
	if got := strings.Join(ran, " "); got != "weather weather weather agent__final_report_xml" {
		t.Errorf("executed %q", got)
	}
	for _, r := range b.provider.requests {
		if len(r.Tools) != 0 {
			t.Errorf("tools are offered natively: %q", offered(r))
		}
	}
	var past []string
	for _, m := range b.provider.last().History {
		if m.Role == llm.RoleTool {
			t.Error("a native tool message in xml")
		}
		if strings.HasPrefix(m.Content(), "# System Notice") {
			past = append(past, m.Content())
		}
	}
	if len(past) != 2 || !strings.Contains(past[0], "System Notice: tool response for ") || !strings.Contains(past[0], "sunny in Oslo") {
		t.Errorf("past %q", past)
	}
	for _, m := range o.Conversation {
		if m.Role == llm.RoleUser && strings.HasPrefix(m.Content, "# System Notice") {
			t.Error("a notice is stored")
		}
	}
}

// contract: M6
func TestAnUnclosedReportIsJudgedByTheStopReason(t *testing.T) {
	t.Parallel()
	open := `<ai-agent-{{nonce}}-FINAL format="markdown">half a report`
	for finish, requests := range map[llm.FinishReason]int{llm.FinishStop: 1, llm.FinishUnknown: 1, llm.FinishLength: 2} {
		t.Run(string(finish), func(t *testing.T) {
			t.Parallel()
			first := script.Text(open)
			first.Finish = finish
			b := newBed(t, script.Turn(first, script.Text(final("whole"))))
			o := b.run(speaking(spec.TransportXMLFinal), "hi")
			if !o.Success || len(b.provider.requests) != requests {
				t.Errorf("%s after %d requests, want %d", o.Error, len(b.provider.requests), requests)
			}
		})
	}
}

// contract: M10, S3
func TestNoTagEverReachesAListener(t *testing.T) {
	t.Parallel()
	for _, transport := range []spec.Transport{spec.TransportXMLFinal, spec.TransportXML} {
		for _, size := range []int{1, 3, 1000} {
			t.Run(fmt.Sprint(transport, size), func(t *testing.T) {
				t.Parallel()
				reply := script.Text("Let me think. " + final("The answer, in <b>words</b>.") + " Bye.")
				reply.ChunkSize = size
				o := newBed(t, reply).run(speaking(transport), "hi")
				var text strings.Builder
				for _, e := range o.events {
					if e.Type == view.EventTextDelta {
						text.WriteString(e.Delta)
					}
					if e.Type == view.EventTextEnd && e.Text != text.String() {
						t.Errorf("text %q, deltas %q", e.Text, text.String())
					}
				}
				if got := text.String(); got != "The answer, in <b>words</b>." || o.Text() != got {
					t.Errorf("listeners see %q, the report is %q", got, o.Text())
				}
			})
		}
	}
}

// contract: T10, L3, T7
func TestABatchRunsItsCallsAndCountsThem(t *testing.T) {
	t.Parallel()
	a := agent(weather(), broken())
	a.Batch = true
	a.Limits.MaxToolCallsPerTurn = 3
	call := func(id, tool string, args map[string]any) map[string]any {
		return map[string]any{"id": id, "tool": tool, "parameters": args}
	}
	o := newBed(t, script.Calls(ask("b", "agent__batch", map[string]any{"calls": []any{
		call("1", "weather", map[string]any{"city": "Athens"}), call("2", "broken", map[string]any{}),
		call("3", "weather", map[string]any{"city": "Oslo"}), call("4", "weather", map[string]any{"city": "Rome"}),
		call("5", "nothing", map[string]any{}),
	}})), report("done")).run(a, "hi")
	if !o.Success {
		t.Fatal(o.Error)
	}
	if n := len(facts[*kernel.ToolStart](o)); n != 3 {
		t.Errorf("%d executions, want 3", n)
	}
	got := o.Conversation[2].Content
	for _, want := range []string{`"output":"sunny in Athens"`, `no luck`, `"output":"sunny in Oslo"`, `per-turn tool limit`, `"id":"5"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the batch's result lacks %q: %s", want, got)
		}
	}
	if roles(o) != "user assistant tool assistant tool" {
		t.Errorf("conversation %q", roles(o))
	}
}

func status(state string, ready, more bool) script.Call {
	return ask("s", "agent__task_status", map[string]any{
		"status": state, "done": "this", "pending": "that", "now": "thinking",
		"ready_for_final_report": ready, "need_to_run_more_tools": more,
	})
}

// contract: T11, L8
func TestTheStatusToolTellsListenersAndNeverEndsTheSession(t *testing.T) {
	t.Parallel()
	o := newBed(t, script.Calls(status("in-progress", false, true), askWeather("w", "Athens")), report("done")).run(agent(weather()), "hi")
	p := facts[*kernel.Progress](o)
	if !o.Success || len(p) != 1 || p[0].Status.Now != "thinking" {
		t.Errorf("%s, %+v", o.Error, p)
	}
	for name, c := range map[string]struct {
		turns []script.Step
		want  string
	}{
		"five in a row":  {repeat(script.Calls(status("in-progress", false, true)), 6), "task_status_only"},
		"completed":      {[]script.Step{script.Calls(status("completed", true, false)), report("done")}, "task_status_completed"},
		"not quite done": {[]script.Step{script.Calls(status("completed", true, true)), report("done")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := agent(weather())
			a.Limits.MaxRetries = 1
			o := newBed(t, c.turns...).run(a, "hi")
			got := ""
			for _, f := range facts[*kernel.ForcedFinal](o) {
				got = string(f.Reason)
			}
			if got != c.want {
				t.Errorf("forced final %q, want %q", got, c.want)
			}
		})
	}
}

// contract: T3
func TestArgumentsAreRepairedAndTheRepairIsLogged(t *testing.T) {
	t.Parallel()
	o := newBed(t, script.Calls(script.Call{ID: "c", Name: "weather", Arguments: "```json\n{\"city\": \"Athens\"\n```"}), report("done")).
		run(agent(weather()), "hi")
	if !o.Success || o.Conversation[2].Content != "sunny in Athens" || !logged(o, "tool_payload_sanitized") {
		t.Errorf("%s, %q", o.Error, o.Conversation[2].Content)
	}
}
