package aiagent

import (
	"context"
	"fmt"
	"iter"

	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/view"
)

// Stream is an execution in progress: its events, then its result.
type Stream struct {
	s      *Session
	ctx    context.Context //nolint:containedctx // the execution's, given to Execute
	follow *host.Follower
	forget func() bool
	first  []view.Event
	// onNotice is told the library's events, where somebody wants them.
	onNotice func(view.Notice)
	fold     *view.Stream
	tell     *narrator
	run      int64
	err      error
	done     bool
	// heard says that somebody has asked for the events.
	heard  bool
	result ExecuteResult
}

// ExecuteResult is how an execution ended.
type ExecuteResult struct {
	// Status is completed, error or awaiting_tool_execution.
	Status string `json:"status"`
	// Messages are the new ones.
	Messages []view.Message `json:"messages"`
	// Pending are the calls that somebody must answer before it goes on.
	Pending []view.PendingCall `json:"pendingToolCalls,omitempty"`
	// Report is the answer, nil while calls are pending.
	Report *view.FinalReport `json:"report,omitempty"`
	Error  string            `json:"error,omitempty"`
	// Cost is what this run has cost so far.
	Cost llm.Money `json:"cost"`
}

// Execute says something to a session and follows what comes of it, until the
// run has ended or waits for somebody. Ending ctx ends the following, not the
// run; see [Session.Abort].
func (s *Session) Execute(ctx context.Context, in Input) *Stream {
	st := s.newStream(ctx)
	st.fold.Brief = true // a stream's result has none
	return st.begin(in)
}

func (s *Session) newStream(ctx context.Context) *Stream {
	st := &Stream{s: s, ctx: ctx, fold: view.NewStream(s.blobs(ctx))}
	st.tell = &narrator{stream: st.fold}
	return st
}

// begin says something to the session.
func (st *Stream) begin(in Input) *Stream {
	s, ctx := st.s, st.ctx
	in = s.complete(ctx, in)
	if st.err = in.err; st.err != nil {
		return st
	}
	if in.resume {
		return st.attach()
	}
	if in.keyed {
		return st.beginAgain(in)
	}
	// Follow before anything is said, so that nothing of the answer is missed.
	if st.follow, st.err = s.rt.host.Follow(ctx, s.key, host.FromNow); st.err != nil {
		return st
	}
	st.forget = context.AfterFunc(ctx, st.follow.Close)
	if head, err := s.rt.store.Head(ctx, s.key); err != nil {
		st.err = fmt.Errorf("session %s: %w", s.ID(), err)
	} else {
		st.err = st.identify(head.Seq, head.Status == kernel.StatusRunning || head.Status == kernel.StatusAwaiting)
	}
	if st.err == nil {
		st.say(in)
	}
	return st
}

// beginAgain says something that may have been said before: what came of it then
// is followed from the moment at which it was first heard.
func (st *Stream) beginAgain(in Input) *Stream {
	s, ctx := st.s, st.ctx
	var first uint64
	if first = st.say(in); st.err != nil {
		return st
	}
	run := st.fold.Run
	if st.err = st.identify(first-1, true); st.err != nil {
		return st
	}
	st.fold.Run = max(st.fold.Run, run)
	if st.follow, st.err = s.rt.host.Follow(ctx, s.key, first-1); st.err == nil {
		st.forget = context.AfterFunc(ctx, st.follow.Close)
	}
	return st
}

// say sends the commands of an input and returns the frame that took the last
// of them.
func (st *Stream) say(in Input) uint64 {
	var answer kernel.Answer
	for i := range in.commands {
		if answer, st.err = st.s.rt.host.Send(st.ctx, st.s.key, in.commands[i]); st.err != nil {
			break
		}
		st.run, st.fold.Run = answer.Run, answer.Run
		if answer.Code == kernel.CodeQueued {
			st.run++ // it starts when the one before has ended
		}
	}
	return uint64(max(answer.Seq, 1))
}

