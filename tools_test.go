package aiagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/tool"
	"github.com/ai-agent-go/ai-agent/view"
)

// contract: T1, T2, R11
func TestAToolThatTakesTooLongIsAnsweredForIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := tool.Must(tool.New("slow", "Takes long.", func(ctx context.Context, _ struct{}) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}))
		a := agent(slow)
		a.Limits.ToolTimeoutMS = 2000
		b := newBed(t, script.Calls(ask("c", "slow", nil)), report("done"))
		start := time.Now()
		o := b.run(a, "hi")
		if took := time.Since(start); took < 2*time.Second || took > 3*time.Second {
			t.Errorf("took %v", took)
		}
		if got := o.Conversation[2].Content; got != "(tool failed: timeout)" {
			t.Errorf("the model is told %q", got)
		}
		if e := o.Accounting[1]; e.Status != "failed" || e.Error != "timeout" || *e.CharactersOut != 0 {
			t.Errorf("accounting %+v", e)
		}
		_ = b.rt.Close()
	})
}

// contract: T1
func TestAToolThatDoesNotListenDoesNotHoldTheSessionUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		deaf := tool.Must(tool.New("deaf", "Does not listen.", func(context.Context, struct{}) (string, error) {
			time.Sleep(time.Hour) // in a bubble of fake time
			return "late", nil
		}))
		a := agent(deaf)
		a.Limits.ToolTimeoutMS = 1000
		b := newBed(t, script.Calls(ask("c", "deaf", nil)), report("done"))
		start := time.Now()
		if o := b.run(a, "hi"); !o.Success || o.Conversation[2].Content != "(tool failed: timeout)" {
			t.Errorf("%s, %q", o.Error, o.Conversation[2].Content)
		}
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("took %v", took)
		}
		_ = b.rt.Close()
		time.Sleep(2 * time.Hour)
	})
}

// contract: T2, E1
func TestFailingAndPanickingToolsAreAnswered(t *testing.T) {
	t.Parallel()
	bomb := tool.Must(tool.New("bomb", "Panics.", func(context.Context, struct{}) (string, error) { panic("boom") }))
	o := newBed(t, script.Calls(ask("a", "broken", nil), ask("b", "bomb", nil)), report("done")).run(agent(broken(), bomb), "hi")
	if !o.Success {
		t.Fatal(o.Error)
	}
	for i, want := range map[int]string{2: "(tool failed: no luck)", 3: "(tool failed: the tool panicked)"} {
		if got := o.Conversation[i].Content; got != want || !o.Conversation[i].Failed {
			t.Errorf("message %d: %q, want %q", i, got, want)
		}
	}
}

// contract: T4, T6
func TestCallsThatCannotRunAreAnsweredAndTheOthersRun(t *testing.T) {
	t.Parallel()
	b := newBed(t,
		script.Calls(ask("a", "nothing", nil), ask("b", "weather", map[string]any{"city": 7}), askWeather("c", "Athens")),
		report("done"),
	)
	o := b.run(agent(weather()), "hi")
	if !o.Success || len(facts[*kernel.ToolStart](o)) != 1 {
		t.Fatalf("%s, %d executions", o.Error, len(facts[*kernel.ToolStart](o)))
	}
	for i, want := range map[int]string{2: `unknown tool "nothing"`, 3: "/city", 4: "sunny in Athens"} {
		if got := o.Conversation[i].Content; !strings.Contains(got, want) {
			t.Errorf("message %d: %q, want %q in it", i, got, want)
		}
	}
	if !strings.Contains(o.Conversation[2].Content, "weather") {
		t.Errorf("the tools that exist are not named: %q", o.Conversation[2].Content)
	}
}

