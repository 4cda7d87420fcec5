package aiagent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/transcript"
)

// ForkOptions are the options of [Session.Fork]. The zero value forks a session
// where it stands.
type ForkOptions struct {
	// Agent goes on in the fork. Defaults to the configuration that the original
	// had at that frame.
	Agent *Agent
	// At is the frame up to which the two sessions are the same. Defaults to the
	// last one.
	At uint64
	// ID names the fork. Defaults to a new id.
	ID string
	// Results replaces results of tools: of calls that the conversation has
	// answered, and of those that wait. It is an error if it has no such call.
	Results []ToolResult
	// Targets are other models to ask. They replace those of the original's
	// configuration, which otherwise stays; with Agent they mean nothing.
	Targets []Target
}

// Fork begins a new session with the conversation that this one had at a frame:
// to ask another model, to say something else, to see what another result would
// have led to. The fork stands on its own: it has its own journal, limits, costs
// and budget, and outlives the original. Effects that were open at that frame
// are answered "interrupted" in it; approvals, idempotency keys and reservations
// are not inherited, nor is what waited for the run's end. The identity names
// the original and the frame.
//
// A fork does nothing by itself. Say something to it, or let it answer what was
// said: [Continue].
func (s *Session) Fork(ctx context.Context, options *ForkOptions) (*Session, error) {
	var o ForkOptions
	if options != nil {
		o = *options
	}
	if o.ID == "" {
		o.ID = s.rt.ids.New()
	}
	state, err := s.stateAt(ctx, o.At)
	if err == nil && state.Identity.Session == "" {
		err = fmt.Errorf("%w: the session has not been opened", spec.ErrInvalid)
	}
	var g host.Genesis
	if err == nil {
		g, err = s.genesis(ctx, &state, &o)
	}
	if err != nil {
		return nil, fmt.Errorf("fork session %s: %w", s.ID(), err)
	}
	key := journal.Key{Tenant: s.key.Tenant, Session: o.ID}
	if err := s.rt.host.Fork(ctx, key, g); err != nil {
		return nil, err //nolint:wrapcheck // it names the session
	}
	return &Session{rt: s.rt, key: key}, nil
}

// stateAt rebuilds the session's state after a frame, the last one for zero.
func (s *Session) stateAt(ctx context.Context, at uint64) (kernel.State, error) {
	r := kernel.NewReplayer(s.key)
	for f, err := range s.rt.store.Read(ctx, s.key, 1) {
		var frame journal.Frame
		if err == nil {
			frame, err = journal.DecodeFrame(f.Data)
		}
		if err == nil {
			_, err = r.Next(&frame)
		}
		if err != nil {
			return kernel.State{}, err //nolint:wrapcheck // it names the frame
		}
		if f.Seq == at {
			return r.State(), nil
		}
	}
	state := r.State()
	if at != 0 {
		return state, fmt.Errorf("%w: there is no frame %d, the last one is %d", spec.ErrInvalid, at, state.Seq)
	}
	return state, nil
}

// genesis puts together how a fork begins.
func (s *Session) genesis(ctx context.Context, state *kernel.State, o *ForkOptions) (host.Genesis, error) {
	g := host.Genesis{Key: "fork:" + o.ID, Open: &kernel.Open{Identity: kernel.Identity{
		Tenant: s.key.Tenant, Session: o.ID, Origin: o.ID, Master: true, User: state.Identity.User,
		ForkedFrom: s.ID(), ForkedAt: state.Seq,
	}}}
	history, err := transcript.Entries(state.Transcript.Head, s.blobs(ctx))
	if err != nil {
		return g, err //nolint:wrapcheck // it names the content
	}
	results, made := otherResults(o.Results)
	rest, answered, more := state.Rest(results)
	g.Open.History, g.Open.Answered = slices.Concat(history, rest), answered
	if err := replace(g.Open.History, results); err != nil {
		return g, err
	}
	if err := s.detach(ctx, g.Open.History, &made); err != nil {
		return g, err
	}
	if g.Open.Config, err = s.forkConfig(ctx, state, o, &made); err != nil {
		return g, err
	}
	g.Open.Identity.Agent, g.Open.Identity.CallPath = g.Open.Config.Agent, g.Open.Config.Agent
	// What nothing refers to is left behind: links of the original's transcript,
	// results that were replaced.
	refs := g.Open.Refs()
	for _, b := range append(more, made...) {
		if slices.Contains(refs, b.Ref) {
			g.Blobs = append(g.Blobs, b)
		}
	}
	return g, nil
}

