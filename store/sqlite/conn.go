package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	sqlite3 "modernc.org/sqlite"

	"github.com/ai-agent-go/ai-agent/journal"
)

// conn is one connection with its prepared statements. It speaks to the driver
// itself: package database/sql would add a pool that we must not have for the
// writer, and a conversion of every value.
//
// A conn belongs to one goroutine at a time.
type conn struct {
	c     driver.Conn
	stmts map[string]statement
}

type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// dial opens a connection and runs its settings.
func dial(dsn string, settings ...string) (*conn, error) {
	connector, err := sqlite3.NewConnector(dsn)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	c, err := connector.Connect(context.Background())
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	opened := &conn{c: c, stmts: make(map[string]statement)}
	for _, setting := range settings {
		if _, err := opened.exec(setting); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", setting, err), opened.close())
		}
	}
	return opened, nil
}

func (c *conn) close() error {
	var all []error
	for _, s := range c.stmts {
		all = append(all, s.Close())
	}
	return errors.Join(append(all, c.c.Close())...)
}

// prepare returns a statement, made once. Queries are constants or put
// together from a few, so the cache needs no bound.
func (c *conn) prepare(query string) (statement, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	made, err := c.c.Prepare(query)
	if err != nil {
		return nil, err
	}
	s, ok := made.(statement)
	if !ok {
		return nil, fmt.Errorf("driver's statements of type %T lack the context methods", made)
	}
	c.stmts[query] = s
	return s, nil
}

// exec runs a statement that returns no rows. Statements are short and bounded
// and the driver starts a goroutine for each that could be interrupted, so
// contexts are looked at before and between statements, not during.
func (c *conn) exec(query string, args ...any) (driver.Result, error) {
	s, err := c.prepare(query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(context.Background(), values(args))
}

// change runs a statement and tells how many rows it changed.
func (c *conn) change(query string, args ...any) (int64, error) {
	r, err := c.exec(query, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// insert runs a statement and tells the id of the row it made.
func (c *conn) insert(query string, args ...any) (int64, error) {
	r, err := c.exec(query, args...)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

// script runs several statements that are used once.
func (c *conn) script(text string) error {
	x, ok := c.c.(driver.ExecerContext)
	if !ok {
		return fmt.Errorf("driver's connections of type %T cannot run scripts", c.c)
	}
	_, err := x.ExecContext(context.Background(), text, nil)
	return err
}

// written tells how many pages the connection has written since it was last
// asked.
func (c *conn) written() int {
	s, ok := c.c.(sqlite3.DBStatus)
	if !ok {
		return 0
	}
	n, _, _ := s.Status(sqlite3.DBStatusCacheWrite, true) // fails only for a counter that it does not know
	return n
}

// each calls f for every row. F must keep no row and not run the same query.
func (c *conn) each(query string, f func(r row) error, args ...any) (err error) {
	s, err := c.prepare(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.Background(), values(args))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	r := make(row, len(rows.Columns()))
	for {
		switch err := rows.Next(r); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := f(r); err != nil {
			return err
		}
	}
}

// one returns the first row, or nil when there is none.
func (c *conn) one(query string, args ...any) (row, error) {
	var first row
	err := c.each(query, func(r row) error {
		first = r
		return io.EOF
	}, args...)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return first, nil
}

// row is one row of a result. Its methods take the column's place; NULL is the
// zero value. Tables are strict, so there is no other type to expect.
type row []driver.Value

func (r row) int(i int) int64 {
	n, _ := r[i].(int64)
	return n
}

func (r row) uint(i int) uint64 { return uint64(r.int(i)) } //nolint:gosec // stored by values, which only reinterprets

func (r row) text(i int) string {
	s, _ := r[i].(string)
	return s
}

func (r row) bytes(i int) []byte {
	b, _ := r[i].([]byte)
	return b
}

// ref is a reference. One of a wrong length names nothing that exists, and so
// is found out where it is compared.
func (r row) ref(i int) journal.Ref {
	var ref journal.Ref
	copy(ref[:], r.bytes(i))
	return ref
}

// values makes arguments into what the driver takes. A nil byte string is an
// empty one; NULL is an untyped nil.
func values(args []any) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case int:
			arg = int64(v)
		case uint64:
			arg = int64(v) //nolint:gosec // read back by row.uint
		case journal.Ref:
			arg = v[:]
		case []byte:
			if v == nil {
				arg = []byte{}
			}
		}
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: arg}
	}
	return out
}
