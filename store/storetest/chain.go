package storetest

import (
	"errors"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

func chainScenarios() []scenario {
	return []scenario{
		{"frames that do not follow are refused", refusesBadChain},
		{"a first frame must name its own session's genesis", refusesForeignGenesis},
		{"a blob under a wrong name is refused", refusesBadBlob},
		{"an answer to a command that is not pending is refused", refusesBadAnswer},
	}
}

// bad is a batch of two good frames and everything else, made bad by spoil.
type bad struct {
	name  string
	want  error
	spoil func(b *store.Batch)
}

func refusesBadChain(t *testing.T, s store.Store) {
	refuses(t, s, []bad{
		{"a gap", journal.ErrCorrupt, func(b *store.Batch) { b.Frames = b.Frames[1:] }},
		{"a number twice", journal.ErrCorrupt, func(b *store.Batch) { b.Frames[1] = b.Frames[0] }},
		{"the wrong order", journal.ErrCorrupt, func(b *store.Batch) {
			b.Frames[0], b.Frames[1] = b.Frames[1], b.Frames[0]
		}},
		{"another predecessor", journal.ErrCorrupt, func(b *store.Batch) { b.Frames[0].Prev[0] ^= 1 }},
		{"another predecessor later on", journal.ErrCorrupt, func(b *store.Batch) { b.Frames[1].Prev[0] ^= 1 }},
		{"another number", journal.ErrCorrupt, func(b *store.Batch) { b.Frames[1].Seq++ }},
		{"another hash", journal.ErrCorrupt, func(b *store.Batch) { b.Frames[1].Hash[0] ^= 1 }},
		{"other data", journal.ErrCorrupt, func(b *store.Batch) { b.Frames[1].Data[0] ^= 1 }},
		{"time running backwards", journal.ErrCorrupt, func(b *store.Batch) { b.Frames[1].Time = b.Frames[0].Time - 1 }},
	})
}

func refusesBadBlob(t *testing.T, s store.Store) {
	refuses(t, s, []bad{
		{"another name", journal.ErrCorrupt, func(b *store.Batch) { b.Blobs[1].Ref[0] ^= 1 }},
		{"other content", journal.ErrCorrupt, func(b *store.Batch) { b.Blobs[1].Data = []byte("else") }},
		{"no content", journal.ErrCorrupt, func(b *store.Batch) { b.Blobs[1].Data = nil }},
	})
}

func refusesBadAnswer(t *testing.T, s store.Store) {
	refuses(t, s, []bad{
		{"a command that nobody sent", store.ErrNotFound, func(b *store.Batch) { b.Answers[1].Position = 99 }},
		{"a command that is settled", store.ErrNotFound, func(b *store.Batch) { b.Answers[1].Position = 1 }},
		{"a command twice", store.ErrNotFound, func(b *store.Batch) { b.Answers[1].Position = b.Answers[0].Position }},
	})
}

// refuses appends each bad batch and checks after it that nothing of it is
// there: append is all or nothing.
func refuses(t *testing.T, s store.Store, batches []bad) {
	t.Helper()
	w := newWriter(t, s, mainKey)
	w.append(t, store.Batch{
		Frames: w.next("one", "two"), Answers: []store.Answer{{Position: 1, Body: []byte("first")}},
		Summary: store.Summary{Status: "before"}, State: []byte("before"),
	})
	put(t, s, mainKey, command("second", "2"))
	put(t, s, mainKey, command("third", "3"))
	before := head(t, s, mainKey)

	for _, bad := range batches {
		good := journal.NewBlob([]byte("blob of " + bad.name))
		batch := store.Batch{
			Frames:  w.next("three", "four"),
			Blobs:   []journal.Blob{good, journal.NewBlob([]byte("other"))},
			Answers: []store.Answer{{Position: 2, Body: []byte("no")}, {Position: 3, Body: []byte("no")}},
			Summary: store.Summary{Status: "after", WakeAt: 1, Active: true},
			State:   []byte("after"),
		}
		bad.spoil(&batch)
		fails(t, bad.name, w.try(t, batch), bad.want)

		same(t, bad.name+": head", head(t, s, mainKey), before)
		same(t, bad.name+": frames", len(read(t, s, mainKey, 1)), 2)
		same(t, bad.name+": pending", positions(pending(t, s, mainKey, 0)), []uint64{2, 3})
		if _, err := s.Blob(t.Context(), mainKey, good.Ref); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: the batch's blob is there: %v", bad.name, err)
		}
		ticket, err := s.Ticket(t.Context(), mainKey, "second")
		if err != nil || ticket.Settled {
			t.Errorf("%s: ticket %+v, %v, want it unsettled", bad.name, ticket, err)
		}
	}
	w.append(t, store.Batch{Frames: w.next("three", "four")})
}

func refusesForeignGenesis(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	for what, from := range map[string]journal.Ref{
		"nothing":         {},
		"another session": journal.Genesis(named("other")),
		"another tenant":  journal.Genesis(journal.Key{Tenant: "other", Session: mainKey.Session}),
	} {
		stranger := *w
		stranger.head = from
		fails(t, "a first frame that follows "+what, stranger.try(t, store.Batch{Frames: stranger.next("one")}), journal.ErrCorrupt)
	}
	w.append(t, store.Batch{Frames: w.next("one")})
}
