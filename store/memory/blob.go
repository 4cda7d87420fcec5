package memory

import (
	"context"
	"fmt"
	"slices"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// packed is the size up to which a blob shares an allocation with the rest of
// its batch. Larger ones stand alone, so that dropping one frees it.
const packed = 16 << 10

// blob is content that at least one session of a tenant holds.
type blob struct {
	data    []byte
	holders int
}

// pack is one allocation for many small byte strings.
type pack struct{ free []byte }

func newPack(size int) pack { return pack{free: make([]byte, size)} }

// add copies data into the pack. The copy's capacity ends with it, so that no
// append can reach its neighbour.
func (p *pack) add(data []byte) []byte {
	n := copy(p.free, data)
	out := p.free[:n:n]
	p.free = p.free[n:]
	return out
}

// missing is how many bytes of a pack the small ones among blobs can need. A
// blob that comes twice is counted twice: rare, and only a few bytes.
func (ss *session) missing(blobs []journal.Blob) int {
	size := 0
	for i := range blobs {
		if n := len(blobs[i].Data); n <= packed && ss.tenant.blobs[blobs[i].Ref] == nil {
			size += n
		}
	}
	return size
}

// hold makes blobs the session's; their names have been checked.
func (ss *session) hold(p *pack, blobs []journal.Blob) {
	for i := range blobs {
		ref := blobs[i].Ref
		if ss.blobs[ref] != nil {
			continue
		}
		b := ss.tenant.blobs[ref]
		if b == nil {
			b = new(blob)
			if len(blobs[i].Data) <= packed {
				b.data = p.add(blobs[i].Data)
			} else {
				b.data = slices.Clone(blobs[i].Data)
			}
			ss.tenant.blobs[ref] = b
		}
		b.holders++
		ss.blobs[ref] = b
	}
}

// heritage finds the blobs that a batch inherits; the lock is held.
func (s *Store) heritage(tenant string, from *store.Inherit) (map[journal.Ref]*blob, error) {
	if from.Session == "" {
		return nil, nil //nolint:nilnil // nothing is inherited
	}
	donor, err := s.session(journal.Key{Tenant: tenant, Session: from.Session})
	if err != nil {
		return nil, fmt.Errorf("inherit: %w", err)
	}
	if from.Refs == nil {
		return donor.blobs, nil
	}
	some := make(map[journal.Ref]*blob, len(from.Refs))
	for _, ref := range from.Refs {
		if some[ref] = donor.blobs[ref]; some[ref] == nil {
			return nil, fmt.Errorf("inherit blob %s of session %s: %w", ref.Short(), donor.key, store.ErrNotFound)
		}
	}
	return some, nil
}

// inherit makes blobs the session's that the tenant has.
func (ss *session) inherit(blobs map[journal.Ref]*blob) {
	for ref, b := range blobs {
		if ss.blobs[ref] == nil {
			b.holders++
			ss.blobs[ref] = b
		}
	}
}

// PutBlob implements [store.Blobs].
func (s *Store) PutBlob(ctx context.Context, key journal.Key, data []byte) (journal.Ref, error) {
	if err := ctx.Err(); err != nil {
		return journal.Ref{}, fmt.Errorf("put blob for %s: %w", key, err)
	}
	blobs := []journal.Blob{journal.NewBlob(data)}
	s.mu.Lock()
	defer s.mu.Unlock()
	ss, err := s.session(key)
	if err != nil {
		return journal.Ref{}, fmt.Errorf("put blob: %w", err)
	}
	p := newPack(ss.missing(blobs))
	ss.hold(&p, blobs)
	return blobs[0].Ref, nil
}

// Blob implements [store.Blobs].
func (s *Store) Blob(ctx context.Context, key journal.Key, ref journal.Ref) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("blob of %s: %w", key, err)
	}
	data, err := s.content(key, ref)
	if err != nil {
		return nil, err
	}
	if err := store.CheckBlob(ref, data); err != nil {
		return nil, fmt.Errorf("blob of %s: %w", key, err)
	}
	return slices.Clone(data), nil
}

func (s *Store) content(key journal.Key, ref journal.Ref) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ss, err := s.session(key)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	b := ss.blobs[ref]
	if b == nil {
		return nil, fmt.Errorf("blob %s of %s: %w", ref.Short(), key, store.ErrNotFound)
	}
	return b.data, nil
}
