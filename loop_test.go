package aiagent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
)

// notice is the text of a request's tail.
func notice(r *llm.Request) string {
	var all []string
	for _, m := range r.Tail {
		all = append(all, m.Content())
	}
	return strings.Join(all, "\n")
}

func offered(r *llm.Request) string {
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

// contract: L1, L2, L5
func TestTurnsRunOutAndTheLastIsAnnounced(t *testing.T) {
	t.Parallel()
	for _, turns := range []int64{1, 2, 3} {
		t.Run(fmt.Sprint(turns), func(t *testing.T) {
			t.Parallel()
			b := newBed(t, repeat(script.Calls(askWeather("c", "Athens")), 10)...)
			a := agent(weather())
			a.Limits = aiagent.Limits{MaxTurns: turns, MaxRetries: 1}
			o := b.run(a, "hi")
			if o.Success || reason(o) != `{"reason":"max_turns_exhausted"}` {
				t.Errorf("success %t, reason %s", o.Success, reason(o))
			}
			if !strings.Contains(o.Text(), "maximum number of turns") {
				t.Errorf("content %q", o.Text())
			}
			if n := int64(len(facts[*kernel.TurnStart](o))); n != turns {
				t.Errorf("%d turns, want %d", n, turns)
			}
			last := b.provider.last()
			if got, want := offered(last), spec.FinalReportTool; got != want {
				t.Errorf("offered on the last turn: %q, want %q", got, want)
			}
			if !strings.Contains(notice(last), "last turn") {
				t.Errorf("the model is told %q", notice(last))
			}
		})
	}
}

func repeat(r script.Reply, n int) []script.Step {
	turns := make([]script.Step, n)
	for i := range turns {
		turns[i] = r
	}
	return turns
}

// contract: L3
func TestCallsBeyondTheLimitAreNotExecutedAndTheModelIsTold(t *testing.T) {
	t.Parallel()
	a := agent(weather())
	a.Limits.MaxToolCallsPerTurn = 2
	o := newBed(t,
		script.Calls(askWeather("a", "A"), askWeather("b", "B"), askWeather("c", "C")),
		report("done"),
	).run(a, "hi")
	if n := len(facts[*kernel.ToolStart](o)); n != 2 {
		t.Errorf("%d executions, want 2", n)
	}
	if got := o.Conversation[4].Content; !strings.Contains(got, "per-turn tool limit (2)") {
		t.Errorf("the third call is answered %q", got)
	}
	if !o.Success {
		t.Error(o.Error)
	}
}

// contract: L4, R1, P11
func TestAttemptsCycleOverTheTargetsAndEveryTurnStartsAtTheFirst(t *testing.T) {
	t.Parallel()
	a := agent(weather())
	a.Targets = []aiagent.Target{{Provider: "script", Model: "a"}, {Provider: "script", Model: "b"}}
	a.Limits.MaxRetries = 3
	o := newBed(t,
		script.Turn(script.Fail(500, "x"), script.Fail(503, "y"), script.Calls(askWeather("c", "Athens"))),
		script.Turn(script.Fail(500, "x"), report("done")),
	).run(a, "hi")
	if got, want := accounts(o), "failed:script/a failed:script/b ok:script/a ok:local/weather "+
		"failed:script/a ok:script/b ok:agent/agent__final_report"; got != want {
		t.Errorf("accounting %q, want %q", got, want)
	}
}

// contract: L4, L6, L8, R4, R9
func TestATurnThatUsesUpItsAttemptsMakesTheNextOneTheLast(t *testing.T) {
	t.Parallel()
	for _, retries := range []int64{1, 3} {
		t.Run(fmt.Sprint(retries), func(t *testing.T) {
			t.Parallel()
			a := agent()
			a.Limits.MaxRetries = retries
			b := newBed(t, script.Fail(500, "down"))
			o := b.run(a, "hi")
			if o.Success || reason(o) != `{"reason":"retries_exhausted"}` {
				t.Errorf("success %t, reason %s", o.Success, reason(o))
			}
			if got, want := int64(len(b.provider.requests)), 2*retries; got != want {
				t.Errorf("%d requests, want %d", got, want)
			}
			if got := len(o.Accounting); got != len(b.provider.requests) {
				t.Errorf("%d accounting entries for %d requests", got, len(b.provider.requests))
			}
			if f := facts[*kernel.ForcedFinal](o); len(f) != 1 || f[0].Reason != dialect.FinalRetries {
				t.Errorf("forced final %+v", f)
			}
		})
	}
}

// contract: R2
func TestAuthAndQuotaErrorsEndTheSessionAtOnce(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{401: "auth_error", 403: "auth_error", 402: "quota_exceeded"} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			b := newBed(t, script.Fail(status, "no"))
			o := b.run(agent(), "hi")
			if o.Success || reason(o) != `{"reason":"`+want+`"}` || o.Error == "" {
				t.Errorf("success %t, reason %s, error %q", o.Success, reason(o), o.Error)
			}
			if n := len(b.provider.requests); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
	t.Run("unless skipping is configured", func(t *testing.T) {
		t.Parallel()
		a := agent()
		a.OnAuthError = spec.AuthSkip
		if o := newBed(t, script.Turn(script.Fail(401, "no"), report("done"))).run(a, "hi"); !o.Success {
			t.Error(o.Error)
		}
	})
}

func limitedReply(retryAfter string) script.Reply {
	r := script.Fail(429, "slow down")
	if retryAfter != "" {
		r.Error.Headers = map[string]string{"retry-after": retryAfter}
	}
	return r
}

// contract: R3, R11
func TestRateLimitsWaitOnlyWhenEveryTargetIsLimited(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		targets  int
		attempts []script.Reply
		want     []time.Duration
	}{
		"one target, asked for":      {1, []script.Reply{limitedReply("3"), report("done")}, []time.Duration{3 * time.Second}},
		"one target, doubling":       {1, []script.Reply{limitedReply(""), limitedReply(""), report("done")}, []time.Duration{time.Second, 2 * time.Second}},
		"two targets, one limited":   {2, []script.Reply{limitedReply("3"), report("done")}, nil},
		"two targets, both limited":  {2, []script.Reply{limitedReply("3"), limitedReply("7"), report("done")}, []time.Duration{7 * time.Second}},
		"never longer than a minute": {1, []script.Reply{limitedReply("3600"), report("done")}, []time.Duration{time.Minute}},
		"a failure between them":     {2, []script.Reply{limitedReply("3"), script.Fail(500, "x"), report("done")}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := agent()
				a.Targets = a.Targets[:0]
				for i := range c.targets {
					a.Targets = append(a.Targets, aiagent.Target{Provider: "script", Model: fmt.Sprint(i)})
				}
				b := newBed(t, script.Turn(c.attempts...))
				start := time.Now()
				o := b.run(a, "hi")
				if !o.Success {
					t.Fatal(o.Error)
				}
				var waits []time.Duration
				var sum time.Duration
				for _, w := range facts[*kernel.Wait](o) {
					waits = append(waits, time.Duration(w.WaitMS)*time.Millisecond)
					sum += waits[len(waits)-1]
				}
				if fmt.Sprint(waits) != fmt.Sprint(c.want) {
					t.Errorf("waits %v, want %v", waits, c.want)
				}
				if took := time.Since(start); took < sum || took > sum+time.Second {
					t.Errorf("took %v for waits of %v", took, sum)
				}
				_ = b.rt.Close()
			})
		})
	}
}

