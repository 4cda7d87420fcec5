package memory

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// Append implements [store.Journal]. All checks come before the first change,
// so there is nothing to take back.
func (s *Store) Append(ctx context.Context, key journal.Key, batch store.Batch) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("append to %s: %w", key, err)
	}
	if err := batch.Check(); err != nil {
		return fmt.Errorf("append to %s: %w", key, err)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	ss, err := s.session(key)
	if err != nil {
		return fmt.Errorf("append: %w", err)
	}
	if !batch.Lease.Holds(ss.lease) {
		return fmt.Errorf("append to %s: %w", key, store.ErrFenced)
	}
	tail := ss.tail()
	if err := tail.Follow(batch.Frames); err != nil {
		return fmt.Errorf("append to %s: %w", key, err)
	}
	if err := ss.settles(batch.Answers); err != nil {
		return fmt.Errorf("append to %s: %w", key, err)
	}
	heritage, err := s.heritage(key.Tenant, &batch.Inherit)
	if err != nil {
		return fmt.Errorf("append to %s: %w", key, err)
	}
	ss.write(&batch)
	ss.inherit(heritage)
	s.note(ss)
	if len(batch.Frames) > 0 {
		ss.ring()
	}
	for i := range batch.Letters {
		l := &batch.Letters[i]
		// One that is not taken is left out.
		_, _ = s.put(journal.Key{Tenant: key.Tenant, Session: l.To}, &l.Item, l.Item.Digest())
	}
	return nil
}

// write stores a checked batch. Frames, answers and small blobs share one
// allocation; the state has a buffer that is written over.
func (ss *session) write(batch *store.Batch) {
	size := 0
	for i := range batch.Frames {
		size += len(batch.Frames[i].Data)
	}
	for i := range batch.Answers {
		size += len(batch.Answers[i].Body)
	}
	p := newPack(size + ss.missing(batch.Blobs))
	for i := range batch.Frames {
		f := &batch.Frames[i]
		ss.frames = append(ss.frames, frame{time: f.Time, hash: f.Hash, data: p.add(f.Data)})
		ss.updated = max(ss.updated, f.Time)
	}
	for i := range batch.Answers {
		a := &batch.Answers[i]
		ss.settle(a.Position, p.add(a.Body))
	}
	ss.hold(&p, batch.Blobs)
	ss.summary = batch.Summary
	if batch.State != nil {
		ss.state = append(ss.state[:0], batch.State...)
		ss.stateSeq = ss.seq()
	}
}

// Read implements [store.Journal].
func (s *Store) Read(ctx context.Context, key journal.Key, from uint64) iter.Seq2[store.Frame, error] {
	s.mu.RLock()
	ss, err := s.session(key)
	var frames []frame
	if err == nil {
		frames = ss.frames
	}
	s.mu.RUnlock()

	return func(yield func(store.Frame, error) bool) {
		if err != nil {
			yield(store.Frame{}, fmt.Errorf("read: %w", err))
			return
		}
		from = max(from, 1)
		for seq := from; seq <= uint64(len(frames)); seq++ {
			if err := ctx.Err(); err != nil {
				yield(store.Frame{}, fmt.Errorf("read %s: %w", key, err))
				return
			}
			f, prev := frames[seq-1], journal.Genesis(key)
			if seq > 1 {
				prev = frames[seq-2].hash
			}
			if !yield(store.Frame{Seq: seq, Time: f.time, Hash: f.hash, Prev: prev, Data: slices.Clone(f.data)}, nil) {
				return
			}
		}
	}
}

// Head implements [store.Journal].
func (s *Store) Head(ctx context.Context, key journal.Key) (store.Head, error) {
	if err := ctx.Err(); err != nil {
		return store.Head{}, fmt.Errorf("head of %s: %w", key, err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	ss, err := s.session(key)
	if err != nil {
		return store.Head{}, fmt.Errorf("head: %w", err)
	}
	h := ss.describe()
	h.State = slices.Clone(ss.state)
	return h, nil
}
