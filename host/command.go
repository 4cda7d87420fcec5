package host

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
)

// Command is an input on its way into a session.
type Command struct {
	// Key makes the command idempotent: sent twice it counts once. Empty means
	// a key of its own.
	Key   string
	Body  kernel.InputBody
	Blobs []journal.Blob
}

// Refused is a command that the session did not take.
type Refused struct {
	Code    string
	Message string
}

// Error says what was refused and why.
func (r *Refused) Error() string { return r.Code + ": " + r.Message }

// Prepare decides a run's configuration and checks that this host can run it:
// its providers are here, its queues exist, its schemas compile.
func (h *Host) Prepare(agent *spec.Agent) (kernel.Config, journal.Blob, error) {
	run, err := agent.Resolve()
	if err != nil {
		return kernel.Config{}, journal.Blob{}, err //nolint:wrapcheck // it says what is wrong where
	}
	for i := range run.Targets {
		if h.providers[run.Targets[i].Provider] == nil {
			return kernel.Config{}, journal.Blob{}, fmt.Errorf("%w: target %s: provider %q is not configured",
				spec.ErrInvalid, &run.Targets[i], run.Targets[i].Provider)
		}
	}
	for i := range run.Tools {
		if q := run.Tools[i].Queue; !h.queues.Has(q) {
			return kernel.Config{}, journal.Blob{}, fmt.Errorf("%w: tool %q: unknown queue %q",
				spec.ErrInvalid, run.Tools[i].Name, q)
		}
	}
	tools, err := dialect.NewToolset(run)
	if err != nil {
		return kernel.Config{}, journal.Blob{}, err //nolint:wrapcheck // as above
	}
	blob := journal.NewBlob(llm.MustMarshalJSON(run))
	h.configs.put(blob.Ref, &runConfig{run: run, tools: tools})
	return kernel.NewConfig(run, blob.Ref, tools), blob, nil
}

// Opening says how a session begins.
type Opening struct {
	// Key makes it idempotent: opening twice with one key is opening once.
	Key string
	// User is who the session works for, as authenticated; empty is nobody in
	// particular.
	User string
	// History is a conversation from before.
	History []llm.Message
}

// Open begins a session of an agent.
func (h *Host) Open(ctx context.Context, key journal.Key, agent *spec.Agent, o Opening) error {
	if err := key.Validate(); err != nil {
		return fmt.Errorf("%w: %w", spec.ErrInvalid, err)
	}
	cmd, err := h.opening(agent, o, kernel.Identity{
		Tenant: key.Tenant, Session: key.Session, Origin: key.Session, CallPath: agent.ID, Master: true, User: o.User,
	})
	if err == nil {
		_, err = h.send(ctx, key, cmd, true)
	}
	return err
}

// opening is the command that begins a session.
func (h *Host) opening(agent *spec.Agent, o Opening, id kernel.Identity) (Command, error) {
	config, blob, err := h.Prepare(agent)
	if err != nil {
		return Command{}, err
	}
	id.Agent = config.Agent
	key := journal.Key{Tenant: id.Tenant, Session: id.Session}
	open := &kernel.Open{Identity: id, Nonce: nonce(key), Config: config}
	cmd := Command{Key: o.Key, Body: open, Blobs: []journal.Blob{blob}}
	for i := range o.History {
		entries, blobs, err := importMessage(&o.History[i])
		if err != nil {
			return Command{}, fmt.Errorf("%w: history message %d: %w", spec.ErrInvalid, i+1, err)
		}
		open.History = append(open.History, entries...)
		cmd.Blobs = append(cmd.Blobs, blobs...)
	}
	return cmd, nil
}

// nonce derives a session's 8 hex digits from its name, so that opening it
// twice is opening it the same. It is no secret: it keeps a model's tags apart
// from text that only looks like them.
func nonce(key journal.Key) string {
	sum := journal.RefOf([]byte("nonce\x00" + key.Tenant + "\x00" + key.Session))
	return hex.EncodeToString(sum[:4])
}

