package host

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/store"
)

// Event is something that a subscriber is told: a fact, which is durable, or a
// delta, which is not.
type Event struct {
	// Seq is the fact's frame, or the last frame before a delta.
	Seq  uint64
	Time int64
	// Index is the fact's place in its frame; Last marks the frame's last one.
	Index int
	Last  bool
	Fact  kernel.Fact
	Delta *Delta
}

// Delta is a piece of something in progress. It belongs to an effect; when the
// effect's attempt is not accepted, its deltas are to be forgotten.
type Delta struct {
	Effect string
	// LLM is a piece of a model's response; otherwise CallID and Text are a
	// piece of a tool's output.
	LLM *llm.Delta
	// Answer says that the text is part of the answer.
	Answer bool
	CallID string
	Text   string
}

// hub spreads one session's events. A subscriber that does not keep up loses
// deltas, never facts: those it reads from the store.
type hub struct {
	host *Host
	key  journal.Key
	// refs counts the actor and the subscribers; the host's mutex guards it.
	refs int

	mu   sync.Mutex
	subs map[*Follower]struct{}
	// effect is the attempt in progress and pieces what it has brought, one
	// delta a block, for subscribers that come in the middle.
	effect string
	pieces []progress
}

// progress is a block of a message in progress.
type progress struct {
	delta  llm.Delta
	answer bool
	text   []byte
}

// maxBuffered bounds what a slow subscriber makes us keep.
const maxBuffered = 4096

// Follower follows a session's events from the moment it was made, also those
// that happen before anybody asks for them.
type Follower struct {
	hub   *hub
	ready chan struct{}
	// next is the number of the next frame to tell; until is the last frame
	// that must be read from the store, because it was published before.
	next, until uint64
	// cut is the frame that is being read from the store, and told how many of
	// its facts have been told: whoever breaks off goes on there.
	cut  uint64
	told int
	// expects says that the session may not be there yet.
	expects bool
	closed  sync.Once

	mu     sync.Mutex
	events []Event
	// spare is what was taken last; the next events go where it is.
	spare  []Event
	lagged bool
	// muted is the attempt whose deltas are withheld, because some were lost:
	// what was seen stays a beginning, and the end brings the rest.
	muted string
}

func (s *Follower) add(events ...Event) {
	s.mu.Lock()
	for _, e := range events {
		if e.Delta != nil && e.Delta.Effect == s.muted {
			continue
		}
		if len(s.events) >= maxBuffered {
			s.overflow(e)
			continue
		}
		s.events = append(s.events, e)
	}
	s.mu.Unlock()
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// overflow forgets what is queued: facts are in the store, and the attempt whose
// deltas are lost is muted. The mutex is held.
func (s *Follower) overflow(last Event) {
	for _, e := range append(s.events, last) {
		if e.Delta != nil {
			s.muted = e.Delta.Effect
		}
	}
	s.events, s.lagged = nil, true
}

func (s *Follower) take() (events []Event, lagged bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	events, lagged = s.events, s.lagged
	s.events, s.spare, s.lagged = s.spare[:0], s.events, false
	return events, lagged
}

// hub returns a session's hub; release gives it back.
func (h *Host) hub(key journal.Key) *hub {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.hubs[key]
	if b == nil {
		b = &hub{host: h, key: key, subs: make(map[*Follower]struct{})}
		h.hubs[key] = b
	}
	b.refs++
	return b
}

func (b *hub) release() {
	b.host.mu.Lock()
	defer b.host.mu.Unlock()
	if b.refs--; b.refs == 0 {
		delete(b.host.hubs, b.key)
	}
}

// FromNow as the frame number to follow after means: from this moment on.
const FromNow = math.MaxUint64

// Follow begins to follow a session after frame number after. A message in
// progress is told from its beginning. Close the follower when done.
func (h *Host) Follow(ctx context.Context, key journal.Key, after uint64) (*Follower, error) {
	s := h.subscribe(key)
	// What was before this moment is in the store; what comes after it will be
	// told to us. A frame that is both is told once.
	head, err := h.store.Head(ctx, key)
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("session %s: %w", key, err)
	}
	s.until, s.next = head.Seq, after+1
	if after == FromNow {
		s.next = head.Seq + 1
	}
	return s, nil
}

