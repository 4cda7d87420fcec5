package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// childFile tells a copy of the test program to be another process on the
// file that it names.
const childFile = "SQLITE_STORE_TEST_CHILD_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		if err := beChild(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// contract: S9
func TestTwoStoresOnOneFileFenceEachOther(t *testing.T) {
	t.Parallel()
	path := madePath(t)
	a, b := openAt(t, path), openAt(t, path)
	lease := begin(t, a, testKey, "a")
	frames := newChain(testKey)
	if err := a.Append(t.Context(), testKey, store.Batch{Lease: lease, Frames: frames.next()}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Acquire(t.Context(), testKey, "b", 999, 1000); !errors.Is(err, store.ErrLeased) {
		t.Fatalf("acquire through the other store: %v, want %v", err, store.ErrLeased)
	}
	taken, err := b.Acquire(t.Context(), testKey, "b", 1000, 1000)
	if err != nil {
		t.Fatal(err)
	}
	next := frames.next()
	if err := a.Append(t.Context(), testKey, store.Batch{Lease: lease, Frames: next}); !errors.Is(err, store.ErrFenced) {
		t.Errorf("late append: %v, want %v", err, store.ErrFenced)
	}
	if err := b.Append(t.Context(), testKey, store.Batch{Lease: taken, Frames: next}); err != nil {
		t.Error(err)
	}

	// A command put through one is pending in the other, and its key is known.
	item := store.Item{Key: "second", Record: journal.Record{Body: []byte("body")}}
	ticket, err := a.Put(t.Context(), testKey, item)
	if err != nil {
		t.Fatal(err)
	}
	if items, err := b.Pending(t.Context(), testKey, 0); err != nil || len(items) != 2 || items[1].Position != ticket.Position {
		t.Errorf("pending in the other store: %+v, %v", items, err)
	}
	again, err := b.Put(t.Context(), testKey, item)
	if err != nil || !again.Repeated || again.Position != ticket.Position {
		t.Errorf("the same command through the other store: %+v, %v", again, err)
	}
}

// TestAnotherProcessSharesTheFile does it with a real process, whose locks are
// the operating system's and not SQLite's book-keeping within one.
//
// contract: S9
func TestAnotherProcessSharesTheFile(t *testing.T) {
	t.Parallel()
	path := madePath(t)
	s := openPolling(t, path, time.Millisecond)
	lease := begin(t, s, testKey, "parent")
	frames := newChain(testKey)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var group sync.WaitGroup
	group.Go(func() {
		for change, err := range s.Watch(ctx, testKey) {
			if err != nil {
				t.Errorf("watch: %v", err)
			}
			if change.Position == childPuts+1 {
				return
			}
		}
	})
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childFile+"="+path)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	// Both write at once, until the child takes the session over.
	var err error
	written := 0
	for ; err == nil; written++ {
		err = s.Append(t.Context(), testKey, store.Batch{Lease: lease, Frames: frames.next()})
	}
	written--
	if !errors.Is(err, store.ErrFenced) {
		t.Errorf("append after the child took over: %v, want %v", err, store.ErrFenced)
	}
	if err := child.Wait(); err != nil {
		t.Fatalf("child: %v", err)
	}
	group.Wait() // the watcher has seen the child's last command
	if n := count(t, s, testKey); n != written+1 {
		t.Errorf("%d frames, want %d of ours and one of the child's", n, written)
	}
}

const childPuts = 20

// beChild puts commands, takes the session over and appends one frame.
func beChild(path string) error {
	ctx := context.Background()
	s, err := Open(path, nil)
	if err != nil {
		return err
	}
	for i := range childPuts {
		if _, err := s.Put(ctx, testKey, store.Item{Key: fmt.Sprint(i)}); err != nil {
			return err
		}
	}
	lease, err := s.Acquire(ctx, testKey, "child", 1000, 1000)
	if err != nil {
		return err
	}
	head, err := s.Head(ctx, testKey)
	if err != nil {
		return err
	}
	f := journal.Frame{Seq: head.Seq + 1, Prev: head.Hash}
	if head.Seq == 0 {
		f.Prev = journal.Genesis(testKey)
	}
	if err := s.Append(ctx, testKey, store.Batch{Lease: lease, Frames: []store.Frame{store.Encode(&f)}}); err != nil {
		return err
	}
	return s.Close()
}
