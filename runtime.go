package aiagent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/memory"
	"github.com/ai-agent-go/ai-agent/tool"
)

// Target is a model to ask.
type Target = spec.Target

// Limits bound a run.
type Limits = spec.Limits

// Agent is an agent with its tools' functions. See [spec.Agent] for the fields
// that are data.
type Agent struct {
	// ID names the agent in accounting, logs and trees, and its tools to
	// sessions from before this process. Defaults to "agent".
	ID string
	// System is the system prompt.
	System string
	// Targets are tried in order, one per attempt.
	Targets []Target
	// Profiles names provider profiles that are looked up when a run starts;
	// their targets follow Targets.
	Profiles []string
	// Tools are offered to the model. One without a function is remote: its
	// call suspends the session.
	Tools []tool.Tool
	// Agents are offered to the model as tools named agent__<id>. A call runs
	// the agent in a session of its own.
	Agents []*Agent
	// Advisors are asked first; what they say goes to the agent beside the
	// user's request.
	Advisors []*Agent
	// Router are agents that the model may hand the whole task over to. Their
	// Description tells it when.
	Router []*Agent
	// Handoff gets the agent's report and answers in its place, in the format
	// that is asked of this agent.
	Handoff *Agent
	// Description says what the agent is for; callers read it.
	Description string
	// Limits are completed with their defaults.
	Limits Limits
	// Format is the form of the answer. Defaults to markdown.
	Format spec.Format
	// Schema constrains an answer of format json.
	Schema []byte
	// Transport is how tool calls and the report travel. Defaults to xml-final.
	Transport spec.Transport
	// Batch offers the model a tool that runs several calls in one.
	Batch bool
	// ToolOutput keeps results that are too large and gives the model a handle
	// to them instead of cutting them off.
	ToolOutput bool
	// NoProgress leaves out the status tool, which agents with tools have.
	NoProgress bool
	// Completion says what ends a run. Defaults to a final report.
	Completion spec.Completion
	// Sampling settings reach the model as they are; what is unset is left out.
	Sampling llm.Sampling
	// ToolChoice is left out when unset.
	ToolChoice llm.ToolChoice
	// OnAuthError defaults to ending the run.
	OnAuthError spec.OnAuthError
	// Capture says which raw provider bytes are kept. Defaults to errors.
	Capture spec.Capture
	// NoStream asks providers for whole responses.
	NoStream bool
}

// id is the agent's id, the default when it has none.
func (a *Agent) id() string {
	if a.ID == "" {
		return "agent"
	}
	return a.ID
}

// spec is the agent's data.
func (a *Agent) spec() *spec.Agent {
	s := &spec.Agent{
		ID: a.id(), System: a.System, Targets: a.Targets, Profiles: a.Profiles, Limits: a.Limits, Format: a.Format, Schema: a.Schema,
		Completion: a.Completion, Sampling: a.Sampling, ToolChoice: a.ToolChoice, OnAuthError: a.OnAuthError,
		Capture: a.Capture, NoStream: a.NoStream, Transport: a.Transport, Batch: a.Batch, ToolOutput: a.ToolOutput,
		NoProgress: a.NoProgress,
	}
	for _, t := range a.Tools {
		d := t.Tool
		if t.Execute == nil {
			d.Kind = spec.ToolRemote
		}
		s.Tools = append(s.Tools, d)
	}
	for _, sub := range a.Agents {
		s.Tools = append(s.Tools, sub.tool())
	}
	for _, advisor := range a.Advisors {
		s.Advisors = append(s.Advisors, advisor.id())
	}
	for _, to := range a.Router {
		s.Router = append(s.Router, spec.Destination{Agent: to.id(), Description: to.Description})
	}
	if a.Handoff != nil {
		s.Handoff = a.Handoff.id()
	}
	return s
}

// others are the agents that may come to work for this one.
func (a *Agent) others() []*Agent {
	return slices.Concat(a.Agents, a.Advisors, a.successors())
}

// successors are the agents that may answer in this one's place.
func (a *Agent) successors() []*Agent {
	if a.Handoff == nil {
		return a.Router
	}
	return append(slices.Clone(a.Router), a.Handoff)
}

// checkChain refuses agents that hand over in a circle: nobody would ever
// answer.
func (a *Agent) checkChain(path []*Agent) error {
	if slices.Contains(path, a) {
		names := make([]string, 0, len(path)+1)
		for _, p := range append(path, a) {
			names = append(names, p.id())
		}
		return fmt.Errorf("%w: orchestration cycle: %s", spec.ErrInvalid, strings.Join(names, " -> "))
	}
	path = append(slices.Clone(path), a)
	for _, next := range a.successors() {
		if err := next.checkChain(path); err != nil {
			return err
		}
	}
	return nil
}

// subAgentSchema is what an agent is called with.
const subAgentSchema = `{"type":"object","properties":{` +
	`"prompt":{"type":"string","minLength":1,"description":"What the agent is to do, with everything it must know."},` +
	`"reason":{"type":"string","description":"Why it is called, in a few words."}},"required":["prompt"],` +
	`"additionalProperties":false}`

// tool is the agent as others are offered it.
func (a *Agent) tool() spec.Tool {
	id := a.id()
	return spec.Tool{
		Name: "agent__" + id, Description: a.Description, Parameters: []byte(subAgentSchema), Kind: spec.ToolAgent,
		Server: "agent", Agent: id, ReplaySafe: true,
	}
}