// contract: R3, L6
func TestThereIsNoWaitAfterTheLastAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := agent()
		a.Limits.MaxRetries = 2
		b := newBed(t, limitedReply("5"))
		o := b.run(a, "hi")
		if o.Success || len(facts[*kernel.Wait](o)) != 2 {
			t.Errorf("success %t, %d waits, want 2: one in each turn", o.Success, len(facts[*kernel.Wait](o)))
		}
		_ = b.rt.Close()
	})
}

// contract: R11, S11
func TestAnAbortInterruptsTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, limitedReply("50"))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		result := b.rt.Run(ctx, agent(), "hi", &aiagent.RunOptions{SessionID: "s"})
		if took := time.Since(start); took > 6*time.Second {
			t.Errorf("took %v", took)
		}
		if result.Success || string(result.FinalReport.Metadata) != `{"reason":"aborted"}` {
			t.Errorf("%+v", result.FinalReport)
		}
		b.check("s")
		_ = b.rt.Close()
	})
}

// contract: R5, R7, L7, V3
func TestAnEmptyResponseIsNotKeptAndTheNextAttemptIsTold(t *testing.T) {
	t.Parallel()
	b := newBed(t, script.Turn(script.Reply{}, report("done")))
	o := b.run(agent(), "hi")
	if !o.Success || len(b.provider.requests) != 2 {
		t.Fatalf("%d requests, %s", len(b.provider.requests), o.Error)
	}
	const want = "System notice: plain text responses without tool calls are ignored. Use final_report to provide your answer."
	if got := notice(b.provider.requests[1]); got != want {
		t.Errorf("notice %q", got)
	}
	if n := notice(b.provider.requests[0]); n != "" {
		t.Errorf("the first attempt carries %q", n)
	}
	if got, want := roles(o), "user assistant tool"; got != want {
		t.Errorf("conversation %q, want %q", got, want)
	}
}

