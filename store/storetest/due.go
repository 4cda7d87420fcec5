package storetest

import (
	"cmp"
	"slices"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

func dueScenarios() []scenario {
	return []scenario{
		{"an idle session is never due", neverDue},
		{"a timer makes a session due when it comes", dueWake},
		{"a pending command makes a session due", dueInbox},
		{"an active session is due when its lease lapses", dueOrphan},
		{"an active session is due when its lease is released", dueReleased},
		{"a leased session is not due", leasedNotDue},
		{"the first reason is given and the oldest time", dueReasons},
		{"the longest due come first, within the limit", dueOrder},
		{"a new summary replaces what is due", dueReplaced},
		{"sessions of all tenants are due", dueTenants},
	}
}

func due(t *testing.T, s store.Store, now int64, limit int) []store.Due {
	t.Helper()
	list, err := s.Due(t.Context(), now, limit)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func wantDue(t *testing.T, s store.Store, now int64, want ...store.Due) {
	t.Helper()
	got := due(t, s, now, 100)
	if len(got)+len(want) > 0 {
		same(t, "due", got, want)
	}
}

const later = epoch + 10*term

func neverDue(t *testing.T, s store.Store) {
	wantDue(t, s, later)
	quiet(t, s, mainKey, store.Summary{Status: "suspended"})
	wantDue(t, s, later)
}

func dueWake(t *testing.T, s store.Store) {
	quiet(t, s, mainKey, store.Summary{WakeAt: epoch + 500})
	wantDue(t, s, epoch+499)
	want := store.Due{Key: mainKey, Reason: store.DueWake, Since: epoch + 500}
	wantDue(t, s, epoch+500, want)
	wantDue(t, s, later, want)
}

func dueInbox(t *testing.T, s store.Store) {
	w := quiet(t, s, mainKey, store.Summary{})
	for i, at := range []int64{epoch + 700, epoch + 800} {
		item := command(numbered("late", i), "body")
		item.At = at
		put(t, s, mainKey, item)
	}
	want := store.Due{Key: mainKey, Reason: store.DueInbox, Since: epoch + 700}
	wantDue(t, s, later, want)
	wantDue(t, s, epoch, want) // the sender's clock may be ahead of ours

	w.lease = acquire(t, s, mainKey, "writer", epoch)
	w.append(t, store.Batch{Frames: w.next("two"), Answers: []store.Answer{{Position: 2}}})
	want.Since = epoch + 800
	wantDue(t, s, later, want)
	w.append(t, store.Batch{Frames: w.next("three"), Answers: []store.Answer{{Position: 3}}})
	wantDue(t, s, later)
}

func dueOrphan(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	w.append(t, store.Batch{Frames: w.next("one"), Answers: []store.Answer{{Position: 1}}, Summary: store.Summary{Active: true}})
	wantDue(t, s, epoch+term-1)
	wantDue(t, s, epoch+term, store.Due{Key: mainKey, Reason: store.DueOrphan, Since: epoch + term})

	if _, err := s.Renew(t.Context(), w.lease, epoch+term, term); err != nil {
		t.Fatal(err)
	}
	wantDue(t, s, epoch+term)
}

func dueReleased(t *testing.T, s store.Store) {
	quiet(t, s, mainKey, store.Summary{Active: true})
	got := due(t, s, epoch+2, 10)
	if len(got) != 1 || got[0].Key != mainKey || got[0].Reason != store.DueOrphan {
		t.Errorf("due: %+v, want the session as an orphan", got)
	}
}

func leasedNotDue(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey) // its first command is pending
	w.append(t, store.Batch{Frames: w.next("one"), Summary: store.Summary{Active: true, WakeAt: epoch}})
	wantDue(t, s, epoch+term-1)
	if got := due(t, s, epoch+term, 10); len(got) != 1 {
		t.Errorf("due after the lease: %+v, want the session", got)
	}
	w.release(t)
	if got := due(t, s, epoch, 10); len(got) != 1 {
		t.Errorf("due after the release: %+v, want the session", got)
	}
}

func dueReasons(t *testing.T, s store.Store) {
	item := command("late", "body")
	item.At = epoch + 300
	w := newWriter(t, s, mainKey)
	put(t, s, mainKey, item)
	step := func(summary store.Summary, answers ...store.Answer) {
		t.Helper()
		w.append(t, store.Batch{Frames: w.next("more"), Summary: summary, Answers: answers})
	}
	// The lease ends at epoch + term.
	step(store.Summary{Active: true, WakeAt: epoch + 2*term}, store.Answer{Position: 1})
	wantDue(t, s, later, store.Due{Key: mainKey, Reason: store.DueWake, Since: epoch + 300})
	wantDue(t, s, epoch+term, store.Due{Key: mainKey, Reason: store.DueInbox, Since: epoch + 300})
	step(store.Summary{Active: true, WakeAt: epoch + 2*term}, store.Answer{Position: 2})
	wantDue(t, s, later, store.Due{Key: mainKey, Reason: store.DueWake, Since: epoch + term})
	wantDue(t, s, epoch+term, store.Due{Key: mainKey, Reason: store.DueOrphan, Since: epoch + term})
}

func dueOrder(t *testing.T, s store.Store) {
	var want []store.Due
	for _, i := range []int{3, 1, 0, 2} { // not the order in which they are due
		at := epoch + int64(i)*1000
		wake, inbox, orphan := named(numbered("wake", i)), named(numbered("inbox", i)), named(numbered("orphan", i))
		quiet(t, s, wake, store.Summary{WakeAt: at + 300})

		item := command("create", "hello")
		item.At = at + 200
		put(t, s, inbox, item)

		w := newWriter(t, s, orphan)
		w.append(t, store.Batch{
			Frames: w.next(make([]string, i+1)...), Answers: []store.Answer{{Position: 1}}, Summary: store.Summary{Active: true},
		})
		if _, err := s.Renew(t.Context(), w.lease, epoch, at+100-epoch); err != nil {
			t.Fatal(err)
		}
		want = append(want,
			store.Due{Key: orphan, Reason: store.DueOrphan, Since: at + 100},
			store.Due{Key: inbox, Reason: store.DueInbox, Since: at + 200},
			store.Due{Key: wake, Reason: store.DueWake, Since: at + 300})
	}
	slices.SortFunc(want, func(a, b store.Due) int { return cmp.Compare(a.Since, b.Since) })
	for _, limit := range []int{1, 2, 3, 5, 11, 12, 100} {
		same(t, "due", due(t, s, later, limit), want[:min(limit, len(want))])
	}
}

func dueReplaced(t *testing.T, s store.Store) {
	w := quiet(t, s, mainKey, store.Summary{Active: true, WakeAt: epoch + 500})
	w.lease = acquire(t, s, mainKey, "writer", epoch)
	w.append(t, store.Batch{Frames: w.next("two"), Summary: store.Summary{WakeAt: epoch + 2*term}})
	w.release(t)
	wantDue(t, s, epoch+term)
	wantDue(t, s, later, store.Due{Key: mainKey, Reason: store.DueWake, Since: epoch + 2*term})
	w.lease = acquire(t, s, mainKey, "writer", epoch)
	w.append(t, store.Batch{Frames: w.next("three")})
	w.release(t)
	wantDue(t, s, later)
}

func dueTenants(t *testing.T, s store.Store) {
	for i, key := range []journal.Key{theirs, ours} {
		item := command("create", "hello")
		item.At = epoch + int64(i)
		put(t, s, key, item)
	}
	wantDue(t, s, later,
		store.Due{Key: theirs, Reason: store.DueInbox, Since: epoch},
		store.Due{Key: ours, Reason: store.DueInbox, Since: epoch + 1})
}
