package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// Options says how a store behaves. The zero value, and nil, are good.
type Options struct {
	// BusyTimeout is how long a call waits for another process that is
	// writing. Zero is ten seconds.
	BusyTimeout time.Duration
	// CheckpointPages is how many pages of 4 KB are written to the log before
	// they are moved into the file itself, which is done beside the writer. The
	// log stays within some sixteen times as many. Zero is 1,000.
	CheckpointPages int
	// PollInterval is how often, while somebody watches, the file is asked
	// whether another process has written. Changes made through this store are
	// seen at once. Zero is 200 milliseconds.
	PollInterval time.Duration
	// Readers is how many connections read at the same time; they are opened
	// when they are first needed. Zero is four.
	Readers int
	// TornLog opens a file although its log is damaged in the middle, as it
	// was before the damage: acknowledged commits that come after it are lost.
	TornLog bool

	// For tests: the name of the VFS to use, and the setting of synchronous.
	vfs, synchronous string
}

// defaults checks options and fills in what is not set.
func (o Options) defaults() (Options, error) {
	if o.BusyTimeout < 0 || o.CheckpointPages < 0 || o.PollInterval < 0 || o.Readers < 0 {
		return o, fmt.Errorf("options %+v: nothing may be below zero", o)
	}
	o.BusyTimeout = cmp.Or(o.BusyTimeout, 10*time.Second)
	o.CheckpointPages = cmp.Or(o.CheckpointPages, 1000)
	o.PollInterval = cmp.Or(o.PollInterval, 200*time.Millisecond)
	o.Readers = cmp.Or(o.Readers, 4)
	o.synchronous = cmp.Or(o.synchronous, "FULL")
	return o, nil
}

// Store is a [store.Store] in a file. Close it when done.
type Store struct {
	path   string
	writer *writer
	pool   *pool
	bells  bells
	poll   poller
	keeper keeper
	alive  alive

	// life is held for reading by every call, and for writing by Close.
	life   sync.RWMutex
	closed bool
}

var _ store.Store = (*Store)(nil)

// Open opens the store in the file at path, and makes the file, and folders on
// the way to it, if they are not there: readable for nobody but the user. A
// file that is damaged or not a database gives an error that wraps
// [journal.ErrCorrupt], one of a newer version [ErrNewer].
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
	o, err := o.defaults()
	if err != nil {
		return nil, err
	}
	if err := createFile(path, syncFolder); err != nil {
		return nil, err
	}
	if !o.TornLog {
		if err := checkLog(path); err != nil {
			return nil, err
		}
	}
	dsn, err := address(path, "rw")
	if err != nil {
		return nil, err
	}
	if o.vfs != "" {
		dsn += "&vfs=" + o.vfs
	}
	steps, err := migrations()
	if err != nil {
		return nil, err
	}
	c, err := dialWriter(dsn, &o, steps)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, alive: alive{folder: path + "-alive"}, writer: &writer{conn: c, patience: o.BusyTimeout}}
	busy := fmt.Sprintf("PRAGMA busy_timeout = %d", o.BusyTimeout.Milliseconds())
	s.pool = newPool(o.Readers, func() (*conn, error) {
		return dial(dsn, busy, "PRAGMA query_only = ON", "PRAGMA trusted_schema = OFF")
	})
	s.poll = poller{interval: o.PollInterval, turn: make(chan struct{}, 1)}
	s.keeper = keeper{pages: o.CheckpointPages, limit: mostLogs * o.CheckpointPages, dial: func() (*conn, error) {
		return dial(dsn, busy, "PRAGMA synchronous = "+o.synchronous)
	}}
	s.writer.committed = s.tidy
	if err := s.bury(context.Background()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// dialWriter opens the connection that writes, and brings the file to the
// newest schema. On the way SQLite asks for locks that it does not wait for:
// two processes that turn a new file to WAL at the same time would dead-lock.
// So we wait, and try again from the start.
func dialWriter(dsn string, o *Options, steps []step) (*conn, error) {
	var c *conn
	err := patiently(o.BusyTimeout, func() (err error) {
		c, err = dial(dsn, fmt.Sprintf("PRAGMA busy_timeout = %d", o.BusyTimeout.Milliseconds()),
			"PRAGMA journal_mode = WAL",
			"PRAGMA synchronous = "+o.synchronous,
			// What a delete frees is overwritten where that costs no extra write.
			"PRAGMA secure_delete = FAST",
			"PRAGMA trusted_schema = OFF",
			// See keeper.
			"PRAGMA wal_autocheckpoint = 0",
			fmt.Sprintf("PRAGMA journal_size_limit = %d", o.CheckpointPages*pageSize))
		if err != nil {
			return err
		}
		if err = logged(c); err == nil {
			err = migrate(c, steps)
		}
		if err == nil {
			err = compareSchema(c)
		}
		if err == nil {
			_, err = c.exec("PRAGMA busy_timeout = 0") // see writer.begin
		}
		if err != nil {
			return errors.Join(err, c.close())
		}
		return nil
	})
	return c, err
}

// logged makes sure that the file is kept as our promises need it: a file
// system that cannot share memory makes SQLite fall back without a word.
func logged(c *conn) error {
	r, err := c.one("PRAGMA journal_mode")
	if err != nil {
		return err
	}
	if mode := r.text(0); mode != "wal" {
		return fmt.Errorf("journal mode is %q, want WAL: the file system does not allow it", mode)
	}
	return nil
}

// Close waits for calls under way, ends all watches and closes the file.
// Closing twice is no error. What goes wrong here is told and harms nothing:
// whatever was acknowledged is on the disk.
func (s *Store) Close() error {
	s.life.Lock()
	closed := s.closed
	s.closed = true
	s.life.Unlock()
	if closed {
		return nil
	}
	s.bells.ringAll()
	s.keeper.group.Wait()
	all := append(s.pool.close(), s.keeper.close()...)
	if s.poll.conn != nil {
		all = append(all, s.poll.conn.close())
	}
	all = append(all, s.writer.conn.close())
	s.alive.close()
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
