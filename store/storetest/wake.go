package storetest

import (
	"testing"

	"github.com/ai-agent-go/ai-agent/store"
)

func wakeScenarios() []scenario {
	return []scenario{
		{"without timers and leases there is no next wake-up", noWake},
		{"the earliest timer to come is the next wake-up", earliestTimer},
		{"the end of an active session's lease is a wake-up", leaseEnd},
		{"the end of a lease is a wake-up for what waits behind it", leaseEndBehind},
		{"the end of an idle session's lease is no wake-up", idleLease},
	}
}

func wantWake(t *testing.T, s store.Store, now, want int64) {
	t.Helper()
	got, err := s.NextWake(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("next wake-up after epoch+%d: got %d, want %d (epoch is %d)", now-epoch, got, want, epoch)
	}
}

func noWake(t *testing.T, s store.Store) {
	wantWake(t, s, epoch, 0)
	quiet(t, s, named("idle"), store.Summary{})
	quiet(t, s, named("orphan"), store.Summary{Active: true}) // due already
	put(t, s, named("inbox"), command("create", "hello"))     // due already
	wantWake(t, s, epoch, 0)
}

func earliestTimer(t *testing.T, s store.Store) {
	for i, at := range []int64{300, 100, 200} {
		quiet(t, s, named(numbered("timer", i)), store.Summary{WakeAt: epoch + at})
	}
	wantWake(t, s, epoch, epoch+100)
	wantWake(t, s, epoch+99, epoch+100)
	wantWake(t, s, epoch+100, epoch+200)
	wantWake(t, s, epoch+200, epoch+300)
	wantWake(t, s, epoch+300, 0)
}

func leaseEnd(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	w.append(t, store.Batch{Frames: w.next("one"), Answers: []store.Answer{{Position: 1}}, Summary: store.Summary{Active: true}})
	wantWake(t, s, epoch, epoch+term)
	quiet(t, s, named("early"), store.Summary{WakeAt: epoch + 5})
	wantWake(t, s, epoch, epoch+5)
	wantWake(t, s, epoch+5, epoch+term)
	wantWake(t, s, epoch+term, 0)

	if _, err := s.Renew(t.Context(), w.lease, epoch+term, term); err != nil {
		t.Fatal(err)
	}
	wantWake(t, s, epoch+5, epoch+2*term)
}

// Without this a command whose actor died before its first frame would wait
// until somebody sends another one.
func leaseEndBehind(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey) // its first command is pending
	wantWake(t, s, epoch, epoch+term)
	w.append(t, store.Batch{
		Frames: w.next("one"), Answers: []store.Answer{{Position: 1}}, Summary: store.Summary{WakeAt: epoch + 5},
	})
	wantWake(t, s, epoch, epoch+5)
	wantWake(t, s, epoch+5, epoch+term)
}

func idleLease(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	w.append(t, store.Batch{Frames: w.next("one"), Answers: []store.Answer{{Position: 1}}})
	wantWake(t, s, epoch, 0)
	w.append(t, store.Batch{Frames: w.next("two"), Summary: store.Summary{WakeAt: epoch + 2*term}})
	wantWake(t, s, epoch, epoch+2*term)
}
