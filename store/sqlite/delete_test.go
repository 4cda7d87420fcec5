package sqlite

import (
	"bytes"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// What nobody can read any more must not stay in the file either, which cannot
// be seen through the interface.
func TestDeletedSessionsLeaveNoRows(t *testing.T) {
	t.Parallel()
	s := openAt(t, madePath(t))
	keys := []journal.Key{{Tenant: "acme", Session: "first"}, {Tenant: "acme", Session: "second"}}
	shared := journal.NewBlob([]byte("shared"))
	for i, key := range keys {
		batch := store.Batch{Lease: begin(t, s, key, "me"), Frames: newChain(key).next(), State: []byte("state")}
		batch.Blobs = []journal.Blob{
			shared, journal.NewBlob([]byte(key.Session)), journal.NewBlob(bytes.Repeat([]byte(key.Session), 10_000)),
		}
		if err := s.Append(t.Context(), key, batch); err != nil {
			t.Fatal(i, err)
		}
	}
	rows := func() map[string]int64 {
		left := make(map[string]int64)
		err := s.read(t.Context(), "count rows", journal.Key{}, func(c *conn) error {
			for _, table := range []string{"session", "frame", "inbox", "state", "blob", "held"} {
				r, err := c.one("SELECT count(*) FROM " + table)
				if err != nil {
					return err
				}
				left[table] = r.int(0)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return left
	}
	check := func(want map[string]int64) {
		t.Helper()
		for table, n := range rows() {
			if n != want[table] {
				t.Errorf("%d rows in %s, want %d", n, table, want[table])
			}
		}
	}
	check(map[string]int64{"session": 2, "frame": 2, "inbox": 2, "state": 2, "blob": 5, "held": 6})
	if err := s.Delete(t.Context(), keys[0]); err != nil {
		t.Fatal(err)
	}
	check(map[string]int64{"session": 1, "frame": 1, "inbox": 1, "state": 1, "blob": 3, "held": 3})
	if err := s.Delete(t.Context(), keys[1]); err != nil {
		t.Fatal(err)
	}
	check(nil)
}
