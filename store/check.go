package store

import (
	"errors"
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
)

// What follows is for those who write a store: the rules that do not depend on
// how things are kept, so that no two stores can read them differently.

// Tail is the end of a session's journal: what the next frame must follow.
type Tail struct {
	Seq  uint64
	Hash journal.Ref
	Time int64
}

// NewTail is the tail of a session without frames.
func NewTail(key journal.Key) Tail { return Tail{Hash: journal.Genesis(key)} }

// Follow moves the tail over frames whose hashes have been checked, see
// [Batch.Check]. When one does not follow it says which, wrapping
// [journal.ErrCorrupt], and the tail stays where it was.
func (t *Tail) Follow(frames []Frame) error {
	next := *t
	for i := range frames {
		f := &frames[i]
		switch {
		case f.Seq != next.Seq+1:
			return fmt.Errorf("%w: frame %d follows frame %d", journal.ErrCorrupt, f.Seq, next.Seq)
		case f.Prev != next.Hash:
			return fmt.Errorf("%w: frame %d names %s as the one before it, that one is %s",
				journal.ErrCorrupt, f.Seq, f.Prev.Short(), next.Hash.Short())
		case f.Time < next.Time:
			return fmt.Errorf("%w: frame %d is older than the one before it", journal.ErrCorrupt, f.Seq)
		}
		next = Tail{Seq: f.Seq, Hash: f.Hash, Time: f.Time}
	}
	*t = next
	return nil
}

// Check refuses a frame whose data does not hash to its name.
func (f *Frame) Check() error {
	if journal.RefOf(f.Data) != f.Hash {
		return fmt.Errorf("%w: frame %d does not hash to its name", journal.ErrCorrupt, f.Seq)
	}
	return nil
}

// Check refuses a batch whose frames or blobs do not hash to their names, or
// whose letters no inbox may take. It computes only, so it is done before any
// lock is taken.
func (b *Batch) Check() error {
	for i := range b.Frames {
		if err := b.Frames[i].Check(); err != nil {
			return err
		}
	}
	for i := range b.Letters {
		l := &b.Letters[i]
		if err := l.Item.Check(journal.Key{Tenant: b.Lease.Key.Tenant, Session: l.To}); err != nil {
			return fmt.Errorf("letter to %.40q: %w", l.To, err)
		}
	}
	return CheckBlobs(b.Blobs)
}

// CheckBlobs refuses content under a wrong name. Unchecked, one bad writer
// would spoil that content for every other session of its tenant.
func CheckBlobs(blobs []journal.Blob) error {
	for i := range blobs {
		if err := CheckBlob(blobs[i].Ref, blobs[i].Data); err != nil {
			return err
		}
	}
	return nil
}

// CheckBlob refuses content that does not hash to its name.
func CheckBlob(ref journal.Ref, data []byte) error {
	if journal.RefOf(data) != ref {
		return fmt.Errorf("%w: blob %s does not hash to its name", journal.ErrCorrupt, ref.Short())
	}
	return nil
}

// Check refuses a command that no inbox may take.
func (it *Item) Check(key journal.Key) error {
	if err := key.Validate(); err != nil {
		return fmt.Errorf("key: %w", err)
	}
	if it.Key == "" {
		return errors.New("command has no idempotency key")
	}
	return CheckBlobs(it.Blobs)
}

// Holds reports whether a lease is the newest one of its session. Its end is
// not asked for: as long as nobody else has taken over, a late writer harms
// nobody.
func (l Lease) Holds(newest Lease) bool {
	return l.Token != 0 && l.Token == newest.Token && l.Owner == newest.Owner && l.Key == newest.Key
}

// Blocks reports whether a lease keeps another owner from acquiring.
func (l Lease) Blocks(owner string, now int64) bool {
	return l.Token != 0 && l.Expires > now && l.Owner != owner
}
