package storetest

import (
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

func inheritScenarios() []scenario {
	return []scenario{
		{"a session inherits all that another holds", inheritAll},
		{"a session inherits only what it names", inheritSome},
		{"what cannot be inherited refuses the batch", inheritNothing},
		{"what was inherited survives the one it came from", inheritAndDelete},
	}
}

// heirs makes a session with blobs of some sizes, and an heir without any.
func heirs(t *testing.T, s store.Store, sizes ...int) (donor, heir *writer) {
	t.Helper()
	donor, heir = newWriter(t, s, named("donor")), newWriter(t, s, named("heir"))
	var blobs []journal.Blob
	for _, size := range sizes {
		blobs = append(blobs, journal.NewBlob(pattern(size)))
	}
	donor.append(t, store.Batch{Frames: donor.next("one"), Blobs: blobs})
	return donor, heir
}

func inheritAll(t *testing.T, s store.Store) {
	_, heir := heirs(t, s, 10, 20, 20_000)
	own := journal.NewBlob(pattern(20)) // brought and inherited at once
	heir.append(t, store.Batch{
		Frames: heir.next("one"), Blobs: []journal.Blob{own, journal.NewBlob(pattern(30))},
		Inherit: store.Inherit{Session: "donor"},
	})
	for _, size := range []int{10, 20, 30, 20_000} {
		wantBlob(t, s, heir.key, pattern(size))
	}
	wantNoBlob(t, s, named("donor"), pattern(30))
	heir.append(t, store.Batch{Frames: heir.next("two"), Inherit: store.Inherit{Session: "donor"}}) // again
}

func inheritSome(t *testing.T, s store.Store) {
	_, heir := heirs(t, s, 10, 20, 20_000)
	heir.append(t, store.Batch{Frames: heir.next("one"), Inherit: store.Inherit{Session: "donor", Refs: []journal.Ref{}}})
	wantNoBlob(t, s, heir.key, pattern(10))
	heir.append(t, store.Batch{Frames: heir.next("two"), Inherit: store.Inherit{
		Session: "donor", Refs: []journal.Ref{journal.RefOf(pattern(10)), journal.RefOf(pattern(20_000))},
	}})
	wantBlob(t, s, heir.key, pattern(10))
	wantBlob(t, s, heir.key, pattern(20_000))
	wantNoBlob(t, s, heir.key, pattern(20))
}

func inheritNothing(t *testing.T, s store.Store) {
	_, heir := heirs(t, s, 10)
	stranger := newWriter(t, s, journal.Key{Tenant: "other", Session: "rich"})
	stranger.append(t, store.Batch{Frames: stranger.next("one"), Blobs: []journal.Blob{journal.NewBlob(pattern(30))}})
	for what, from := range map[string]store.Inherit{
		"a session that is not there":          {Session: "nobody"},
		"another tenant's session":             {Session: "rich"},
		"a blob that the other does not hold":  {Session: "donor", Refs: []journal.Ref{journal.RefOf(pattern(10)), journal.RefOf(pattern(11))}},
		"a blob that only another tenant has":  {Session: "donor", Refs: []journal.Ref{journal.RefOf(pattern(30))}},
		"a session that does not hold its own": {Session: "heir", Refs: []journal.Ref{journal.RefOf(pattern(10))}},
	} {
		fails(t, what, heir.try(t, store.Batch{Frames: heir.next("one"), Inherit: from}), store.ErrNotFound)
		same(t, what+": frames", len(read(t, s, heir.key, 1)), 0)
		wantNoBlob(t, s, heir.key, pattern(10))
	}
	heir.append(t, store.Batch{Frames: heir.next("one")})
}

func inheritAndDelete(t *testing.T, s store.Store) {
	donor, heir := heirs(t, s, 10, 20, 20_000)
	heir.append(t, store.Batch{Frames: heir.next("one"), Inherit: store.Inherit{
		Session: "donor", Refs: []journal.Ref{journal.RefOf(pattern(10)), journal.RefOf(pattern(20_000))},
	}})
	remove(t, s, donor.key)
	wantBlob(t, s, heir.key, pattern(10))
	wantBlob(t, s, heir.key, pattern(20_000))
	remove(t, s, heir.key)
	again := newWriter(t, s, donor.key)
	again.append(t, store.Batch{Frames: again.next("one")})
	wantNoBlob(t, s, again.key, pattern(10))
}
