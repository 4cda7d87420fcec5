package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// Append implements [store.Journal].
func (s *Store) Append(ctx context.Context, key journal.Key, batch store.Batch) error {
	// Hashed here, not in the transaction: the leader works for everybody.
	if err := batch.Check(); err != nil {
		return s.wrap("append to", key, err)
	}
	digests := make([]journal.Ref, len(batch.Letters))
	for i := range batch.Letters {
		digests[i] = batch.Letters[i].Item.Digest()
	}
	err := s.write(ctx, "append to", key, func(c *conn) error {
		if err := appendBatch(c, key, &batch); err != nil {
			return err
		}
		return sendLetters(c, key.Tenant, batch.Letters, digests)
	})
	if err != nil {
		return err
	}
	if len(batch.Frames) > 0 {
		s.bells.ring(key)
	}
	for i := range batch.Letters {
		s.bells.ring(journal.Key{Tenant: key.Tenant, Session: batch.Letters[i].To})
	}
	return nil
}

// sendLetters puts commands to other sessions into their inboxes.
func sendLetters(c *conn, tenant string, letters []store.Letter, digests []journal.Ref) error {
	for i := range letters {
		l := &letters[i]
		_, err := putItem(c, journal.Key{Tenant: tenant, Session: l.To}, &l.Item, digests[i])
		if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrKeyReused) {
			return fmt.Errorf("letter to %s: %w", l.To, err)
		}
	}
	return nil
}

const (
	insertFrame = `INSERT INTO frame (session, seq, time, hash, prev, data, pack) VALUES (?, ?, ?, ?, ?, ?, ?)`
	saveState   = `
INSERT INTO state (session, seq, data, seal) VALUES (?, ?, ?, ?)
ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, data = excluded.data, seal = excluded.seal`
)

// appendBatch writes a batch whose hashes have been checked. It may stop
// half-way: the transaction, or the savepoint around it, takes back the rest.
func appendBatch(c *conn, key journal.Key, batch *store.Batch) error {
	ss, err := findSession(c, key)
	if err != nil {
		return err
	}
	if !batch.Lease.Holds(ss.lease()) {
		return store.ErrFenced
	}
	if err := ss.tail.Follow(batch.Frames); err != nil {
		return err
	}
	if err := settle(c, &ss, batch.Answers); err != nil {
		return err
	}
	if err := writeFrames(c, key.Tenant, ss.id, batch); err != nil {
		return err
	}
	if err := inherit(c, key.Tenant, ss.id, &batch.Inherit); err != nil {
		return err
	}
	ss.summarize(&batch.Summary)
	ss.updated = max(ss.updated, ss.tail.Time)
	if err := ss.save(c); err != nil {
		return err
	}
	if batch.State != nil {
		if _, err := c.exec(saveState, ss.id, ss.tail.Seq, batch.State, seal(ss.id, ss.tail.Seq, batch.State)); err != nil {
			return fmt.Errorf("save state: %w", err)
		}
	}
	return nil
}

// writeFrames writes frames and blobs.
func writeFrames(c *conn, tenant string, session int64, batch *store.Batch) error {
	var p pack
	if len(batch.Frames) > 0 {
		p.room = largestPack
	}
	if err := p.stow(c, tenant, session, batch.Blobs); err != nil {
		return err
	}
	for i := range batch.Frames {
		f := &batch.Frames[i]
		var data any
		if i == 0 && len(p.pieces) > 0 {
			data = p.data
		}
		id, err := c.insert(insertFrame, session, f.Seq, f.Time, f.Hash, f.Prev, f.Data, data)
		if err != nil {
			return fmt.Errorf("write frame %d: %w", f.Seq, err)
		}
		if i == 0 {
			if err := p.note(c, tenant, session, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// Head implements [store.Journal].
func (s *Store) Head(ctx context.Context, key journal.Key) (store.Head, error) {
	const query = `
SELECT ` + sessionColumns + `, state.seq, state.data, state.seal
FROM session LEFT JOIN state ON state.session = session.id
WHERE tenant = ? AND name = ?`
	var h store.Head
	err := s.read(ctx, "head of", key, func(c *conn) error {
		r, err := c.one(query, key.Tenant, key.Session)
		if err != nil {
			return err
		}
		if r == nil {
			return store.ErrNotFound
		}
		ss, err := readSession(r)
		if err != nil {
			return err
		}
		h = ss.head()
		state := r[sessionWidth:]
		if state[0] == nil {
			return nil
		}
		h.StateSeq, h.State = state.uint(0), state.bytes(1)
		if err := unbroken(state.bytes(2), ss.id, h.StateSeq, h.State); err != nil {
			return fmt.Errorf("saved state: %w", err)
		}
		return nil
	})
	if err != nil {
		return store.Head{}, err
	}
	return h, nil
}
