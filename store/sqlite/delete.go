package sqlite

import (
	"context"
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
)

// Delete implements [store.Journal].
func (s *Store) Delete(ctx context.Context, key journal.Key) error {
	err := s.write(ctx, "delete", key, func(c *conn) error {
		ss, err := findSession(c, key)
		if err != nil {
			return err
		}
		return deleteSession(c, ss.id)
	})
	if err == nil {
		s.bells.ring(key)
	}
	return err
}

// deleteSession removes a session's rows. A blob that another session holds
// moves out of the pack that it rides in: all of a pack's blobs are held by
// the session that brought it, so looking through this session's is enough.
func deleteSession(c *conn, id int64) error {
	for _, step := range [...]struct{ what, query string }{
		{"blobs that nobody else holds", `
DELETE FROM blob WHERE id IN (SELECT blob FROM held WHERE session = ?1)
AND NOT EXISTS (SELECT 1 FROM held WHERE held.blob = blob.id AND held.session <> ?1)`},
		{"packs", `
UPDATE blob SET data = (SELECT substr(pack, blob.start + 1, blob.size) FROM frame WHERE frame.id = blob.frame),
    frame = NULL, start = 0
WHERE id IN (SELECT blob FROM held WHERE session = ?1)
AND frame IN (SELECT id FROM frame WHERE session = ?1)`},
		{"holdings", `DELETE FROM held WHERE session = ?1`},
		{"frames", `DELETE FROM frame WHERE session = ?1`},
		{"commands", `DELETE FROM inbox WHERE session = ?1`},
		{"state", `DELETE FROM state WHERE session = ?1`},
		{"session", `DELETE FROM session WHERE id = ?1`},
	} {
		if _, err := c.exec(step.query, id); err != nil {
			return fmt.Errorf("remove %s: %w", step.what, err)
		}
	}
	return nil
}
