package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/storetest"
)

// openAt opens a store that is closed at the test's end. It polls so seldom
// that what wakes its watchers must be a bell.
func openAt(tb testing.TB, path string) *Store {
	tb.Helper()
	return openPolling(tb, path, time.Hour)
}

func openPolling(tb testing.TB, path string, interval time.Duration) *Store {
	tb.Helper()
	s, err := Open(path, &Options{PollInterval: interval})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// newPath is the path of a file that is not there yet.
func newPath(tb testing.TB) string {
	tb.Helper()
	return filepath.Join(tb.TempDir(), "sessions.db")
}

// empty is an empty store's file. Making one is slow under the race detector.
var empty = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "sqlite-store-test-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "sessions.db")
	s, err := Open(path, nil)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// madePath is the path of an empty store.
func madePath(tb testing.TB) string {
	tb.Helper()
	file, err := empty()
	if err != nil {
		tb.Fatal(err)
	}
	path := newPath(tb)
	if err := os.WriteFile(path, file, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

func TestStoreKeepsTheContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store {
		t.Helper()
		return openAt(t, madePath(t))
	})
}

// CorruptBlob makes the store a [storetest.Corrupter].
func (s *Store) CorruptBlob(ctx context.Context, _ journal.Key, ref journal.Ref) error {
	return s.write(ctx, "corrupt blob", journal.Key{}, func(c *conn) error {
		r, err := c.one("SELECT id, frame, start + size / 2 FROM blob WHERE ref = ?", ref)
		if err != nil || r == nil {
			return fmt.Errorf("find blob: %w, row %v", err, r)
		}
		table, column, id := "blob", "data", r.int(0)
		if r[1] != nil {
			table, column, id = "frame", "pack", r.int(1)
		}
		n, err := c.change(fmt.Sprintf(
			"UPDATE %s SET %s = CAST(substr(%[2]s, 1, ?1) || x'00' || substr(%[2]s, ?1 + 2) AS BLOB) WHERE id = ?2", table, column),
			r.int(2), id)
		if err != nil || n != 1 {
			return fmt.Errorf("damage blob: %w, %d rows", err, n)
		}
		return nil
	})
}

var testKey = journal.Key{Tenant: "acme", Session: "main"}

// begin creates and leases a session.
func begin(tb testing.TB, s *Store, key journal.Key, owner string) store.Lease {
	tb.Helper()
	item := store.Item{Key: "create", Create: true, Record: journal.Record{Kind: "prompt", Body: []byte("hello")}}
	if _, err := s.Put(tb.Context(), key, item); err != nil {
		tb.Fatal(err)
	}
	lease, err := s.Acquire(tb.Context(), key, owner, 0, 1000)
	if err != nil {
		tb.Fatal(err)
	}
	return lease
}

// chain makes frames that follow one another.
type chain struct{ f journal.Frame }

func newChain(key journal.Key) *chain {
	return &chain{journal.Frame{Prev: journal.Genesis(key), Input: journal.Record{Kind: "test", Body: make([]byte, 512)}}}
}

func (c *chain) next() []store.Frame {
	c.f.Seq++
	f := store.Encode(&c.f)
	c.f.Prev = f.Hash
	return []store.Frame{f}
}

func count(tb testing.TB, s *Store, key journal.Key) int {
	tb.Helper()
	n := 0
	for _, err := range s.Read(tb.Context(), key, 1) {
		if err != nil {
			tb.Fatal(err)
		}
		n++
	}
	return n
}
