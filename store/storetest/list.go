package storetest

import (
	"strings"
	"sync"
	"testing"

	"github.com/ai-agent-go/ai-agent/store"
)

func listScenarios() []scenario {
	return []scenario{
		{"sessions are listed with their heads, the newest first", listHeads},
		{"a query narrows the list", listFilter},
		{"pages follow one another", listPages},
		{"filtered pages follow one another", listFilteredPages},
		{"sessions that come and go do not disturb paging", listMoving},
		{"sessions of the same age are each listed once", listTies},
		{"a page has 100 sessions unless asked for, and 1,000 at most", listLimits},
		{"a cursor that is none is refused", listBadCursor},
	}
}

func list(t *testing.T, s store.Store, query store.Query) store.Page {
	t.Helper()
	page, err := s.List(t.Context(), mainKey.Tenant, query)
	if err != nil {
		t.Fatalf("list %+v: %v", query, err)
	}
	return page
}

// listed writes names in order, for short comparisons.
func listed(page store.Page) string {
	var names []string
	for _, l := range page.Sessions {
		names = append(names, l.Key.Session)
	}
	return strings.Join(names, " ")
}

// walk follows cursors to the end.
func walk(t *testing.T, s store.Store, query store.Query) string {
	t.Helper()
	var pages []string
	for range 100 {
		page := list(t, s, query)
		if len(page.Sessions) > query.Limit {
			t.Fatalf("a page of %d sessions, want %d at most", len(page.Sessions), query.Limit)
		}
		if len(page.Sessions) == 0 && len(pages) > 0 {
			t.Fatal("an empty page after a cursor: the page before was the last")
		}
		pages = append(pages, listed(page))
		if page.Cursor == "" {
			return strings.Join(pages, " ")
		}
		query.Cursor = page.Cursor
	}
	t.Fatalf("no last page after %d pages: cursors go round", len(pages))
	return ""
}

// createAt makes a session without frames.
func createAt(t *testing.T, s store.Store, name string, at int64) {
	t.Helper()
	item := command("create", "hello")
	item.At = at
	put(t, s, named(name), item)
}

func listHeads(t *testing.T, s store.Store) {
	createAt(t, s, "second", epoch+1)
	createAt(t, s, "third", epoch+2)
	summary := store.Summary{Status: "done", Agent: "sage", Title: "A talk", Parent: "third", Active: true, WakeAt: 5, Cost: 9}
	w := newWriter(t, s, named("first"))
	w.append(t, store.Batch{Frames: w.next("one", "two", "three"), Summary: summary})

	page := list(t, s, store.Query{})
	same(t, "order", listed(page), "third second first")
	same(t, "cursor", page.Cursor, "")
	last := page.Sessions[2]
	same(t, "key", last.Key, w.key)
	same(t, "head", last.Head, store.Head{Summary: summary, Created: epoch, Updated: epoch + 3, Seq: 3, Hash: w.head})
}

func listFilter(t *testing.T, s store.Store) {
	for i, sum := range []store.Summary{
		{Status: "running", Agent: "sage"},
		{Status: "done", Agent: "sage", Parent: "top"},
		{Status: "done", Agent: "poet", Parent: "top"},
		{Status: "done", Agent: "sage", Parent: "side"},
	} {
		quiet(t, s, named(numbered("s", i)), sum)
	}
	for want, query := range map[string]store.Query{
		"s0000 s0001 s0002 s0003": {},
		"s0001 s0002 s0003":       {Status: "done"},
		"s0000 s0001 s0003":       {Agent: "sage"},
		"s0001 s0002":             {Parent: "top"},
		"s0001 s0003":             {Status: "done", Agent: "sage"},
		"s0002":                   {Agent: "poet", Parent: "top"},
		"s0001":                   {Status: "done", Agent: "sage", Parent: "top"},
		"":                        {Status: "running", Parent: "top"},
	} {
		// All are of the same age, so only their set is compared.
		got := strings.Fields(listed(list(t, s, query)))
		if len(got) != len(strings.Fields(want)) {
			t.Errorf("%+v: got %v, want %s", query, got, want)
		}
		for _, name := range got {
			if !strings.Contains(want, name) {
				t.Errorf("%+v: got %v, want %s", query, got, want)
			}
		}
	}
}

