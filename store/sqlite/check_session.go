package sqlite

import (
	"errors"
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// session checks one session: frames, blobs, commands.
func (x *checker) session(id int64, key journal.Key) error {
	ss, err := findSession(x.c, key)
	if err == nil && ss.id != id {
		err = fmt.Errorf("%w: the index of names leads to another session", journal.ErrCorrupt)
	}
	if err != nil {
		return x.note(Damage{Key: key}, err)
	}
	for _, check := range []func(*session, journal.Key) error{x.frames, x.blobs, x.state, x.commands} {
		if err := check(&ss, key); err != nil {
			return err
		}
	}
	return nil
}

// frames checks every frame on its own, and that each follows the one before.
func (x *checker) frames(ss *session, key journal.Key) error {
	const query = `SELECT seq, time, hash, prev, data FROM frame WHERE session = ? ORDER BY seq`
	tail := store.NewTail(key)
	err := x.c.each(query, func(r row) error {
		f := readFrame(r)
		err := f.Check()
		if err == nil {
			err = tail.Follow([]store.Frame{f})
		}
		if err == nil {
			x.report.Frames++
		}
		tail = store.Tail{Seq: f.Seq, Hash: f.Hash, Time: f.Time}
		return x.note(Damage{Key: key, Frame: f.Seq}, err)
	}, ss.id)
	if err != nil {
		return x.note(Damage{Key: key, Frame: tail.Seq + 1}, err)
	}
	if tail.Seq != ss.tail.Seq || tail.Hash != ss.tail.Hash {
		x.add(Damage{Key: key, Frame: ss.tail.Seq, Problem: fmt.Sprintf(
			"the session ends with frame %d, its frames with %d", ss.tail.Seq, tail.Seq)})
	}
	return nil
}

// blobs checks all that a session holds.
func (x *checker) blobs(ss *session, key journal.Key) error {
	const query = `
SELECT h.blob, b.ref, b.tenant FROM held h LEFT JOIN blob b ON b.id = h.blob WHERE h.session = ? ORDER BY h.blob`
	var refs []journal.Ref
	err := x.c.each(query, func(r row) error {
		switch {
		case r[1] == nil:
			x.add(Damage{Key: key, Problem: fmt.Sprintf("it holds blob row %d, which is not there", r.int(0))})
		case r.text(2) != key.Tenant:
			x.add(Damage{Key: key, Blob: r.ref(1), Problem: "it is another tenant's"})
		default:
			refs = append(refs, r.ref(1))
		}
		return nil
	}, ss.id)
	if err := x.note(Damage{Key: key}, err); err != nil {
		return err
	}
	for _, ref := range refs {
		if _, err := readBlob(x.c, key, ref); err != nil {
			if err := x.note(Damage{Key: key, Blob: ref}, err); err != nil {
				return err
			}
			continue
		}
		x.report.Blobs++
	}
	return nil
}

// commands checks what is pending, and what the session's row says of it.
func (x *checker) commands(ss *session, key journal.Key) error {
	const query = `
SELECT count(*), coalesce(max(position), 0), (SELECT at FROM inbox WHERE session = ?1 AND settled = 0 ORDER BY position LIMIT 1),
    (SELECT pending_at FROM session WHERE id = ?1)
FROM inbox WHERE session = ?1`
	if _, err := pendingItems(x.c, key, 0); err != nil {
		if err := x.note(Damage{Key: key}, err); err != nil {
			return err
		}
	}
	err := x.c.each(`SELECT position, digest, settled, answer, seal FROM inbox WHERE session = ?`, func(r row) error {
		_, err := readTicket(r)
		return x.note(Damage{Key: key, Command: r.uint(0)}, err)
	}, ss.id)
	if err := x.note(Damage{Key: key}, err); err != nil {
		return err
	}
	r, err := x.c.one(query, ss.id)
	if err != nil {
		return x.note(Damage{Key: key}, err)
	}
	if r.uint(0) != ss.position || r.uint(1) != ss.position {
		x.add(Damage{Key: key, Command: ss.position, Problem: fmt.Sprintf(
			"the session has seen %d commands, %d are there", ss.position, r.int(0))})
	}
	if r[2] != r[3] {
		x.add(Damage{Key: key, Problem: "the time of its first pending command is not what the session says"})
	}
	return nil
}

// state checks the saved one.
func (x *checker) state(ss *session, key journal.Key) error {
	r, err := x.c.one(`SELECT seq, data, seal FROM state WHERE session = ?`, ss.id)
	if err == nil && r != nil {
		err = unbroken(r.bytes(2), ss.id, r[0], r[1])
	}
	if err != nil {
		return x.note(Damage{Key: key}, fmt.Errorf("saved state: %w", err))
	}
	return nil
}

// ledger checks the rows of accounts and reservations.
func (x *checker) ledger() error {
	err := x.c.each(`SELECT tenant, name, spent, reserved, seal FROM account`, func(r row) error {
		err := unbroken(r.bytes(4), r[0], r[1], r[2], r[3])
		return x.note(Damage{Key: journal.Key{Tenant: r.text(0)}}, wrapAs("account "+r.text(1), err))
	})
	if err := x.note(Damage{}, err); err != nil {
		return err
	}
	err = x.c.each(`SELECT tenant, account, id, amount, settled, seal FROM reservation`, func(r row) error {
		err := unbroken(r.bytes(5), r[0], r[1], r[2], r[3], r[4])
		return x.note(Damage{Key: journal.Key{Tenant: r.text(0)}}, wrapAs("reservation "+r.text(2)+" on account "+r.text(1), err))
	})
	return x.note(Damage{}, err)
}

func wrapAs(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// sums checks what must agree between tables.
func (x *checker) sums() error {
	for _, rule := range [...]struct{ problem, query string }{
		{"leases were given out that the counter has not seen", `
SELECT count(*) FROM session NOT INDEXED WHERE lease_token > (SELECT value FROM counter WHERE name = 'lease')`},
		{"the counter of leases is missing", `SELECT NOT EXISTS (SELECT 1 FROM counter WHERE name = 'lease')`},
		{"frames of no session", `SELECT count(*) FROM frame WHERE session NOT IN (SELECT id FROM session)`},
		{"commands of no session", `SELECT count(*) FROM inbox WHERE session NOT IN (SELECT id FROM session)`},
		{"states of no session", `SELECT count(*) FROM state WHERE session NOT IN (SELECT id FROM session)`},
		{"states of frames that are not there", `
SELECT count(*) FROM state JOIN session ON session.id = state.session WHERE state.seq > session.seq`},
		{"blobs held by no session", `SELECT count(*) FROM held WHERE session NOT IN (SELECT id FROM session)`},
		{"accounts whose reserve is not the sum of their open reservations", `
SELECT count(*) FROM account a WHERE reserved <> (
    SELECT coalesce(sum(amount), 0) FROM reservation r WHERE r.tenant = a.tenant AND r.account = a.name AND settled = 0)`},
		{"reservations on no account", `
SELECT count(*) FROM reservation r WHERE NOT EXISTS (
    SELECT 1 FROM account a WHERE a.tenant = r.tenant AND a.name = r.account)`},
	} {
		r, err := x.c.one(rule.query)
		if err == nil && r.int(0) > 0 {
			x.add(Damage{Problem: fmt.Sprintf("%s: %d", rule.problem, r.int(0))})
		}
		if err := x.note(Damage{}, err); err != nil {
			return err
		}
	}
	r, err := x.c.one(`SELECT count(*) FROM blob WHERE ` + orphan)
	if err == nil {
		x.report.Orphans = int(r.int(0))
	}
	return x.note(Damage{}, err)
}

// readFrame reads the columns seq, time, hash, prev and data.
func readFrame(r row) store.Frame {
	return store.Frame{Seq: r.uint(0), Time: r.int(1), Hash: r.ref(2), Prev: r.ref(3), Data: r.bytes(4)}
}

// Err is nil for a sound file; else it wraps [journal.ErrCorrupt] and names
// the first things that are wrong.
func (r *Report) Err() error {
	if len(r.Damage) == 0 {
		return nil
	}
	const most = 5
	all := []error{journal.ErrCorrupt}
	for i, d := range r.Damage {
		if i == most {
			all = append(all, fmt.Errorf("and %d more", len(r.Damage)-most))
			break
		}
		all = append(all, errors.New(d.String()))
	}
	return errors.Join(all...)
}
