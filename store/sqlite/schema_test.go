package sqlite

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// older makes a file of the first schema, with rows as its program wrote them.
func older(t *testing.T) string {
	t.Helper()
	path := newPath(t)
	steps, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	c := dialAt(t, path, "rwc")
	if err := migrate(c, steps[:1]); err != nil {
		t.Fatal(err)
	}
	frames := newChain(testKey)
	blob := journal.NewBlob([]byte("blob"))
	first, second := frames.next()[0], frames.next()[0]
	item := store.Item{Key: "create", Record: journal.Record{Kind: "prompt", Body: []byte("hello")}}
	for _, x := range []struct {
		query string
		args  []any
	}{
		{`INSERT INTO session (tenant, name, created, updated, seq, hash, position, pending_at, status, lease_token)
VALUES ('acme', 'main', 5, 6, 2, ?, 2, 7, 'running', 3)`, []any{second.Hash}},
		{`UPDATE counter SET value = 3`, nil},
		{insertFrame, []any{1, first.Seq, first.Time, first.Hash, first.Prev, first.Data, blob.Data}},
		{insertFrame, []any{1, second.Seq, second.Time, second.Hash, second.Prev, second.Data, nil}},
		{insertBlob, []any{"acme", blob.Ref, 1, 0, len(blob.Data), nil}},
		{holdBlob, []any{1, 1}},
		{`INSERT INTO state (session, seq, data) VALUES (1, 2, x'01')`, nil},
		{`INSERT INTO inbox (session, position, key, digest, at, creates, kind, body, refs, settled, answer)
VALUES (1, 1, 'create', ?, 5, 1, '', x'', x'', 1, x'646f6e65')`, []any{item.Digest()}},
		{`INSERT INTO inbox (session, position, key, digest, at, creates, kind, body, refs)
VALUES (1, 2, 'next', ?, 7, 0, 'prompt', x'68656c6c6f', x'')`, []any{item.Digest()}},
		{`INSERT INTO account (tenant, name, reserved) VALUES ('acme', 'ann', 60)`, nil},
		{`INSERT INTO reservation (tenant, account, id, amount) VALUES ('acme', 'ann', 'a', 60)`, nil},
	} {
		if _, err := c.exec(x.query, x.args...); err != nil {
			t.Fatalf("%s: %v", x.query, err)
		}
	}
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func dialAt(t *testing.T, path, mode string) *conn {
	t.Helper()
	dsn, err := address(path, mode)
	if err != nil {
		t.Fatal(err)
	}
	c, err := dial(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// contract: S8
func TestAFileOfAnOlderSchemaIsBroughtForward(t *testing.T) {
	t.Parallel()
	s := openAt(t, older(t))
	head, err := s.Head(t.Context(), testKey)
	if err != nil || head.Seq != 2 || head.Status != "running" || head.Created != 5 || head.State != nil {
		t.Errorf("head %+v, %v", head, err)
	}
	if n := count(t, s, testKey); n != 2 {
		t.Errorf("%d frames, want 2", n)
	}
	if _, err := s.Blob(t.Context(), testKey, journal.RefOf([]byte("blob"))); err != nil {
		t.Error(err)
	}
	ticket, err := s.Ticket(t.Context(), testKey, "create")
	if err != nil || string(ticket.Answer) != "done" {
		t.Errorf("ticket %+v, %v", ticket, err)
	}
	if items, err := s.Pending(t.Context(), testKey, 0); err != nil || len(items) != 1 {
		t.Errorf("pending %+v, %v", items, err)
	}
	if report, err := s.Check(t.Context()); err != nil || report.Err() != nil {
		t.Errorf("check: %v, %v", err, report.Err())
	}
	// What is written now is written in the new way, over the old rows.
	lease, err := s.Acquire(t.Context(), testKey, "me", 10, 10)
	if err != nil || lease.Token != 4 {
		t.Fatalf("lease %+v, %v", lease, err)
	}
	frames := newChain(testKey)
	frames.next()
	frames.next()
	batch := store.Batch{Lease: lease, Frames: frames.next(), Answers: []store.Answer{{Position: 2}}, State: []byte("state")}
	if err := s.Append(t.Context(), testKey, batch); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(t.Context(), "acme", "ann", "a", 50); err != nil {
		t.Fatal(err)
	}
	if report, err := s.Check(t.Context()); err != nil || report.Err() != nil {
		t.Errorf("check after writing: %v, %v", err, report.Err())
	}
}

func TestAMigrationThatFailsLeavesTheFileAsItWas(t *testing.T) {
	t.Parallel()
	path := older(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	c := dialAt(t, path, "rw")
	broken := append(slices.Clone(steps), "CREATE TABLE half (done INTEGER); INSERT INTO nowhere VALUES (1)")
	if err := migrate(c, broken); err == nil {
		t.Fatal("a step that fails is no error")
	}
	if version, err := schemaVersion(c); err != nil || version != 1 {
		t.Errorf("schema version %d, %v, want 1", version, err)
	}
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); err != nil || !reflect.DeepEqual(after, before) {
		t.Errorf("the file has changed, %v", err)
	}
	openAt(t, path)
}

func TestManyBringAFileForwardAtOnce(t *testing.T) {
	t.Parallel()
	path := older(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			s, err := Open(path, nil)
			if err != nil {
				t.Error(err)
				return
			}
			if n := count(t, s, testKey); n != 2 {
				t.Errorf("%d frames, want 2", n)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestANewerSchemaIsRefusedAndAnAlteredOneIsDamage(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]error{
		"UPDATE schema_version SET version = 99":          ErrNewer,
		"DROP INDEX session_wake":                         journal.ErrCorrupt,
		"ALTER TABLE session RENAME COLUMN title TO rank": journal.ErrCorrupt,
	} {
		path := newPath(t)
		if err := openAt(t, path).Close(); err != nil {
			t.Fatal(err)
		}
		c := dialAt(t, path, "rw")
		if err := errors.Join(c.script(script), c.close()); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", script, err, want)
		}
	}
}