// contract: T4, L7
func TestAMessageOfWhichNoCallCanRunIsAFailedAttempt(t *testing.T) {
	t.Parallel()
	b := newBed(t, script.Turn(script.Calls(ask("a", "nothing", nil)), report("done")))
	o := b.run(agent(weather()), "hi")
	if !o.Success || roles(o) != "user assistant tool" || len(b.provider.requests) != 2 {
		t.Errorf("%s, %q, %d requests", o.Error, roles(o), len(b.provider.requests))
	}
	if n := notice(b.provider.last()); !strings.Contains(n, "nothing") {
		t.Errorf("notice %q", n)
	}
}

// contract: T6
func TestANameWithoutItsPrefixIsCorrected(t *testing.T) {
	t.Parallel()
	far := weather()
	far.Name = "server__weather"
	o := newBed(t, script.Calls(askWeather("c", "Athens")), report("done")).run(agent(far), "hi")
	if !o.Success || o.Conversation[1].ToolCalls[0].Name != "server__weather" {
		t.Errorf("%s, %+v", o.Error, o.Conversation[1].ToolCalls)
	}
	if !logged(o, "tool_autocorrected") {
		t.Error("the correction is not logged")
	}
}

func logged(o *outcome, code string) bool {
	for _, l := range o.Logs {
		if l.Details["event"] == code {
			return true
		}
	}
	return false
}

// contract: T5
func TestCallsOfAMessageThatWasCutOffNeverRun(t *testing.T) {
	t.Parallel()
	cut := script.Calls(askWeather("c", "Athens"))
	cut.Finish = llm.FinishLength
	b := newBed(t, script.Turn(cut, report("done")))
	o := b.run(agent(weather()), "hi")
	if !o.Success || len(facts[*kernel.ToolStart](o)) != 0 {
		t.Errorf("%s, %d executions", o.Error, len(facts[*kernel.ToolStart](o)))
	}
	if n := notice(b.provider.last()); !strings.Contains(n, "cut off") {
		t.Errorf("notice %q", n)
	}
}

// contract: T7
func TestResultsAreAdmittedInCallOrderHoweverTheyArrive(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"abc", "acb", "bac", "bca", "cab", "cba"} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			gates := map[string]chan struct{}{"a": make(chan struct{}), "b": make(chan struct{}), "c": make(chan struct{})}
			gated := tool.Must(tool.New("gated", "Waits for its gate.",
				func(_ context.Context, in struct {
					Name string `json:"name"`
				},
				) (string, error) {
					<-gates[in.Name]
					return "from " + in.Name, nil
				}))
			b := newBed(t, script.Calls(
				ask("1", "gated", map[string]any{"name": "a"}), ask("2", "gated", map[string]any{"name": "b"}),
				ask("3", "gated", map[string]any{"name": "c"}),
			), report("done"))
			// Each gate opens when the one before has been told of.
			next := 0
			open := func() {
				if next < len(order) {
					close(gates[string(order[next])])
					next++
				}
			}
			started := 0
			result := b.rt.Run(t.Context(), agent(gated), "hi", &aiagent.RunOptions{SessionID: "s", OnEvent: func(e view.Event) {
				switch e.Type {
				case view.EventToolStart:
					if started++; started == 3 {
						open()
					}
				case view.EventToolEnd:
					open()
				}
			}})
			if !result.Success {
				t.Fatal(result.Error)
			}
			b.check("s")
			for i, want := range []string{"from a", "from b", "from c"} {
				if got := result.Conversation[2+i].Content; got != want {
					t.Errorf("result %d is %q, want %q", i, got, want)
				}
			}
		})
	}
}

// contract: T9
func TestAResultThatIsTooLongIsCutWithANotice(t *testing.T) {
	t.Parallel()
	long := tool.Must(tool.New("long", "Says much.",
		func(context.Context, struct{}) (string, error) { return strings.Repeat("ä", 1000), nil }))
	a := agent(long)
	a.Limits.ToolResponseMaxBytes = 101
	o := newBed(t, script.Calls(ask("c", "long", nil)), report("done")).run(a, "hi")
	got := o.Conversation[2].Content
	if !strings.HasPrefix(got, "[TRUNCATED] Original size 2000 bytes; truncated to 101 bytes.\n\n") || len(got) > 101 {
		t.Errorf("%d bytes: %q", len(got), got)
	}
	if !logged(o, "tool_output_truncated") {
		t.Error("the cut is not logged")
	}
}