// importMessage makes transcript entries of a message from outside.
func importMessage(m *llm.Message) ([]kernel.Entry, []journal.Blob, error) {
	var entries []kernel.Entry
	var blobs []journal.Blob
	add := func(e kernel.Entry, data []byte) {
		b := journal.NewBlob(data)
		e.Ref, e.Bytes = b.Ref, int64(len(data))
		entries, blobs = append(entries, e), append(blobs, b)
	}
	switch m.Role {
	case llm.RoleUser:
		add(kernel.Entry{Kind: dialect.ItemUser}, llm.MustMarshalJSON(m))
	case llm.RoleAssistant:
		var c llm.Collector
		for i := range m.Parts {
			p := &m.Parts[i]
			switch {
			case p.Kind == llm.PartText:
				c.Add(llm.Delta{Kind: llm.DeltaText, Block: i, Text: p.Text})
			case p.Kind == llm.PartReasoning && p.Reasoning != nil:
				c.Add(llm.Delta{Kind: llm.DeltaReasoning, Block: i, Text: p.Reasoning.Text})
				c.Sign(i, llm.DeltaReasoning, p.Reasoning.Signature, p.Reasoning.Redacted, p.Reasoning.ID)
			case p.Kind == llm.PartToolCall && p.Call != nil:
				c.Add(llm.Delta{
					Kind: llm.DeltaToolCall, Block: i, CallID: p.Call.ID, Name: p.Call.Name, Text: string(p.Call.Arguments),
				})
			}
		}
		envelope := c.Envelope(m.Origin)
		add(kernel.Entry{Kind: dialect.ItemAssistant}, llm.MustMarshalJSON(&envelope))
	case llm.RoleTool:
		for i := range m.Parts {
			if r := m.Parts[i].Result; r != nil {
				add(kernel.Entry{Kind: dialect.ItemResult, CallID: r.CallID, Name: r.Name, Failed: r.Failed}, []byte(clean(r.Content)))
			}
		}
	case llm.RoleSystem:
		// The agent's own system prompt stands in its place (contract B2).
	default:
		return nil, nil, fmt.Errorf("role %q, want user, assistant or tool", m.Role)
	}
	return entries, blobs, nil
}

// UserContent makes the content of a user's message.
func UserContent(m *llm.Message) (kernel.Content, journal.Blob) {
	b := journal.NewBlob(llm.MustMarshalJSON(m))
	return kernel.Content{Ref: b.Ref, Bytes: int64(len(m.Content()))}, b
}

// Send puts a command into a session's inbox and returns the session's answer.
// Once Send has put it the command will be carried out, also when ctx ends or
// the process dies before the answer is there. A command that the session does
// not take is a [*Refused].
func (h *Host) Send(ctx context.Context, key journal.Key, cmd Command) (kernel.Answer, error) {
	return h.send(ctx, key, cmd, false)
}

func (h *Host) send(ctx context.Context, key journal.Key, cmd Command, create bool) (kernel.Answer, error) {
	if cmd.Key == "" {
		cmd.Key = h.ids.New()
	}
	ticket, err := h.store.Put(ctx, key, store.Item{
		Key: cmd.Key, At: h.clock.Now(), Create: create, Record: kernel.EncodeInput(cmd.Body), Blobs: cmd.Blobs,
	})
	if err != nil {
		return kernel.Answer{}, fmt.Errorf("session %s: %w", key, err)
	}
	answer, err := h.await(ctx, key, cmd.Key, ticket)
	if err != nil {
		return kernel.Answer{}, err
	}
	if !answer.OK {
		return answer, &Refused{Code: answer.Code, Message: answer.Message}
	}
	return answer, nil
}

// settled is a command's answer on its way to whoever waits for it.
type settled struct {
	position uint64
	answer   kernel.Answer
	err      error
}

