package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// command is a place in an inbox. Once it is settled its content is in the
// journal and item is gone; digest and answer stay for whoever repeats it.
type command struct {
	position uint64
	digest   journal.Ref
	item     *store.Item
	answer   []byte
}

func (c *command) ticket(repeated bool) store.Ticket {
	return store.Ticket{
		Position: c.position, Repeated: repeated,
		Settled: c.item == nil, Answer: slices.Clone(c.answer),
	}
}

// Put implements [store.Inbox].
func (s *Store) Put(ctx context.Context, key journal.Key, item store.Item) (store.Ticket, error) {
	if err := ctx.Err(); err != nil {
		return store.Ticket{}, fmt.Errorf("put into %s: %w", key, err)
	}
	if err := item.Check(key); err != nil {
		return store.Ticket{}, fmt.Errorf("put into %s: %w", key, err)
	}
	digest := item.Digest()

	s.mu.Lock()
	defer s.mu.Unlock()
	return s.put(key, &item, digest)
}

// put stores a command that has been checked. The lock is held.
func (s *Store) put(key journal.Key, item *store.Item, digest journal.Ref) (store.Ticket, error) {
	ss, err := s.session(key)
	if errors.Is(err, store.ErrNotFound) && item.Create {
		ss, err = s.create(key, item.At), nil
	}
	if err != nil {
		return store.Ticket{}, fmt.Errorf("put: %w", err)
	}
	if c := ss.commands[item.Key]; c != nil {
		if c.digest != digest {
			return store.Ticket{}, fmt.Errorf("put into %s: %w", key, store.ErrKeyReused)
		}
		return c.ticket(true), nil
	}
	p := newPack(ss.missing(item.Blobs))
	ss.hold(&p, item.Blobs)
	ss.position++
	ss.updated = max(ss.updated, item.At)
	c := &command{position: ss.position, digest: digest, item: ss.keep(item)}
	ss.commands[item.Key] = c
	ss.pending = append(ss.pending, c)
	s.note(ss)
	ss.ring()
	return c.ticket(false), nil
}

// keep copies a command. Its blobs are the session's by now: the stored bytes
// serve for both.
func (ss *session) keep(item *store.Item) *store.Item {
	kept := *item
	kept.Position = ss.position
	kept.Record.Body = slices.Clone(item.Record.Body)
	kept.Blobs = slices.Clone(item.Blobs)
	for i := range kept.Blobs {
		kept.Blobs[i].Data = ss.blobs[kept.Blobs[i].Ref].data
	}
	return &kept
}

// Pending implements [store.Inbox]. A limit below one is no limit.
func (s *Store) Pending(ctx context.Context, key journal.Key, limit int) ([]store.Item, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("pending of %s: %w", key, err)
	}
	items, err := s.waiting(key, limit)
	if err != nil {
		return nil, fmt.Errorf("pending: %w", err)
	}
	for i := range items {
		it := &items[i]
		if err := store.CheckBlobs(it.Blobs); err != nil {
			return nil, fmt.Errorf("pending of %s: command %d: %w", key, it.Position, err)
		}
		it.Record.Body = slices.Clone(it.Record.Body)
		it.Blobs = slices.Clone(it.Blobs)
		for j := range it.Blobs {
			it.Blobs[j].Data = slices.Clone(it.Blobs[j].Data)
		}
	}
	return items, nil
}

// waiting returns pending commands that still share their bytes with the
// store.
func (s *Store) waiting(key journal.Key, limit int) ([]store.Item, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ss, err := s.session(key)
	if err != nil {
		return nil, err
	}
	n := len(ss.pending)
	if limit > 0 {
		n = min(n, limit)
	}
	items := make([]store.Item, n)
	for i, c := range ss.pending[:n] {
		items[i] = *c.item
	}
	return items, nil
}

// Ticket implements [store.Inbox].
func (s *Store) Ticket(ctx context.Context, key journal.Key, idempotencyKey string) (store.Ticket, error) {
	if err := ctx.Err(); err != nil {
		return store.Ticket{}, fmt.Errorf("ticket of %s: %w", key, err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	ss, err := s.session(key)
	if err != nil {
		return store.Ticket{}, fmt.Errorf("ticket: %w", err)
	}
	c := ss.commands[idempotencyKey]
	if c == nil {
		return store.Ticket{}, fmt.Errorf("ticket of %s: command %.40q: %w", key, idempotencyKey, store.ErrNotFound)
	}
	return c.ticket(false), nil
}

// settles checks that answers are for commands that are pending, each once.
func (ss *session) settles(answers []store.Answer) error {
	for i, a := range answers {
		_, found := ss.place(a.Position)
		twice := slices.ContainsFunc(answers[:i], func(b store.Answer) bool { return b.Position == a.Position })
		if !found || twice {
			return fmt.Errorf("pending command %d: %w", a.Position, store.ErrNotFound)
		}
	}
	return nil
}

// settle gives a pending command its answer.
func (ss *session) settle(position uint64, answer []byte) {
	i, _ := ss.place(position)
	c := ss.pending[i]
	c.item, c.answer = nil, answer
	ss.pending = slices.Delete(ss.pending, i, i+1)
}

// place finds a command among the pending ones.
func (ss *session) place(position uint64) (int, bool) {
	return slices.BinarySearchFunc(ss.pending, position, func(c *command, p uint64) int {
		return cmp.Compare(c.position, p)
	})
}
