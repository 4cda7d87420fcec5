package sqlite

import (
	"context"
	"iter"
	"time"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// Watch implements [store.Index].
func (s *Store) Watch(ctx context.Context, key journal.Key) iter.Seq2[store.Change, error] {
	return func(yield func(store.Change, error) bool) {
		b := s.bells.join(key)
		defer s.bells.leave(key)
		var last store.Change
		for first := true; ctx.Err() == nil; {
			rung := s.bells.listen(b) // before the look, so that nothing is missed
			change, err := s.look(ctx, key)
			if err == nil && !first && change == last {
				if err = s.wait(ctx, rung); err == nil {
					continue
				}
			}
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				yield(store.Change{}, err)
				return
			case !yield(change, nil):
				return
			}
			first, last = false, change
		}
	}
}

// look tells where a session stands.
func (s *Store) look(ctx context.Context, key journal.Key) (store.Change, error) {
	var change store.Change
	err := s.read(ctx, "watch", key, func(c *conn) error {
		ss, err := findSession(c, key)
		change = store.Change{Seq: ss.tail.Seq, Position: ss.position}
		return err
	})
	return change, err
}

// poller asks the file whether other processes have written. It has no
// goroutine: whoever of the waiting watchers has the turn does the asking, for
// all of them.
type poller struct {
	interval time.Duration
	turn     chan struct{}

	// These belong to whoever has the turn. The version means something only
	// on the connection that told it.
	conn    *conn
	version int64
}

// wait returns when the bell has rung or ctx has ended.
func (s *Store) wait(ctx context.Context, rung <-chan struct{}) error {
	select {
	case <-rung:
		return nil
	case <-ctx.Done():
		return nil
	case s.poll.turn <- struct{}{}:
	}
	defer func() { <-s.poll.turn }()
	timer := time.NewTimer(s.poll.interval) //nolint:forbidigo // paces a question to the file; no data depends on it
	defer timer.Stop()
	for {
		select {
		case <-rung:
			return nil
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		if err := s.call("poll for changes", journal.Key{}, s.ask); err != nil {
			return err
		}
		timer.Reset(s.poll.interval)
	}
}

// ask rings all bells if somebody has written since it was last called. Our
// own writes count too: the connection is not the writer's. That costs every
// watcher a look now and then, and no more.
func (s *Store) ask() error {
	p := &s.poll
	if p.conn == nil {
		var err error
		if p.conn, err = s.pool.dial(); err != nil {
			return err
		}
	}
	r, err := p.conn.one("PRAGMA data_version")
	if err != nil {
		return err
	}
	if version := r.int(0); version != p.version {
		p.version = version
		s.bells.ringAll()
	}
	return nil
}
