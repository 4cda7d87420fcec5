package storetest

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ai-agent-go/ai-agent/store"
)

func leaseScenarios() []scenario {
	return []scenario{
		{"a lease says whose it is and when it ends", leaseFields},
		{"a good lease keeps others out until its end", leaseKeepsOut},
		{"tokens grow with every success", tokensGrow},
		{"renewing moves the end", renewMoves},
		{"only the newest lease can be renewed", renewFenced},
		{"a released session is free at once", releaseFrees},
		{"releasing an old lease changes nothing", releaseOld},
		{"of many that ask at once one gets the session", acquireRace},
	}
}

func leaseFields(t *testing.T, s store.Store) {
	put(t, s, mainKey, command("create", "hello"))
	lease := acquire(t, s, mainKey, "me", epoch)
	if lease.Token == 0 {
		t.Error("token is 0, want a token that no zero lease has")
	}
	same(t, "lease", lease, store.Lease{Key: mainKey, Owner: "me", Token: lease.Token, Expires: epoch + term})
}

func leaseKeepsOut(t *testing.T, s store.Store) {
	put(t, s, mainKey, command("create", "hello"))
	acquire(t, s, mainKey, "me", epoch)
	for _, now := range []int64{epoch, epoch + term - 1} {
		_, err := s.Acquire(t.Context(), mainKey, "other", now, term)
		fails(t, "acquire while another's lease is good", err, store.ErrLeased)
	}
	acquire(t, s, mainKey, "other", epoch+term)
	_, err := s.Acquire(t.Context(), mainKey, "me", epoch+term, term)
	fails(t, "acquire while another's lease is good", err, store.ErrLeased)
}

func tokensGrow(t *testing.T, s store.Store) {
	put(t, s, mainKey, command("create", "hello"))
	var last uint64
	for i := range 6 {
		// Every owner twice: the same one gets a new token too.
		lease := acquire(t, s, mainKey, strconv.Itoa(i/2), epoch+int64(i)*term)
		if lease.Token <= last {
			t.Errorf("token %d follows token %d", lease.Token, last)
		}
		last = lease.Token
		if i%3 == 0 {
			if err := s.Release(t.Context(), lease); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func renewMoves(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	lease, err := s.Renew(t.Context(), w.lease, epoch+term/2, term)
	if err != nil {
		t.Fatal(err)
	}
	want := w.lease
	want.Expires = epoch + term/2 + term
	same(t, "lease", lease, want)
	_, err = s.Acquire(t.Context(), mainKey, "other", w.lease.Expires, term)
	fails(t, "acquire at the old end", err, store.ErrLeased)

	// Nobody else came: even a lapsed lease can be renewed.
	if _, err := s.Renew(t.Context(), lease, lease.Expires+1, term); err != nil {
		t.Errorf("renew a lapsed lease that is the newest: %v", err)
	}
	w.append(t, store.Batch{Frames: w.next("one")})
}

func renewFenced(t *testing.T, s store.Store) {
	old := newWriter(t, s, mainKey)
	young := old.takeOver(t, "other")
	_, err := s.Renew(t.Context(), old.lease, epoch, term)
	fails(t, "renew an old lease", err, store.ErrFenced)
	young.release(t)
	_, err = s.Renew(t.Context(), young.lease, epoch, term)
	fails(t, "renew a released lease", err, store.ErrFenced)
}

func releaseFrees(t *testing.T, s store.Store) {
	w := newWriter(t, s, mainKey)
	w.release(t)
	w.release(t)
	acquire(t, s, mainKey, "other", epoch)
}

func releaseOld(t *testing.T, s store.Store) {
	old := newWriter(t, s, mainKey)
	young := old.takeOver(t, "other")
	old.release(t)
	_, err := s.Acquire(t.Context(), mainKey, "third", epoch+term, term)
	fails(t, "acquire after somebody released an old lease", err, store.ErrLeased)
	young.append(t, store.Batch{Frames: young.next("one")})
}

func acquireRace(t *testing.T, s store.Store) {
	put(t, s, mainKey, command("create", "hello"))
	var got atomic.Int32
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			_, err := s.Acquire(t.Context(), mainKey, strconv.Itoa(i), epoch, term)
			switch {
			case err == nil:
				got.Add(1)
			case !errors.Is(err, store.ErrLeased):
				t.Errorf("acquire: %v, want it done or leased", err)
			}
		})
	}
	group.Wait()
	if got.Load() != 1 {
		t.Errorf("%d owners got the session, want 1", got.Load())
	}
}
