package sqlite

import (
	"context"
	"fmt"
	"iter"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// pageFrames is how many frames are fetched at a time.
const pageFrames = 64

// Read implements [store.Journal]. Where the session ends is looked up in the
// call; frames are then fetched page by page, and nothing is held in between,
// so that a slow reader keeps nobody from tidying up.
func (s *Store) Read(ctx context.Context, key journal.Key, from uint64) iter.Seq2[store.Frame, error] {
	from = max(from, 1)
	var ss session
	err := s.read(ctx, "read", key, func(c *conn) (err error) {
		ss, err = findSession(c, key)
		return err
	})
	return func(yield func(store.Frame, error) bool) {
		if err != nil {
			yield(store.Frame{}, err)
			return
		}
		at := reading{id: ss.id, next: from, last: ss.tail.Seq}
		if from == 1 {
			at.prev = journal.Genesis(key)
		}
		for at.next <= at.last {
			var page []store.Frame
			err := s.read(ctx, "read", key, func(c *conn) (err error) {
				page, err = at.page(c)
				return err
			})
			if err != nil {
				yield(store.Frame{}, err)
				return
			}
			for _, f := range page {
				if err := ctx.Err(); err != nil {
					yield(store.Frame{}, s.wrap("read", key, err))
					return
				}
				if !yield(f, nil) {
					return
				}
			}
		}
	}
}

// reading is a place in a journal.
type reading struct {
	id         int64
	next, last uint64
	prev       journal.Ref // zero: not known
}

// page fetches the next frames, at least one, and checks each: that its hash
// is its data's, and that it follows the one before.
func (at *reading) page(c *conn) ([]store.Frame, error) {
	const query = `
SELECT seq, time, hash, prev, data FROM frame
WHERE session = ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT ?`
	var page []store.Frame
	err := c.each(query, func(r row) error {
		f := readFrame(r)
		if err := f.Check(); err != nil {
			return err
		}
		switch {
		case f.Seq != at.next:
			return fmt.Errorf("%w: frame %d is missing", journal.ErrCorrupt, at.next)
		case !at.prev.IsZero() && f.Prev != at.prev:
			return fmt.Errorf("%w: frame %d does not follow the one before it", journal.ErrCorrupt, f.Seq)
		}
		at.next, at.prev = f.Seq+1, f.Hash
		page = append(page, f)
		return nil
	}, at.id, at.next, at.last, pageFrames)
	if err != nil || len(page) > 0 {
		return page, err
	}
	// Nothing is there: the session was deleted meanwhile, or rows are lost.
	r, err := c.one("SELECT 1 FROM session WHERE id = ?", at.id)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, fmt.Errorf("session was deleted while it was read: %w", store.ErrNotFound)
	}
	return nil, fmt.Errorf("%w: frame %d is missing", journal.ErrCorrupt, at.next)
}
