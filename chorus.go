package aiagent

import (
	"context"
	"errors"
	"sync"

	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/view"
)

// chorus follows a session and every session that works for it, live (contract
// T14), and tells one listener, on the listener's goroutine, what they all say.
//
// Each session is followed by a goroutine of its own, a voice, which only passes
// on what it hears; what is heard is folded by the listener's goroutine. The
// order is kept where it matters: a voice speaks up after its parent has named
// it, and a parent tells of a child's end after the child has told everything.
// A slow listener holds the voices up; what they do not hear meanwhile they read
// from the store.
type chorus struct {
	rt     *Runtime
	ctx    context.Context //nolint:containedctx // ends with the call that it serves
	cancel context.CancelFunc
	wg     sync.WaitGroup
	said   chan said
	// failed says why the first voice could not go on; read it after silent.
	silent chan struct{}
	failed error
}

// said is one thing that a voice says.
type said struct {
	voice *voice
	event host.Event
}

// voice is one session of a chorus.
type voice struct {
	key    journal.Key
	follow *host.Follower
	parent *voice
	depth  int
	// after is the frame after which its children are followed, too.
	after uint64
	// cancel and done end a child's voice and say that it has ended.
	cancel context.CancelFunc
	done   chan struct{}
	// children are those at work, nil for one that is not followed yet. Only the
	// voice's own goroutine uses it.
	children map[string]*voice

	// narrator is the listener's.
	narrator *narrator

	mu sync.Mutex
	// next is the first frame that has not been told whole. reached, while
	// somebody waits for it, is closed when frame wanted has been.
	next, wanted uint64
	reached      chan struct{}
}

// maxVoices bounds how deep children are followed. The host refuses chains of
// agents long before.
const maxVoices = 16

// errSilent is why nothing more is heard of a session when nothing else is.
var errSilent = errors.New("the session tells no more")

