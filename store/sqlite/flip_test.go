package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// sample is a store with something of everything, and what it says.
type sample struct {
	file, log []byte
	refs      []journal.Ref
	truth     map[string]string
	states    []string // contents after each commit, the newest last
}

var sampleKeys = []journal.Key{{Tenant: "acme", Session: "one"}, {Tenant: "acme", Session: "two"}, {Tenant: "other", Session: "one"}}

// newSample writes the store. With a log, all of it is in the log but for what
// was there at first; without, all is in the file.
func newSample(tb testing.TB, inLog bool) *sample {
	tb.Helper()
	path := madePath(tb)
	s, err := Open(path, &Options{CheckpointPages: 1 << 20})
	if err != nil {
		tb.Fatal(err)
	}
	sm := &sample{states: []string{contents(tb, s)}}
	s.writer.committed = func(int) { sm.states = append(sm.states, contents(tb, s)) }
	for _, key := range sampleKeys {
		lease := begin(tb, s, key, "me")
		frames := newChain(key)
		for i := range 3 {
			small := journal.NewBlob(fmt.Appendf(nil, "small blob %d of %s", i, key))
			large := journal.NewBlob(bytes.Repeat(fmt.Appendf(nil, "large blob %d of %s", i, key), 800))
			sm.refs = append(sm.refs, small.Ref, large.Ref)
			batch := store.Batch{
				Lease: lease, Frames: append(frames.next(), frames.next()...), Blobs: []journal.Blob{small, large},
				Summary: store.Summary{Status: "running", Agent: "agent", Title: "title of " + key.Session, WakeAt: 500, Cost: 77},
				State:   bytes.Repeat([]byte("state"), 100),
			}
			if i == 0 {
				batch.Answers = []store.Answer{{Position: 1, Body: []byte("the answer")}}
			}
			if err := s.Append(tb.Context(), key, batch); err != nil {
				tb.Fatal(err)
			}
		}
		item := store.Item{Key: "pending", At: 5, Record: journal.Record{Kind: "steer", Body: []byte("go left")}}
		if _, err := s.Put(tb.Context(), key, item); err != nil {
			tb.Fatal(err)
		}
	}
	if err := s.Reserve(tb.Context(), "acme", "ann", "a", 60, 100); err != nil {
		tb.Fatal(err)
	}
	if sm.truth, err = sm.view(tb, s); err != nil {
		tb.Fatal(err)
	}
	if !inLog {
		if err := s.Close(); err != nil {
			tb.Fatal(err)
		}
	}
	if sm.file, err = os.ReadFile(path); err != nil {
		tb.Fatal(err)
	}
	if inLog {
		if sm.log, err = os.ReadFile(path + "-wal"); err != nil {
			tb.Fatal(err)
		}
		if err := s.Close(); err != nil {
			tb.Fatal(err)
		}
	}
	return sm
}

// view reads all that callers can ask for. The error is the first that says
// something other than that a thing is not there.
func (sm *sample) view(tb testing.TB, s *Store) (map[string]string, error) {
	tb.Helper()
	ctx := tb.Context()
	v := make(map[string]string)
	var first error
	note := func(what string, value any, err error) {
		switch {
		case errors.Is(err, store.ErrNotFound):
			value = "not found"
		case err != nil && first == nil:
			first = fmt.Errorf("%s: %w", what, err)
		}
		v[what] = fmt.Sprint(value)
	}
	for _, key := range sampleKeys {
		head, err := s.Head(ctx, key)
		note("head of "+key.String(), head, err)
		n := 0
		for f, err := range s.Read(ctx, key, 1) {
			n++
			note(fmt.Sprintf("frame %d of %s", n, key), f, err)
		}
		for _, ref := range sm.refs {
			blob, err := s.Blob(ctx, key, ref)
			note("blob "+ref.Short()+" of "+key.String(), journal.RefOf(blob), err)
		}
		pending, err := s.Pending(ctx, key, 0)
		note("pending of "+key.String(), pending, err)
		for _, id := range []string{"create", "pending"} {
			ticket, err := s.Ticket(ctx, key, id)
			note("ticket of "+key.String()+" "+id, ticket, err)
		}
	}
	for _, tenant := range []string{"acme", "other"} {
		page, err := s.List(ctx, tenant, store.Query{})
		note("list of "+tenant, page, err)
	}
	due, err := s.Due(ctx, 1000, 0)
	note("due", due, err)
	wake, err := s.NextWake(ctx, 100)
	note("next wake-up", wake, err)
	balance, err := s.Balance(ctx, "acme", "ann")
	note("balance", balance, err)
	return v, first
}

