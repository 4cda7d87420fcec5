package sqlite

import (
	"context"

	"github.com/ai-agent-go/ai-agent/journal"
)

// orphan is a blob that no session holds.
const orphan = `NOT EXISTS (SELECT 1 FROM held WHERE held.blob = blob.id)`

// sweepRows is how many blobs one transaction removes: others want to write.
const sweepRows = 256

// Sweep removes blobs that no session holds and tells how many there were.
// Deleting a session removes its own, so there should be none; a file that was
// damaged or that another program has written to may have some.
func (s *Store) Sweep(ctx context.Context) (int, error) {
	const remove = `DELETE FROM blob WHERE id IN (SELECT id FROM blob WHERE ` + orphan + ` LIMIT ?)`
	total := 0
	for {
		var n int64
		err := s.write(ctx, "sweep blobs", journal.Key{}, func(c *conn) (err error) {
			n, err = c.change(remove, sweepRows)
			return err
		})
		if err != nil {
			return total, err
		}
		if total += int(n); n < sweepRows {
			return total, nil
		}
	}
}
