package sqlite

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// touch is a request that makes an account, and then fails or not.
func touch(name string, err error) *request {
	return &request{apply: func(c *conn) error {
		if _, err := c.exec("INSERT INTO account (tenant, name) VALUES ('t', ?)", name); err != nil {
			return err
		}
		return err
	}}
}

func accounts(t *testing.T, s *Store) string {
	t.Helper()
	names := ""
	err := s.read(t.Context(), "accounts", journal.Key{}, func(c *conn) error {
		return c.each("SELECT name FROM account ORDER BY name", func(r row) error {
			names += r.text(0)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestAFailedRequestLeavesItsNeighboursAlone(t *testing.T) {
	t.Parallel()
	s := openAt(t, madePath(t))
	bad := errors.New("bad")
	batch := []*request{touch("a", nil), touch("b", bad), touch("c", nil), touch("a", nil), touch("d", nil)}
	s.writer.commit(batch)
	if got := accounts(t, s); got != "acd" {
		t.Errorf("accounts %q, want acd", got)
	}
	for i, r := range batch {
		switch i {
		case 1:
			if !errors.Is(r.err, bad) {
				t.Errorf("request %d: %v, want its own error", i, r.err)
			}
		case 3: // the same row a second time
			if r.err == nil {
				t.Errorf("request %d succeeded", i)
			}
		default:
			if r.err != nil {
				t.Errorf("request %d: %v", i, r.err)
			}
		}
	}
	s.writer.commit([]*request{touch("e", bad)})
	s.writer.commit([]*request{touch("f", nil)})
	if got := accounts(t, s); got != "acdf" {
		t.Errorf("accounts %q, want acdf", got)
	}
}

// A failure that ends the whole transaction must reach everybody in it: those
// before have lost what they wrote.
func TestALostTransactionFailsAllOfIt(t *testing.T) {
	t.Parallel()
	s := openAt(t, madePath(t))
	lost := &request{apply: func(c *conn) error {
		_, err := c.exec("ROLLBACK") // as SQLite does when the disk is full
		return errors.Join(errors.New("disk is full"), err)
	}}
	batch := []*request{touch("a", nil), lost, touch("c", nil)}
	s.writer.commit(batch)
	for i, r := range batch {
		if r.err == nil {
			t.Errorf("request %d succeeded", i)
		}
	}
	s.writer.commit([]*request{touch("d", nil)})
	if got := accounts(t, s); got != "d" {
		t.Errorf("accounts %q, want d", got)
	}
}

func TestACallThatWaitsCanBeCancelled(t *testing.T) {
	t.Parallel()
	s := openAt(t, madePath(t))
	leading, release := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		err := s.writer.do(t.Context(), func(*conn) error {
			close(leading)
			<-release
			return nil
		})
		if err != nil {
			t.Errorf("leader: %v", err)
		}
	})
	<-leading
	ctx, cancel := context.WithCancel(t.Context())
	group.Go(func() {
		if err := s.writer.do(ctx, touch("a", nil).apply); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v, want %v", err, context.Canceled)
		}
		close(release) // the leader was at work all the time
	})
	cancel()
	group.Wait()
	if got := accounts(t, s); got != "" {
		t.Errorf("accounts %q, want none", got)
	}
	if err := s.writer.do(t.Context(), touch("b", nil).apply); err != nil {
		t.Errorf("a call after it all: %v", err)
	}
}

// Whoever is to lead must, or those behind it would wait for ever.
func TestALeaderCannotWithdraw(t *testing.T) {
	t.Parallel()
	waiting, chosen := &request{}, &request{chosen: true}
	w := &writer{queue: []*request{chosen, waiting}, leading: true}
	if w.withdraw(chosen) {
		t.Error("the request that was chosen to lead has left the queue")
	}
	if !w.withdraw(waiting) || w.withdraw(waiting) {
		t.Error("want a waiting request to withdraw once")
	}
}

func TestManyCallersAreAllServed(t *testing.T) {
	t.Parallel()
	s := openAt(t, madePath(t))
	var group sync.WaitGroup
	for i := range 16 {
		key := journal.Key{Tenant: "acme", Session: strconv.Itoa(i)}
		group.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			batch := store.Batch{Lease: begin(t, s, key, "me")}
			frames := newChain(key)
			for n := range 10 {
				batch.Frames = frames.next()
				if err := s.Append(ctx, key, batch); err != nil {
					t.Errorf("append: %v", err)
				}
				if n%3 == 0 { // a neighbour that is refused each time
					if err := s.Append(ctx, key, batch); !errors.Is(err, journal.ErrCorrupt) {
						t.Errorf("the same append twice: %v, want %v", err, journal.ErrCorrupt)
					}
				}
			}
		})
	}
	group.Wait()
	for i := range 16 {
		if n := count(t, s, journal.Key{Tenant: "acme", Session: strconv.Itoa(i)}); n != 10 {
			t.Errorf("session %d has %d frames, want 10", i, n)
		}
	}
}