// A store of changed bytes says what is right, or that it is damaged. A session
// that an index has lost is the exception: it looks as if it had never been
// there, and Check tells.
//
// contract: S8
func TestAFlippedBitInTheFileIsNoticed(t *testing.T) {
	t.Parallel()
	sm := newSample(t, false)
	quick := newDevice(t)
	quick.deaf = true
	rng := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // a fixed seed
	const flips = 400 / slowdown
	told, harmless, byCheck := 0, 0, 0
	for range flips {
		at, bit := rng.IntN(len(sm.file)), rng.IntN(8)
		file := bytes.Clone(sm.file)
		file[at] ^= 1 << bit
		wrong, report, err := sm.damaged(t, file, nil, quick)
		switch {
		case errors.Is(err, journal.ErrCorrupt):
			told++
		case err != nil:
			t.Errorf("bit %d of byte %d: %v, want %v", bit, at, err, journal.ErrCorrupt)
		case len(wrong) > 0 && len(report.Damage) == 0:
			t.Errorf("bit %d of byte %d: the store is silent about %q", bit, at, wrong)
		case len(wrong) > 0:
			byCheck++
		default:
			harmless++
		}
	}
	t.Logf("%d flipped bits of %d KB: %d told, %d harmless, %d told by Check", flips, len(sm.file)>>10, told, harmless, byCheck)
	if told < flips/3 || byCheck > flips/20 {
		t.Errorf("of %d flipped bits %d were told when they were met and %d by Check", flips, told, byCheck)
	}
}

func TestAFileThatWasCutIsNoticed(t *testing.T) {
	t.Parallel()
	sm := newSample(t, false)
	quick := newDevice(t)
	quick.deaf = true
	for size := 0; size < len(sm.file); size += len(sm.file)*slowdown/60 + 1 {
		wrong, _, err := sm.damaged(t, sm.file[:size], nil, quick)
		switch {
		case size == 0: // a new store, which holds nothing
			if err != nil {
				t.Errorf("an empty file: %v", err)
			}
		case !errors.Is(err, journal.ErrCorrupt):
			t.Errorf("cut to %d of %d bytes: %v, silent about %q", size, len(sm.file), err, wrong)
		}
	}
}

// A flipped bit in the log leaves all as it was, is told, or takes back the
// newest commit, which cannot be told from one that power loss cut short.
//
// contract: S8
func TestAFlippedBitInTheLogIsNoticed(t *testing.T) {
	t.Parallel()
	sm := newSample(t, true)
	quick := newDevice(t)
	quick.deaf = true
	rng := rand.New(rand.NewPCG(5, 6))              //nolint:gosec // a fixed seed
	places := []int{0, 3, 5, 9, 13, 17, 21, 25, 31} // the header
	for range 200 / slowdown {
		places = append(places, rng.IntN(len(sm.log)))
	}
	for _, at := range places {
		log := bytes.Clone(sm.log)
		log[at] ^= 1 << rng.IntN(8)
		found, err := sm.prefix(t, sm.file, log, quick, &Options{})
		if err == nil && found < len(sm.states)-2 {
			t.Errorf("byte %d: %d commits are lost without a word", at, len(sm.states)-1-found)
		}
		if err != nil && !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("byte %d: %v, want %v", at, err, journal.ErrCorrupt)
		}
		if _, err := sm.prefix(t, sm.file, log, quick, &Options{TornLog: true}); err != nil {
			t.Errorf("byte %d, torn log accepted: %v", at, err)
		}
	}
}

// A log that was cut gives what was there after one of its commits.
func TestALogThatWasCutIsAnEarlierState(t *testing.T) {
	t.Parallel()
	sm := newSample(t, true)
	quick := newDevice(t)
	quick.deaf = true
	for size := 0; size <= len(sm.log); size += len(sm.log)*slowdown/60 + 1 {
		if _, err := sm.prefix(t, sm.file, sm.log[:size], quick, &Options{}); err != nil {
			t.Errorf("log cut to %d of %d bytes: %v", size, len(sm.log), err)
		}
	}
}

// prefix opens a store and tells after which commit it stands.
func (sm *sample) prefix(tb testing.TB, file, log []byte, quick *device, options *Options) (int, error) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "sessions.db")
	if err := errors.Join(os.WriteFile(path, file, 0o600), os.WriteFile(path+"-wal", log, 0o600)); err != nil {
		tb.Fatal(err)
	}
	options.vfs = quick.name
	s, err := Open(path, options)
	if err != nil {
		return 0, err
	}
	found := contents(tb, s)
	if err := s.Close(); err != nil {
		return 0, err
	}
	at := slices.Index(sm.states, found)
	if at < 0 {
		return 0, errors.New("the store says what it never said")
	}
	return at, nil
}

// damaged opens a store of damaged bytes. It tells what the store says
// differently without an error, and the error if there is one.
func (sm *sample) damaged(tb testing.TB, file, log []byte, quick *device) (wrong []string, report Report, err error) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "sessions.db")
	if err := errors.Join(os.WriteFile(path, file, 0o600), os.WriteFile(path+"-wal", log, 0o600)); err != nil {
		tb.Fatal(err)
	}
	s, err := Open(path, quick.options())
	if err != nil {
		return nil, Report{}, err
	}
	defer func() { _ = s.Close() }()
	seen, err := sm.view(tb, s)
	if err != nil {
		return nil, Report{}, err
	}
	for what, truth := range sm.truth {
		if seen[what] != truth {
			wrong = append(wrong, what)
		}
	}
	report, err = s.Check(tb.Context())
	return wrong, report, err
}
