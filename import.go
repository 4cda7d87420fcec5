package aiagent

import (
	"context"
	"errors"
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/replay"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/view"
)

// ErrExists is an import of a session whose name is taken by another one.
var ErrExists = errors.New("a session of this name exists")

// Import puts an exported session, and those that have worked for it, into a
// store, under the names that they have: a journal's hashes begin with its name.
// Sessions that are there already, as they are or further on, are left alone;
// another one of the same name is [ErrExists].
//
// An imported session is at rest. One that was exported in the middle of a run
// is not taken up by whoever finds it, because its own machine may be at work on
// it: that needs somebody to say so ([Resume]).
func Import(ctx context.Context, st store.Store, archive *journal.Archive) error {
	for _, a := range archive.All() {
		if err := importOne(ctx, st, a); err != nil {
			return fmt.Errorf("import session %s: %w", a.Key, err)
		}
	}
	return nil
}

// importOwner holds the lease of a session while it is imported.
const importOwner = "import"

// importBatch is how many frames one append carries.
const importBatch = 256

func importOne(ctx context.Context, st store.Store, a *journal.Archive) error {
	if len(a.Frames) == 0 {
		return fmt.Errorf("%w: it has no frames", journal.ErrCorrupt)
	}
	there, err := isThere(ctx, st, a)
	if there || err != nil {
		return err
	}
	// The first command makes the session; the frame that took it is appended
	// with the answer, so that nobody else takes it.
	first := &a.Frames[0]
	ticket, err := st.Put(ctx, a.Key, store.Item{
		Key: "import", At: first.Time, Create: true, Record: first.Input, Blobs: brought(a, first),
	})
	if err != nil {
		return err //nolint:wrapcheck // the caller names the session
	}
	last := a.Frames[len(a.Frames)-1].Time
	lease, err := st.Acquire(ctx, a.Key, importOwner, last, 60_000)
	if err != nil {
		return err //nolint:wrapcheck // as above
	}
	defer st.Release(context.WithoutCancel(ctx), lease) //nolint:errcheck // it lapses anyway
	summary, saved, err := rebuild(a)
	if err != nil {
		return err
	}
	held := make(map[journal.Ref]bool)
	for from := 0; from < len(a.Frames); from += importBatch {
		to := min(from+importBatch, len(a.Frames))
		batch := store.Batch{Lease: lease, Summary: summary}
		for i := from; i < to; i++ {
			batch.Frames = append(batch.Frames, store.Encode(&a.Frames[i]))
			for _, b := range brought(a, &a.Frames[i]) {
				if !held[b.Ref] {
					held[b.Ref] = true
					batch.Blobs = append(batch.Blobs, b)
				}
			}
		}
		if from == 0 {
			answer := kernel.Answer{OK: true, Code: kernel.CodeAccepted, Seq: 1}
			batch.Answers = []store.Answer{{Position: ticket.Position, Body: answer.Encode()}}
		}
		if to == len(a.Frames) {
			batch.State = saved
		}
		if err := st.Append(ctx, a.Key, batch); err != nil {
			return err //nolint:wrapcheck // as above
		}
	}
	return nil
}

// brought lists the contents of a frame that the archive has.
func brought(a *journal.Archive, f *journal.Frame) []journal.Blob {
	var blobs []journal.Blob
	for _, ref := range f.Blobs {
		if data, ok := a.Blobs[ref]; ok {
			blobs = append(blobs, journal.Blob{Ref: ref, Data: data})
		}
	}
	return blobs
}

// isThere reports whether a store has the session already.
func isThere(ctx context.Context, st store.Store, a *journal.Archive) (bool, error) {
	head, err := st.Head(ctx, a.Key)
	if errors.Is(err, store.ErrNotFound) || err == nil && head.Seq == 0 {
		return false, nil
	}
	if err != nil {
		return false, err //nolint:wrapcheck // the caller names the session
	}
	last := &a.Frames[len(a.Frames)-1]
	for f, err := range st.Read(ctx, a.Key, last.Seq) {
		if err != nil {
			return false, err
		}
		if f.Hash == last.Hash() {
			return true, nil
		}
		break
	}
	return false, ErrExists
}

// rebuild replays a session. One of another version cannot be compared, and has
// no state that this one could save; its facts still say how it stands.
func rebuild(a *journal.Archive) (summary store.Summary, saved []byte, err error) {
	r := replay.New(a.Key)
	var other bool
	for i := range a.Frames {
		_, err := r.Next(&a.Frames[i])
		if other = errors.Is(err, replay.ErrVersion); err != nil && !other {
			return summary, nil, err //nolint:wrapcheck // it names the frame
		}
	}
	if other {
		summary, err = told(a)
		return summary, nil, err
	}
	s := r.State()
	return store.Summary{
		Status: s.Status(), Agent: s.Identity.Agent, Parent: s.Identity.Parent, Cost: int64(s.Totals.Cost),
	}, s.Encode(nil), nil
}

// told makes a summary of what a session's facts tell.
func told(a *journal.Archive) (store.Summary, error) {
	v := view.NewSession(func(ref journal.Ref) ([]byte, error) {
		if data, ok := a.Blobs[ref]; ok {
			return data, nil
		}
		return nil, fmt.Errorf("content %s: %w", ref.Short(), store.ErrNotFound)
	})
	v.Brief = true
	var summary store.Summary
	for i := range a.Frames {
		facts, err := kernel.DecodeFacts(&a.Frames[i])
		if err != nil {
			return summary, err //nolint:wrapcheck // it names the frame
		}
		for _, f := range facts {
			if start, ok := f.(*kernel.SessionStart); ok {
				summary.Parent = start.Identity.Parent
			}
			_ = v.Apply(a.Frames[i].Time, f) // without a content it goes on
		}
	}
	summary.Status, summary.Agent, summary.Cost = v.Status, v.Agent, int64(v.TotalCost)
	return summary, nil
}
