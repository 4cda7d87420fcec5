package aiagent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/view"
)

// Session is a conversation with an agent. It lives in the runtime's store; the
// value is only a handle and may be copied and used concurrently.
type Session struct {
	rt  *Runtime
	key journal.Key
}

// ID names the session.
func (s *Session) ID() string { return s.key.Session }

// Input is something said to a session: [Prompt], [Message], [Steering],
// [Results], [Approve], [Deny], [Continue], or nothing: [Resume].
type Input struct {
	commands []host.Command
	keyed    bool
	// resume says nothing and continues makes its command when the session is
	// known.
	resume    bool
	continues bool
	err       error
}

// Keyed makes an input idempotent: said again with the same key, also by
// another process and after a crash, it counts once, and whoever says it is told
// what came of it the first time. Saying something else with the same key is an
// error.
func (in Input) Keyed(key string) Input {
	in.keyed = true
	in.commands = slices.Clone(in.commands)
	for i := range in.commands {
		in.commands[i].Key = key
		if i > 0 {
			in.commands[i].Key = key + "#" + strconv.Itoa(i)
		}
	}
	return in
}

// Prompt is a user's message of plain text.
func Prompt(text string) Input { return Message(llm.Text(llm.RoleUser, text)) }

// Message is a user's message with any parts.
func Message(m llm.Message) Input {
	m.Role = llm.RoleUser
	content, blob := host.UserContent(&m)
	return Input{commands: []host.Command{{Body: &kernel.Prompt{Content: content}, Blobs: []journal.Blob{blob}}}}
}

// ToolResult answers a remote tool's call.
type ToolResult struct {
	CallID string
	Output string
	// Error, if not empty, says that the tool failed, and why.
	Error string
}

// Results answers remote calls. The session goes on when the last pending one
// has its result (contract S6).
func Results(results ...ToolResult) Input {
	var in Input
	for _, r := range results {
		blob := journal.NewBlob([]byte(strings.ToValidUTF8(r.Output, "\uFFFD")))
		in.commands = append(in.commands, host.Command{
			Body: &kernel.ToolResult{
				CallID: r.CallID, Content: kernel.Content{Ref: blob.Ref, Bytes: int64(len(blob.Data))},
				Failed: r.Error != "", Error: r.Error,
			},
			Blobs: []journal.Blob{blob},
		})
	}
	if len(results) == 0 {
		in.err = errors.New("no results given")
	}
	return in
}

// Approve allows a call that waits for a person's decision (contract T17).
func Approve(callID, user string) Input {
	return Input{commands: []host.Command{{Body: &kernel.Decision{CallID: callID, Allow: true, User: user}}}}
}

// Deny refuses a call that waits for a person's decision; the model is told the
// reason.
func Deny(callID, user, reason string) Input {
	return Input{commands: []host.Command{{Body: &kernel.Decision{CallID: callID, User: user, Reason: reason}}}}
}

// Steering is a word to a running agent: it joins the conversation before the
// next request. With no run it is a prompt.
func Steering(text string) Input {
	m := llm.Text(llm.RoleUser, text)
	content, blob := host.UserContent(&m)
	return Input{commands: []host.Command{{Body: &kernel.Steer{Content: content}, Blobs: []journal.Blob{blob}}}}
}

// Send says something to a session and does not wait for what comes of it. When
// it returns without an error, the session has it for good.
func (s *Session) Send(ctx context.Context, in Input) error {
	if in = s.complete(ctx, in); in.err != nil {
		return in.err
	}
	if in.resume {
		s.rt.Wake(s.ID())
	}
	for _, c := range in.commands {
		if err := s.send(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// Steer says something to a running agent: see [Steering].
func (s *Session) Steer(ctx context.Context, text string) error { return s.Send(ctx, Steering(text)) }

// Stop asks for the final report at the next turn.
func (s *Session) Stop(ctx context.Context) error {
	return s.send(ctx, host.Command{Body: &kernel.Stop{}})
}

// Abort ends the run at once (contract S11).
func (s *Session) Abort(ctx context.Context) error {
	return s.send(ctx, host.Command{Body: &kernel.Abort{}})
}

func (s *Session) send(ctx context.Context, c host.Command) error {
	_, err := s.rt.host.Send(ctx, s.key, c)
	return err //nolint:wrapcheck // it names the session
}

// View folds the session's journal into everything that it has to show, with the
// accounts and logs of the sessions that have worked for it (contract T14).
func (s *Session) View(ctx context.Context) (*view.Session, error) {
	v := view.NewSession(s.blobs(ctx))
	v.Include(s.journals(ctx))
	for t, err := range s.facts(ctx) {
		if err == nil {
			err = v.Apply(t.At, t.Fact)
		}
		if err != nil {
			return nil, fmt.Errorf("session %s: %w", s.ID(), err)
		}
	}
	return v, nil
}

func decodeFacts(data []byte) ([]kernel.Fact, error) {
	frame, err := journal.DecodeFrame(data)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the session
	}
	return kernel.DecodeFacts(&frame) //nolint:wrapcheck // as above
}

func (s *Session) blobs(ctx context.Context) view.Blobs {
	return func(ref journal.Ref) ([]byte, error) { return s.rt.store.Blob(ctx, s.key, ref) }
}

// journals reads the sessions that work for this one: they are of its tenant.
func (s *Session) journals(ctx context.Context) view.Journals {
	return func(id string) view.Journal {
		child := &Session{rt: s.rt, key: journal.Key{Tenant: s.key.Tenant, Session: id}}
		return view.Journal{Blobs: child.blobs(ctx), Facts: child.facts(ctx)}
	}
}

// facts reads the session's facts.
func (s *Session) facts(ctx context.Context) iter.Seq2[view.Told, error] {
	return func(yield func(view.Told, error) bool) {
		for f, err := range s.rt.store.Read(ctx, s.key, 1) {
			var facts []kernel.Fact
			if err == nil {
				facts, err = decodeFacts(f.Data)
			}
			if err != nil {
				yield(view.Told{}, err)
				return
			}
			for _, fact := range facts {
				if !yield(view.Told{Seq: f.Seq, At: f.Time, Fact: fact}, nil) {
					return
				}
			}
		}
	}
}

// Configure replaces the session's configuration. A run in progress keeps its
// own; the next one has the new (contract P4).
func (s *Session) Configure(ctx context.Context, a *Agent) error {
	if err := a.checkChain(nil); err != nil {
		return err
	}
	data := a.spec()
	s.rt.register(a, data)
	config, blob, err := s.rt.host.Prepare(data)
	if err != nil {
		return err //nolint:wrapcheck // it says what is wrong where
	}
	return s.send(ctx, host.Command{Body: &kernel.SetConfig{Config: config}, Blobs: []journal.Blob{blob}})
}