// newChorus begins with a session that is followed already. Its children are
// followed when they are at work after a frame. Close the chorus when done; that
// also ends the following of the session.
func newChorus(ctx context.Context, s *Session, follow *host.Follower, after uint64, n *narrator) *chorus {
	c := &chorus{rt: s.rt, said: make(chan said, 16), silent: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancel(ctx)
	v := &voice{key: s.key, follow: follow, after: after, narrator: n}
	c.wg.Go(func() {
		defer close(c.silent)
		c.failed = c.sing(c.ctx, v)
	})
	return c
}

// close ends every voice and waits for it.
func (c *chorus) close() {
	c.cancel()
	c.wg.Wait()
}

// next returns what is said next, an error when nothing more will be.
func (c *chorus) next() (said, error) {
	select {
	case s := <-c.said:
		return s, nil
	default:
	}
	select {
	case s := <-c.said:
		return s, nil
	case <-c.silent:
		select {
		case s := <-c.said:
			return s, nil
		default:
			return said{}, c.failed
		}
	}
}

// sing passes on what one session tells, and begins its children's voices.
func (c *chorus) sing(ctx context.Context, v *voice) error {
	defer v.follow.Close()
	for e, err := range v.follow.Events(ctx) {
		if err != nil {
			return err
		}
		switch f := e.Fact.(type) {
		case *kernel.ChildEnd:
			c.settle(v, f.Session)
		case *kernel.Awaiting:
			// Whoever listens may stop here, and what children wait for is theirs
			// to tell.
			for _, child := range v.children {
				c.catchUp(child)
			}
		}
		select {
		case c.said <- said{v, e}:
		case <-ctx.Done():
			return context.Cause(ctx) //nolint:wrapcheck // as it was given
		}
		c.noteChildren(v, &e)
		if v.parent != nil && v.finished(&e) {
			return nil
		}
	}
	return errSilent
}

// noteChildren begins the voices of children, of those that were at work when
// the listening began as soon as that moment is reached.
func (c *chorus) noteChildren(v *voice, e *host.Event) {
	switch f := e.Fact.(type) {
	case *kernel.ToolStart:
		v.named(f.Child)
	case *kernel.StageStart:
		v.named(f.Child)
	case *kernel.RunEnd:
		// Who is still at work was let go; its voice goes on by itself.
		clear(v.children)
	}
	if len(v.children) == 0 || e.Seq < v.after || e.Seq == v.after && !e.Last {
		return
	}
	for session, child := range v.children {
		if child == nil {
			v.children[session] = c.begin(v, session)
		}
	}
}

func (v *voice) named(child string) {
	if child == "" {
		return
	}
	if v.children == nil {
		v.children = make(map[string]*voice)
	}
	v.children[child] = nil
}

// begin follows a child. One that cannot be followed is read from its journal
// when it has ended.
func (c *chorus) begin(parent *voice, session string) *voice {
	v := &voice{
		key: journal.Key{Tenant: parent.key.Tenant, Session: session}, parent: parent, depth: parent.depth + 1, next: 1,
		done: make(chan struct{}),
	}
	var ctx context.Context
	ctx, v.cancel = context.WithCancel(c.ctx)
	var err error
	if v.depth < maxVoices {
		v.follow, err = c.rt.host.Expect(ctx, v.key)
	}
	if v.follow == nil || err != nil {
		v.cancel()
		close(v.done)
		return v
	}
	c.wg.Go(func() {
		defer close(v.done)
		defer v.cancel()
		_ = c.sing(ctx, v) // what is missing is in the journal
	})
	return v
}

// settle lets a child that has ended tell the rest, and ends its voice.
func (c *chorus) settle(parent *voice, session string) {
	v := parent.children[session]
	delete(parent.children, session)
	if v != nil {
		c.catchUp(v)
		v.cancel()
		<-v.done
	}
}

// catchUp waits until a child has told everything that it has done so far. What
// its parent hears of a child the child has done before, so that is in the
// store. A child that never came to be has nothing to tell.
func (c *chorus) catchUp(v *voice) {
	if v == nil {
		return
	}
	last := c.lastFact(v)
	v.mu.Lock()
	if v.next > last {
		v.mu.Unlock()
		return
	}
	reached := make(chan struct{})
	v.wanted, v.reached = last, reached
	v.mu.Unlock()
	select {
	case <-reached:
	case <-v.done:
	}
}

// lastFact is the last frame of a child that tells anything and has not been
// told, zero for none. Most often there is none, and little is read.
func (c *chorus) lastFact(v *voice) uint64 {
	v.mu.Lock()
	from := v.next
	v.mu.Unlock()
	last := uint64(0)
	for f, err := range c.rt.store.Read(c.ctx, v.key, from) {
		if err != nil {
			return 0
		}
		if facts, err := decodeFacts(f.Data); err == nil && len(facts) > 0 {
			last = f.Seq
		}
	}
	return last
}

// finished notes how far a child's voice has come and reports whether that is
// the end: a child has one run.
func (v *voice) finished(e *host.Event) bool {
	if _, end := e.Fact.(*kernel.RunEnd); end {
		return true
	}
	if e.Last && e.Fact != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.next = e.Seq + 1
		if v.reached != nil && v.next > v.wanted {
			close(v.reached)
			v.reached = nil
		}
	}
	return false
}

// hear folds what a voice says. The slices are valid until the next call.
func (c *chorus) hear(s *said) ([]view.Event, []view.Notice, error) {
	v := s.voice
	if v.narrator == nil {
		child := &Session{rt: c.rt, key: v.key}
		stream := view.NewStream(child.blobs(c.ctx))
		v.narrator = &narrator{stream: stream, notices: v.parent.narrator.notices.Child(stream, v.key.Session)}
	}
	events, notices, err := v.narrator.tell(s.event)
	if v.parent != nil {
		// What cannot be read of a child is missing in it, and no more than that.
		return nil, notices, nil
	}
	return events, notices, err
}
