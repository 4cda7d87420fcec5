package storetest

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

func idempotencyScenarios() []scenario {
	return []scenario{
		{"the same key and body give the same ticket", sameBody},
		{"the same key with another body is refused", otherBody},
		{"the answer is given again after settlement", answerAgain},
		{"a key belongs to its session", keyOfSession},
		{"one command sent many times at once has one place", oneKeyRace},
		{"two bodies racing for one key: one is taken in", twoBodiesRace},
	}
}

func sameBody(t *testing.T, s store.Store) {
	first := put(t, s, mainKey, command("key", "body"))
	put(t, s, mainKey, command("another", "body"))
	again := command("key", "body")
	again.At += 1000 // a retry comes later
	again.Create = false
	same(t, "repeated ticket", put(t, s, mainKey, again), store.Ticket{Position: first.Position, Repeated: true})
	items := pending(t, s, mainKey, 0)
	same(t, "pending", len(items), 2)
	same(t, "time of the first use", items[0].At, epoch)
}

func otherBody(t *testing.T, s store.Store) {
	item := command("key", "body")
	item.Blobs = []journal.Blob{journal.NewBlob([]byte("blob"))}
	first := put(t, s, mainKey, item)

	body, kind, blob, fewer := item, item, item, item
	body.Record.Body = []byte("other")
	kind.Record.Kind = "other"
	blob.Blobs = []journal.Blob{journal.NewBlob([]byte("other blob"))}
	fewer.Blobs = nil
	for what, changed := range map[string]store.Item{
		"another body": body, "another kind": kind, "another blob": blob, "no blob": fewer,
	} {
		_, err := s.Put(t.Context(), mainKey, changed)
		fails(t, what, err, store.ErrKeyReused)
	}
	wantNoBlob(t, s, mainKey, []byte("other blob"))
	same(t, "pending", positions(pending(t, s, mainKey, 0)), []uint64{first.Position})

	w := take(t, s, mainKey)
	w.append(t, store.Batch{Frames: w.next("one"), Answers: []store.Answer{{Position: first.Position}}})
	_, err := s.Put(t.Context(), mainKey, body)
	fails(t, "another body after settlement", err, store.ErrKeyReused)
}

func answerAgain(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	w.append(t, store.Batch{Frames: w.next("one"), Answers: []store.Answer{{Position: 1, Body: []byte("answer")}}})
	for range 2 {
		same(t, "ticket", put(t, s, mainKey, command("create", "hello")),
			store.Ticket{Position: 1, Repeated: true, Settled: true, Answer: []byte("answer")})
	}
	same(t, "pending", len(pending(t, s, mainKey, 0)), 0)
}

func keyOfSession(t *testing.T, s store.Store) {
	other := named("other")
	put(t, s, mainKey, command("key", "body"))
	if put(t, s, other, command("key", "another body")).Repeated {
		t.Error("another session's key counts as used")
	}
	w := take(t, s, mainKey)
	w.append(t, store.Batch{Frames: w.next("one"), Answers: []store.Answer{{Position: 1, Body: []byte("mine")}}})
	ticket := put(t, s, other, command("key", "another body"))
	if ticket.Settled || len(ticket.Answer) > 0 {
		t.Errorf("ticket %+v: settled by another session's answer", ticket)
	}
}

func oneKeyRace(t *testing.T, s store.Store) {
	const senders = 16
	var fresh atomic.Int32
	var tickets [senders]store.Ticket
	var group sync.WaitGroup
	for i := range senders {
		group.Go(func() {
			var err error
			if tickets[i], err = s.Put(t.Context(), mainKey, command("key", "body")); err != nil {
				t.Errorf("put: %v", err)
			}
			if !tickets[i].Repeated {
				fresh.Add(1)
			}
		})
	}
	group.Wait()
	for _, ticket := range tickets {
		same(t, "position", ticket.Position, tickets[0].Position)
	}
	same(t, "tickets that are not repeated", fresh.Load(), 1)
	same(t, "pending", len(pending(t, s, mainKey, 0)), 1)
}

func twoBodiesRace(t *testing.T, s store.Store) {
	bodies := [2]string{"one", "two"}
	var errs [2]error
	var group sync.WaitGroup
	for i, body := range bodies {
		group.Go(func() { _, errs[i] = s.Put(t.Context(), mainKey, command("key", body)) })
	}
	group.Wait()
	winner := 0
	if errs[0] != nil {
		winner = 1
	}
	if errs[winner] != nil {
		t.Fatalf("nobody was taken in: %v, %v", errs[0], errs[1])
	}
	fails(t, "the loser", errs[1-winner], store.ErrKeyReused)
	same(t, "body", string(pending(t, s, mainKey, 0)[0].Record.Body), bodies[winner])
}
