package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// checked makes a store with two sessions and returns it with the references
// of a small and a large blob of the first.
func checked(t *testing.T) (s *Store, small, large journal.Ref) {
	t.Helper()
	s = openAt(t, madePath(t))
	for _, key := range []journal.Key{testKey, {Tenant: "acme", Session: "other"}} {
		blobs := []journal.Blob{
			journal.NewBlob([]byte("small of " + key.Session)), journal.NewBlob(bytes.Repeat([]byte(key.Session), 5000)),
		}
		small, large = blobs[0].Ref, blobs[1].Ref
		frames := newChain(key)
		batch := store.Batch{Lease: begin(t, s, key, "me"), Blobs: blobs, State: []byte("state")}
		for range 5 {
			batch.Frames = append(batch.Frames, frames.next()...)
		}
		if err := s.Append(t.Context(), key, batch); err != nil {
			t.Fatal(err)
		}
		if key == testKey {
			defer func(a, b journal.Ref) { small, large = a, b }(small, large)
		}
	}
	if err := s.Reserve(t.Context(), "acme", "ann", "a", 60, 100); err != nil {
		t.Fatal(err)
	}
	return s, small, large
}

func TestASoundStoreHasNoDamage(t *testing.T) {
	t.Parallel()
	s, _, _ := checked(t)
	report, err := s.Check(t.Context())
	if err != nil || report.Err() != nil {
		t.Fatalf("check: %v, %v", err, report.Err())
	}
	if report.Sessions != 2 || report.Frames != 10 || report.Blobs != 4 || report.Orphans != 0 || report.Rows["frame"] != 10 {
		t.Errorf("report %+v", report)
	}
	// A check writes nothing and leaves the store usable.
	if _, err := s.Put(t.Context(), testKey, store.Item{Key: "next"}); err != nil {
		t.Error(err)
	}
}

// contract: S8
func TestCheckNamesWhatIsDamaged(t *testing.T) {
	t.Parallel()
	s, small, large := checked(t)
	session := "session acme/main: "
	for script, want := range map[string]string{
		"UPDATE frame SET data = x'00' WHERE session = 1 AND seq = 3":                                session + "frame 3: ",
		"DELETE FROM frame WHERE session = 1 AND seq = 2":                                            session + "frame 3: ",
		"DELETE FROM frame WHERE session = 1 AND seq = 5":                                            session + "frame 5: ",
		"UPDATE frame SET pack = x'00' WHERE session = 1 AND seq = 1":                                session + "blob " + small.Short(),
		fmt.Sprintf("UPDATE blob SET data = x'00' WHERE ref = x'%x'", large[:]):                      session + "blob " + large.Short(),
		fmt.Sprintf("DELETE FROM blob WHERE ref = x'%x'", large[:]):                                  session + "it holds blob row",
		"UPDATE session SET title = 'forged' WHERE id = 1":                                           session,
		"UPDATE session SET cost = 5 WHERE id = 1":                                                   session,
		"UPDATE state SET data = x'00' WHERE session = 1":                                            session + "saved state",
		"UPDATE inbox SET body = x'00' WHERE session = 1":                                            session,
		"UPDATE inbox SET answer = x'00' WHERE session = 1":                                          session + "command 1: ",
		"DELETE FROM inbox WHERE session = 1":                                                        session + "command 1: ",
		"UPDATE account SET spent = 1":                                                               "account ann",
		"UPDATE reservation SET amount = 1":                                                          "reservation a on account ann",
		"UPDATE counter SET value = 0":                                                               "leases were given out",
		"DELETE FROM counter":                                                                        "the counter of leases is missing",
		"INSERT INTO frame SELECT 99, 77, seq, time, hash, prev, data, NULL FROM frame WHERE id = 1": "frames of no session",
	} {
		var report Report
		undo := errors.New("take it back")
		err := s.write(t.Context(), "spoil", testKey, func(c *conn) error {
			if err := c.script(script); err != nil {
				return err
			}
			x := checker{c: c, report: &report}
			return errors.Join(x.all(t.Context()), undo)
		})
		if !errors.Is(err, undo) || errors.Is(err, journal.ErrCorrupt) {
			t.Fatalf("%s: %v", script, err)
		}
		if err := report.Err(); !errors.Is(err, journal.ErrCorrupt) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", script, err, want)
		}
	}
	if report, err := s.Check(t.Context()); err != nil || report.Err() != nil {
		t.Errorf("afterwards: %v, %v", err, report.Err())
	}
}

func TestBlobsThatNobodyHoldsAreSweptAway(t *testing.T) {
	t.Parallel()
	s, _, large := checked(t)
	if n, err := s.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("swept %d of a sound store, %v", n, err)
	}
	const orphans = sweepRows + 10
	err := s.write(t.Context(), "add orphans", testKey, func(c *conn) error {
		for i := range orphans {
			blob := journal.NewBlob(fmt.Append(nil, i))
			if _, err := c.exec(insertBlob, "acme", blob.Ref, nil, 0, len(blob.Data), blob.Data); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	report, err := s.Check(t.Context())
	if err != nil || report.Orphans != orphans || report.Err() != nil {
		t.Errorf("check: %d orphans, %v, %v", report.Orphans, err, report.Err())
	}
	if n, err := s.Sweep(t.Context()); n != orphans || err != nil {
		t.Errorf("swept %d, %v, want %d", n, err, orphans)
	}
	if _, err := s.Blob(t.Context(), testKey, large); err != nil {
		t.Errorf("a blob that somebody holds: %v", err)
	}
}
