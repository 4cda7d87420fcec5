package script

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ai-agent-go/ai-agent/llm"
)

// ErrorCode is the code of errors that are the script's own and were not
// scripted: it has no such turn, a template failed, an expectation was not met.
const ErrorCode = "script_error"

// Options are the settings of [Play] and [Open]. The zero value is good.
type Options struct {
	// Now is the clock that dates in Retry-After headers are measured by.
	// Defaults to [time.Now].
	Now func() time.Time
}

// Provider answers requests from a script. It may be used concurrently.
type Provider struct {
	script Script
	now    func() time.Time

	mu sync.Mutex
	// seen counts the requests whose correlation id does not say which attempt
	// they are.
	seen map[place]int
}

var _ llm.Provider = (*Provider)(nil)

// place is a turn of a session.
type place struct {
	session string
	turn    int
}

// maxPlaces bounds what a provider remembers. It forgets all when it is full:
// only callers that make up a new kind of id for every request get there.
const maxPlaces = 4096

// New returns a provider that plays the given turns in order.
func New(turns ...Step) *Provider {
	s := &Script{Turns: make([]Attempts, len(turns))}
	for i, turn := range turns {
		s.Turns[i] = turn.attempts()
	}
	return Play(s, Options{})
}

// Open loads a script and plays it.
func Open(path string, options Options) (*Provider, error) {
	s, err := Load(path)
	if err != nil {
		return nil, err
	}
	return Play(s, options), nil
}

// Play returns a provider that answers from a script, of which it keeps a copy.
// What the replies point to must not change any more.
func Play(s *Script, options Options) *Provider {
	p := &Provider{script: *s, now: options.Now, seen: make(map[place]int)}
	p.script.Turns = make([]Attempts, len(s.Turns))
	for i, turn := range s.Turns {
		p.script.Turns[i] = slices.Clone(turn)
	}
	if p.script.Name == "" {
		p.script.Name = "unnamed"
	}
	if p.now == nil {
		p.now = time.Now
	}
	return p
}

// Generate implements [llm.Provider].
func (p *Provider) Generate(ctx context.Context, request *llm.Request) iter.Seq2[llm.Delta, *llm.Receipt] {
	return func(yield func(llm.Delta, *llm.Receipt) bool) {
		show := func(d llm.Delta) bool { return yield(d, nil) }
		if receipt := p.answer(ctx, request, show); receipt != nil {
			yield(llm.Delta{}, receipt)
		}
	}
}

// answer finds the reply to a request, makes sure that it can be played, and
// plays it. It returns nil when nobody listens any more.
func (p *Provider) answer(ctx context.Context, request *llm.Request, show func(llm.Delta) bool) *llm.Receipt {
	if ctx.Err() != nil {
		return &llm.Receipt{
			ProviderID: providerID(request), Finish: llm.Finish{Reason: llm.FinishAborted}, Error: aborted(ctx),
		}
	}
	turn, attempt := p.position(request)
	fault := func(format string, args ...any) *llm.Receipt {
		where := fmt.Sprintf("script %q, turn %d, attempt %d: ", p.script.Name, turn, attempt)
		return scriptError(request, where+fmt.Sprintf(format, args...))
	}
	if turn > len(p.script.Turns) && (p.script.Repeat != RepeatLast || len(p.script.Turns) == 0) {
		return scriptError(request, fmt.Sprintf("script %q has no turn %d", p.script.Name, turn))
	}
	attempts := p.script.Turns[min(turn, len(p.script.Turns))-1]
	reply := attempts.pick(attempt, request.Model)
	switch {
	case len(attempts) == 0:
		return fault("the turn has no attempts")
	case reply == nil:
		return fault("no attempt is meant for the model %q", request.Model)
	}
	if err := reply.check(); err != nil {
		return fault("%v", err)
	}
	s := newScene(request, turn)
	if reply.Expect != nil {
		if v := reply.Expect.violations(request, s); len(v) > 0 {
			return fault("%s", strings.Join(v, "; "))
		}
	}
	filled, err := reply.rewritten(s.fill)
	if err != nil {
		return fault("%v", err)
	}
	raw, err := llm.MarshalJSON(filled)
	if err != nil {
		return fault("%v", err)
	}
	play := &play{
		request: request, reply: filled, raw: raw, chunks: filled.chunks(filled.ChunkSize),
		usage: p.script.Usage, now: p.now,
	}
	return play.run(ctx, show)
}

// position says which turn and which attempt a request is.
func (p *Provider) position(request *llm.Request) (turn, attempt int) {
	turn = 1
	for _, m := range request.History {
		if m.Role == llm.RoleAssistant {
			turn++
		}
	}
	if n, ok := attemptOf(request.CorrelationID); ok {
		return turn, n
	}
	session, _, _ := strings.Cut(request.CorrelationID, "/")
	at := place{session, turn}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.seen[at]; !known && len(p.seen) >= maxPlaces {
		clear(p.seen)
	}
	p.seen[at]++
	return turn, p.seen[at]
}

// attemptOf reads the attempt from a correlation id of the form
// session/run/turn/attempt. A session's name may itself hold slashes.
func attemptOf(id string) (int, bool) {
	fields := strings.Split(id, "/")
	if len(fields) < 4 || fields[0] == "" {
		return 0, false
	}
	var n uint64
	for _, f := range fields[len(fields)-3:] {
		var err error
		if n, err = strconv.ParseUint(f, 10, 31); err != nil {
			return 0, false
		}
	}
	return max(int(n), 1), true
}

// pick returns the attempt with the given number, or the last when there are
// fewer. One that is not meant for the model gives way to the nearest before
// it that is, or else to the nearest after it.
func (a Attempts) pick(attempt int, model string) *Reply {
	at := min(attempt, len(a)) - 1
	for i := at; i >= 0; i-- {
		if a[i].admits(model) {
			return &a[i]
		}
	}
	for i := at + 1; i < len(a); i++ {
		if a[i].admits(model) {
			return &a[i]
		}
	}
	return nil
}

func scriptError(request *llm.Request, message string) *llm.Receipt {
	return &llm.Receipt{
		ProviderID: providerID(request),
		Finish:     llm.Finish{Reason: llm.FinishError},
		Error:      &llm.Error{Class: llm.ClassModel, Code: ErrorCode, Message: message},
	}
}

// providerID is the name that the request knows this provider by.
func providerID(request *llm.Request) string {
	if request.Provider == "" {
		return "script"
	}
	return request.Provider
}