// slot is where those who wait for one command meet. done is closed when the
// answer is there.
type slot struct {
	done    chan struct{}
	waiting int
	closed  bool
	settled settled
}

// errRetired tells those who wait that the session's actor is gone and that
// they must look for themselves: another process may have answered.
var errRetired = errors.New("the session's actor has retired")

// await waits for a command's answer.
func (h *Host) await(ctx context.Context, key journal.Key, commandKey string, t store.Ticket) (kernel.Answer, error) {
	for !t.Settled {
		s, err := h.awaitOnce(ctx, key, commandKey, &t)
		switch {
		case t.Settled, errors.Is(err, errRetired):
		case errors.Is(err, store.ErrLeased):
			return h.watch(ctx, key, commandKey)
		default:
			return s.answer, err
		}
	}
	return decodeAnswer(t)
}

// awaitOnce waits until the session's actor has answered or is gone. It fills
// in the ticket when the answer was there before it began to wait.
func (h *Host) awaitOnce(ctx context.Context, key journal.Key, commandKey string, t *store.Ticket) (settled, error) {
	w := h.waitFor(key, t.Position)
	defer h.forget(key, t.Position, w)
	current, err := h.store.Ticket(ctx, key, commandKey)
	if err != nil {
		return settled{}, fmt.Errorf("session %s: wait for answer: %w", key, err)
	}
	if current.Settled {
		*t = current
		return settled{}, nil
	}
	if err := h.wake(key); err != nil {
		return settled{}, err
	}
	select {
	case <-w.done:
		return w.settled, w.settled.err
	case <-ctx.Done():
		return settled{}, fmt.Errorf("session %s: wait for answer: %w", key, context.Cause(ctx))
	case <-h.ctx.Done():
		return settled{}, ErrClosed
	}
}

// watch waits for an answer that another process gives.
func (h *Host) watch(ctx context.Context, key journal.Key, commandKey string) (kernel.Answer, error) {
	for _, err := range h.store.Watch(ctx, key) {
		if err != nil {
			return kernel.Answer{}, fmt.Errorf("session %s: wait for answer: %w", key, err)
		}
		t, err := h.store.Ticket(ctx, key, commandKey)
		if err != nil {
			return kernel.Answer{}, fmt.Errorf("session %s: wait for answer: %w", key, err)
		}
		if t.Settled {
			return decodeAnswer(t)
		}
	}
	return kernel.Answer{}, fmt.Errorf("session %s: wait for answer: %w", key, context.Cause(ctx))
}

func decodeAnswer(t store.Ticket) (kernel.Answer, error) {
	a, err := kernel.DecodeAnswer(t.Answer)
	if err != nil {
		return a, fmt.Errorf("read answer: %w", err)
	}
	return a, nil
}

func (h *Host) waitFor(key journal.Key, position uint64) *slot {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiters[key] == nil {
		h.waiters[key] = make(map[uint64]*slot)
	}
	w := h.waiters[key][position]
	if w == nil {
		w = &slot{done: make(chan struct{})}
		h.waiters[key][position] = w
	}
	w.waiting++
	return w
}

func (h *Host) forget(key journal.Key, position uint64, w *slot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if w.waiting--; w.waiting > 0 || h.waiters[key][position] != w {
		return
	}
	delete(h.waiters[key], position)
	if len(h.waiters[key]) == 0 {
		delete(h.waiters, key)
	}
}

func (h *Host) settle(key journal.Key, all []settled) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range all {
		h.waiters[key][s.position].settle(s)
	}
}

// failWaiters tells everybody who waits on a session that its actor is gone.
func (h *Host) failWaiters(key journal.Key, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.waiters[key] {
		w.settle(settled{err: err})
	}
}

// settle tells a slot's waiters; the host's mutex is held.
func (w *slot) settle(s settled) {
	if w != nil && !w.closed {
		w.settled, w.closed = s, true
		close(w.done)
	}
}
