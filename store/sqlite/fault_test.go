package sqlite

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	sqlite3lib "modernc.org/sqlite/lib"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// after makes the operations of a kind fail once some have gone well. Reads
// and writes of the file itself are the checkpoints', and so not meant.
func after(n int, op operation, rc int32) func(operation, string) int32 {
	return func(o operation, name string) int32 {
		if o != op || isMain(name) {
			return 0
		}
		if n--; n >= 0 {
			return 0
		}
		return rc
	}
}

var faults = []struct {
	name string
	op   operation
	rc   int32
	want error
}{
	{"disk full", opWrite, sqlite3lib.SQLITE_FULL, store.ErrFull},
	{"writes fail", opWrite, sqlite3lib.SQLITE_IOERR_WRITE, store.ErrDevice},
	{"syncs fail", opSync, sqlite3lib.SQLITE_IOERR_FSYNC, store.ErrDevice},
}

// A call that the disk fails is told so, by kind. What was acknowledged before
// is there, also if power is lost now; nothing of the failed call is; and when
// the disk is well again the same call goes through.
//
// contract: S8
func TestAFaultOfTheDiskIsToldAndOutlived(t *testing.T) {
	t.Parallel()
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			for _, skip := range []int{0, 1, 8, 21, 2, 3, 5, 13}[:8/min(slowdown, 4)] {
				outlive(t, fault.op, fault.rc, skip, fault.want)
			}
		})
	}
}