// contract: T9
func TestALargeResultIsKeptAndReplacedByAHandle(t *testing.T) {
	t.Parallel()
	long := tool.Must(tool.New("long", "Says much.",
		func(context.Context, struct{}) (string, error) { return strings.Repeat("line\n", 1000), nil }))
	a := agent(long)
	a.ToolOutput = true
	a.Limits.ToolResponseMaxBytes = 1000
	o := newBed(t, script.Calls(ask("c", "long", nil)), report("done")).run(a, "hi")
	stored := facts[*kernel.OutputStored](o)
	if len(stored) != 1 || stored[0].Reason != "size_cap" || stored[0].Output.Bytes != 5000 || stored[0].Lines != 1001 {
		t.Fatalf("stored %+v", stored)
	}
	got := o.Conversation[2].Content
	if !strings.Contains(got, "session-s/") || !strings.Contains(got, `tool_output(handle = "`+stored[0].Handle) {
		t.Errorf("the model is told %q", got)
	}
	if *o.Accounting[1].CharactersOut != int64(len(got)) {
		t.Errorf("accounting says %d characters, the message has %d", *o.Accounting[1].CharactersOut, len(got))
	}
}

// contract: T15, S6, S1, F1
func TestARemoteCallSuspendsTheSessionUntilItsResultComes(t *testing.T) {
	t.Parallel()
	remote := tool.Remote("remote", "Runs elsewhere.", json.RawMessage(`{"type":"object"}`))
	b := newBed(t,
		script.Calls(askWeather("l", "Athens"), ask("r1", "remote", nil), ask("r2", "remote", nil)),
		report(`{{tool "remote"}}`),
	)
	o := b.run(agent(weather(), remote), "hi")
	if o.Status != kernel.StatusAwaiting || o.FinalReport != nil || o.Success || len(o.Pending) != 2 {
		t.Fatalf("status %s, report %v, pending %+v", o.Status, o.FinalReport, o.Pending)
	}
	if len(facts[*kernel.ToolEnd](o)) != 1 {
		t.Error("the local call of the same message did not run")
	}
	session := must(b.rt.Session(t.Context(), "s"))

	partial := must(session.Execute(t.Context(), aiagent.Results(aiagent.ToolResult{CallID: "r2", Output: "two"})).Result())
	if partial.Status != kernel.StatusAwaiting || len(partial.Pending) != 1 || partial.Pending[0].ID != "r1" {
		t.Fatalf("after one result: %+v", partial)
	}
	_, err := session.Execute(t.Context(), aiagent.Results(aiagent.ToolResult{CallID: "r2", Output: "again"})).Result()
	if err == nil || !strings.Contains(err.Error(), kernel.CodeAnswered) {
		t.Errorf("a second result: %v", err)
	}
	_, err = session.Execute(t.Context(), aiagent.Results(aiagent.ToolResult{CallID: "zz", Output: "?"})).Result()
	if err == nil || !strings.Contains(err.Error(), kernel.CodeUnknownCall) {
		t.Errorf("a result nobody asked for: %v", err)
	}
	done := must(session.Execute(t.Context(), aiagent.Results(aiagent.ToolResult{CallID: "r1", Output: "one"})).Result())
	if done.Status != kernel.StatusCompleted || done.Report.Text() != "two" {
		t.Errorf("at the end: %+v", done)
	}
	b.check("s")
}

