package aiagent_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/memory"
	"github.com/ai-agent-go/ai-agent/tool"
)

// runAs runs a prompt in a session of its own for a user.
func (b *bed) runAs(user, id string, a *aiagent.Agent) *aiagent.ExecuteResult {
	b.t.Helper()
	s := must(b.rt.Open(b.t.Context(), a, &aiagent.SessionOptions{ID: id, User: user}))
	r := must(s.Execute(b.t.Context(), aiagent.Prompt("hi")).Result())
	b.check(id)
	return r
}

func (b *bed) balance(account string) store.Balance {
	return must(b.store.Balance(b.t.Context(), "default", account))
}

// contract: A5
func TestSessionsOfAUserShareABudget(t *testing.T) {
	t.Parallel()
	price := &llm.Price{Input: llm.Dollar, Output: 10 * llm.Dollar}
	cost := price.Cost(llm.Usage{Input: 100, Output: 10})
	b := newBed(t, withUsage(report("done"), 100, 10))
	a := priced(0)
	worst := facts[*kernel.AttemptStart](newBed(t, withUsage(report("done"), 100, 10)).run(priced(llm.Dollar), "hi"))[0].Reserved
	a.Limits.MaxUserCost = worst + 2*cost // at worst for one request, in truth for many
	var answered int64
	for _, id := range []string{"s1", "s2", "s3", "s4", "s5", "s6", "s7"} {
		r := b.runAs("ada", id, a)
		if r.Status == kernel.StatusCompleted {
			answered++
			continue
		}
		if string(r.Report.Metadata) != `{"reason":"budget_exhausted"}` || !strings.Contains(r.Error, "user:ada") {
			t.Fatalf("%s, %s", r.Error, r.Report.Metadata)
		}
	}
	spent := b.balance("user:ada")
	if answered < 2 || answered > 6 || spent.Spent != answered*int64(cost) || spent.Reserved != 0 {
		t.Errorf("%d answers, %+v spent, each costs %d", answered, spent, cost)
	}
	if n := len(b.provider.requests); int64(n) != answered {
		t.Errorf("%d requests, %d answers", n, answered)
	}
	if r := b.runAs("bob", "other", a); r.Status != kernel.StatusCompleted {
		t.Errorf("another user's money is gone: %s", r.Error)
	}
}

// contract: A5, L8
func TestASharedBudgetForcesTheLastTurn(t *testing.T) {
	t.Parallel()
	b := newBed(t, withUsage(report("done"), 100, 10))
	a := priced(0)
	a.Limits.MaxTenantCost = 2 * llm.Dollar / 1000 // for one request, not for a last one after it
	r := b.runAs("", "s", a)
	if r.Status != kernel.StatusCompleted || offered(b.provider.requests[0]) != spec.FinalReportTool {
		t.Errorf("%s, offered %q", r.Error, offered(b.provider.requests[0]))
	}
}

// contract: A5, T14
func TestAChildIsPaidFromItsCallersAccounts(t *testing.T) {
	t.Parallel()
	b := family(t, memory.New(),
		script.New(withUsage(script.Calls(callHelper()), 100, 10), withUsage(report("done"), 100, 10)),
		script.New(withUsage(report("helped"), 100, 10)))
	tokens := int64(100)
	sub, a := helper(), caller()
	sub.Sampling.MaxTokens, a.Sampling.MaxTokens = &tokens, &tokens
	a.Agents, a.Targets[0].Price = []*aiagent.Agent{sub}, &llm.Price{Input: llm.Dollar}
	a.Limits.MaxUserCost = llm.Dollar
	r := b.runAs("ada", "s", a)
	price := llm.Price{Input: llm.Dollar}
	if want := 3 * int64(price.Cost(llm.Usage{Input: 100})); r.Status != kernel.StatusCompleted || b.balance("user:ada").Spent != want {
		t.Errorf("%s, spent %+v, want %d", r.Error, b.balance("user:ada"), want)
	}
}

// contract: S8
func TestAToolIsRunAgainTwiceAndToTheFarSideItIsOneCall(t *testing.T) {
	t.Parallel()
	st := memory.New()
	var mu sync.Mutex
	var keys []string
	started := make(chan struct{}, 8)
	h := tool.Must(tool.New("hold", "Never ends.", func(ctx context.Context, _ struct{}) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}))
	inner := h.Execute
	h.ReplaySafe = true
	h.Execute = func(ctx context.Context, c tool.Call) iter.Seq2[string, *tool.Result] {
		mu.Lock()
		keys = append(keys, c.Key)
		mu.Unlock()
		started <- struct{}{}
		return inner(ctx, c)
	}
	for crash := range 3 {
		b := newBedOn(t, st, script.Calls(ask("c", "hold", nil)), report("done"))
		if crash == 0 {
			s := must(b.rt.Open(t.Context(), agent(h), &aiagent.SessionOptions{ID: "s"}))
			s.Execute(t.Context(), aiagent.Prompt("hi"))
		} else {
			b.rt.Register(agent(h))
			b.rt.Wake("s")
		}
		<-started
		b.crash()
	}
	b := newBedOn(t, st, script.Calls(ask("c", "hold", nil)), report("done"))
	b.rt.Register(agent(h))
	b.rt.Wake("s")
	v := settledView(t, must(b.rt.Session(t.Context(), "s")))
	b.check("s")
	if v.Messages[2].Content != "(tool failed: interrupted)" {
		t.Errorf("the model is told %q", v.Messages[2].Content)
	}
	if len(keys) != 3 || len(slices.Compact(keys)) != 1 {
		t.Errorf("executions %q, want three of one key", keys)
	}
}

// slowLedger is a store whose ledger takes its time.
type slowLedger struct {
	store.Store
	asked, answer chan struct{}
}

func (s *slowLedger) Reserve(ctx context.Context, tenant, account, id string, amount, limit int64) error {
	close(s.asked)
	<-s.answer
	return s.Store.Reserve(context.WithoutCancel(ctx), tenant, account, id, amount, limit)
}

// contract: A5, S11
func TestMoneyThatComesTooLateIsGivenBack(t *testing.T) {
	t.Parallel()
	st := &slowLedger{Store: memory.New(), asked: make(chan struct{}), answer: make(chan struct{})}
	b := newBedOn(t, st, report("never"))
	a := priced(0)
	a.Limits.MaxTenantCost = llm.Dollar
	s := must(b.rt.Open(t.Context(), a, &aiagent.SessionOptions{ID: "s"}))
	run := s.Execute(t.Context(), aiagent.Prompt("hi"))
	<-st.asked
	if err := s.Abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	close(st.answer)
	if r := must(run.Result()); string(r.Report.Metadata) != `{"reason":"aborted"}` || len(b.provider.requests) > 0 {
		t.Errorf("%+v, %d requests", r, len(b.provider.requests))
	}
	b.crash() // which waits for what is under way
	if got := b.balance("tenant"); got != (store.Balance{}) {
		t.Errorf("balance %+v", got)
	}
}
