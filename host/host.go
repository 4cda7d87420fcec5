package host

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/tool"
)

// ErrClosed is returned by a host that was closed.
var ErrClosed = errors.New("host is closed")

// Config is what a host works with.
type Config struct {
	// Store keeps the sessions. Required; the host does not close it.
	Store store.Store
	// Providers answers requests, by the provider's name in a target.
	Providers map[string]llm.Provider
	// Profiles is the catalogue in which runs look up their profiles, by id.
	Profiles map[string]spec.Profile
	// Queues bounds tool executions over all sessions. Defaults to the default
	// queue alone.
	Queues *tool.Queues
	// Clock defaults to the machine's, IDs to random ones.
	Clock Clock
	IDs   IDs
	// LeaseMS is how long a session stays with a host that says nothing more.
	// Defaults to 30,000.
	LeaseMS int64
	// PollMS is how often the host asks the store for work that other processes
	// brought. Defaults to never: a store of one's own has no such work.
	PollMS int64
}

// Host runs sessions. Close ends its goroutines.
type Host struct {
	store     store.Store
	providers map[string]llm.Provider
	profiles  map[string]spec.Profile
	catalogue journal.Ref
	queues    *tool.Queues
	clock     Clock
	ids       IDs
	owner     string
	leaseMS   int64
	pollMS    int64
	configs   *configCache

	ctx     context.Context //nolint:containedctx // the host's own life, ended by Close
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	wheel   chan struct{}
	workers workers

	mu      sync.Mutex
	closed  bool
	actors  map[journal.Key]*actor
	tools   map[string]map[string]tool.Tool
	agents  map[string]*spec.Agent
	hubs    map[journal.Key]*hub
	waiters map[journal.Key]map[uint64]*slot
	parked  map[journal.Key]parking
}

// parking keeps a session that cannot be driven from being tried all the time:
// its store fails, its journal is damaged or of another version.
type parking struct {
	until, wait int64
}

// maxParkingMS bounds the wait between two tries.
const maxParkingMS = 60_000

// New starts a host.
func New(c Config) (*Host, error) {
	if c.Store == nil {
		return nil, errors.New("host: a store is required")
	}
	if c.Clock == nil {
		c.Clock = SystemClock{}
	}
	if c.IDs == nil {
		c.IDs = RandomIDs{}
	}
	if c.Queues == nil {
		q, err := tool.NewQueues(nil)
		if err != nil {
			return nil, fmt.Errorf("host: %w", err)
		}
		c.Queues = q
	}
	if c.LeaseMS <= 0 {
		c.LeaseMS = 30_000
	}
	h := &Host{
		store: c.Store, providers: c.Providers, profiles: c.Profiles, catalogue: catalogueVersion(c.Profiles),
		queues: c.Queues, clock: c.Clock, ids: c.IDs,
		owner: c.IDs.New(), leaseMS: c.LeaseMS, pollMS: c.PollMS, configs: newConfigCache(),
		wheel: make(chan struct{}, 1), actors: make(map[journal.Key]*actor),
		tools: make(map[string]map[string]tool.Tool), agents: make(map[string]*spec.Agent), hubs: make(map[journal.Key]*hub),
		waiters: make(map[journal.Key]map[uint64]*slot), parked: make(map[journal.Key]parking),
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.workers = newWorkers(h.ctx.Done())
	h.wg.Go(h.turnWheel)
	return h, nil
}

// Close stops every actor and waits for them. Work that was under way is left
// as the journal has it: its intent is there and its receipt is not, and
// whoever takes the session over knows what to do.
func (h *Host) Close() error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel()
	h.wg.Wait()
	return nil
}

// Register makes an agent known under its id, with its tools. Sessions find
// their tools by it, also those from before this process, and other agents
// find the agent itself. Registering again replaces.
func (h *Host) Register(agent *spec.Agent, tools []tool.Tool) {
	byName := make(map[string]tool.Tool, len(tools))
	for _, t := range tools {
		byName[t.Name] = t
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tools[agent.ID] = byName
	h.agents[agent.ID] = agent
}

func (h *Host) tool(agent, name string) (tool.Tool, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t, ok := h.tools[agent][name]
	return t, ok
}

// Wake makes sure that a session has an actor and that it looks around.
func (h *Host) Wake(key journal.Key) error { return h.wake(key) }

// wake makes sure that a session has an actor and that it looks around.
func (h *Host) wake(key journal.Key) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return ErrClosed
	}
	a := h.actors[key]
	if a == nil {
		a = newActor(h, key)
		h.actors[key] = a
		h.wg.Go(a.run)
	}
	a.ring()
	return nil
}

// retire lets an actor go if nothing has rung since it last looked.
func (h *Host) retire(a *actor) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if a.rung() {
		return false
	}
	delete(h.actors, a.key)
	return true
}

// drop removes an actor that cannot go on.
func (h *Host) drop(a *actor) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.actors[a.key] == a {
		delete(h.actors, a.key)
	}
}

// turnWheel brings sessions back that are due: a timer has come, a command was
// put by somebody else, or their host is gone. One timer serves all.
func (h *Host) turnWheel() {
	const atOnce = 64
	for {
		due, err := h.store.Due(h.ctx, h.clock.Now(), atOnce)
		if err == nil {
			for _, d := range due {
				if !h.isParked(d.Key) && h.wake(d.Key) != nil {
					return
				}
			}
		}
		if !h.waitForWheel(len(due) == atOnce) {
			return
		}
	}
}

// waitForWheel waits until the wheel should turn again; false at the end.
func (h *Host) waitForWheel(more bool) bool {
	wait := int64(-1)
	now := h.clock.Now()
	if at, err := h.store.NextWake(h.ctx, now); err == nil && at > 0 {
		wait = max(at-now, 1)
	}
	if at := h.nextParked(); at > 0 && (wait < 0 || at-now < wait) {
		wait = max(at-now, 1)
	}
	if h.pollMS > 0 && (wait < 0 || h.pollMS < wait) {
		wait = h.pollMS
	}
	if more {
		// Sessions that were just woken are not due any more once they hold
		// their lease; give them the moment that this takes.
		wait = 10
	}
	if wait < 0 {
		select {
		case <-h.wheel:
			return true
		case <-h.ctx.Done():
			return false
		}
	}
	fired, stop := h.clock.Timer(wait)
	defer stop()
	select {
	case <-h.wheel:
	case <-fired:
	case <-h.ctx.Done():
		return false
	}
	return true
}

// park sets a session aside for a while, longer each time in a row; nil means
// that it could be driven and is free again.
func (h *Host) park(key journal.Key, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil {
		delete(h.parked, key)
		return
	}
	wait := min(max(2*h.parked[key].wait, 1000), maxParkingMS)
	h.parked[key] = parking{until: h.clock.Now() + wait, wait: wait}
}

func (h *Host) isParked(key journal.Key) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, ok := h.parked[key]
	return ok && p.until > h.clock.Now()
}

// nextParked is when the first parked session may be tried again, zero for
// none. Those whose time has passed are the wheel's to look at now.
func (h *Host) nextParked() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	var at int64
	now := h.clock.Now()
	for _, p := range h.parked {
		if p.until > now && (at == 0 || p.until < at) {
			at = p.until
		}
	}
	return at
}

// ringWheel says that the next wake-up may be sooner than the wheel knows.
func (h *Host) ringWheel() {
	select {
	case h.wheel <- struct{}{}:
	default:
	}
}
