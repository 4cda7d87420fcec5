package sqlite

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// pause is the time between two tries for the lock of the file.
const pause = time.Millisecond

// writer commits what many callers want in few transactions.
type writer struct {
	conn     *conn         // the leader's
	patience time.Duration // how long to wait for another process
	// committed is told how many pages a transaction has written.
	committed func(pages int)

	mu      sync.Mutex
	queue   []*request
	leading bool
}

// request is something to be done in a transaction, or between two.
type request struct {
	apply   func(c *conn) error
	between func() error // instead of apply
	err     error
	// turn tells a waiting caller how it goes on: true is to lead, false that
	// its request is done.
	turn   chan bool
	chosen bool // to lead; guarded by the writer's lock
}

// do runs apply in a transaction and returns when it is durable, or refused.
// A call that is cancelled while it waits has written nothing; one whose
// transaction has begun tells what became of it.
func (w *writer) do(ctx context.Context, apply func(c *conn) error) error {
	return w.submit(ctx, &request{apply: apply, turn: make(chan bool, 1)})
}

// alone runs f between two transactions.
func (w *writer) alone(ctx context.Context, f func() error) error {
	return w.submit(ctx, &request{between: f, turn: make(chan bool, 1)})
}

func (w *writer) submit(ctx context.Context, r *request) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	w.queue = append(w.queue, r)
	lead := !w.leading
	w.leading = true
	w.mu.Unlock()

	if !lead {
		select {
		case lead = <-r.turn:
		case <-ctx.Done():
			if w.withdraw(r) {
				return ctx.Err()
			}
			lead = <-r.turn
		}
	}
	if lead {
		w.lead(r)
	}
	return r.err
}

// withdraw takes a request back that nobody has begun with.
func (w *writer) withdraw(r *request) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.queue, r)
	if i < 0 || r.chosen {
		return false
	}
	w.queue = slices.Delete(w.queue, i, i+1)
	return true
}

// lead commits all that is queued, then hands over to the first of those who
// came meanwhile. It leads once only: its caller has its answer and should not
// pay for others.
func (w *writer) lead(mine *request) {
	w.mu.Lock()
	batch := w.next()
	w.mu.Unlock()

	w.commit(batch)

	w.mu.Lock()
	if len(w.queue) > 0 {
		w.queue[0].chosen = true
		w.queue[0].turn <- true
	} else {
		w.leading = false
	}
	w.mu.Unlock()
	for _, r := range batch {
		if r != mine {
			r.turn <- false
		}
	}
}

// next takes from the queue what can be done at once: a request that wants to
// be alone, or all that come before one. The lock is held.
func (w *writer) next() []*request {
	n := slices.IndexFunc(w.queue, func(r *request) bool { return r.between != nil })
	if n < 0 {
		n = len(w.queue)
	}
	n = max(n, 1)
	batch := w.queue[:n:n]
	if w.queue = w.queue[n:]; len(w.queue) == 0 {
		w.queue = nil
	}
	return batch
}

// commit runs requests in one transaction and notes what became of each.
func (w *writer) commit(batch []*request) {
	if first := batch[0]; first.between != nil {
		first.err = first.between()
		return
	}
	err := w.transact(batch)
	if w.committed != nil {
		w.committed(w.conn.written())
	}
	if err != nil {
		for _, r := range batch {
			if r.err == nil {
				r.err = err
			}
		}
	}
}

// transact returns an error if the transaction as a whole came to nothing.
func (w *writer) transact(batch []*request) error {
	if err := w.begin(); err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	for _, r := range batch {
		if err := w.step(r, len(batch) == 1); err != nil {
			w.rollback()
			return err
		}
	}
	if _, err := w.conn.exec("COMMIT"); err != nil {
		w.rollback()
		return fmt.Errorf("commit transaction: %w", err)
	}
	return nil
}

// begin takes the lock of the file. SQLite could do the waiting, but it tries
// less and less often, up to ten times a second, and so hardly ever finds the
// gap between two transactions of a process that writes without a break.
func (w *writer) begin() error {
	return patiently(w.patience, func() error {
		_, err := w.conn.exec("BEGIN IMMEDIATE")
		return err
	})
}

// patiently tries until no other process is in the way.
func patiently(patience time.Duration, try func() error) error {
	for waited := time.Duration(0); ; waited += pause {
		err := try()
		if !busy(err) || waited >= patience {
			return err
		}
		time.Sleep(pause) //nolint:forbidigo // waits for another process; no data depends on it
	}
}

// step runs one request so that it leaves all or nothing. When it is alone the
// transaction does as its savepoint.
func (w *writer) step(r *request, alone bool) error {
	if alone {
		r.err = r.apply(w.conn)
		return r.err
	}
	if _, err := w.conn.exec("SAVEPOINT request"); err != nil {
		return fmt.Errorf("set savepoint: %w", err)
	}
	r.err = r.apply(w.conn)
	if r.err != nil {
		// Some failures, a full disk for one, end the whole transaction. Then
		// there is nothing to go back to, and the neighbours must hear of it.
		if _, err := w.conn.exec("ROLLBACK TO request"); err != nil {
			return fmt.Errorf("undo a neighbour that failed (%w): %w", r.err, err)
		}
	}
	if _, err := w.conn.exec("RELEASE request"); err != nil {
		return fmt.Errorf("release savepoint: %w", err)
	}
	return nil
}

// rollback ends a transaction that has failed. It can fail itself only when
// SQLite has ended the transaction already; were it otherwise, the next BEGIN
// would say so.
func (w *writer) rollback() { _, _ = w.conn.exec("ROLLBACK") }
