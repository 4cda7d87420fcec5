package aiagent

import (
	"context"
	"errors"
	"fmt"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/transcript"
)

// Resume says nothing to a session: whoever executes it takes up the last run
// where it was interrupted and follows it. Of a run that has ended, or waits, it
// tells how it stands.
func Resume() Input { return Input{resume: true} }

// Continue starts a run without a new message: the model is asked to go on from
// the conversation as it is. It is for forks, and for sessions whose last run
// failed. Its limits count from the beginning.
func Continue() Input { return Input{continues: true} }

// Run says something to the session and follows it to its end, as [Runtime.Run]
// does: there is a result for every outcome, and when ctx ends the run is
// aborted. Options that name a session or its history mean nothing here.
func (s *Session) Run(ctx context.Context, in Input, options *RunOptions) *Result {
	var o RunOptions
	if options != nil {
		o = *options
	}
	return s.run(ctx, in, &o)
}

// complete makes the commands of an input that needs to know the session.
func (s *Session) complete(ctx context.Context, in Input) Input {
	if !in.continues || in.err != nil || len(in.commands) > 0 {
		return in
	}
	content, err := s.lastSaid(ctx)
	if err != nil {
		return Input{err: fmt.Errorf("session %s: %w", s.ID(), err)}
	}
	in.commands = []host.Command{{Body: &kernel.Continue{Content: content}}}
	return in
}

// lastSaid is the last user's message of the conversation, zero for none.
func (s *Session) lastSaid(ctx context.Context) (kernel.Content, error) {
	state, err := s.stateAt(ctx, 0)
	if err != nil {
		return kernel.Content{}, err
	}
	entries, err := transcript.Entries(state.Transcript.Head, s.blobs(ctx))
	if err != nil {
		return kernel.Content{}, err //nolint:wrapcheck // it names the content
	}
	for i := len(entries) - 1; i >= 0; i-- {
		if e := &entries[i]; e.Kind == dialect.ItemUser {
			content := kernel.Content{Ref: e.Ref, Bytes: e.Bytes}
			for j := range e.Inner {
				content.Bytes -= e.Inner[j].Bytes + kernel.BlockBytes // others said that
			}
			return content, nil
		}
	}
	return kernel.Content{}, nil
}

// errNoRun is what there is to follow in a session that was never asked.
var errNoRun = errors.New("the session has no run to go on with: say something to it")

// attach follows the last run, from what the journal has of it.
func (st *Stream) attach() *Stream {
	s, ctx := st.s, st.ctx
	head, err := s.rt.store.Head(ctx, s.key)
	if err == nil {
		err = st.identify(head.Seq, true)
	}
	if st.err = err; err != nil {
		return st
	}
	if st.run = st.fold.Run; st.run == 0 {
		st.err = fmt.Errorf("session %s: %w", s.ID(), errNoRun)
		return st
	}
	switch {
	case st.fold.End != nil && st.fold.End.Run == st.run:
		st.ends(st.fold.End)
		return st
	case head.Status == kernel.StatusAwaiting && !head.Active:
		st.ends(&kernel.Awaiting{})
		s.rt.Wake(s.ID()) // a timer may be due, a command may wait
		return st
	}
	if st.follow, st.err = s.rt.host.Follow(ctx, s.key, head.Seq); st.err == nil {
		st.forget = context.AfterFunc(ctx, st.follow.Close)
		s.rt.Wake(s.ID())
	}
	return st
}

// Stop asks for the final report at the next turn; it is what [Session.Stop]
// says.
func Stop() Input { return Input{commands: []host.Command{{Body: &kernel.Stop{}}}} }

// Abort ends the run at once; it is what [Session.Abort] says (contract S11).
func Abort() Input { return Input{commands: []host.Command{{Body: &kernel.Abort{}}}} }
