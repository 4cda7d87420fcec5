package storetest

import (
	"context"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

func endScenarios() []scenario {
	return []scenario{
		{"a cancelled call fails and writes nothing", cancelledCalls},
		{"reading stops when its context ends", cancelledRead},
		{"calls to a closed store fail", closedStore},
	}
}

// everyCall makes each call of the interface once, on a session that exists,
// and returns the errors by name. Watch is left out: its end is its own.
func everyCall(ctx context.Context, s store.Store, w *writer) map[string]error {
	blob := journal.NewBlob([]byte("blob"))
	errs := make(map[string]error)
	errs["append"] = s.Append(ctx, w.key, store.Batch{Lease: w.lease, Frames: w.next("more"), Blobs: []journal.Blob{blob}})
	for _, errs["read"] = range s.Read(ctx, w.key, 1) {
	}
	_, errs["head"] = s.Head(ctx, w.key)
	_, errs["put blob"] = s.PutBlob(ctx, w.key, blob.Data)
	_, errs["blob"] = s.Blob(ctx, w.key, blob.Ref)
	_, errs["put"] = s.Put(ctx, w.key, command("new", "body"))
	_, errs["pending"] = s.Pending(ctx, w.key, 1)
	_, errs["ticket"] = s.Ticket(ctx, w.key, "create")
	_, errs["renew"] = s.Renew(ctx, w.lease, epoch, 2*term)
	errs["release"] = s.Release(ctx, w.lease)
	_, errs["acquire"] = s.Acquire(ctx, w.key, w.lease.Owner, epoch, term)
	_, errs["due"] = s.Due(ctx, later, 1)
	_, errs["next wake-up"] = s.NextWake(ctx, epoch)
	_, errs["list"] = s.List(ctx, w.key.Tenant, store.Query{})
	errs["reserve"] = s.Reserve(ctx, w.key.Tenant, "ann", "a", 1, -1)
	errs["settle"] = s.Settle(ctx, w.key.Tenant, "ann", "before", 1)
	_, errs["balance"] = s.Balance(ctx, w.key.Tenant, "ann")
	errs["delete"] = s.Delete(ctx, w.key)
	return errs
}

func cancelledCalls(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	w.append(t, store.Batch{Frames: w.next("one")})
	reserve(t, s, "before", 5, -1)
	before := head(t, s, mainKey)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for what, err := range everyCall(ctx, s, w) {
		fails(t, what, err, context.Canceled)
	}

	same(t, "head", head(t, s, mainKey), before)
	same(t, "pending", len(pending(t, s, mainKey, 0)), 1)
	wantNoBlob(t, s, mainKey, []byte("blob"))
	wantBalance(t, s, "acme", "ann", 0, 5)
	wantWake(t, s, epoch, w.lease.Expires) // neither renewed nor released
	w.append(t, store.Batch{Frames: w.next("two")})
	for what, err := range everyCall(t.Context(), s, w) {
		if err != nil {
			t.Errorf("%s with a good context: %v", what, err)
		}
	}
}

func cancelledRead(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	const count = 300 // more than a store may fetch ahead
	bodies := make([]string, count)
	w.append(t, store.Batch{Frames: w.next(bodies...)})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	frames := 0
	var last error
	for _, err := range s.Read(ctx, mainKey, 1) {
		if err != nil {
			last = err
			continue
		}
		frames++
		cancel()
	}
	fails(t, "reading", last, context.Canceled)
	if frames == count {
		t.Error("all frames were read although the context had ended")
	}
}

func closedStore(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	w.append(t, store.Batch{Frames: w.next("one")})
	reserve(t, s, "before", 5, -1)
	if err := s.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	for what, err := range everyCall(t.Context(), s, w) {
		fails(t, what+" on a closed store", err, store.ErrClosed)
	}
	var watch error
	for _, watch = range s.Watch(t.Context(), mainKey) {
		break
	}
	fails(t, "watch on a closed store", watch, store.ErrClosed)
}
