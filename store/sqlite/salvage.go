package sqlite

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// Salvaged is what could be read of one session of a damaged file.
type Salvaged struct {
	Key journal.Key
	// Frames are the session's first ones, whole and in a valid chain. They end
	// where one is lost: what comes after follows nothing.
	Frames []store.Frame
	// Blobs are those the session holds that are whole.
	Blobs []journal.Blob
	// Damage names what is lost.
	Damage []Damage
}

// Salvage reads what can be read of a damaged file, session by session, and
// changes nothing in it. It steps over what cannot be read and does without
// indexes that are damaged. An error is yielded, and ends it, when nothing more
// can be read at all: when the file's first page is damaged, for one.
//
// The file should not be in use, and its folder must be writable: SQLite reads
// the log with the help of a file beside it.
func Salvage(ctx context.Context, path string) iter.Seq2[Salvaged, error] {
	return func(yield func(Salvaged, error) bool) {
		err := salvage(ctx, path, func(s Salvaged) bool { return yield(s, nil) })
		if err != nil {
			yield(Salvaged{}, fmt.Errorf("salvage %s: %w", path, explain(err)))
		}
	}
}

// errStopped ends a salvage whose caller has seen enough.
var errStopped = errors.New("stopped")

func salvage(ctx context.Context, path string, yield func(Salvaged) bool) (err error) {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	dsn, err := address(path, "ro")
	if err != nil {
		return err
	}
	c, err := dial(dsn, "PRAGMA query_only = ON", "PRAGMA trusted_schema = OFF")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	v := &salvor{c: c, seen: make(map[int64]bool)}
	err = v.sessions(func(id int64, key journal.Key) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !yield(v.session(id, key)) {
			return errStopped
		}
		return nil
	})
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// salvor reads a damaged file.
type salvor struct {
	c    *conn
	seen map[int64]bool // sessions
}

// sessions finds them: first in the table itself, then those whose rows are
// lost and whose names are still in an index.
func (v *salvor) sessions(found func(id int64, key journal.Key) error) error {
	visit := func(r row) error {
		id, key := r.int(0), journal.Key{Tenant: r.text(1), Session: r.text(2)}
		if v.seen[id] {
			return nil
		}
		v.seen[id] = true
		return found(id, key)
	}
	if err := v.scan("session", "id, tenant, name", visit); err != nil {
		return err
	}
	var caller error
	err := v.c.each("SELECT id, tenant, name FROM session INDEXED BY session_name ORDER BY tenant, name", func(r row) error {
		caller = visit(r)
		return caller
	})
	if caller != nil {
		return caller
	}
	if err != nil && len(v.seen) == 0 {
		return err
	}
	return nil // the index ends where it is damaged; the table was read
}

// scan goes over a table by row ids, without any index, and steps over those
// that cannot be read. Only visit's errors end it.
func (v *salvor) scan(table, columns string, visit func(r row) error) error {
	const page = 256
	query := "SELECT " + columns + ", rowid FROM " + table + " NOT INDEXED WHERE rowid >= ? ORDER BY rowid LIMIT ?"
	last := v.last(table)
	for id := int64(1); id <= last; {
		n := 0
		var caller error
		err := v.c.each(query, func(r row) error {
			n, id = n+1, r.int(len(r)-1)+1
			caller = visit(r)
			return caller
		}, id, page)
		switch {
		case caller != nil:
			return caller
		case err != nil && n == 0:
			id++ // in a page that is damaged, or on the way to it
		case err == nil && n < page:
			return nil
		}
	}
	return nil
}

// last is a table's highest row id, or more.
func (v *salvor) last(table string) int64 {
	var last int64
	for _, query := range []string{
		"SELECT max(rowid) FROM " + table,
		"SELECT rowid FROM " + table + " NOT INDEXED ORDER BY rowid DESC LIMIT 1",
		"SELECT seq FROM sqlite_sequence WHERE name = '" + table + "'",
	} {
		if r, err := v.c.one(query); err == nil && r != nil {
			last = max(last, r.int(0))
		}
	}
	return last
}

func (v *salvor) session(id int64, key journal.Key) Salvaged {
	out := Salvaged{Key: key}
	add := func(d Damage) {
		d.Key = key
		out.Damage = append(out.Damage, d)
	}
	ends := uint64(0)
	if r, err := v.c.one("SELECT "+sessionColumns+" FROM session NOT INDEXED WHERE id = ?", id); err == nil && r != nil {
		ss, err := readSession(r)
		if ends = ss.tail.Seq; err != nil {
			add(Damage{Problem: err.Error()})
		}
	} else {
		add(Damage{Problem: "the session's row is lost"})
	}
	frames, loose := v.frames(id, key)
	if out.Frames = frames; uint64(len(frames)) < ends || loose > 0 {
		add(Damage{Frame: uint64(len(frames)) + 1, Problem: fmt.Sprintf(
			"this frame is lost; of the %d that should follow, %d are there and follow nothing", max(ends, 1)-uint64(len(frames))-1, loose)})
	}
	v.blobs(id, func(blob journal.Blob, err error) {
		if err != nil {
			add(Damage{Blob: blob.Ref, Problem: explain(err).Error()})
			return
		}
		out.Blobs = append(out.Blobs, blob)
	})
	return out
}

// frames reads a session's first frames. If they end early, the whole table is
// gone through for more; loose is how many there are that follow nothing.
func (v *salvor) frames(id int64, key journal.Key) (frames []store.Frame, loose int) {
	const query = `SELECT seq, time, hash, prev, data FROM frame WHERE session = ? AND seq >= ? ORDER BY seq`
	tail := store.NewTail(key)
	follow := func(f store.Frame) bool {
		if f.Check() != nil || tail.Follow([]store.Frame{f}) != nil {
			return false
		}
		frames = append(frames, f)
		return true
	}
	err := v.c.each(query, func(r row) error {
		if !follow(readFrame(r)) {
			return errStopped
		}
		return nil
	}, id, 1)
	if err == nil {
		return frames, 0
	}
	others := make(map[uint64]store.Frame)
	_ = v.scan("frame", "seq, time, hash, prev, data, session", func(r row) error { // visit never fails
		if f := readFrame(r); r.int(5) == id && f.Seq > tail.Seq {
			f.Data = slices.Clone(f.Data)
			others[f.Seq] = f
		}
		return nil
	})
	for {
		f, there := others[tail.Seq+1]
		if !there || !follow(f) {
			return frames, len(others)
		}
		delete(others, f.Seq)
	}
}

// blobs reads what a session holds.
func (v *salvor) blobs(id int64, found func(journal.Blob, error)) {
	const query = `
SELECT b.ref, coalesce(b.data, substr(f.pack, b.start + 1, b.size))
FROM blob b NOT INDEXED LEFT JOIN frame f NOT INDEXED ON f.id = b.frame WHERE b.id = ?`
	var ids []int64
	err := v.c.each("SELECT blob FROM held WHERE session = ?", func(r row) error {
		ids = append(ids, r.int(0))
		return nil
	}, id)
	if err != nil {
		found(journal.Blob{}, fmt.Errorf("list of blobs: %w", err))
	}
	for _, id := range ids {
		r, err := v.c.one(query, id)
		switch {
		case err != nil:
			found(journal.Blob{}, fmt.Errorf("blob row %d: %w", id, err))
		case r == nil:
			found(journal.Blob{}, fmt.Errorf("blob row %d: %w", id, store.ErrNotFound))
		default:
			blob := journal.Blob{Ref: r.ref(0), Data: r.bytes(1)}
			found(blob, store.CheckBlob(blob.Ref, blob.Data))
		}
	}
}
