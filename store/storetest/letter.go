package storetest

import (
	"errors"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

func letterScenarios() []scenario {
	return []scenario{
		{"a letter arrives with the append, in order", letterArrives},
		{"a letter may create its session", letterCreates},
		{"a letter with a used key is left out", letterTwice},
		{"a letter to nobody is left out", letterToNobody},
		{"a refused append sends nothing", letterRefused},
		{"a letter to oneself arrives, too", letterToOneself},
		{"a letter makes its session due and brings its blobs", letterIsDue},
		{"a letter without a key refuses the batch", letterWithoutKey},
	}
}

// letter is a command to another session; it does not create it.
func letter(to, key, body string) store.Letter {
	item := command(key, body)
	item.Create = false
	return store.Letter{To: to, Item: item}
}

// wantPending wants these commands to be pending.
func wantPending(t *testing.T, s store.Store, key journal.Key, bodies ...string) {
	t.Helper()
	items, err := s.Pending(t.Context(), key, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range items {
		got = append(got, string(items[i].Record.Body))
	}
	same(t, "pending commands of "+key.Session, got, bodies)
}

func letterArrives(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	put(t, s, named("other"), command("create", "hello"))
	w.append(t, store.Batch{Frames: w.next("one"), Letters: []store.Letter{letter("other", "a", "first"), letter("other", "b", "second")}})
	wantPending(t, s, named("other"), "hello", "first", "second")
	wantPending(t, s, mainKey, "hello")
}

func letterCreates(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	l := letter("new", "a", "first")
	l.Item.Create = true
	w.append(t, store.Batch{Frames: w.next("one"), Letters: []store.Letter{l, letter("new", "b", "second")}})
	wantPending(t, s, named("new"), "first", "second")
}

func letterTwice(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	put(t, s, named("other"), command("create", "hello"))
	w.append(t, store.Batch{Frames: w.next("one"), Letters: []store.Letter{letter("other", "a", "first")}})
	w.append(t, store.Batch{Frames: w.next("two"), Letters: []store.Letter{letter("other", "a", "first"), letter("other", "a", "another")}})
	wantPending(t, s, named("other"), "hello", "first")
}

func letterToNobody(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	w.append(t, store.Batch{Frames: w.next("one"), Letters: []store.Letter{letter("nobody", "a", "first")}})
	if _, err := s.Head(t.Context(), named("nobody")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a letter made a session: %v", err)
	}
}

func letterRefused(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	put(t, s, named("other"), command("create", "hello"))
	w.takeOver(t, "another")
	err := s.Append(t.Context(), mainKey, store.Batch{
		Lease: w.lease, Frames: w.next("late"), Letters: []store.Letter{letter("other", "a", "first")},
	})
	if !errors.Is(err, store.ErrFenced) {
		t.Fatalf("a late append: %v", err)
	}
	wantPending(t, s, named("other"), "hello")
}

func letterToOneself(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	w.append(t, store.Batch{Frames: w.next("one"), Letters: []store.Letter{letter(mainKey.Session, "a", "first")}})
	wantPending(t, s, mainKey, "hello", "first")
	w.append(t, store.Batch{Frames: w.next("two")})
}

func letterIsDue(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	l := letter("new", "a", "first")
	l.Item.Create, l.Item.Blobs = true, []journal.Blob{journal.NewBlob(pattern(100))}
	w.append(t, store.Batch{Frames: w.next("one"), Letters: []store.Letter{l}})
	due, err := s.Due(t.Context(), epoch, 10)
	if err != nil || len(due) != 1 || due[0].Key != named("new") {
		t.Errorf("due %+v, %v", due, err)
	}
	wantBlob(t, s, named("new"), pattern(100))
}

func letterWithoutKey(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	err := s.Append(t.Context(), mainKey, store.Batch{
		Lease: w.lease, Frames: w.next("one"), Letters: []store.Letter{letter("other", "", "first")},
	})
	if err == nil {
		t.Error("a letter without a key is taken")
	}
}
