package sqlite

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/storetest"
)

// twin is two stores on one file that take turns, so that the suite sees what
// several processes would: hardly a call finds the store that made the last
// one.
type twin struct {
	stores [2]*Store
	calls  atomic.Uint64
}

func (w *twin) turn() *Store { return w.stores[w.calls.Add(1)%2] }

func (w *twin) Append(ctx context.Context, key journal.Key, batch store.Batch) error {
	return w.turn().Append(ctx, key, batch)
}

func (w *twin) Read(ctx context.Context, key journal.Key, from uint64) iter.Seq2[store.Frame, error] {
	return w.turn().Read(ctx, key, from)
}

func (w *twin) Head(ctx context.Context, key journal.Key) (store.Head, error) {
	return w.turn().Head(ctx, key)
}

func (w *twin) Delete(ctx context.Context, key journal.Key) error { return w.turn().Delete(ctx, key) }

func (w *twin) PutBlob(ctx context.Context, key journal.Key, data []byte) (journal.Ref, error) {
	return w.turn().PutBlob(ctx, key, data)
}

func (w *twin) Blob(ctx context.Context, key journal.Key, ref journal.Ref) ([]byte, error) {
	return w.turn().Blob(ctx, key, ref)
}

func (w *twin) Put(ctx context.Context, key journal.Key, item store.Item) (store.Ticket, error) {
	return w.turn().Put(ctx, key, item)
}

func (w *twin) Pending(ctx context.Context, key journal.Key, limit int) ([]store.Item, error) {
	return w.turn().Pending(ctx, key, limit)
}

func (w *twin) Ticket(ctx context.Context, key journal.Key, id string) (store.Ticket, error) {
	return w.turn().Ticket(ctx, key, id)
}

func (w *twin) Acquire(ctx context.Context, key journal.Key, owner string, now, ttl int64) (store.Lease, error) {
	return w.turn().Acquire(ctx, key, owner, now, ttl)
}

func (w *twin) Renew(ctx context.Context, lease store.Lease, now, ttl int64) (store.Lease, error) {
	return w.turn().Renew(ctx, lease, now, ttl)
}

func (w *twin) Release(ctx context.Context, lease store.Lease) error {
	return w.turn().Release(ctx, lease)
}

func (w *twin) Due(ctx context.Context, now int64, limit int) ([]store.Due, error) {
	return w.turn().Due(ctx, now, limit)
}

func (w *twin) NextWake(ctx context.Context, now int64) (int64, error) {
	return w.turn().NextWake(ctx, now)
}

func (w *twin) List(ctx context.Context, tenant string, query store.Query) (store.Page, error) {
	return w.turn().List(ctx, tenant, query)
}

func (w *twin) Watch(ctx context.Context, key journal.Key) iter.Seq2[store.Change, error] {
	return w.turn().Watch(ctx, key)
}

func (w *twin) Reserve(ctx context.Context, tenant, account, id string, amount, limit int64) error {
	return w.turn().Reserve(ctx, tenant, account, id, amount, limit)
}

func (w *twin) Settle(ctx context.Context, tenant, account, id string, spent int64) error {
	return w.turn().Settle(ctx, tenant, account, id, spent)
}

func (w *twin) Balance(ctx context.Context, tenant, account string) (store.Balance, error) {
	return w.turn().Balance(ctx, tenant, account)
}

func (w *twin) Close() error { return errors.Join(w.stores[0].Close(), w.stores[1].Close()) }

func TestTwoStoresOnOneFileKeepTheContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store {
		t.Helper()
		path := madePath(t)
		return &twin{stores: [2]*Store{
			openPolling(t, path, time.Millisecond), openPolling(t, path, time.Millisecond),
		}}
	})
}
