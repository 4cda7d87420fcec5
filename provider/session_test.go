package provider_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/provider"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/view"
)

// reply is one answer of a service: a status, headers as "Name: value", a body.
type reply struct {
	status  int
	headers []string
	body    string
}

// line is a wire on which every service has its own list of answers, by host.
type line struct {
	mu      sync.Mutex
	replies map[string][]reply
	asked   []string
	bodies  []string
}

func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	host := r.URL.Hostname()
	l.asked, l.bodies = append(l.asked, host), append(l.bodies, string(body))
	if len(l.replies[host]) == 0 {
		return nil, fmt.Errorf("%s has nothing more to say", host)
	}
	a := l.replies[host][0]
	l.replies[host] = l.replies[host][1:]
	header := http.Header{"Content-Type": {"application/json"}}
	for _, h := range a.headers {
		name, value, _ := strings.Cut(h, ": ")
		header.Set(name, value)
	}
	return &http.Response{StatusCode: a.status, Header: header, Body: io.NopCloser(bytes.NewReader([]byte(a.body))), Request: r}, nil
}

// The hosts of the two services that sessions here may ask.
const (
	first  = "api.anthropic.com"
	second = "openrouter.ai"
)

func answerOfFirst() reply {
	return reply{200, nil, `{"id":"msg_1","type":"message","model":"claude-sonnet-5-5-2026","stop_reason":"end_turn","content":[{"type":"text","text":"Hello!"}],` +
		`"usage":{"input_tokens":1000,"cache_read_input_tokens":400,"cache_creation_input_tokens":200,"output_tokens":50}}`}
}

func answerOfSecond() reply {
	return reply{200, nil, `{"id":"gen_1","model":"z-ai/glm-5","provider":"Upstream Inc","choices":[{"message":{"content":"Hello!"},"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":100,"completion_tokens":10,"cost":0.0123,"cost_details":{"upstream_inference_cost":0.01}}}`}
}

// session runs a prompt over the wire and returns what came of it, and how long
// it took.
func session(t *testing.T, l *line, targets ...string) (*aiagent.Result, time.Duration) {
	t.Helper()
	world := &provider.World{Getenv: func(string) string { return secret }, Transport: l}
	all := map[string]aiagent.Target{
		first:  {Provider: "anthropic", Model: "claude-sonnet-5-5", Price: &llm.Price{Input: 2 * llm.Dollar, Output: 10 * llm.Dollar, CacheRead: llm.Dollar, CacheWrite: 4 * llm.Dollar}},
		second: {Provider: "openrouter", Model: "z-ai/glm-5", Price: &llm.Price{Input: llm.Dollar, Output: llm.Dollar}},
	}
	providers := map[string]llm.Provider{
		"anthropic":  mustNew(t, &provider.Config{Name: "anthropic"}, world),
		"openrouter": mustNew(t, &provider.Config{Name: "openrouter"}, world),
	}
	a := &aiagent.Agent{System: "Be brief.", Completion: spec.CompleteText, NoStream: true, Limits: aiagent.Limits{MaxRetries: 5, MaxTurns: 2}}
	for _, name := range targets {
		a.Targets = append(a.Targets, all[name])
	}
	start := time.Now()
	result := aiagent.Run(t.Context(), aiagent.Config{Providers: providers}, a, "Hello?")
	return result, time.Since(start)
}

// attempts are the accounting's entries of questions to models.
func attempts(r *aiagent.Result) (list []view.AccountingEntry) {
	for i := range r.Accounting {
		if r.Accounting[i].Type == "llm" {
			list = append(list, r.Accounting[i])
		}
	}
	return list
}

func failure(status int, code, message string, headers ...string) reply {
	return reply{status, headers, fmt.Sprintf(`{"type":"error","error":{"type":%q,"code":%q,"message":%q}}`, code, code, message)}
}