// contract: S6
func TestAWaitForARemoteResultCanHaveAnEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := agent(tool.Remote("remote", "Runs elsewhere.", nil))
		a.Limits.RemoteToolTimeoutMS = (48 * time.Hour).Milliseconds()
		b := newBed(t, script.Calls(ask("r", "remote", nil)), report("done"))
		o := b.run(a, "hi")
		if o.Status != kernel.StatusAwaiting {
			t.Fatalf("status %s", o.Status)
		}
		time.Sleep(49 * time.Hour) // in a bubble of fake time
		synctest.Wait()
		session := must(b.rt.Session(t.Context(), "s"))
		v := must(session.View(t.Context()))
		if v.Status != kernel.StatusCompleted || v.Messages[2].Content != "(tool failed: timeout)" {
			t.Errorf("status %s, messages %+v", v.Status, v.Messages)
		}
		b.check("s")
		_ = b.rt.Close()
	})
}

// contract: T17
func TestACallThatNeedsApprovalWaitsForAPerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		decide aiagent.Input
		want   string
	}{
		"allowed": {aiagent.Approve("c", "ada"), "sunny in Athens"},
		"denied":  {aiagent.Deny("c", "ada", "not today"), "(tool failed: denied: not today)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			careful := weather()
			careful.Approval = true
			b := newBed(t, script.Calls(askWeather("c", "Athens")), report("done"))
			o := b.run(agent(careful), "hi")
			if o.Status != kernel.StatusAwaiting || len(o.Pending) != 1 || o.Pending[0].Kind != "approval" {
				t.Fatalf("status %s, pending %+v", o.Status, o.Pending)
			}
			session := must(b.rt.Session(t.Context(), "s"))
			_, err := session.Execute(t.Context(), aiagent.Results(aiagent.ToolResult{CallID: "c", Output: "fake"})).Result()
			var refused interface{ Error() string }
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), kernel.CodeUnknownCall) {
				t.Errorf("a result in place of a decision: %v", err)
			}
			done := must(session.Execute(t.Context(), c.decide).Result())
			if done.Status != kernel.StatusCompleted {
				t.Fatalf("%+v", done)
			}
			v := must(session.View(t.Context()))
			if got := v.Messages[2].Content; got != c.want {
				t.Errorf("the model is told %q, want %q", got, c.want)
			}
			b.check("s")
			_, err = session.Execute(t.Context(), aiagent.Approve("c", "ada")).Result()
			if err == nil {
				t.Error("an approval was used twice")
			}
		})
	}
}

// contract: T16
func TestAToolsDeltasReachListenersBeforeItsResult(t *testing.T) {
	t.Parallel()
	streaming := tool.Must(tool.NewStream("stream", "Shows its work.",
		func(_ context.Context, _ struct{}, emit func(string)) (tool.Result, error) {
			emit("one ")
			emit("two ")
			return tool.Result{Output: "one two three", Details: json.RawMessage(`{"n":3}`)}, nil
		}))
	o := newBed(t, script.Calls(ask("c", "stream", nil)), report("done")).run(agent(streaming), "hi")
	var got []string
	for _, e := range o.events {
		switch e.Type {
		case view.EventToolStart, view.EventToolDelta, view.EventToolEnd:
			got = append(got, string(e.Type)+":"+e.Delta+e.Output)
		}
	}
	want := "tool_execution_start: tool_execution_delta:one  tool_execution_delta:two  tool_execution_end:one two three"
	if strings.Join(got, " ") != want {
		t.Errorf("events %q, want %q", strings.Join(got, " "), want)
	}
}

// contract: T18
func TestTheSchemaOfAToolComesFromItsGoType(t *testing.T) {
	t.Parallel()
	var schema struct {
		Type       string
		Required   []string
		Properties map[string]struct{ Type, Description string }
	}
	if err := json.Unmarshal(weather().Parameters, &schema); err != nil {
		t.Fatal(err)
	}
	p := schema.Properties["city"]
	if schema.Type != "object" || len(schema.Required) != 1 || p.Type != "string" || p.Description != "the city to ask for" {
		t.Errorf("schema %s", weather().Parameters)
	}
	if _, err := tool.New("n", "", func(context.Context, int) (string, error) { return "", nil }); err == nil {
		t.Error("a tool with a number for its argument was accepted")
	}
}
