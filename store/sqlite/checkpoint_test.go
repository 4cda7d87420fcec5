package sqlite

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// fill appends until the log has taken some pages.
func fill(tb testing.TB, s *Store, frames *chain, lease store.Lease, appends int) {
	tb.Helper()
	for i := range appends {
		batch := store.Batch{Lease: lease, Frames: frames.next(), Blobs: []journal.Blob{
			journal.NewBlob(fmt.Appendf(nil, "%d of %s %20000d", i, frames.f.Prev.Short(), 0)),
		}}
		if err := s.Append(tb.Context(), lease.Key, batch); err != nil {
			tb.Fatal(err)
		}
	}
}

// A checkpoint that hangs in its sync is the largest that there can be.
func TestNobodyWaitsForACheckpoint(t *testing.T) {
	t.Parallel()
	d := newDevice(t)
	options := d.options()
	options.CheckpointPages = 20
	s, err := Open(madePath(t), options)
	if err != nil {
		t.Fatal(err)
	}
	lease := begin(t, s, testKey, "me")
	hanging, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	d.slowly(func(name string) {
		if isMain(name) {
			once.Do(func() {
				close(hanging)
				<-release
			})
		}
	})
	frames := newChain(testKey)
	fill(t, s, frames, lease, 5)
	<-hanging
	fill(t, s, frames, lease, 50) // would not return if it had to wait
	if _, err := s.Head(t.Context(), testKey); err != nil {
		t.Error(err)
	}
	close(release)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// The log is begun anew again and again, however long a session writes and
// however much others read meanwhile.
func TestTheLogStaysBounded(t *testing.T) {
	t.Parallel()
	d := newDevice(t)
	options := d.options()
	options.CheckpointPages = 50
	path := madePath(t)
	s, err := Open(path, options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	lease := begin(t, s, testKey, "me")
	for range 3 {
		group.Go(func() {
			for ctx.Err() == nil {
				for _, err := range s.Read(ctx, testKey, 1) {
					if err != nil && ctx.Err() == nil {
						t.Error(err)
					}
				}
			}
		})
	}
	written := func() (all int64) {
		for _, e := range d.events() {
			if e.op == opWrite && !isMain(e.file.name) {
				all += int64(len(e.data))
			}
		}
		return all
	}
	// How soon it starts anew depends on how busy the machine is.
	var largest int64
	frames := newChain(testKey)
	for round := 0; round < 40 || round < 400 && 2*largest > written(); round++ {
		fill(t, s, frames, lease, 10)
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, info.Size())
	}
	cancel()
	group.Wait()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	all := written()
	t.Logf("%d KB were written to a log that was never larger than %d KB", all>>10, largest>>10)
	if 2*largest > all {
		t.Errorf("the log grew to %d bytes of %d that were written: it hardly ever starts anew", largest, all)
	}
}

// Somebody who reads for long keeps the log from starting anew. Writers must
// not wait for them each time.
func TestALongReaderDoesNotHoldUpWriters(t *testing.T) {
	t.Parallel()
	d := newDevice(t)
	options := d.options()
	options.CheckpointPages = 10
	s, err := Open(madePath(t), options)
	if err != nil {
		t.Fatal(err)
	}
	lease, frames := begin(t, s, testKey, "me"), newChain(testKey)
	doubled := 0
	err = s.read(t.Context(), "read for long", testKey, func(c *conn) error {
		if _, err := c.exec("BEGIN"); err != nil {
			return err
		}
		if _, err := findSession(c, testKey); err != nil {
			return err
		}
		fill(t, s, frames, lease, 60)
		s.keeper.group.Wait()
		doubled = s.keeper.limit
		_, err := c.exec("ROLLBACK")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 { // and when they have left, all is as before
		fill(t, s, frames, lease, 10)
		s.keeper.group.Wait()
	}
	if base := mostLogs * options.CheckpointPages; doubled <= base || s.keeper.limit != base {
		t.Errorf("the log's limit was %d while somebody read, and is %d afterwards, want more than %d and %d",
			doubled, s.keeper.limit, base, base)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A file that is large because its log was is small again afterwards.
func TestALogThatGrewIsCutAgain(t *testing.T) {
	t.Parallel()
	d := newDevice(t)
	options := d.options()
	options.CheckpointPages = 20
	path := madePath(t)
	s, err := Open(path, options)
	if err != nil {
		t.Fatal(err)
	}
	lease := begin(t, s, testKey, "me")
	batch := store.Batch{Lease: lease}
	for i := range 100 {
		batch.Blobs = append(batch.Blobs, journal.NewBlob(fmt.Appendf(nil, "%d %20000d", i, 0)))
	}
	if err := s.Append(t.Context(), testKey, batch); err != nil {
		t.Fatal(err)
	}
	s.keeper.group.Wait()
	fill(t, s, newChain(testKey), lease, 1)
	info, err := os.Stat(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if limit := int64(2 * options.CheckpointPages * pageSize); info.Size() > limit {
		t.Errorf("log has %d bytes after a checkpoint, want at most %d", info.Size(), limit)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