// Expect is [Host.Follow] from the first frame on for a session that may not be
// there yet: a parent tells of its child before the child is opened.
func (h *Host) Expect(ctx context.Context, key journal.Key) (*Follower, error) {
	s := h.subscribe(key)
	head, err := h.store.Head(ctx, key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		s.Close()
		return nil, fmt.Errorf("session %s: %w", key, err)
	}
	s.until, s.next, s.expects = head.Seq, 1, true
	return s, nil
}

func (h *Host) subscribe(key journal.Key) *Follower {
	b := h.hub(key)
	s := &Follower{hub: b, ready: make(chan struct{}, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs[s] = struct{}{}
	for i := range b.pieces {
		d := b.pieces[i].delta
		d.Text = string(b.pieces[i].text)
		s.add(Event{Delta: &Delta{Effect: b.effect, LLM: &d, Answer: b.pieces[i].answer}})
	}
	return s
}

// Close ends the following. It may be called more than once.
func (s *Follower) Close() {
	s.closed.Do(func() {
		s.hub.mu.Lock()
		delete(s.hub.subs, s)
		s.hub.mu.Unlock()
		s.hub.release()
	})
}

// publish tells the facts of a frame that is durable.
func (b *hub) publish(seq uint64, at int64, facts []kernel.Fact) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range facts {
		if end, ok := f.(*kernel.AttemptEnd); ok && end.Effect == b.effect {
			b.effect, b.pieces = "", nil
		}
	}
	if len(b.subs) == 0 {
		return
	}
	events := factEvents(seq, at, facts)
	for s := range b.subs {
		s.add(events...)
	}
}

func (b *hub) publishDelta(d *Delta) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if d.LLM != nil {
		b.note(d)
	}
	for s := range b.subs {
		s.add(Event{Delta: d})
	}
}

// goesOn reports whether a delta continues the piece.
func (p *progress) goesOn(d *Delta) bool {
	return p.delta.Block == d.LLM.Block && p.delta.Kind == d.LLM.Kind && p.answer == d.Answer
}

// note adds a delta to the message in progress.
func (b *hub) note(d *Delta) {
	if b.effect != d.Effect {
		b.effect, b.pieces = d.Effect, nil
	}
	n := len(b.pieces)
	if n == 0 || !b.pieces[n-1].goesOn(d) {
		b.pieces = append(b.pieces, progress{delta: *d.LLM, answer: d.Answer})
		n++
	}
	b.pieces[n-1].text = append(b.pieces[n-1].text, d.LLM.Text...)
}

func factEvents(seq uint64, at int64, facts []kernel.Fact) []Event {
	if len(facts) == 0 {
		// A frame that tells nothing still moves a subscriber on.
		return []Event{{Seq: seq, Time: at, Last: true}}
	}
	events := make([]Event, len(facts))
	for i, f := range facts {
		events[i] = Event{Seq: seq, Time: at, Index: i, Last: i == len(facts)-1, Fact: f}
	}
	return events
}

// Events yields a session's facts after frame number after, each once and in
// order, and between them the deltas that happen while it listens. It goes on
// until ctx ends, the loop breaks or the host closes.
func (h *Host) Events(ctx context.Context, key journal.Key, after uint64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f, err := h.Follow(ctx, key, after)
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer f.Close()
		for e, err := range f.Events(ctx) {
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Events yields what the follower has to tell: first what was before, from the
// store, then what happens. It goes on until ctx ends, the loop breaks or the
// host closes; asked again, it goes on where it was.
func (s *Follower) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f := &telling{Follower: s, ctx: ctx, yield: yield}
		if s.until >= s.next {
			if !f.catchUp(s.until) {
				return
			}
		}
		for {
			behind, err := s.wait(ctx)
			if err != nil {
				yield(Event{}, err)
				return
			}
			events, lagged := s.take()
			if (lagged || behind) && !f.catchUp(math.MaxUint64) {
				s.lag(events)
				return
			}
			for i, e := range events {
				if told, more := f.event(e); !more {
					if told {
						s.putBack(events[i+1:])
					} else {
						s.lag(events[i:])
					}
					return
				}
			}
		}
	}
}

