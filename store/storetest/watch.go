package storetest

import (
	"context"
	"iter"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

func watchScenarios() []scenario {
	return []scenario{
		{"a watch begins with where the session stands", watchStart},
		{"a watch tells of every append and command", watchTells},
		{"changes while the watcher is busy are told together", watchTogether},
		{"a watch is not told of what is no news", watchQuiet},
		{"a waiting watcher is woken", watchWakes},
		{"many watchers are all woken", watchMany},
		{"a watch ends with its context", watchContext},
		{"a watch ends when the session is deleted", watchDeleted},
		{"a watch ends when the store is closed", watchClosed},
	}
}

// pull makes a watch into calls. Next returns at once in the scenarios that
// use it, for something has always happened before it is asked.
func pull(t *testing.T, s store.Store, key journal.Key) (next func() store.Change) {
	t.Helper()
	advance, stop := iter.Pull2(s.Watch(t.Context(), key))
	t.Cleanup(stop)
	return func() store.Change {
		t.Helper()
		change, err, ok := advance()
		if err != nil || !ok {
			t.Fatalf("watch ended: %v", err)
		}
		return change
	}
}

func watchStart(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	same(t, "before the first frame", pull(t, s, mainKey)(), store.Change{Position: 1})
	w.append(t, store.Batch{Frames: w.next("one", "two")})
	same(t, "later", pull(t, s, mainKey)(), store.Change{Seq: 2, Position: 1})
}

func watchTells(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	next := pull(t, s, mainKey)
	same(t, "start", next(), store.Change{Position: 1})
	w.append(t, store.Batch{Frames: w.next("one")})
	same(t, "after an append", next(), store.Change{Seq: 1, Position: 1})
	put(t, s, mainKey, command("second", "body"))
	same(t, "after a put", next(), store.Change{Seq: 1, Position: 2})
	w.append(t, store.Batch{Frames: w.next("two", "three")})
	same(t, "after two frames", next(), store.Change{Seq: 3, Position: 2})
}

func watchTogether(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	next := pull(t, s, mainKey)
	next()
	w.append(t, store.Batch{Frames: w.next("one")})
	put(t, s, mainKey, command("second", "body"))
	w.append(t, store.Batch{Frames: w.next("two")})
	same(t, "after all", next(), store.Change{Seq: 2, Position: 2})
}

func watchQuiet(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	next := pull(t, s, mainKey)
	next()
	put(t, s, mainKey, command("create", "hello")) // a repetition
	put(t, s, named("other"), command("create", "hello"))
	if _, err := s.PutBlob(t.Context(), mainKey, []byte("blob")); err != nil {
		t.Fatal(err)
	}
	fails(t, "bad append", w.try(t, store.Batch{Frames: w.next("one", "two")[1:]}), journal.ErrCorrupt)
	w.append(t, store.Batch{Frames: w.next("one")})
	same(t, "the first news", next(), store.Change{Seq: 1, Position: 1})
}

// event is what a watcher in a goroutine of its own has seen.
type event struct {
	change store.Change
	err    error
}

// watch runs a watcher until ctx ends; the channel is closed when it has.
func watch(ctx context.Context, s store.Store, key journal.Key) <-chan event {
	events := make(chan event)
	go func() {
		defer close(events)
		for change, err := range s.Watch(ctx, key) {
			select {
			case events <- event{change, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return events
}

func watchWakes(t *testing.T, s store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := newWriter(t, s, mainKey)
	events := watch(ctx, s, mainKey)
	same(t, "start", <-events, event{change: store.Change{Position: 1}})
	for i := uint64(1); i <= 5; i++ {
		w.append(t, store.Batch{Frames: w.next("more")})
		same(t, "after an append", <-events, event{change: store.Change{Seq: i, Position: i}})
		put(t, s, mainKey, command(numbered("c", int(i)), "body"))
		same(t, "after a put", <-events, event{change: store.Change{Seq: i, Position: i + 1}})
	}
}

func watchMany(t *testing.T, s store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := newWriter(t, s, mainKey)
	var watchers []<-chan event
	for range 10 {
		events := watch(ctx, s, mainKey)
		<-events
		watchers = append(watchers, events)
	}
	w.append(t, store.Batch{Frames: w.next("one")})
	for _, events := range watchers {
		same(t, "after an append", <-events, event{change: store.Change{Seq: 1, Position: 1}})
	}
}

func watchContext(t *testing.T, s store.Store) {
	newWriter(t, s, mainKey)
	ctx, cancel := context.WithCancel(t.Context())
	events := watch(ctx, s, mainKey)
	<-events
	cancel()
	for e := range events {
		t.Errorf("after the context's end: %+v, want nothing", e)
	}
	for range s.Watch(ctx, mainKey) {
		t.Error("a watch began although its context had ended")
	}
}

func watchDeleted(t *testing.T, s store.Store) {
	newWriter(t, s, mainKey)
	events := watch(t.Context(), s, mainKey)
	<-events
	if err := s.Delete(t.Context(), mainKey); err != nil {
		t.Fatal(err)
	}
	fails(t, "watch of a deleted session", (<-events).err, store.ErrNotFound)
	if e, more := <-events; more {
		t.Errorf("after the error: %+v, want the end", e)
	}
}

func watchClosed(t *testing.T, s store.Store) {
	newWriter(t, s, mainKey)
	events := watch(t.Context(), s, mainKey)
	<-events
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if e := <-events; e.err == nil {
		t.Errorf("watch of a closed store: %+v, want an error", e)
	}
	if e, more := <-events; more {
		t.Errorf("after the error: %+v, want the end", e)
	}
}
