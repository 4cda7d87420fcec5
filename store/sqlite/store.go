package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	sqlite3 "modernc.org/sqlite"
	sqlite3lib "modernc.org/sqlite/lib"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// Options says how a store behaves. The zero value, and nil, are good.
type Options struct {
	// BusyTimeout is how long a call waits for another process that is
	// writing. Zero is ten seconds.
	BusyTimeout time.Duration
	// PollInterval is how often, while somebody watches, the file is asked
	// whether another process has written. Changes made through this store are
	// seen at once. Zero is 200 milliseconds.
	PollInterval time.Duration
	// Readers is how many connections read at the same time; they are opened
	// when they are first needed. Zero is four.
	Readers int
}

// Store is a [store.Store] in a file. Close it when done.
type Store struct {
	path   string
	writer *writer
	pool   *pool
	bells  bells
	poll   poller

	// life is held for reading by every call, and for writing by Close.
	life   sync.RWMutex
	closed bool
}

var _ store.Store = (*Store)(nil)

// Open opens the store in the file at path, and makes the file, and folders on
// the way to it, if they are not there: readable for nobody but the user. A
// file that is damaged or not a database gives an error that wraps
// [journal.ErrCorrupt].
func Open(path string, options *Options) (*Store, error) {
	s, err := open(path, options)
	if err != nil {
		return nil, fmt.Errorf("open sqlite store %s: %w", path, explain(err))
	}
	return s, nil
}

func open(path string, options *Options) (*Store, error) {
	var o Options
	if options != nil {
		o = *options
	}
	if o.BusyTimeout < 0 || o.PollInterval < 0 || o.Readers < 0 {
		return nil, fmt.Errorf("options %+v: nothing may be below zero", o)
	}
	if o.BusyTimeout == 0 {
		o.BusyTimeout = 10 * time.Second
	}
	if o.PollInterval == 0 {
		o.PollInterval = 200 * time.Millisecond
	}
	if o.Readers == 0 {
		o.Readers = 4
	}
	dsn, err := createFile(path)
	if err != nil {
		return nil, err
	}
	steps, err := migrations()
	if err != nil {
		return nil, err
	}
	busy := fmt.Sprintf("PRAGMA busy_timeout = %d", o.BusyTimeout.Milliseconds())
	c, err := dial(dsn, busy,
		"PRAGMA journal_mode = WAL",
		"PRAGMA synchronous = FULL",
		// What a delete frees is overwritten where that costs no extra write.
		"PRAGMA secure_delete = FAST",
		"PRAGMA trusted_schema = OFF")
	if err != nil {
		return nil, err
	}
	if err := migrate(c, steps); err != nil {
		return nil, errors.Join(err, c.close())
	}
	if _, err := c.exec("PRAGMA busy_timeout = 0"); err != nil { // see writer.begin
		return nil, errors.Join(err, c.close())
	}
	s := &Store{path: path, writer: &writer{conn: c, patience: o.BusyTimeout}}
	s.pool = newPool(o.Readers, func() (*conn, error) {
		return dial(dsn, busy, "PRAGMA query_only = ON", "PRAGMA trusted_schema = OFF")
	})
	s.poll = poller{interval: o.PollInterval, turn: make(chan struct{}, 1)}
	return s, nil
}

// Close waits for calls under way, ends all watches and closes the file.
// Closing twice is no error.
func (s *Store) Close() error {
	s.life.Lock()
	defer s.life.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.bells.ringAll()
	all := s.pool.close()
	if s.poll.conn != nil {
		all = append(all, s.poll.conn.close())
	}
	all = append(all, s.writer.conn.close())
	if err := errors.Join(all...); err != nil {
		return fmt.Errorf("close sqlite store %s: %w", s.path, explain(err))
	}
	return nil
}

// write runs apply in a transaction; see [writer.do].
func (s *Store) write(ctx context.Context, op string, key journal.Key, apply func(c *conn) error) error {
	return s.call(op, key, func() error { return s.writer.do(ctx, apply) })
}

// read runs look with a reading connection.
func (s *Store) read(ctx context.Context, op string, key journal.Key, look func(c *conn) error) error {
	return s.call(op, key, func() error { return s.pool.use(ctx, look) })
}

func (s *Store) call(op string, key journal.Key, f func() error) error {
	s.life.RLock()
	defer s.life.RUnlock()
	err := store.ErrClosed
	if !s.closed {
		err = f()
	}
	return s.wrap(op, key, err)
}

// wrap says where and at what something failed.
func (s *Store) wrap(op string, key journal.Key, err error) error {
	if err == nil {
		return nil
	}
	if key != (journal.Key{}) {
		op += " " + key.String()
	}
	return fmt.Errorf("sqlite store %s: %s: %w", s.path, op, explain(err))
}

// explain marks SQLite's own words for damage with ours.
func explain(err error) error {
	switch code(err) {
	case sqlite3lib.SQLITE_CORRUPT, sqlite3lib.SQLITE_NOTADB:
		if !errors.Is(err, journal.ErrCorrupt) {
			return fmt.Errorf("%w: %w", journal.ErrCorrupt, err)
		}
	}
	return err
}

// busy reports that another process is writing.
func busy(err error) bool { return code(err) == sqlite3lib.SQLITE_BUSY }

// code is SQLite's primary result code for an error; zero if it is not its.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite3.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}
