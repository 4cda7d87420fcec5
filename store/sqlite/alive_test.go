//go:build unix

package sqlite

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// leaseOf is the owner in whose name another process takes a lease and dies.
const leaseOf = "SQLITE_TEST_LEASE_OF"

// TestHelperTakesALease is another process: it takes a lease and ends without
// giving it back.
func TestHelperTakesALease(t *testing.T) { //nolint:paralleltest // it is a process of its own
	path := os.Getenv(leaseOf)
	if path == "" {
		return
	}
	s, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Acquire(t.Context(), testKey, "the other", 1, 1<<40); err != nil {
		t.Fatal(err)
	}
	os.Exit(0)
}

// contract: S8, S9
func TestTheLeaseOfADeadProcessIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sessions.db")
	before := openAt(t, path)
	lease := begin(t, before, testKey, "me")
	if err := before.Release(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelperTakesALease$")
	c.Env = append(os.Environ(), leaseOf+"="+path)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := before.Acquire(t.Context(), testKey, "me", 2, 1000); err != nil {
		t.Errorf("the store that was open: %v", err)
	}
}

// contract: S9
func TestTheLeaseOfALivingProcessHolds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sessions.db")
	one, two := openAt(t, path), openAt(t, path)
	begin(t, one, testKey, "me")
	if _, err := two.Acquire(t.Context(), testKey, "you", 2, 1000); !errors.Is(err, store.ErrLeased) {
		t.Errorf("taking a lease that is held: %v", err)
	}
	// A third one that opens the file buries nobody.
	three := openAt(t, path)
	if _, err := three.Acquire(t.Context(), testKey, "you", 2, 1000); !errors.Is(err, store.ErrLeased) {
		t.Errorf("after opening: %v", err)
	}
}

// contract: S8
func TestOpeningEndsTheLeasesOfTheDead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sessions.db")
	first := openAt(t, path)
	begin(t, first, testKey, "ghost")
	// The process is gone and its file is there: nobody holds the lock.
	first.alive.mu.Lock()
	f := first.alive.held["ghost"]
	first.alive.mu.Unlock()
	if f == nil {
		t.Fatal("no file shows that the owner lives")
	}
	_ = f.Close()
	second := openAt(t, path)
	ss, err := leaseIn(t, second, testKey)
	if err != nil || ss.Token != 0 {
		t.Errorf("lease %+v, %v", ss, err)
	}
	if _, err := os.Stat(filepath.Join(path+"-alive", aliveName("ghost"))); !os.IsNotExist(err) {
		t.Errorf("the dead owner's file is still there: %v", err)
	}
}

func leaseIn(t *testing.T, s *Store, key journal.Key) (lease store.Lease, err error) {
	t.Helper()
	err = s.read(t.Context(), "look", key, func(c *conn) error {
		ss, err := findSession(c, key)
		lease = ss.lease()
		return err
	})
	return lease, err
}
