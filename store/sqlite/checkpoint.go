package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

const (
	pageSize = 4096
	// standstill is how long writers stand still at most for readers that still
	// look at the log which is about to start anew; longStandstill is it when
	// the log has grown too large.
	standstill     = 20 * time.Millisecond
	longStandstill = 500 * time.Millisecond
	// passes is how often the log is gone through before the rest is left for
	// another time.
	passes = 8
	// mostLogs is how many times its size the log may grow before writers wait
	// for its pages to be moved, however many are left.
	mostLogs = 16
)

// keeper moves pages from the log into the file. SQLite would do it in the
// commit that fills the log, and whoever made that commit would wait for all
// of it. The keeper does it beside the writer, on a connection of its own:
// pass by pass, each shorter than the one before, for it has only those pages
// to move that were written meanwhile. The few that are left at the end are
// moved while writers stand still, and the log starts anew.
//
// It works in a goroutine that lives while there is something to move; Close
// waits for it.
type keeper struct {
	dial  func() (*conn, error)
	pages int // how many written pages call for it
	limit int // the size of the log at which writers wait for it
	group sync.WaitGroup

	mu      sync.Mutex
	written int // pages since it was last called for
	busy    bool
	err     error // of its last work

	conn *conn // the goroutine's, and after its end Close's
}

// tidy is told by the writer how many pages it has written, and calls for the
// keeper when they are enough. The caller is within a call of the store.
func (s *Store) tidy(pages int) {
	k := &s.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.written += pages; k.written < k.pages || k.busy {
		return
	}
	k.written, k.busy = 0, true
	k.group.Go(func() {
		err := s.checkpoint()
		if errors.Is(err, store.ErrClosed) {
			err = nil // Close was faster, and does it itself
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.busy, k.err = false, err
	})
}

// close closes the connection. That the last work failed is told here: until
// then it harmed nobody, for the pages are in the log and will be moved later.
func (k *keeper) close() []error {
	var all []error
	if k.err != nil {
		all = append(all, fmt.Errorf("checkpoint: %w", k.err))
	}
	if k.conn != nil {
		all = append(all, k.conn.close())
	}
	return all
}

// checkpoint moves the log's pages and starts it anew.
func (s *Store) checkpoint() error {
	k := &s.keeper
	if k.conn == nil {
		var err error
		if k.conn, err = k.dial(); err != nil {
			return err
		}
	}
	for range passes {
		log, moved, err := k.pass("PASSIVE")
		if err != nil || s.ended() {
			return err
		}
		switch {
		case log > k.limit:
			return s.restart(longStandstill)
		case log-moved <= k.pages/8:
			return s.restart(standstill)
		}
	}
	return nil
}

// restart moves the rest while writers stand still, and has the log start
// anew if readers leave it in time. When they do not, somebody reads for long,
// and writers wait again only after the log has doubled.
func (s *Store) restart(patience time.Duration) error {
	k := &s.keeper
	if _, err := k.conn.exec(fmt.Sprintf("PRAGMA busy_timeout = %d", patience.Milliseconds())); err != nil {
		return err
	}
	return s.call("restart log", journal.Key{}, func() error {
		return s.writer.alone(context.Background(), func() error {
			log, moved, err := k.pass("RESTART")
			switch {
			case err != nil:
				return err
			case moved == log && log >= 0:
				k.limit = mostLogs * k.pages
			case patience == longStandstill:
				k.limit = 2 * max(log, k.limit)
			}
			return nil
		})
	})
}

// pass moves what can be moved and tells how many pages the log has and how
// many of them have been moved. It does not wait for anybody unless the mode
// says so. That somebody was in the way is no error: some pages are then left.
func (k *keeper) pass(mode string) (log, moved int, err error) {
	r, err := k.conn.one("PRAGMA wal_checkpoint(" + mode + ")")
	switch {
	case busy(err):
		return 1, 0, nil
	case err != nil:
		return 0, 0, fmt.Errorf("move log into file: %w", err)
	case r == nil:
		return 0, 0, errors.New("move log into file: no answer")
	}
	log, moved = int(r.int(1)), int(r.int(2))
	if r.int(0) != 0 && moved == log {
		moved-- // all moved, but somebody still reads the log: it cannot start anew
	}
	return log, moved, nil
}

// ended reports whether the store has been closed.
func (s *Store) ended() bool {
	s.life.RLock()
	defer s.life.RUnlock()
	return s.closed
}
