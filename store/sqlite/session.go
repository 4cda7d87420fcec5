package sqlite

import (
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// session is what a transaction must know of a session before it writes.
type session struct {
	id       int64
	tail     store.Tail
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
		id: r.int(0), tail: store.Tail{Seq: r.uint(1), Hash: r.ref(2), Time: r.int(3)}, position: r.uint(4),
		lease: store.Lease{Key: key, Token: r.uint(5), Owner: r.text(6), Expires: r.int(7)},
	}
	if ss.tail.Seq == 0 {
		ss.tail = store.NewTail(key)
	}
	return ss, nil
}

// headHash is the last frame's hash, which is nothing before the first.
func (ss *session) headHash() []byte {
	if ss.tail.Seq == 0 {
		return nil
	}
	return ss.tail.Hash[:]
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
