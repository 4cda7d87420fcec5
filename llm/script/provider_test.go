package script_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
)

func TestTheZeroReplyIsAnEmptyResponse(t *testing.T) {
	t.Parallel()
	r := first(t, script.Reply{})
	if r.Error != nil || !r.Output.Empty() || r.Usage != nil || r.Cost != nil {
		t.Errorf("got %+v", r)
	}
	same(t, llm.FinishStop, r.Finish.Reason)
}

func TestTheTurnIsOneMoreThanTheAnswersInTheHistory(t *testing.T) {
	t.Parallel()
	p := script.New(script.Text("one"), script.Text("two"), script.Text("three"))
	a := message(llm.RoleAssistant, "x")
	for want, history := range map[string][]*llm.Message{
		"one":   {message(llm.RoleUser, "again")},
		"two":   {a, toolResult("1", "t", "y")},
		"three": {a, a, message(llm.RoleUser, "and then?")},
	} {
		same(t, want, llm.Call(t.Context(), p, ask(history...)).Output.AssistantText)
	}
	wantFailure(t, llm.Call(t.Context(), p, ask(a, a, a)), llm.ClassModel, `script "unnamed" has no turn 4`)
}

func TestAScriptCanRepeatItsLastTurn(t *testing.T) {
	t.Parallel()
	a := message(llm.RoleAssistant, "x")
	p := script.Play(&script.Script{
		Turns: []script.Attempts{script.Turn(script.Text("one")), script.Turn(script.Text("again"))}, Repeat: script.RepeatLast,
	}, script.Options{})
	same(t, "again", llm.Call(t.Context(), p, ask(a, a, a, a)).Output.AssistantText)
	none := script.Play(&script.Script{Repeat: script.RepeatLast}, script.Options{})
	r := llm.Call(t.Context(), none, ask())
	wantFailure(t, r, llm.ClassModel, "no turn 1")
	same(t, script.ErrorCode, r.Error.Code)
}

// contract: P10
func TestTheCorrelationIdSaysWhichAttemptItIs(t *testing.T) {
	t.Parallel()
	p := script.New(script.Turn(script.Text("one"), script.Text("two"), script.Text("three")))
	request := ask()
	for range 2 { // the same question gets the same answer
		for id, want := range map[string]string{
			"s/1/1/1": "one", "s/1/1/2": "two", "s/9/7/3": "three", "s/1/1/4": "three",
			"s/1/1/0": "one", "a/b/1/1/2": "two", "s/1/1/2147483647": "three",
		} {
			request.CorrelationID = id
			same(t, want, llm.Call(t.Context(), p, request).Output.AssistantText)
		}
	}
}

func TestWithoutACorrelationIdAttemptsAreCounted(t *testing.T) {
	t.Parallel()
	p := script.New(script.Turn(script.Text("one"), script.Text("two")), script.Text("next"))
	a := message(llm.RoleAssistant, "x")
	for _, id := range []string{"", "abc", "/1/1/1", "x/1/1/-1", "y/1/1/one", "z/1/1/99999999999"} {
		request, later := ask(), ask(a)
		request.CorrelationID, later.CorrelationID = id, id
		for _, want := range []string{"one", "two", "two"} {
			if id == "/1/1/1" && want == "one" {
				continue // it has no session, as the empty id, which came before
			}
			same(t, want, llm.Call(t.Context(), p, request).Output.AssistantText)
			same(t, "next", llm.Call(t.Context(), p, later).Output.AssistantText)
		}
	}
}

func TestTheCountOfAttemptsDoesNotGrowForEver(t *testing.T) {
	t.Parallel()
	p := script.New(script.Turn(script.Text("one"), script.Text("two")))
	request := ask()
	say := func(id string) string {
		request.CorrelationID = id
		return llm.Call(t.Context(), p, request).Output.AssistantText
	}
	same(t, "one", say("first"))
	same(t, "two", say("first"))
	for i := range 4096 {
		say(fmt.Sprint(i))
	}
	same(t, "one", say("first"))
}

// contract: R1
func TestAttemptsMeantForAnotherModelArePassedOver(t *testing.T) {
	t.Parallel()
	only := func(model, text string) script.Reply {
		return script.Reply{Text: text, When: &script.When{Model: model}}
	}
	p := script.New(script.Turn(only("a", "a1"), only("b", "b1"), only("a", "a2"), only("", "any")))
	q := script.New(script.Turn(only("a", "a1"), only("b", "b1")))
	for _, test := range []struct {
		p       *script.Provider
		attempt int
		model   string
		want    string
	}{
		{p, 1, "a", "a1"},
		{p, 2, "b", "b1"},
		{p, 3, "a", "a2"},
		{p, 4, "b", "any"},
		{p, 1, "b", "b1"},
		{p, 2, "a", "a1"},
		{p, 3, "b", "b1"},
		{p, 1, "c", "any"},
		{p, 9, "a", "any"},
		{q, 1, "b", "b1"},
		{q, 7, "a", "a1"},
	} {
		request := ask()
		request.CorrelationID, request.Model = fmt.Sprintf("s/1/1/%d", test.attempt), test.model
		same(t, test.want, llm.Call(t.Context(), test.p, request).Output.AssistantText)
	}
	request := ask()
	request.Model = "c"
	wantFailure(t, llm.Call(t.Context(), q, request), llm.ClassModel, `script "unnamed", turn 1, attempt 1`, `no attempt is meant for the model "c"`)
}