// Config is what a runtime works with. Only Providers is required.
type Config struct {
	// Clock defaults to the machine's.
	Clock host.Clock
	// IDs defaults to random ones.
	IDs host.IDs
	// PollMS is how often, in milliseconds, the store is asked for what other
	// processes have done. Defaults to never: a store of one's own has no others.
	PollMS int64
	// Profiles is the catalogue of provider profiles, by id.
	Profiles map[string]spec.Profile
	// Providers answers requests, by the provider's name in a target.
	Providers map[string]llm.Provider
	// Queues bounds tool executions at once, by queue name. Defaults to a
	// queue "default" of twice the number of processors.
	Queues map[string]int
	// Store keeps the sessions. Defaults to memory, which is gone with the
	// runtime. The runtime does not close a store that it was given.
	Store store.Store
	// Tenant is whose sessions these are. Defaults to "default".
	Tenant string
}

// Runtime holds what sessions share. It may be used concurrently; Close ends
// its goroutines.
type Runtime struct {
	host   *host.Host
	store  store.Store
	own    bool
	tenant string
	ids    host.IDs
}

// New starts a runtime.
func New(c Config) (*Runtime, error) {
	if c.Tenant == "" {
		c.Tenant = "default"
	}
	if c.IDs == nil {
		c.IDs = host.RandomIDs{}
	}
	queues, err := tool.NewQueues(c.Queues)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", spec.ErrInvalid, err)
	}
	rt := &Runtime{store: c.Store, tenant: c.Tenant, ids: c.IDs}
	if rt.store == nil {
		rt.store, rt.own = memory.New(), true
	}
	rt.host, err = host.New(host.Config{
		Store: rt.store, Providers: c.Providers, Profiles: c.Profiles, Queues: queues, Clock: c.Clock, IDs: c.IDs,
		PollMS: c.PollMS,
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what is wrong
	}
	return rt, nil
}

// Close stops the runtime's sessions where they are and releases what it
// holds. Sessions in a store of their own can be taken up again.
func (rt *Runtime) Close() error {
	err := rt.host.Close()
	if rt.own {
		err = errors.Join(err, rt.store.Close())
	}
	return err
}

// Register makes an agent's tools known to sessions of that agent that were
// begun before this process.
func (rt *Runtime) Register(a *Agent) { rt.register(a, a.spec()) }

// register makes an agent and those that may work for it known. Cycles are
// refused when they run; here they only must not keep us going round.
func (rt *Runtime) register(a *Agent, data *spec.Agent) {
	seen := make(map[*Agent]bool)
	var visit func(a *Agent, data *spec.Agent)
	visit = func(a *Agent, data *spec.Agent) {
		seen[a] = true
		rt.host.Register(data, a.Tools)
		for _, other := range a.others() {
			if !seen[other] {
				visit(other, other.spec())
			}
		}
	}
	visit(a, data)
}

// Wake makes the runtime look at a session now: commands, timers, work that was
// interrupted. It does so by itself when its time has come; after a crash that
// is when the dead process's lease has run out.
func (rt *Runtime) Wake(id string) {
	_ = rt.host.Wake(journal.Key{Tenant: rt.tenant, Session: id}) // a closed runtime wakes nothing
}

// SessionOptions are the options of a new session. The zero value works.
type SessionOptions struct {
	// History is a conversation from before. A system message in it gives way
	// to the agent's own.
	History []llm.Message
	// ID names the session. Defaults to a new id.
	ID string
	// Key makes opening idempotent. Defaults to the session's id.
	Key string
	// User is who the session works for, as authenticated. Budgets per user
	// count by it. Defaults to nobody in particular.
	User string
}

// Open begins a session of an agent.
func (rt *Runtime) Open(ctx context.Context, a *Agent, options *SessionOptions) (*Session, error) {
	var o SessionOptions
	if options != nil {
		o = *options
	}
	if o.ID == "" {
		o.ID = rt.ids.New()
	}
	if o.Key == "" {
		o.Key = "open:" + o.ID
	}
	if err := a.checkChain(nil); err != nil {
		return nil, err
	}
	data := a.spec()
	rt.register(a, data)
	key := journal.Key{Tenant: rt.tenant, Session: o.ID}
	if err := rt.host.Open(ctx, key, data, host.Opening{Key: o.Key, User: o.User, History: o.History}); err != nil {
		return nil, err //nolint:wrapcheck // it names the session
	}
	return &Session{rt: rt, key: key}, nil
}

// Session returns a session that exists already, [store.ErrNotFound] when there
// is none of that name.
func (rt *Runtime) Session(ctx context.Context, id string) (*Session, error) {
	key := journal.Key{Tenant: rt.tenant, Session: id}
	if err := key.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrNotFound, err)
	}
	if _, err := rt.store.Head(ctx, key); err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	return &Session{rt: rt, key: key}, nil
}

// Run runs one prompt in a session of its own.
func (rt *Runtime) Run(ctx context.Context, a *Agent, prompt string, options *RunOptions) *Result {
	var o RunOptions
	if options != nil {
		o = *options
	}
	s, err := rt.Open(ctx, a, &SessionOptions{ID: o.SessionID, History: o.History})
	if err != nil {
		return failedBefore(a, err)
	}
	return s.run(ctx, Prompt(prompt), &o)
}

// Run runs one prompt in a runtime of its own and returns the result: of
// success, of failure, always (contract B2).
func Run(ctx context.Context, c Config, a *Agent, prompt string) *Result {
	rt, err := New(c)
	if err != nil {
		return failedBefore(a, err)
	}
	defer rt.Close() //nolint:errcheck // nothing is written that could be lost
	return rt.Run(ctx, a, prompt, nil)
}