// wait waits until something was published here. Where other processes share
// the store, it also looks there from time to time: behind says so.
func (s *Follower) wait(ctx context.Context) (behind bool, err error) {
	h := s.hub.host
	var poll <-chan time.Time
	if h.pollMS > 0 {
		fired, stop := h.clock.Timer(h.pollMS)
		defer stop()
		poll = fired
	}
	select {
	case <-s.ready:
		return false, nil
	case <-poll:
		return true, nil
	case <-ctx.Done():
		return false, fmt.Errorf("follow session %s: %w", s.hub.key, context.Cause(ctx))
	case <-h.ctx.Done():
		return false, ErrClosed
	}
}

// lag leaves events that were taken and not told to the store.
func (s *Follower) lag(events []Event) {
	s.mu.Lock()
	s.events, s.spare = append(slices.Clone(events), s.events...), nil
	s.overflow(Event{})
	s.mu.Unlock()
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// putBack returns events that were taken and not told.
func (s *Follower) putBack(events []Event) {
	s.mu.Lock()
	s.events, s.spare = append(slices.Clone(events), s.events...), nil
	s.mu.Unlock()
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// telling is one loop over a follower.
type telling struct {
	*Follower
	ctx   context.Context //nolint:containedctx // lives as long as the loop that it serves
	yield func(Event, error) bool
	// ended holds effects whose end was read from the store while their deltas
	// may still be queued: those came too late.
	ended map[string]bool
}

// event passes one queued event on, unless the store has told it already.
func (f *telling) event(e Event) (told, more bool) {
	switch {
	case e.Delta != nil:
		if f.ended[e.Delta.Effect] {
			return true, true
		}
		e.Seq = f.next - 1
	case e.Seq < f.next:
		return true, true
	case e.Seq > f.next:
		// Some were lost to a full queue; the store has them.
		if !f.catchUp(e.Seq - 1) {
			return false, false
		}
	}
	if e.Delta == nil {
		f.ended = nil // the queue has come as far as the store
		f.cut, f.told = e.Seq, e.Index+1
	}
	if e.Last {
		f.next = e.Seq + 1
	}
	return true, e.Delta == nil && e.Fact == nil || f.yield(e, nil)
}

// catchUp yields what the store has, from the next frame to the given one.
func (f *telling) catchUp(until uint64) bool {
	h, key := f.hub.host, f.hub.key
	fail := func(err error) bool {
		f.yield(Event{}, fmt.Errorf("session %s: read journal: %w", key, err))
		return false
	}
	if f.next > until {
		return true
	}
	for stored, err := range h.store.Read(f.ctx, key, f.next) {
		if f.expects && f.next == 1 && errors.Is(err, store.ErrNotFound) {
			return true
		}
		if err != nil {
			return fail(err)
		}
		frame, err := journal.DecodeFrame(stored.Data)
		if err != nil {
			return fail(err)
		}
		facts, err := kernel.DecodeFacts(&frame)
		if err != nil {
			return fail(err)
		}
		events := factEvents(stored.Seq, stored.Time, facts)
		if stored.Seq != f.cut {
			f.cut, f.told = stored.Seq, 0
		}
		for _, e := range events[f.told:] {
			f.note(e.Fact)
			f.told++
			if e.Fact != nil && !f.yield(e, nil) {
				return false
			}
		}
		f.next = stored.Seq + 1
		if stored.Seq >= until {
			break
		}
	}
	return true
}

func (f *telling) note(fact kernel.Fact) {
	var effect string
	switch fact := fact.(type) {
	case *kernel.AttemptEnd:
		effect = fact.Effect
	case *kernel.ToolEnd:
		effect = fact.Effect
	default:
		return
	}
	if f.ended == nil {
		f.ended = make(map[string]bool)
	}
	f.ended[effect] = true
}
