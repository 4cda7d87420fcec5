package sqlite

import "context"

// pool lends out reading connections. A slot is a connection, or nil for one
// that has not been needed yet.
type pool struct {
	dial  func() (*conn, error)
	slots chan *conn
}

func newPool(size int, dial func() (*conn, error)) *pool {
	p := &pool{dial: dial, slots: make(chan *conn, size)}
	for range size {
		p.slots <- nil
	}
	return p
}

// use runs f with a connection, waiting for one if need be.
func (p *pool) use(ctx context.Context, f func(c *conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var c *conn
	select {
	case c = <-p.slots:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { p.slots <- c }()
	if c == nil {
		var err error
		if c, err = p.dial(); err != nil {
			return err
		}
	}
	return f(c)
}

// close waits for all connections to come back and closes them.
func (p *pool) close() []error {
	var all []error
	for range cap(p.slots) {
		if c := <-p.slots; c != nil {
			all = append(all, c.close())
		}
	}
	return all
}