// identify folds what came before in silence: of a session between two runs its
// first frame, which says whose it is; of one in the middle of a run all of it,
// because what follows belongs to what was.
func (st *Stream) identify(last uint64, all bool) error {
	for f, err := range st.s.rt.store.Read(st.ctx, st.s.key, 1) {
		var facts []kernel.Fact
		if err == nil {
			facts, err = decodeFacts(f.Data)
		}
		for _, fact := range facts {
			if err == nil {
				var events []view.Event
				var notices []view.Notice
				events, notices, err = st.tell.tell(host.Event{Seq: f.Seq, Time: f.Time, Fact: fact})
				if f.Seq == 1 {
					st.first = append(st.first, events...)
					for i := range notices {
						st.onNotice(notices[i])
					}
				}
			}
		}
		if err != nil {
			return fmt.Errorf("session %s: %w", st.s.ID(), err)
		}
		if f.Seq >= last || !all {
			break
		}
	}
	return nil
}

// Events yields the execution's events. It may be called once; breaking the
// loop leaves the execution as it is.
func (st *Stream) Events() iter.Seq2[view.Event, error] {
	return func(yield func(view.Event, error) bool) {
		st.heard = true
		if st.err != nil {
			if st.follow != nil {
				st.forget()
				st.follow.Close()
			}
			yield(view.Event{}, st.err)
			return
		}
		if st.done {
			return
		}
		for len(st.first) > 0 {
			e := st.first[0]
			st.first = st.first[1:]
			if !yield(e, nil) {
				return
			}
		}
		if st.onNotice != nil {
			st.listen(yield)
			return
		}
		for e, err := range st.follow.Events(st.ctx) {
			if err != nil {
				st.err = err
				yield(view.Event{}, err)
				return
			}
			events, _, err := st.tell.tell(e)
			if !st.pass(e, events, err, yield) {
				return
			}
		}
	}
}

// listen is the loop of Events for whoever is told the library's events, too:
// those come from the session and from all that work for it.
func (st *Stream) listen(yield func(view.Event, error) bool) {
	c := newChorus(st.ctx, st.s, st.follow, 0, st.tell)
	defer c.close()
	for {
		said, err := c.next()
		if err != nil {
			st.err = err
			yield(view.Event{}, err)
			return
		}
		events, notices, err := c.hear(&said)
		for i := range notices {
			st.onNotice(notices[i])
		}
		if said.voice.parent == nil && !st.pass(said.event, events, err, yield) {
			return
		}
	}
}

// pass passes on the events that the fold has made of what the host tells, and
// reports whether there is more to come.
func (st *Stream) pass(e host.Event, events []view.Event, err error, yield func(view.Event, error) bool) bool {
	if err != nil {
		st.err = err
	}
	last := st.ends(e.Fact)
	for i := range events {
		if !yield(events[i], nil) {
			return false
		}
	}
	if last || st.err != nil {
		st.forget()
		st.follow.Close()
		return false
	}
	return true
}

// ends notes how the execution ended, if a fact says that it has.
func (st *Stream) ends(fact kernel.Fact) bool {
	switch f := fact.(type) {
	case *kernel.RunEnd:
		if f.Run < st.run {
			return false
		}
		st.finish(ExecuteResult{Status: f.Status, Error: f.Error, Cost: f.Cost, Report: st.fold.Report})
		return true
	case *kernel.Awaiting:
		if st.fold.Run < st.run {
			return false
		}
		st.finish(ExecuteResult{Status: kernel.StatusAwaiting, Pending: st.fold.Pending})
		return true
	default:
		return false
	}
}

func (st *Stream) finish(r ExecuteResult) {
	st.done = true
	r.Messages = st.fold.Messages[st.fold.RunStart:]
	st.result = r
}

// Result follows the execution to its end and returns how it ended. The error
// says why the execution could not be followed; a run that failed is a result.
func (st *Stream) Result() (*ExecuteResult, error) {
	// Whoever asks for the result first has no use for the events.
	st.tell.silent = !st.heard && st.onNotice == nil
	for _, err := range st.Events() {
		if err != nil {
			return nil, err
		}
	}
	if st.err != nil {
		return nil, st.err
	}
	return &st.result, nil
}