// contract: R6
func TestReasoningAloneIsKeptAndTheNextTurnFollows(t *testing.T) {
	t.Parallel()
	think := script.Reply{Reasoning: []llm.Reasoning{{Text: "hm"}}}
	t.Run("on a turn that is not the last", func(t *testing.T) {
		t.Parallel()
		o := newBed(t, think, report("done")).run(agent(), "hi")
		if !o.Success || roles(o) != "user assistant assistant tool" || o.Conversation[1].Reasoning != "hm" {
			t.Errorf("%s, %q", o.Error, roles(o))
		}
	})
	t.Run("but not on the last", func(t *testing.T) {
		t.Parallel()
		a := agent()
		a.Limits.MaxTurns = 1
		o := newBed(t, script.Turn(think, report("done"))).run(a, "hi")
		if !o.Success || roles(o) != "user assistant tool" {
			t.Errorf("%s, %q", o.Error, roles(o))
		}
	})
}

// contract: R12, F1
func TestPlainTextIsAFailedAttemptOrTheAnswer(t *testing.T) {
	t.Parallel()
	t.Run("with completion report it is a failed attempt", func(t *testing.T) {
		t.Parallel()
		b := newBed(t, script.Turn(script.Text("just so"), report("done")))
		o := b.run(agent(), "hi")
		if o.Text() != "done" || len(b.provider.requests) != 2 {
			t.Errorf("answer %q after %d requests", o.Text(), len(b.provider.requests))
		}
	})
	t.Run("with completion text it is the answer", func(t *testing.T) {
		t.Parallel()
		a := agent()
		a.Completion = spec.CompleteText
		b := newBed(t, script.Text("just so"))
		o := b.run(a, "hi")
		if !o.Success || o.Text() != "just so" || o.FinalReport.Source != kernel.SourceText {
			t.Errorf("%s, %+v", o.Error, o.FinalReport)
		}
		if offered(b.provider.last()) != "" {
			t.Errorf("offered %q", offered(b.provider.last()))
		}
	})
	t.Run("on the last turn it is the last resort", func(t *testing.T) {
		t.Parallel()
		a := agent()
		a.Limits = aiagent.Limits{MaxTurns: 1, MaxRetries: 2}
		b := newBed(t, script.Turn(script.Text("first"), script.Text("second")))
		o := b.run(a, "hi")
		if !o.Success || o.Text() != "second" || len(b.provider.requests) != 2 {
			t.Errorf("%s, %q after %d requests", o.Error, o.Text(), len(b.provider.requests))
		}
		if got := roles(o); got != "user assistant" {
			t.Errorf("conversation %q", got)
		}
	})
}
