package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// tables are all that hold sessions' and accounts' data.
func tables() []string {
	return []string{"session", "state", "frame", "blob", "held", "inbox", "counter", "account", "reservation"}
}

// Damage is one thing that is wrong with a file. What does not apply is zero.
type Damage struct {
	Key     journal.Key
	Frame   uint64
	Blob    journal.Ref
	Command uint64
	// Problem says what is wrong, in words.
	Problem string
}

// String names the session, the frame, the blob and the command.
func (d Damage) String() string {
	var b strings.Builder
	if d.Key != (journal.Key{}) {
		fmt.Fprintf(&b, "session %s: ", d.Key)
	}
	if d.Frame != 0 {
		fmt.Fprintf(&b, "frame %d: ", d.Frame)
	}
	if !d.Blob.IsZero() {
		fmt.Fprintf(&b, "blob %s: ", d.Blob.Short())
	}
	if d.Command != 0 {
		fmt.Fprintf(&b, "command %d: ", d.Command)
	}
	return b.String() + d.Problem
}

// Report is what Check found.
type Report struct {
	// Damage is empty for a sound file.
	Damage []Damage
	// Rows counts the rows of each table.
	Rows map[string]int64
	// Sessions, Frames and Blobs are how many were read and found sound.
	Sessions, Frames, Blobs int
	// Orphans are blobs that no session holds. They cost room and do no harm;
	// [Store.Sweep] removes them.
	Orphans int
}

// checkPage is how many rows of sessions are looked at between two looks at
// the context.
const checkPage = 256

// Check reads everything: the structure of the file, every session's chain of
// frames up to its head, every blob, every pending command, the sums of the
// accounts. It goes on after damage, so that its report is complete, and it
// writes nothing; [Salvage] gets out what can be saved. An error is returned
// only when the check itself could not be done.
//
// It sees one moment of the file, and while it runs the log cannot start anew,
// so a busy store's log grows.
func (s *Store) Check(ctx context.Context) (Report, error) {
	var report Report
	err := s.read(ctx, "check", journal.Key{}, func(c *conn) (err error) {
		if _, err := c.exec("BEGIN"); err != nil {
			return err
		}
		defer func() {
			_, end := c.exec("ROLLBACK")
			err = errors.Join(err, end)
		}()
		x := checker{c: c, report: &report}
		return x.all(ctx)
	})
	return report, err
}

// checker gathers damage.
type checker struct {
	c      *conn
	report *Report
}

func (x *checker) add(d Damage) {
	if !slices.Contains(x.report.Damage, d) {
		x.report.Damage = append(x.report.Damage, d)
	}
}

// note makes damage of an error that says so; others end the check.
func (x *checker) note(d Damage, err error) error {
	if err == nil {
		return nil
	}
	if err = explain(err); errors.Is(err, journal.ErrCorrupt) || errors.Is(err, store.ErrNotFound) {
		d.Problem = strings.TrimPrefix(d.Problem+": "+err.Error(), ": ")
		x.add(d)
		return nil
	}
	return err
}

func (x *checker) all(ctx context.Context) error {
	err := x.c.each("PRAGMA integrity_check(100)", func(r row) error {
		if text := r.text(0); text != "ok" {
			x.add(Damage{Problem: "structure: " + strings.TrimPrefix(text, "*** in database main ***\n")})
		}
		return nil
	})
	if err := x.note(Damage{}, err); err != nil {
		return err
	}
	x.report.Rows = make(map[string]int64)
	for _, table := range tables() {
		r, err := x.c.one("SELECT count(*) FROM " + table + " NOT INDEXED")
		if err == nil {
			x.report.Rows[table] = r.int(0)
		} else if err := x.note(Damage{Problem: table}, err); err != nil {
			return err
		}
	}
	if err := x.sessions(ctx); err != nil {
		return err
	}
	if err := x.ledger(); err != nil {
		return err
	}
	return x.sums()
}

// listed is a session's id and name.
type listed struct {
	id  int64
	key journal.Key
}

// sessions checks them all, a page at a time. What comes after a damaged page
// cannot be listed.
func (x *checker) sessions(ctx context.Context) error {
	for last, more := int64(0), true; more; {
		page, broken := x.list(last)
		if err := x.note(Damage{}, broken); err != nil {
			return err
		}
		for _, l := range page {
			if err := ctx.Err(); err != nil {
				return err
			}
			before := len(x.report.Damage)
			if err := x.session(l.id, l.key); err != nil {
				return err
			}
			if len(x.report.Damage) == before {
				x.report.Sessions++
			}
			last = l.id
		}
		more = len(page) > 0 && broken == nil
	}
	return nil
}

// list returns the sessions after an id, up to where it fails.
func (x *checker) list(after int64) (page []listed, err error) {
	const query = `SELECT id, tenant, name FROM session NOT INDEXED WHERE id > ? ORDER BY id LIMIT ?`
	err = x.c.each(query, func(r row) error {
		page = append(page, listed{r.int(0), journal.Key{Tenant: r.text(1), Session: r.text(2)}})
		return nil
	}, after, checkPage)
	return page, err
}