func listPages(t *testing.T, s store.Store) {
	var want []string
	for i := range 7 {
		createAt(t, s, numbered("s", i), epoch+int64(i))
		want = append([]string{numbered("s", i)}, want...)
	}
	for limit := 1; limit <= 8; limit++ {
		same(t, "sessions", walk(t, s, store.Query{Limit: limit}), strings.Join(want, " "))
	}
}

func listFilteredPages(t *testing.T, s store.Store) {
	for i := range 9 {
		name := named(numbered("s", i))
		item := command("create", "hello")
		item.At = epoch + int64(i)
		put(t, s, name, item)
		if i%3 != 0 {
			continue
		}
		w := take(t, s, name)
		w.append(t, store.Batch{Frames: w.next("one"), Summary: store.Summary{Status: "done", Agent: "sage", Parent: "top"}})
	}
	for _, query := range []store.Query{{Status: "done"}, {Agent: "sage"}, {Parent: "top"}, {Status: "done", Parent: "top"}} {
		for query.Limit = 1; query.Limit <= 4; query.Limit++ {
			same(t, "sessions", walk(t, s, query), "s0006 s0003 s0000")
		}
	}
}

func listMoving(t *testing.T, s store.Store) {
	for i := range 6 {
		createAt(t, s, numbered("s", i), epoch+int64(i))
	}
	first := list(t, s, store.Query{Limit: 2})
	same(t, "first page", listed(first), "s0005 s0004")

	createAt(t, s, "new", epoch+100)
	w := take(t, s, named("s0003"))
	w.append(t, store.Batch{Frames: w.next("one")}) // a change is no new age
	for _, gone := range []string{"s0004", "s0002"} {
		if err := s.Delete(t.Context(), named(gone)); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "the rest", walk(t, s, store.Query{Limit: 2, Cursor: first.Cursor}), "s0003 s0001 s0000")
	same(t, "a new walk", walk(t, s, store.Query{Limit: 2}), "new s0005 s0003 s0001 s0000")
}

func listTies(t *testing.T, s store.Store) {
	for i := range 6 {
		createAt(t, s, numbered("s", i), epoch)
	}
	seen := make(map[string]int)
	for name := range strings.FieldsSeq(walk(t, s, store.Query{Limit: 2})) {
		seen[name]++
	}
	for i := range 6 {
		if n := seen[numbered("s", i)]; n != 1 {
			t.Errorf("%s is listed %d times", numbered("s", i), n)
		}
	}
}

func listLimits(t *testing.T, s store.Store) {
	count, senders := 1001, 77
	limits := map[int]int{0: 100, 1: 1, 100: 100, 101: 101, 1000: 1000, 1001: 1000, 5000: 1000}
	if testing.Short() {
		count = 101
		limits = map[int]int{0: 100, 1: 1, 100: 100}
	}
	var group sync.WaitGroup
	for first := range senders {
		group.Go(func() {
			for i := first; i < count; i += senders {
				if _, err := s.Put(t.Context(), named(numbered("s", i)), command("create", "")); err != nil {
					t.Errorf("put: %v", err)
				}
			}
		})
	}
	group.Wait()
	for limit, want := range limits {
		page := list(t, s, store.Query{Limit: limit})
		if len(page.Sessions) != want || page.Cursor == "" {
			t.Errorf("limit %d: %d sessions, cursor %q, want %d and a cursor", limit, len(page.Sessions), page.Cursor, want)
		}
	}
}

func listBadCursor(t *testing.T, s store.Store) {
	createAt(t, s, "one", epoch)
	for _, cursor := range []string{"!", "bm9uc2Vuc2U", "0"} {
		if _, err := s.List(t.Context(), mainKey.Tenant, store.Query{Cursor: cursor}); err == nil {
			t.Errorf("cursor %q was taken for one", cursor)
		}
	}
}
