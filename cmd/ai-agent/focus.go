package main

import (
	"context"
	"strings"
	"sync"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/store"
)

// pollMS is how often a command looks at what other processes do.
const pollMS = 200

// focus is a store of which only one session and those that work for it are ever
// due. A runtime takes up what it finds interrupted; a command has one session's
// model and tools, and must not answer for another's.
type focus struct {
	store.Store
	session string
}

// mine reports whether a session is the one, or works for it.
func (f *focus) mine(key journal.Key) bool {
	return key.Tenant == tenant && (key.Session == f.session || strings.HasPrefix(key.Session, f.session+"."))
}

// Due implements [store.Index].
func (f *focus) Due(ctx context.Context, now int64, limit int) ([]store.Due, error) {
	for n := limit; ; n *= 8 {
		due, err := f.Store.Due(ctx, now, n)
		if err != nil {
			return nil, err //nolint:wrapcheck // it is the store's
		}
		var own []store.Due
		for _, d := range due {
			if f.mine(d.Key) && len(own) < limit {
				own = append(own, d)
			}
		}
		if len(own) == limit || len(due) < n {
			return own, nil
		}
	}
}

// bench is where a command works on one session.
type bench struct {
	*aiagent.Runtime
	store  store.Store
	ctx    context.Context //nolint:containedctx // of the one command that it serves
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// work makes ready to work on one session.
func work(ctx context.Context, st store.Store, session string, providers map[string]llm.Provider) (*bench, error) {
	rt, err := aiagent.New(aiagent.Config{
		Store: &focus{Store: st, session: session}, Providers: providers, Tenant: tenant, PollMS: pollMS,
	})
	if err != nil {
		return nil, usage("%w", err)
	}
	rt.Register(demoAgent(false))
	b := &bench{Runtime: rt, store: st}
	b.ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return b, nil
}

// run says something to a session and follows it. What other processes say to it
// in the meantime (stop, abort, approve) is heard.
func (b *bench) run(ctx context.Context, s *aiagent.Session, in aiagent.Input, o *aiagent.RunOptions) *aiagent.Result {
	b.wg.Go(func() { b.listen(s.ID()) })
	return s.Run(ctx, in, o)
}

// listen wakes a session whenever something was put into its inbox.
func (b *bench) listen(session string) {
	var last uint64
	for change, err := range b.store.Watch(b.ctx, journal.Key{Tenant: tenant, Session: session}) {
		if err != nil {
			return // the store fails, and whoever follows the session says so
		}
		if change.Position > last {
			last = change.Position
			b.Wake(session)
		}
	}
}

// done ends the work.
func (b *bench) done() {
	b.cancel()
	b.wg.Wait()
	_ = b.Close()
}