// otherResults makes results of what the caller gave.
func otherResults(given []ToolResult) (map[string]kernel.ToolResult, []journal.Blob) {
	results := make(map[string]kernel.ToolResult, len(given))
	var blobs []journal.Blob
	for _, r := range given {
		text := strings.ToValidUTF8(r.Output, "\uFFFD")
		if r.Error != "" {
			text = "(tool failed: " + r.Error + ")"
		}
		b := journal.NewBlob([]byte(text))
		blobs = append(blobs, b)
		results[r.CallID] = kernel.ToolResult{
			CallID: r.CallID, Content: kernel.Content{Ref: b.Ref, Bytes: int64(len(b.Data))}, Failed: r.Error != "", Error: r.Error,
		}
	}
	return results, blobs
}

// replace puts other results into a conversation. Ids of calls may come again in
// a long one: the last counts.
func replace(history []kernel.Entry, results map[string]kernel.ToolResult) error {
	for id, r := range results {
		i := len(history) - 1
		for i >= 0 && (history[i].Kind != dialect.ItemResult || history[i].CallID != id) {
			i--
		}
		if i < 0 {
			return fmt.Errorf("%w: there is no call %q to give another result", spec.ErrInvalid, id)
		}
		e := &history[i]
		e.Ref, e.Bytes, e.Failed, e.Inner = r.Content.Ref, r.Content.Bytes, r.Failed, nil
	}
	return nil
}

// detach lets go of half an answer that a failed run had left beside its last
// message: the message is enough for people, and nobody else reads it.
func (s *Session) detach(ctx context.Context, history []kernel.Entry, made *[]journal.Blob) error {
	for i := range history {
		e := &history[i]
		if e.Kind != dialect.ItemTerminal {
			continue
		}
		data, err := s.rt.store.Blob(ctx, s.key, e.Ref)
		var t kernel.Terminal
		if err == nil {
			err = json.Unmarshal(data, &t)
		}
		if err != nil {
			return fmt.Errorf("last message %s: %w", e.Ref.Short(), err)
		}
		if t.Partial.IsZero() {
			continue
		}
		t.Partial = journal.Ref{}
		b := journal.NewBlob(llm.MustMarshalJSON(&t))
		e.Ref, e.Bytes = b.Ref, int64(len(b.Data))
		*made = append(*made, b)
	}
	return nil
}

// forkConfig decides the fork's configuration.
func (s *Session) forkConfig(ctx context.Context, state *kernel.State, o *ForkOptions, made *[]journal.Blob) (kernel.Config, error) {
	config := state.Config
	if state.Run != nil {
		config = state.Run.Config
	}
	var data *spec.Agent
	switch {
	case o.Agent != nil:
		if err := o.Agent.checkChain(nil); err != nil {
			return kernel.Config{}, err
		}
		data = o.Agent.spec()
		s.rt.register(o.Agent, data)
	case len(o.Targets) > 0:
		content, err := s.rt.store.Blob(ctx, s.key, config.Ref)
		run := new(spec.Run)
		if err == nil {
			err = json.Unmarshal(content, run)
		}
		if err != nil {
			return kernel.Config{}, fmt.Errorf("configuration %s: %w", config.Ref.Short(), err)
		}
		data = run.Spec()
		data.Targets, data.Profiles = o.Targets, nil
	default:
		return *config, nil
	}
	prepared, blob, err := s.rt.host.Prepare(data)
	*made = append(*made, blob)
	return prepared, err //nolint:wrapcheck // it says what is wrong
}