// contract: P7
func TestTheReceiptSaysWhatTheScriptSays(t *testing.T) {
	t.Parallel()
	cost := 0.25
	reply := script.Reply{
		Text: "hi", Finish: llm.FinishContentFilter, CostUSD: &cost, Usage: &llm.Usage{Input: 3, Output: 4},
		Model: "real-model", Provider: "real-provider", ResponseID: "r1", Warnings: []string{"w"},
	}
	got := first(t, reply)
	money := llm.Dollar / 4
	same(t, &llm.Receipt{
		Output: llm.Envelope{AssistantText: "hi", Origin: &llm.Origin{Provider: "demo", Model: "model-a"}},
		Raw:    llm.MustMarshalJSON(reply), ResponseID: "r1",
		Finish: llm.Finish{Reason: llm.FinishContentFilter, Raw: "content_filter"},
		Usage:  &llm.Usage{Input: 3, Output: 4}, Cost: &money, Warnings: []string{"w"},
		ProviderID: "demo", ActualProvider: "real-provider", ActualModel: "real-model",
	}, got)
	nobody := ask()
	nobody.Provider = ""
	same(t, "script", llm.Call(t.Context(), script.New(script.Reply{}), nobody).ProviderID)
}

func TestTheScriptsUsageIsForRepliesThatSucceedAndHaveNone(t *testing.T) {
	t.Parallel()
	standard, own := &llm.Usage{Input: 64, Output: 32}, &llm.Usage{Input: 1}
	for _, test := range []struct {
		reply script.Reply
		want  *llm.Usage
	}{
		{script.Reply{Text: "a"}, standard},
		{script.Reply{Text: "a", Usage: own}, own},
		{script.Reply{Error: &script.Failure{Status: 500}}, nil},
		{script.Reply{Error: &script.Failure{Status: 500}, Usage: own}, own},
		{script.Reply{Text: "a", BreakAfter: &script.Break{}}, nil},
	} {
		p := script.Play(&script.Script{Turns: []script.Attempts{{test.reply}}, Usage: standard}, script.Options{})
		got := llm.Call(t.Context(), p, ask()).Usage
		same(t, test.want, got)
		if got != nil && (got == standard || got == own) {
			t.Error("the receipt shares its usage with the script")
		}
	}
}

func TestASlipInCodeIsAReceiptThatNamesItsPlace(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for want, step := range map[string]script.Step{
		"attempt 1: finish: ":           script.Reply{Finish: "stopp"},
		"attempt 1: parts: ":            script.Reply{Text: "a", Parts: []script.Part{{Text: "b"}}},
		"attempt 1: calls[0].arguments": script.Calls(script.Call{Name: "a", Arguments: make(chan int)}),
		"attempt 1: text:1: ":           script.Text("{{nonsense}}"),
		"attempt 1: usage: ":            script.Reply{Usage: &llm.Usage{Input: -1}},
		"attempt 1: the turn has no":    script.Turn(),
		"attempt 1: write JSON: ":       script.Reply{CostUSD: &nan},
		"attempt 1: parts[0].text:1":    script.Reply{Parts: []script.Part{{Text: "{{"}}},
		"attempt 1: parts[0].call.argu": script.Reply{Parts: []script.Part{{Call: &script.Call{Arguments: "{{"}}}},
	} {
		r := llm.Call(t.Context(), script.New(step), ask())
		wantFailure(t, r, llm.ClassModel, `script "unnamed", turn 1, `+want)
		same(t, script.ErrorCode, r.Error.Code)
	}
}

func TestManyMayAskAtOnce(t *testing.T) {
	t.Parallel()
	p := script.New(script.Turn(
		script.Reply{Parts: []script.Part{{Call: &script.Call{Name: "t", Arguments: map[string]any{"a": "{{user}}"}}}}},
		script.Calls(script.Call{Name: "t", Arguments: []any{"{{turn}}"}}),
	))
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for j := range 50 {
				request := ask()
				request.CorrelationID = []string{fmt.Sprintf("s/1/1/%d", j%3), "", fmt.Sprint(i)}[j%3]
				if r := llm.Call(t.Context(), p, request); r.Error != nil {
					t.Error(r.Error)
				}
			}
		})
	}
	all.Wait()
}

func TestAScriptThatChangesAfterwardsDoesNotChangeTheProvider(t *testing.T) {
	t.Parallel()
	s := &script.Script{Turns: []script.Attempts{{script.Text("before")}}}
	p := script.Play(s, script.Options{})
	s.Turns[0][0].Text = "after"
	same(t, "before", llm.Call(t.Context(), p, ask()).Output.AssistantText)
}
