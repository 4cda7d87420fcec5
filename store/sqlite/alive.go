package sqlite

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// alive shows other processes on this machine that the owners of leases live.
// Every owner has a file beside the database, with its name in it, and holds a
// lock on it; the lock goes with the process, however it goes. So whoever comes
// after a process that was killed need not wait for its leases to run out.
//
// All of it is only a hint that shortens a wait: an owner without a file is
// taken to be alive, and fencing keeps a late writer out as ever.
type alive struct {
	folder string

	mu   sync.Mutex
	held map[string]*os.File
}

// aliveName is the file of an owner.
func aliveName(owner string) string {
	sum := journal.RefOf([]byte(owner))
	return hex.EncodeToString(sum[:8])
}

// show makes an owner's file and locks it, once.
func (a *alive) show(owner string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.held[owner]; known {
		return
	}
	if a.held == nil {
		a.held = make(map[string]*os.File)
	}
	a.held[owner] = nil
	if os.MkdirAll(a.folder, 0o700) != nil {
		return
	}
	// It gets its name when it is locked: nobody may find it unlocked.
	f, err := os.CreateTemp(a.folder, ".new-*")
	if err != nil {
		return
	}
	_, err = f.WriteString(owner)
	if err == nil && lockFile(f) {
		err = os.Rename(f.Name(), filepath.Join(a.folder, aliveName(owner)))
		if err == nil {
			a.held[owner] = f
			return
		}
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
}

// dead reports that an owner's process has ended.
func (a *alive) dead(owner string) bool { return isDead(filepath.Join(a.folder, aliveName(owner))) }

func isDead(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // which also gives up the lock
	return lockFile(f)
}

// close takes this process's files away.
func (a *alive) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for owner, f := range a.held {
		if f != nil {
			_ = os.Remove(filepath.Join(a.folder, aliveName(owner)))
			_ = f.Close()
		}
	}
	a.held = nil
	_ = os.Remove(a.folder) // unless somebody else is there
}

// bury ends the leases of owners whose process has ended, so that their sessions
// are due at once.
func (s *Store) bury(ctx context.Context) error {
	entries, err := os.ReadDir(s.alive.folder)
	if err != nil {
		return nil //nolint:nilerr // there is nobody
	}
	for _, e := range entries {
		path := filepath.Join(s.alive.folder, e.Name())
		if !isDead(path) {
			continue
		}
		owner, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if err := s.release(ctx, string(owner)); err != nil {
			return err
		}
		_ = os.Remove(path)
	}
	return nil
}

// release ends all leases of an owner.
func (s *Store) release(ctx context.Context, owner string) error {
	return s.write(ctx, "release leases of "+owner, journal.Key{}, func(c *conn) error {
		var all []session
		err := c.each("SELECT "+sessionColumns+" FROM session WHERE lease_until <> 0 AND lease_owner = ?", func(r row) error {
			ss, err := readSession(r)
			all = append(all, ss)
			return err
		}, owner)
		if err != nil {
			return fmt.Errorf("look for leases: %w", err)
		}
		for i := range all {
			if err := writeLease(c, &all[i], store.Lease{}); err != nil {
				return err
			}
		}
		return nil
	})
}
