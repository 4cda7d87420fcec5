package storetest

import (
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

func tenantScenarios() []scenario {
	return []scenario{
		{"two tenants may use the same names for everything", tenantsApart},
		{"a blob of one tenant is not readable by another", tenantBlobs},
		{"deleting one tenant's session leaves the other's", tenantDelete},
		{"names that run together stay apart", tenantNames},
	}
}

var (
	ours   = journal.Key{Tenant: "ours", Session: "main"}
	theirs = journal.Key{Tenant: "theirs", Session: "main"}
)

func tenantsApart(t *testing.T, s store.Store) {
	w := newWriter(t, s, ours)
	w.append(t, store.Batch{
		Frames: w.next("secret"), Answers: []store.Answer{{Position: 1, Body: []byte("secret")}},
		Summary: store.Summary{Status: "running", Title: "secret"}, State: []byte("secret"),
	})
	notFound(t, s, theirs)

	ticket := put(t, s, theirs, command("create", "another body"))
	if ticket.Repeated || ticket.Settled || len(ticket.Answer) > 0 {
		t.Errorf("ticket %+v: another tenant's key counts as used", ticket)
	}
	same(t, "head", head(t, s, theirs), store.Head{Created: epoch, Updated: epoch})
	same(t, "frames", len(read(t, s, theirs, 1)), 0)

	v := take(t, s, theirs)
	swapped := v.lease
	swapped.Key = ours
	fails(t, "append with another tenant's lease",
		s.Append(t.Context(), ours, store.Batch{Lease: swapped, Frames: w.next("two")}), store.ErrFenced)
	v.append(t, store.Batch{Frames: v.next("public"), Summary: store.Summary{Status: "done"}})
	same(t, "status", head(t, s, ours).Status, "running")
	same(t, "frames", len(read(t, s, ours, 1)), 1)

	for _, key := range []journal.Key{ours, theirs} {
		page, err := s.List(t.Context(), key.Tenant, store.Query{})
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Sessions) != 1 || page.Sessions[0].Key != key {
			t.Errorf("list of %s: %+v", key.Tenant, page.Sessions)
		}
	}
	page, err := s.List(t.Context(), "nobody", store.Query{})
	if err != nil || len(page.Sessions) > 0 {
		t.Errorf("list of a tenant without sessions: %+v, %v", page, err)
	}
}

func tenantBlobs(t *testing.T, s store.Store) {
	w, v := newWriter(t, s, ours), newWriter(t, s, theirs)
	for _, size := range []int{10, 20_000} {
		blob := journal.NewBlob(pattern(size))
		w.append(t, store.Batch{Frames: w.next("more"), Blobs: []journal.Blob{blob}})
		wantNoBlob(t, s, theirs, blob.Data)
		v.append(t, store.Batch{Frames: v.next("more"), Blobs: []journal.Blob{blob}})
		wantBlob(t, s, theirs, blob.Data)
	}
}

func tenantDelete(t *testing.T, s store.Store) {
	blobs := []journal.Blob{journal.NewBlob(pattern(10)), journal.NewBlob(pattern(20_000))}
	for _, key := range []journal.Key{ours, theirs} {
		w := newWriter(t, s, key)
		w.append(t, store.Batch{Frames: w.next("one"), Blobs: blobs})
	}
	if err := s.Delete(t.Context(), ours); err != nil {
		t.Fatal(err)
	}
	notFound(t, s, ours)
	same(t, "frames", len(read(t, s, theirs, 1)), 1)
	same(t, "pending", len(pending(t, s, theirs, 0)), 1)
	for _, b := range blobs {
		wantBlob(t, s, theirs, b.Data)
	}
}

// Names may hold any of "._:@-": a store that glues tenant and session
// together must not be fooled by them.
func tenantNames(t *testing.T, s store.Store) {
	keys := []journal.Key{
		{Tenant: "a", Session: "b.c"},
		{Tenant: "a.b", Session: "c"},
		{Tenant: "a:b", Session: "c"},
		{Tenant: "a", Session: "b:c"},
		{Tenant: "A", Session: "b.c"},
		{Tenant: "a", Session: "B.C"},
	}
	for i, key := range keys {
		put(t, s, key, command("key", numbered("body", i)))
	}
	for i, key := range keys {
		items := pending(t, s, key, 0)
		if len(items) != 1 || string(items[0].Record.Body) != numbered("body", i) {
			t.Errorf("pending of %s: %+v", key, items)
		}
	}
}
