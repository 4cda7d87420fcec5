package sqlite

import (
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// session is what a transaction must know of a session before it writes.
type session struct {
	id       int64
	seq      uint64
	hash     journal.Ref
	time     int64
	position uint64
	lease    store.Lease
}

const selectSession = `
SELECT id, seq, hash, frame_time, position, lease_token, lease_owner, lease_until
FROM session WHERE tenant = ? AND name = ?`

func findSession(c *conn, key journal.Key) (session, error) {
	r, err := c.one(selectSession, key.Tenant, key.Session)
	if err != nil {
		return session{}, fmt.Errorf("look for session: %w", err)
	}
	if r == nil {
		return session{}, fmt.Errorf("session: %w", store.ErrNotFound)
	}
	ss := session{
		id: r.int(0), seq: r.uint(1), hash: r.ref(2), time: r.int(3), position: r.uint(4),
		lease: store.Lease{Key: key, Token: r.uint(5), Owner: r.text(6), Expires: r.int(7)},
	}
	if ss.seq == 0 {
		ss.hash = journal.Genesis(key)
	}
	return ss, nil
}

// holds reports whether a lease is the session's newest. Its end is not asked
// for: as long as nobody else has taken over, a late writer harms nobody.
func (ss *session) holds(lease store.Lease) bool {
	return lease.Token != 0 && lease.Token == ss.lease.Token &&
		lease.Owner == ss.lease.Owner && lease.Key == ss.lease.Key
}

// follows checks that frames go on where the session ends. Their hashes have
// been compared with their data before.
func (ss *session) follows(frames []store.Frame) error {
	seq, head, time := ss.seq, ss.hash, ss.time
	for i := range frames {
		f := &frames[i]
		switch {
		case f.Seq != seq+1:
			return fmt.Errorf("%w: frame %d follows frame %d", journal.ErrCorrupt, f.Seq, seq)
		case f.Prev != head:
			return fmt.Errorf("%w: frame %d names %s as the one before it, that one is %s",
				journal.ErrCorrupt, f.Seq, f.Prev.Short(), head.Short())
		case f.Time < time:
			return fmt.Errorf("%w: frame %d is older than the one before it", journal.ErrCorrupt, f.Seq)
		}
		seq, head, time = f.Seq, f.Hash, f.Time
	}
	return nil
}

// headColumns are those that describe reads.
const headColumns = `status, agent, title, parent, active, wake_at, cost, created, updated, session.seq, hash`

// describe reads a head without its state from a row's columns, from the
// given one on.
func describe(r row, from int) store.Head {
	return store.Head{
		Summary: store.Summary{
			Status: r.text(from), Agent: r.text(from + 1), Title: r.text(from + 2), Parent: r.text(from + 3),
			Active: r.int(from+4) != 0, WakeAt: r.int(from + 5), Cost: r.int(from + 6),
		},
		Created: r.int(from + 7), Updated: r.int(from + 8), Seq: r.uint(from + 9), Hash: r.ref(from + 10),
	}
}
