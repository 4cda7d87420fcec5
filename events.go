package aiagent

import (
	"context"
	"iter"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/view"
)

// Notices tells the library's events of the session after frame number after
// (contract B3): output, thinking, progress, logs, accounts, the operation tree.
// They come from the journal and then as they happen, until ctx ends or the loop
// breaks. A message in progress is told from its beginning.
//
// Sessions that work for this one are told of as they do (contract T14), each in
// its own order and with its own meta: whoever shows the answer alone drops what
// is not the master's. Children that were at work at frame after are told from
// their beginning, those that had ended are not.
//
// The whole journal is folded, so that totals, tree and summaries are right
// wherever the telling starts.
func (s *Session) Notices(ctx context.Context, after uint64) iter.Seq2[view.Notice, error] {
	return func(yield func(view.Notice, error) bool) {
		follow, err := s.rt.host.Follow(ctx, s.key, 0)
		if err != nil {
			yield(view.Notice{}, err)
			return
		}
		n := newNarrator(view.NewStream(s.blobs(ctx)))
		n.stream.Include(s.journals(ctx))
		c := newChorus(ctx, s, follow, after, n)
		defer c.close()
		for {
			said, err := c.next()
			if err != nil {
				yield(view.Notice{}, err)
				return
			}
			_, notices, err := c.hear(&said)
			if e := &said.event; said.voice.parent == nil && (e.Seq <= after && e.Delta == nil || e.Seq < after) {
				continue // history; what cannot be read of it is not missed
			}
			for i := range notices {
				if !yield(notices[i], nil) {
					return
				}
			}
			if err != nil {
				yield(view.Notice{}, err)
				return
			}
		}
	}
}

// Events tells the session's events after frame number after (contract S2), from
// the journal and then as they happen, until ctx ends or the loop breaks. What
// came before is folded in silence, so that whoever comes back is told what it
// missed and nothing else.
func (s *Session) Events(ctx context.Context, after uint64) iter.Seq2[view.Event, error] {
	return func(yield func(view.Event, error) bool) {
		n := &narrator{stream: view.NewStream(s.blobs(ctx))}
		n.stream.Brief = true
		for e, err := range s.rt.host.Events(ctx, s.key, 0) {
			var events []view.Event
			if err == nil {
				events, _, err = n.tell(e)
			}
			if err == nil && (e.Seq < after || e.Seq == after && e.Delta == nil) {
				continue
			}
			for i := range events {
				if !yield(events[i], nil) {
					return
				}
			}
			if err != nil {
				yield(view.Event{}, err)
				return
			}
		}
	}
}

// narrator folds what a host tells of a session, once, into both streams; where
// nobody wants the notices there are none.
type narrator struct {
	stream  *view.Stream
	notices *view.Notices
	// silent says that nobody wants to hear anything: only the session is folded.
	silent bool
}

// newNarrator begins where the stream is.
func newNarrator(s *view.Stream) *narrator { return &narrator{stream: s, notices: view.NewNotices(s)} }

// tell folds one thing that the host tells. The slices are valid until the next
// call.
func (n *narrator) tell(e host.Event) ([]view.Event, []view.Notice, error) {
	switch {
	case n.silent && e.Delta != nil:
		return nil, nil, nil
	case n.silent:
		return nil, nil, n.stream.Apply(e.Time, e.Fact) //nolint:wrapcheck // it names the session
	case e.Delta != nil && e.Delta.LLM != nil:
		events := n.stream.Shown(e.Seq, e.Delta.Effect, dialect.Shown{Delta: *e.Delta.LLM, Answer: e.Delta.Answer})
		if n.notices == nil {
			return events, nil, nil
		}
		return events, n.notices.Delta(events), nil
	case e.Delta != nil:
		return n.stream.ToolDelta(e.Seq, e.Delta.CallID, e.Delta.Text), nil, nil
	default:
		events, err := n.stream.Fact(e.Seq, e.Time, e.Fact)
		if n.notices == nil {
			return events, nil, err //nolint:wrapcheck // it names the session
		}
		return events, n.notices.Fact(e.Seq, e.Time, e.Fact, events), err
	}
}