func outlive(t *testing.T, op operation, rc int32, skip int, want error) {
	t.Helper()
	d := newDevice(t)
	path := newPath(t)
	s, err := Open(path, d.options())
	if err != nil {
		t.Fatal(err)
	}
	lease := begin(t, s, testKey, "me")
	frames := newChain(testKey)
	fill(t, s, frames, lease, 2)

	d.fail(after(skip, op, rc))
	acked := frames.f.Seq
	var failed store.Batch
	for err == nil {
		failed = store.Batch{
			Lease: lease, Frames: frames.next(), State: []byte("state"),
			Blobs: []journal.Blob{journal.NewBlob(fmt.Appendf(nil, "%d %50000d", frames.f.Seq, 0))},
		}
		if err = s.Append(t.Context(), testKey, failed); err == nil {
			acked = frames.f.Seq
		}
	}
	if !errors.Is(err, want) || errors.Is(err, journal.ErrCorrupt) {
		t.Errorf("after %d good operations: %v, want %v", skip, err, want)
	}
	if n := count(t, s, testKey); uint64(n) != acked { //nolint:gosec // small
		t.Errorf("after %d good operations: %d frames, %d were acknowledged", skip, n, acked)
	}
	if _, err := s.Blob(t.Context(), testKey, failed.Blobs[0].Ref); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("after %d good operations: blob of the failed call: %v", skip, err)
	}
	rng := rand.New(rand.NewPCG(1, uint64(skip))) //nolint:gosec // a fixed seed
	quick := newDevice(t)
	quick.deaf = true
	for _, how := range []crash{crashLost, crashMixed, crashKept} {
		left, err := Open(cut(d.events(), how, rng).write(t, "sessions.db", rng), quick.options())
		if err != nil {
			t.Fatalf("power cut after the fault, writes %s: %v", how, err)
		}
		// The failed call may be there or not; nobody was told either.
		if n := uint64(count(t, left, testKey)); n != acked && n != acked+1 { //nolint:gosec // small
			t.Errorf("power cut after the fault, writes %s: %d frames, %d were acknowledged", how, n, acked)
		}
		if err := left.Close(); err != nil {
			t.Error(err)
		}
	}

	d.fail(nil)
	if err := s.Append(t.Context(), testKey, failed); err != nil {
		t.Errorf("after %d good operations: the call again: %v", skip, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s = openAt(t, path)
	if n := count(t, s, testKey); uint64(n) != acked+1 { //nolint:gosec // small
		t.Errorf("after %d good operations and reopening: %d frames, want %d", skip, n, acked+1)
	}
	if report, err := s.Check(t.Context()); err != nil || report.Err() != nil {
		t.Errorf("check: %v, %v", err, report.Err())
	}
}

// When a sync fails, everybody who shared it must hear of it.
func TestAFaultReachesAllWhoShareTheTransaction(t *testing.T) {
	t.Parallel()
	d := newDevice(t)
	s, err := Open(madePath(t), d.options())
	if err != nil {
		t.Fatal(err)
	}
	const writers = 8
	leases := make([]store.Lease, writers)
	for i := range leases {
		leases[i] = begin(t, s, journal.Key{Tenant: "acme", Session: strconv.Itoa(i)}, "me")
	}
	d.fail(after(1, opSync, sqlite3lib.SQLITE_IOERR_FSYNC))
	var group sync.WaitGroup
	var mu sync.Mutex
	acked := 0
	for _, lease := range leases {
		group.Go(func() {
			for frames := newChain(lease.Key); ; {
				err := s.Append(t.Context(), lease.Key, store.Batch{Lease: lease, Frames: frames.next()})
				if err != nil {
					if !errors.Is(err, store.ErrDevice) {
						t.Errorf("%v, want %v", err, store.ErrDevice)
					}
					return
				}
				mu.Lock()
				acked++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	d.fail(nil)
	there := 0
	for _, lease := range leases {
		there += count(t, s, lease.Key)
	}
	if there != acked || acked == 0 || acked > writers {
		t.Errorf("%d frames are there, %d were acknowledged by one sync", there, acked)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestACheckpointThatFailsLosesNothing(t *testing.T) {
	t.Parallel()
	d := newDevice(t)
	options := d.options()
	options.CheckpointPages = 20
	path := newPath(t)
	s, err := Open(path, options)
	if err != nil {
		t.Fatal(err)
	}
	d.fail(func(op operation, name string) int32 {
		if op == opWrite && isMain(name) {
			return sqlite3lib.SQLITE_IOERR_WRITE
		}
		return 0
	})
	frames := newChain(testKey)
	fill(t, s, frames, begin(t, s, testKey, "me"), 20)
	s.keeper.group.Wait()
	if err := s.Close(); !errors.Is(err, store.ErrDevice) {
		t.Errorf("close: %v, want the checkpoint's %v", err, store.ErrDevice)
	}
	d.fail(nil)
	s, err = Open(path, options)
	if err != nil {
		t.Fatal(err)
	}
	if n := count(t, s, testKey); n != 20 {
		t.Errorf("%d frames, want 20", n)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestAFaultOfReadingIsNoDamage(t *testing.T) {
	t.Parallel()
	d := newDevice(t)
	path := written(t)
	s, err := Open(path, d.options())
	if err != nil {
		t.Fatal(err)
	}
	d.fail(func(op operation, _ string) int32 {
		if op == opRead {
			return sqlite3lib.SQLITE_IOERR_READ
		}
		return 0
	})
	for _, err = range s.Read(t.Context(), testKey, 1) {
	}
	if !errors.Is(err, store.ErrDevice) || errors.Is(err, journal.ErrCorrupt) {
		t.Errorf("read: %v, want %v", err, store.ErrDevice)
	}
	d.fail(nil)
	if n := count(t, s, testKey); n != 200 {
		t.Errorf("%d frames when the disk is well again, want 200", n)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestAReadOnlyFileCanBeRead(t *testing.T) {
	t.Parallel()
	d := newDevice(t)
	path := written(t)
	d.fail(func(op operation, _ string) int32 {
		if op == opOpen {
			return sqlite3lib.SQLITE_READONLY
		}
		return 0
	})
	openAt(t, path) // somebody who may write keeps log and shared memory there
	s, err := Open(path, d.options())
	if err != nil {
		t.Fatal(err)
	}
	if n := count(t, s, testKey); n != 200 {
		t.Errorf("%d frames, want 200", n)
	}
	if _, err := s.Put(t.Context(), testKey, store.Item{Key: "new"}); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("put: %v, want %v", err, store.ErrReadOnly)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
