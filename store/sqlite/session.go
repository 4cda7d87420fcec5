package sqlite

import (
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// session is a row of the table. A transaction reads it, changes it and saves
// it whole, for its seal is over all of it.
type session struct {
	id       int64
	key      journal.Key
	created  int64
	updated  int64
	tail     store.Tail
	position uint64 // of the last command
	cost     int64
	title    string
	agent    string
	// token and owner are the newest lease's; its end is in places.
	token uint64
	owner string
	places
	stored places // as they are in the file
}

// places are what decides where a session stands in the indexes, which are
// rewritten only when one of them has changed.
type places struct {
	status, parent string
	active         bool
	wakeAt         int64
	pending        bool
	pendingAt      int64
	leaseUntil     int64
}

// sessionColumns are those that readSession reads.
const sessionColumns = `session.id, tenant, name, created, updated, session.seq, hash, frame_time, position, cost, title, agent,
lease_token, lease_owner, status, parent, active, wake_at, pending_at, lease_until, session.seal`

// sessionWidth is how many there are.
const sessionWidth = 21

// readSession reads a row that begins with sessionColumns.
func readSession(r row) (session, error) {
	ss := session{
		id: r.int(0), key: journal.Key{Tenant: r.text(1), Session: r.text(2)}, created: r.int(3), updated: r.int(4),
		tail: store.Tail{Seq: r.uint(5), Hash: r.ref(6), Time: r.int(7)}, position: r.uint(8), cost: r.int(9),
		title: r.text(10), agent: r.text(11), token: r.uint(12), owner: r.text(13),
		places: places{
			status: r.text(14), parent: r.text(15), active: r.int(16) != 0, wakeAt: r.int(17),
			pending: r[18] != nil, pendingAt: r.int(18), leaseUntil: r.int(19),
		},
	}
	if ss.tail.Seq == 0 {
		ss.tail = store.NewTail(ss.key)
	}
	ss.stored = ss.places
	if err := unbroken(r.bytes(20), ss.values()...); err != nil {
		return session{}, fmt.Errorf("session %s: %w", ss.key, err)
	}
	return ss, nil
}

func findSession(c *conn, key journal.Key) (session, error) {
	const query = `SELECT ` + sessionColumns + ` FROM session WHERE tenant = ? AND name = ?`
	r, err := c.one(query, key.Tenant, key.Session)
	if err != nil {
		return session{}, fmt.Errorf("look for session: %w", err)
	}
	if r == nil {
		return session{}, fmt.Errorf("session: %w", store.ErrNotFound)
	}
	return readSession(r)
}

// createSession makes a row for a new session.
func createSession(c *conn, key journal.Key, at int64) (session, error) {
	ss := session{key: key, created: at, updated: at, tail: store.NewTail(key)}
	id, err := c.insert("INSERT INTO session (tenant, name, created, updated) VALUES (?, ?, ?, ?)", key.Tenant, key.Session, at, at)
	if err != nil {
		return session{}, fmt.Errorf("create session: %w", err)
	}
	ss.id = id
	return ss, nil
}

// values are what the seal is over.
func (ss *session) values() []any {
	var pending any
	if ss.pending {
		pending = ss.pendingAt
	}
	return []any{
		ss.id, ss.key.Tenant, ss.key.Session, ss.created, ss.updated, ss.tail.Seq, ss.headHash(), ss.tail.Time, ss.position, ss.cost,
		ss.title, ss.agent, ss.token, ss.owner, ss.status, ss.parent, ss.active, ss.wakeAt, pending, ss.leaseUntil,
	}
}

// save writes what may have changed.
func (ss *session) save(c *conn) error {
	const (
		rest = `
UPDATE session SET updated = ?, seq = ?, hash = ?, frame_time = ?, position = ?, cost = ?, title = ?, agent = ?,
    lease_token = ?, lease_owner = ?, seal = ? WHERE id = ?`
		indexed = `
UPDATE session SET status = ?, parent = ?, active = ?, wake_at = ?, pending_at = ?, lease_until = ? WHERE id = ?`
	)
	v := ss.values()
	args := append(append([]any{}, v[4:14]...), seal(v...), ss.id)
	if _, err := c.exec(rest, args...); err != nil {
		return fmt.Errorf("write session: %w", err)
	}
	if ss.places == ss.stored {
		return nil
	}
	if _, err := c.exec(indexed, append(append([]any{}, v[14:20]...), ss.id)...); err != nil {
		return fmt.Errorf("write session: %w", err)
	}
	ss.stored = ss.places
	return nil
}

// headHash is the last frame's hash, which is nothing before the first.
func (ss *session) headHash() []byte {
	if ss.tail.Seq == 0 {
		return nil
	}
	return ss.tail.Hash[:]
}

// lease is the newest one.
func (ss *session) lease() store.Lease {
	return store.Lease{Key: ss.key, Owner: ss.owner, Token: ss.token, Expires: ss.leaseUntil}
}

// summarize takes over a summary.
func (ss *session) summarize(sum *store.Summary) {
	ss.status, ss.agent, ss.title, ss.parent = sum.Status, sum.Agent, sum.Title, sum.Parent
	ss.active, ss.wakeAt, ss.cost = sum.Active, sum.WakeAt, sum.Cost
}

// head is a session's head without its state.
func (ss *session) head() store.Head {
	h := store.Head{
		Summary: store.Summary{
			Status: ss.status, Agent: ss.agent, Title: ss.title, Parent: ss.parent,
			Active: ss.active, WakeAt: ss.wakeAt, Cost: ss.cost,
		},
		Created: ss.created, Updated: ss.updated, Seq: ss.tail.Seq,
	}
	if ss.tail.Seq > 0 {
		h.Hash = ss.tail.Hash
	}
	return h
}

// wants is what decides whether the session is due.
func (ss *session) wants() store.Wants {
	return store.Wants{
		Key: ss.key, WakeAt: ss.wakeAt, Pending: ss.pending, PendingSince: ss.pendingAt,
		Active: ss.active, LeaseUntil: ss.leaseUntil, Updated: ss.updated,
	}
}
