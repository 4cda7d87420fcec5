package storetest

import (
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

func inboxScenarios() []scenario {
	return []scenario{
		{"a command comes back as it was put", itemReturns},
		{"commands are pending in the order of their positions", inboxOrder},
		{"no more commands are returned than asked for", pendingLimit},
		{"settled commands are pending no longer", settledVanish},
		{"a session must be created before it takes other commands", createFirst},
		{"creating a session that is there is just a command", createAgain},
		{"a ticket tells what became of a command", ticketTells},
		{"a command without a key is refused", needsKey},
		{"a session name must be allowed", needsName},
		{"commands that come at once all get places of their own", putRace},
		{"commands come in while the session is leased and written", putWhileLeased},
	}
}

func itemReturns(t *testing.T, s store.Store) {
	item := command("create", "hello")
	item.Blobs = []journal.Blob{journal.NewBlob([]byte("a")), journal.NewBlob([]byte("b"))}
	ticket := put(t, s, mainKey, item)
	same(t, "ticket", ticket, store.Ticket{Position: ticket.Position})
	item.Position = ticket.Position
	same(t, "pending", pending(t, s, mainKey, 10), []store.Item{item})

	later := store.Item{Key: "second", At: epoch + 5, Record: journal.Record{Kind: "steer", Body: []byte("left")}}
	later.Position = put(t, s, mainKey, later).Position
	got := pending(t, s, mainKey, 10)
	if len(got) != 2 || len(got[1].Blobs) != 0 {
		t.Fatalf("pending: %+v, want two commands, the second without blobs", got)
	}
	got[1].Blobs = nil
	same(t, "second", got[1], later)
	same(t, "time of the session's last change", head(t, s, mainKey).Updated, epoch+5)
}

func inboxOrder(t *testing.T, s store.Store) {
	var want []uint64
	for i := range 20 {
		item := command(strconv.Itoa(i), "body")
		item.At = epoch - int64(i) // a clock that runs backwards changes no order
		p := put(t, s, mainKey, item).Position
		if i == 0 && p == 0 || i > 0 && p <= want[i-1] {
			t.Fatalf("position %d after %v: want them to grow from above zero", p, want)
		}
		want = append(want, p)
	}
	same(t, "positions", positions(pending(t, s, mainKey, 100)), want)
}

func pendingLimit(t *testing.T, s store.Store) {
	var want []uint64
	for i := range 5 {
		want = append(want, put(t, s, mainKey, command(strconv.Itoa(i), "body")).Position)
	}
	for limit := 1; limit <= 6; limit++ {
		same(t, "positions", positions(pending(t, s, mainKey, limit)), want[:min(limit, 5)])
	}
}

func settledVanish(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	for i := 2; i <= 6; i++ {
		put(t, s, mainKey, command(strconv.Itoa(i), "body"))
	}
	all := positions(pending(t, s, mainKey, 0))
	settle := func(indexes ...int) {
		batch := store.Batch{Frames: w.next("more")}
		for _, i := range indexes {
			batch.Answers = append(batch.Answers, store.Answer{Position: all[i]})
		}
		w.append(t, batch)
	}
	settle(2)
	same(t, "after the third", positions(pending(t, s, mainKey, 0)), []uint64{all[0], all[1], all[3], all[4], all[5]})
	same(t, "after the third, limited", positions(pending(t, s, mainKey, 3)), []uint64{all[0], all[1], all[3]})
	settle(5, 0)
	same(t, "after the last and the first", positions(pending(t, s, mainKey, 0)), []uint64{all[1], all[3], all[4]})
	settle(1, 3, 4)
	same(t, "after all", len(pending(t, s, mainKey, 0)), 0)

	if p := put(t, s, mainKey, command("new", "body")).Position; p <= all[5] {
		t.Errorf("position %d is not above %d, which is settled", p, all[5])
	}
}

func createFirst(t *testing.T, s store.Store) {
	item := command("first", "hello")
	item.Create = false
	_, err := s.Put(t.Context(), mainKey, item)
	fails(t, "put without Create", err, store.ErrNotFound)
	notFound(t, s, mainKey)

	item.Create = true
	if put(t, s, mainKey, item).Repeated {
		t.Error("the refused command has used up its key")
	}
	put(t, s, mainKey, store.Item{Key: "second", At: epoch})
}

func createAgain(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	w.append(t, store.Batch{Frames: w.next("one")})
	item := command("again", "hello")
	item.At = epoch + 100
	put(t, s, mainKey, item)
	h := head(t, s, mainKey)
	same(t, "last frame", h.Seq, 1)
	same(t, "time of creation", h.Created, epoch)
	same(t, "pending", len(pending(t, s, mainKey, 0)), 2)
}

func ticketTells(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	position := put(t, s, mainKey, command("second", "body")).Position
	look := func() store.Ticket {
		ticket, err := s.Ticket(t.Context(), mainKey, "second")
		if err != nil {
			t.Fatal(err)
		}
		ticket.Repeated = false // says something about puts only
		return ticket
	}
	same(t, "ticket", look(), store.Ticket{Position: position})
	w.append(t, store.Batch{Frames: w.next("one"), Answers: []store.Answer{{Position: position, Body: []byte("done")}}})
	same(t, "ticket", look(), store.Ticket{Position: position, Settled: true, Answer: []byte("done")})

	_, err := s.Ticket(t.Context(), mainKey, "third")
	fails(t, "ticket of an unknown key", err, store.ErrNotFound)
}

func needsKey(t *testing.T, s store.Store) {
	if _, err := s.Put(t.Context(), mainKey, command("", "hello")); err == nil {
		t.Error("a command without an idempotency key was taken in")
	}
	notFound(t, s, mainKey)
}

func needsName(t *testing.T, s store.Store) {
	for _, key := range []journal.Key{
		{}, {Tenant: "acme"}, {Session: "main"}, {Tenant: "acme", Session: "a/b"}, {Tenant: "..", Session: "main"},
	} {
		if _, err := s.Put(t.Context(), key, command("create", "hello")); err == nil {
			t.Errorf("session %q was created", key)
		}
	}
}

func putRace(t *testing.T, s store.Store) {
	const senders = 16
	got := make([]uint64, senders)
	var group sync.WaitGroup
	for i := range senders {
		group.Go(func() {
			ticket, err := s.Put(t.Context(), mainKey, command(strconv.Itoa(i), "body"))
			if err != nil || ticket.Repeated {
				t.Errorf("put %d: %+v, %v", i, ticket, err)
			}
			got[i] = ticket.Position
		})
	}
	group.Wait()
	slices.Sort(got)
	same(t, "positions", positions(pending(t, s, mainKey, 0)), got)
	if n := len(slices.Compact(got)); n != senders {
		t.Errorf("%d places for %d commands", n, senders)
	}
}

// Delivery is not ownership: anybody may send, whoever holds the lease.
func putWhileLeased(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	const count = 10
	var group sync.WaitGroup
	group.Go(func() {
		for i := range count {
			if _, err := s.Put(t.Context(), mainKey, command(strconv.Itoa(i), "body")); err != nil {
				t.Errorf("put: %v", err)
			}
		}
	})
	for range count {
		if err := w.try(t, store.Batch{Frames: w.next("more")}); err != nil {
			t.Errorf("append: %v", err)
		}
	}
	group.Wait()
	same(t, "pending", len(pending(t, s, mainKey, 0)), count+1)
	same(t, "frames", len(read(t, s, mainKey, 1)), count)
}
