package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

const (
	selectCommand = `SELECT position, digest, settled, answer, seal FROM inbox WHERE session = ? AND key = ?`
	insertCommand = `
INSERT INTO inbox (session, position, key, digest, at, creates, kind, body, refs, seal)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

// Put implements [store.Inbox].
func (s *Store) Put(ctx context.Context, key journal.Key, item store.Item) (store.Ticket, error) {
	if err := item.Check(key); err != nil {
		return store.Ticket{}, s.wrap("put into", key, err)
	}
	digest := item.Digest()
	var ticket store.Ticket
	err := s.write(ctx, "put into", key, func(c *conn) (err error) {
		ticket, err = putItem(c, key, &item, digest)
		return err
	})
	if err != nil {
		return store.Ticket{}, err
	}
	if !ticket.Repeated {
		s.bells.ring(key)
	}
	return ticket, nil
}

func putItem(c *conn, key journal.Key, item *store.Item, digest journal.Ref) (store.Ticket, error) {
	ss, err := findSession(c, key)
	if errors.Is(err, store.ErrNotFound) && item.Create {
		ss, err = createSession(c, key, item.At)
	}
	if err != nil {
		return store.Ticket{}, err
	}
	r, err := c.one(selectCommand, ss.id, item.Key)
	if err != nil {
		return store.Ticket{}, fmt.Errorf("look for command: %w", err)
	}
	if r != nil {
		ticket, err := readTicket(r)
		if err == nil && r.ref(1) != digest {
			err = store.ErrKeyReused
		}
		if err != nil {
			return store.Ticket{}, err
		}
		ticket.Repeated = true
		return ticket, nil
	}
	position := ss.position + 1
	refs := make([]byte, 0, len(item.Blobs)*len(digest))
	for i := range item.Blobs {
		refs = append(refs, item.Blobs[i].Ref[:]...)
	}
	if err := new(pack).stow(c, key.Tenant, ss.id, item.Blobs); err != nil {
		return store.Ticket{}, err
	}
	if _, err := c.exec(insertCommand, ss.id, position, item.Key, digest, item.At, item.Create,
		item.Record.Kind, item.Record.Body, refs, seal(position, digest[:], int64(0), nil)); err != nil {
		return store.Ticket{}, fmt.Errorf("write command: %w", err)
	}
	ss.position, ss.updated = position, max(ss.updated, item.At)
	if !ss.pending {
		ss.pending, ss.pendingAt = true, item.At
	}
	if err := ss.save(c); err != nil {
		return store.Ticket{}, err
	}
	return store.Ticket{Position: position}, nil
}

// readTicket reads a row of selectCommand.
func readTicket(r row) (store.Ticket, error) {
	ticket := store.Ticket{Position: r.uint(0), Settled: r.int(2) != 0, Answer: r.bytes(3)}
	if err := unbroken(r.bytes(4), r[0], r[1], r[2], r[3]); err != nil {
		return store.Ticket{}, fmt.Errorf("command %d: %w", ticket.Position, err)
	}
	return ticket, nil
}

// settle gives pending commands their answers.
func settle(c *conn, ss *session, answers []store.Answer) error {
	const (
		find   = `SELECT digest FROM inbox WHERE session = ? AND position = ? AND settled = 0`
		answer = `
UPDATE inbox SET settled = 1, answer = ?, kind = '', body = x'', refs = x'', seal = ?
WHERE session = ? AND position = ? AND settled = 0`
		next = `SELECT at FROM inbox WHERE session = ? AND settled = 0 ORDER BY position LIMIT 1`
	)
	for _, a := range answers {
		r, err := c.one(find, ss.id, a.Position)
		if err == nil && r == nil {
			err = store.ErrNotFound
		}
		if err != nil {
			return fmt.Errorf("pending command %d: %w", a.Position, err)
		}
		body := append([]byte{}, a.Body...) // not NULL
		if _, err := c.exec(answer, body, seal(a.Position, r[0], int64(1), body), ss.id, a.Position); err != nil {
			return fmt.Errorf("settle command %d: %w", a.Position, err)
		}
	}
	if len(answers) == 0 {
		return nil
	}
	r, err := c.one(next, ss.id)
	if err != nil {
		return fmt.Errorf("look for pending commands: %w", err)
	}
	if ss.pending, ss.pendingAt = r != nil, 0; ss.pending {
		ss.pendingAt = r.int(0)
	}
	return nil
}

// Pending implements [store.Inbox]. A limit below one is no limit.
func (s *Store) Pending(ctx context.Context, key journal.Key, limit int) ([]store.Item, error) {
	var items []store.Item
	err := s.read(ctx, "pending of", key, func(c *conn) (err error) {
		items, err = pendingItems(c, key, limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	return items, nil
}

func pendingItems(c *conn, key journal.Key, limit int) ([]store.Item, error) {
	const query = `
SELECT position, key, at, creates, kind, body, refs, digest FROM inbox
WHERE session = ? AND settled = 0 ORDER BY position LIMIT ?`
	ss, err := findSession(c, key)
	if err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = -1
	}
	var items []store.Item
	var digests []journal.Ref
	err = c.each(query, func(r row) error {
		item := store.Item{
			Position: r.uint(0), Key: r.text(1), At: r.int(2), Create: r.int(3) != 0,
			Record: journal.Record{Kind: r.text(4), Body: r.bytes(5)},
		}
		for refs := r.bytes(6); len(refs) >= len(journal.Ref{}); refs = refs[len(journal.Ref{}):] {
			item.Blobs = append(item.Blobs, journal.Blob{Ref: journal.Ref(refs)})
		}
		items, digests = append(items, item), append(digests, r.ref(7))
		return nil
	}, ss.id, limit)
	if err != nil {
		return nil, fmt.Errorf("read commands: %w", err)
	}
	for i := range items {
		if items[i].Digest() != digests[i] {
			return nil, fmt.Errorf("%w: command %d is not what was put in", journal.ErrCorrupt, items[i].Position)
		}
		for j := range items[i].Blobs {
			b := &items[i].Blobs[j]
			if b.Data, err = readBlob(c, key, b.Ref); err != nil {
				return nil, fmt.Errorf("command %d: %w", items[i].Position, err)
			}
		}
	}
	return items, nil
}

// Ticket implements [store.Inbox].
func (s *Store) Ticket(ctx context.Context, key journal.Key, idempotencyKey string) (store.Ticket, error) {
	var ticket store.Ticket
	err := s.read(ctx, "ticket of", key, func(c *conn) error {
		ss, err := findSession(c, key)
		if err != nil {
			return err
		}
		r, err := c.one(selectCommand, ss.id, idempotencyKey)
		if err != nil {
			return err
		}
		if r == nil {
			return fmt.Errorf("command %.40q: %w", idempotencyKey, store.ErrNotFound)
		}
		ticket, err = readTicket(r)
		return err
	})
	return ticket, err
}
