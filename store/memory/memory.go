// Package memory keeps sessions in this process: for tests, for tools that
// live no longer than their one session, and as the plainest reading of what
// package store asks for.
//
// One lock guards everything and is held for copying and map work only; what
// can be computed before it is taken, above all hashes, is. There is no
// goroutine and no clock. A watcher waits on a channel that exists only while
// somebody waits, so that sessions nobody watches cost nothing.
//
// What callers hand in is copied, and so is what they get back: nothing they
// do to their bytes later changes what is stored. "Durable" means until
// [Store.Close] or the end of the process.
package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// Store is an in-memory [store.Store].
type Store struct {
	mu       sync.RWMutex
	closed   bool
	sessions map[journal.Key]*session
	tenants  map[string]*tenant
	accounts map[accountKey]*account
	// wanting holds the sessions that Due must look at: those with a timer, a
	// pending command or open work. Idle ones, by far the most, are not there.
	wanting map[*session]struct{}
	// token counts leases over all sessions, so that the lease of a deleted
	// session can never pass for one of its successor with the same name.
	token uint64
}

var _ store.Store = (*Store)(nil)

// New returns an empty store.
func New() *Store {
	return &Store{
		sessions: make(map[journal.Key]*session),
		tenants:  make(map[string]*tenant),
		accounts: make(map[accountKey]*account),
		wanting:  make(map[*session]struct{}),
	}
}

// Close forgets everything and ends all watches. Closing twice is no error.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, ss := range s.sessions {
		ss.ring()
	}
	s.sessions, s.tenants, s.accounts, s.wanting = nil, nil, nil, nil
	return nil
}

// tenant is what sessions of one tenant share.
type tenant struct {
	blobs map[journal.Ref]*blob
	// order has the sessions from the oldest to the newest, see byAge.
	order []*session
}

// session is one session. Its fields are guarded by the store's lock; frame
// data, blob data and command records are never written again once they are
// in, so that readers may use them after the lock is gone.
type session struct {
	key      journal.Key
	tenant   *tenant
	created  int64
	updated  int64
	summary  store.Summary
	frames   []frame
	blobs    map[journal.Ref]*blob
	commands map[string]*command
	pending  []*command
	position uint64
	lease    store.Lease
	state    []byte
	stateSeq uint64
	changed  chan struct{}
}

// frame is a [store.Frame] without what follows from its place: its number is
// its index and its predecessor's hash is there already.
type frame struct {
	time int64
	hash journal.Ref
	data []byte
}

// session finds a session; the lock is held.
func (s *Store) session(key journal.Key) (*session, error) {
	if s.closed {
		return nil, store.ErrClosed
	}
	ss := s.sessions[key]
	if ss == nil {
		return nil, fmt.Errorf("session %s: %w", key, store.ErrNotFound)
	}
	return ss, nil
}

// create makes a session; the lock is held.
func (s *Store) create(key journal.Key, at int64) *session {
	tn := s.tenants[key.Tenant]
	if tn == nil {
		tn = &tenant{blobs: make(map[journal.Ref]*blob)}
		s.tenants[key.Tenant] = tn
	}
	ss := &session{
		key: key, tenant: tn, created: at, updated: at,
		blobs:    make(map[journal.Ref]*blob),
		commands: make(map[string]*command),
	}
	s.sessions[key] = ss
	// Time mostly grows, so this is mostly an append.
	i, _ := slices.BinarySearchFunc(tn.order, ss, byAge)
	tn.order = slices.Insert(tn.order, i, ss)
	return ss
}

// byAge orders sessions of a tenant: the older first, and by name when two
// are of the same age.
func byAge(a, b *session) int {
	return cmp.Or(cmp.Compare(a.created, b.created), strings.Compare(b.key.Session, a.key.Session))
}

// Delete implements [store.Journal].
func (s *Store) Delete(ctx context.Context, key journal.Key) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ss, err := s.session(key)
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	for ref, b := range ss.blobs {
		b.holders--
		if b.holders == 0 {
			delete(ss.tenant.blobs, ref)
		} else if len(b.data) <= packed {
			// It may lie in a pack that this session brought: move it out, or
			// it would keep the whole pack in memory.
			b.data = slices.Clone(b.data)
		}
	}
	i, _ := slices.BinarySearchFunc(ss.tenant.order, ss, byAge)
	ss.tenant.order = slices.Delete(ss.tenant.order, i, i+1)
	if len(ss.tenant.order) == 0 {
		delete(s.tenants, key.Tenant)
	}
	delete(s.sessions, key)
	delete(s.wanting, ss)
	ss.ring()
	return nil
}

// note keeps the set of wanting sessions right; the lock is held.
func (s *Store) note(ss *session) {
	if ss.summary.Active || ss.summary.WakeAt != 0 || len(ss.pending) > 0 {
		s.wanting[ss] = struct{}{}
	} else {
		delete(s.wanting, ss)
	}
}

// seq is the number of the last frame.
func (ss *session) seq() uint64 { return uint64(len(ss.frames)) }

// tail is what the next frame must follow.
func (ss *session) tail() store.Tail {
	n := len(ss.frames)
	if n == 0 {
		return store.NewTail(ss.key)
	}
	return store.Tail{Seq: ss.seq(), Hash: ss.frames[n-1].hash, Time: ss.frames[n-1].time}
}

// wants is what decides whether the session is due.
func (ss *session) wants() store.Wants {
	w := store.Wants{
		Key: ss.key, WakeAt: ss.summary.WakeAt, Pending: len(ss.pending) > 0, Active: ss.summary.Active,
		LeaseUntil: ss.lease.Expires, Updated: ss.updated,
	}
	if w.Pending {
		w.PendingSince = ss.pending[0].item.At
	}
	return w
}

// describe is a session's head without its state.
func (ss *session) describe() store.Head {
	h := store.Head{
		Summary: ss.summary, Created: ss.created, Updated: ss.updated,
		Seq: ss.seq(), StateSeq: ss.stateSeq,
	}
	if n := len(ss.frames); n > 0 {
		h.Hash = ss.frames[n-1].hash
	}
	return h
}
