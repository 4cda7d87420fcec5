package sqlite

import (
	"context"
	"fmt"
	"slices"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

const (
	// packedBlob is the size up to which a blob rides in its append's row.
	packedBlob = 16 << 10
	// largestPack bounds what must be read to get at one small blob.
	largestPack = 256 << 10
)

const (
	selectBlob = `SELECT id FROM blob WHERE tenant = ? AND ref = ?`
	insertBlob = `INSERT INTO blob (tenant, ref, frame, start, size, data) VALUES (?, ?, ?, ?, ?, ?)`
	holdBlob   = `INSERT INTO held (session, blob) VALUES (?, ?) ON CONFLICT DO NOTHING`
)

// pack gathers small blobs that are new to a tenant.
type pack struct {
	room   int // how many bytes may be in it; none if there is no frame
	data   []byte
	pieces []piece
}

type piece struct {
	ref         journal.Ref
	start, size int
}

// stow makes blobs the session's: those that the tenant has are noted, large
// ones get a row, and small ones are left in the pack for [pack.note].
func (p *pack) stow(c *conn, tenant string, session int64, blobs []journal.Blob) error {
	for i := range blobs {
		b := &blobs[i]
		if slices.ContainsFunc(p.pieces, func(x piece) bool { return x.ref == b.Ref }) {
			continue
		}
		r, err := c.one(selectBlob, tenant, b.Ref)
		if err != nil {
			return fmt.Errorf("look for blob %s: %w", b.Ref.Short(), err)
		}
		var id int64
		switch {
		case r != nil:
			id = r.int(0)
		case p.room > 0 && len(b.Data) <= packedBlob && len(p.data)+len(b.Data) <= p.room:
			p.pieces = append(p.pieces, piece{b.Ref, len(p.data), len(b.Data)})
			p.data = append(p.data, b.Data...)
			continue
		default:
			if id, err = c.insert(insertBlob, tenant, b.Ref, nil, 0, len(b.Data), b.Data); err != nil {
				return fmt.Errorf("write blob %s: %w", b.Ref.Short(), err)
			}
		}
		if _, err := c.exec(holdBlob, session, id); err != nil {
			return fmt.Errorf("hold blob %s: %w", b.Ref.Short(), err)
		}
	}
	return nil
}

// note writes where the pieces are, once the frame that carries them has an
// id.
func (p *pack) note(c *conn, tenant string, session, frame int64) error {
	for _, piece := range p.pieces {
		id, err := c.insert(insertBlob, tenant, piece.ref, frame, piece.start, piece.size, nil)
		if err == nil {
			_, err = c.exec(holdBlob, session, id)
		}
		if err != nil {
			return fmt.Errorf("note blob %s: %w", piece.ref.Short(), err)
		}
	}
	return nil
}

// inherit makes blobs of another session of the tenant this one's too.
func inherit(c *conn, tenant string, session int64, from *store.Inherit) error {
	const (
		holdAll = `INSERT INTO held (session, blob) SELECT ?, blob FROM held WHERE session = ? ON CONFLICT DO NOTHING`
		find    = `SELECT b.id FROM blob b JOIN held h ON h.blob = b.id AND h.session = ? WHERE b.tenant = ? AND b.ref = ?`
	)
	if from.Session == "" {
		return nil
	}
	donor, err := findSession(c, journal.Key{Tenant: tenant, Session: from.Session})
	if err != nil {
		return fmt.Errorf("inherit: %w", err)
	}
	if from.Refs == nil {
		if _, err := c.exec(holdAll, session, donor.id); err != nil {
			return fmt.Errorf("inherit: %w", err)
		}
	}
	for _, ref := range from.Refs {
		r, err := c.one(find, donor.id, tenant, ref)
		if err == nil && r == nil {
			err = store.ErrNotFound
		}
		if err == nil {
			_, err = c.exec(holdBlob, session, r.int(0))
		}
		if err != nil {
			return fmt.Errorf("inherit blob %s of session %s: %w", ref.Short(), from.Session, err)
		}
	}
	return nil
}

// PutBlob implements [store.Blobs].
func (s *Store) PutBlob(ctx context.Context, key journal.Key, data []byte) (journal.Ref, error) {
	blob := journal.NewBlob(data)
	err := s.write(ctx, "put blob for", key, func(c *conn) error {
		ss, err := findSession(c, key)
		if err != nil {
			return err
		}
		return new(pack).stow(c, key.Tenant, ss.id, []journal.Blob{blob})
	})
	if err != nil {
		return journal.Ref{}, err
	}
	return blob.Ref, nil
}

// Blob implements [store.Blobs].
func (s *Store) Blob(ctx context.Context, key journal.Key, ref journal.Ref) ([]byte, error) {
	var data []byte
	err := s.read(ctx, "blob of", key, func(c *conn) (err error) {
		data, err = readBlob(c, key, ref)
		return err
	})
	if err != nil {
		return nil, err
	}
	return data, nil
}

// readBlob reads and checks a blob that a session holds.
func readBlob(c *conn, key journal.Key, ref journal.Ref) ([]byte, error) {
	const query = `
SELECT coalesce(b.data, substr(f.pack, b.start + 1, b.size))
FROM session s
JOIN blob b ON b.tenant = s.tenant AND b.ref = ?
JOIN held h ON h.session = s.id AND h.blob = b.id
LEFT JOIN frame f ON f.id = b.frame
WHERE s.tenant = ? AND s.name = ?`
	r, err := c.one(query, ref, key.Tenant, key.Session)
	if err != nil {
		return nil, fmt.Errorf("read blob %s: %w", ref.Short(), err)
	}
	if r == nil {
		return nil, missingBlob(c, key, ref)
	}
	data := r.bytes(0)
	if err := store.CheckBlob(ref, data); err != nil {
		return nil, err
	}
	return data, nil
}

// missingBlob tells why a blob was not found. A damaged index looks like a blob
// that is not there, so what the session holds is looked through without it:
// slow, but hardly anybody asks for what is not there.
func missingBlob(c *conn, key journal.Key, ref journal.Ref) error {
	const query = `
SELECT 1 FROM session s CROSS JOIN held h ON h.session = s.id CROSS JOIN blob b NOT INDEXED ON b.id = h.blob
WHERE s.tenant = ? AND s.name = ? AND b.ref = ?`
	r, err := c.one(query, key.Tenant, key.Session, ref)
	switch {
	case err != nil:
		return fmt.Errorf("look for blob %s: %w", ref.Short(), err)
	case r != nil:
		return fmt.Errorf("blob %s: %w: the index does not lead to it", ref.Short(), journal.ErrCorrupt)
	}
	return fmt.Errorf("blob %s: %w", ref.Short(), store.ErrNotFound)
}