// What services answer decides what a session does, through the adapters as
// they are: who is asked next, when, and that it is asked once.
//
// contract: R2, R3, R4, R9, A1
func TestFailuresOnTheWireDecideWhoIsAskedNext(t *testing.T) {
	t.Parallel()
	busy := func(seconds string) reply {
		return failure(429, "rate_limit_error", "slow down", "Retry-After: "+seconds)
	}
	broken := failure(500, "api_error", "oops")
	for name, c := range map[string]struct {
		replies map[string][]reply
		targets []string
		asked   []string
		takes   time.Duration
		fails   string
	}{
		"no key that counts": { // R2
			map[string][]reply{first: {failure(401, "authentication_error", "invalid x-api-key")}},
			[]string{first, second},
			[]string{first},
			0, "invalid x-api-key",
		},
		"no money": { // R2
			map[string][]reply{second: {failure(402, "insufficient_credits", "top up")}},
			[]string{second, first},
			[]string{second},
			0, "top up",
		},
		"one is busy": { // R3: the other one at once
			map[string][]reply{first: {busy("30")}, second: {answerOfSecond()}},
			[]string{first, second},
			[]string{first, second},
			0, "",
		},
		"all are busy": { // R3: the longest wait that was asked for
			map[string][]reply{first: {busy("7"), answerOfFirst()}, second: {busy("3")}},
			[]string{first, second},
			[]string{first, second, first},
			7 * time.Second, "",
		},
		"busy for ever": { // R3: no wait is longer than a minute
			map[string][]reply{first: {busy("86400"), answerOfFirst()}},
			[]string{first},
			[]string{first, first},
			time.Minute, "",
		},
		"broken": { // R4: the next one, without delay
			map[string][]reply{first: {broken, broken}, second: {broken, answerOfSecond()}},
			[]string{first, second},
			[]string{first, second, first, second},
			0, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := &line{replies: c.replies}
				result, took := session(t, l, c.targets...)
				if strings.Join(l.asked, " ") != strings.Join(c.asked, " ") || took != c.takes {
					t.Errorf("asked %v in %v, want %v in %v", l.asked, took, c.asked, c.takes)
				}
				if result.Success != (c.fails == "") || !strings.Contains(result.Error, c.fails) {
					t.Errorf("success %t, error %q", result.Success, result.Error)
				}
				if n := len(attempts(result)); n != len(l.asked) { // R9
					t.Errorf("%d requests and %d entries", len(l.asked), n)
				}
			})
		})
	}
}

// Accounts hold what services said: tokens by kind, who answered, what it cost,
// from the service where it says so and from the pinned price otherwise.
//
// contract: A1, A5, P7
func TestAccountsHoldWhatServicesSaid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// 1000 of input at 2 dollars a million, 400 read at 1, 200 written at 4, 50 of output at 10.
		const pinned = (1000*2 + 400*1 + 200*4 + 50*10) / 1e6
		for _, c := range []struct {
			host, model, provider string
			answer                reply
			cost, upstream        float64
			input, output, cached int64
		}{
			{first, "claude-sonnet-5-5-2026", "anthropic", answerOfFirst(), pinned, 0, 1000, 50, 400},
			{second, "z-ai/glm-5", "Upstream Inc", answerOfSecond(), 0.0123, 0.01, 100, 10, 0},
		} {
			result, _ := session(t, &line{replies: map[string][]reply{c.host: {c.answer}}}, c.host)
			entries := attempts(result)
			if !result.Success || len(entries) != 1 {
				t.Fatalf("%s: %s, %d entries", c.host, result.Error, len(entries))
			}
			e := entries[0]
			if e.ActualModel != c.model || e.ActualProvider != c.provider || e.Status != "ok" || e.StopReason == "" {
				t.Errorf("%s: %+v", c.host, e)
			}
			if e.CostUSD == nil || *e.CostUSD != c.cost || result.Cost != llm.MoneyFromUSD(c.cost) {
				t.Errorf("%s: cost %v, %v in all, want %v", c.host, e.CostUSD, result.Cost, c.cost)
			}
			if c.upstream != 0 && (e.UpstreamCostUSD == nil || *e.UpstreamCostUSD != c.upstream) {
				t.Errorf("%s: upstream %v, want %v", c.host, e.UpstreamCostUSD, c.upstream)
			}
			if e.Tokens == nil || e.Tokens.Input != c.input || e.Tokens.Output != c.output || e.Tokens.CacheRead != c.cached {
				t.Errorf("%s: tokens %+v", c.host, e.Tokens)
			}
		}
	})
}
