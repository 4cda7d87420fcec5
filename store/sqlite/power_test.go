package sqlite

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// points is how many instants a power-loss test looks at; POWER_POINTS may ask
// for more.
func points(tb testing.TB, usual int) int {
	tb.Helper()
	text := os.Getenv("POWER_POINTS")
	if text == "" {
		return usual / slowdown
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		tb.Fatalf("POWER_POINTS=%q is no number", text)
	}
	return n
}

// contents is a digest of all that a file says, row by row.
func contents(tb testing.TB, s *Store) string {
	tb.Helper()
	const all = "*"
	sum := sha256.New()
	err := s.read(tb.Context(), "read all", journal.Key{}, func(c *conn) error {
		for _, table := range tables() {
			if err := c.each(fmt.Sprintf("SELECT %s FROM %s ORDER BY 1, 2", all, table), func(r row) error {
				for _, value := range r {
					if b, ok := value.([]byte); ok {
						value = sha256.Sum256(b)
					}
					fmt.Fprintf(sum, "%T%v|", value, value)
				}
				fmt.Fprintln(sum, table)
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatalf("read all: %v", err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
}

// story makes calls of all kinds and tells after each what the store then
// says.
type story struct {
	tb     testing.TB
	s      *Store
	device *device
	states []string // by number of calls that were acknowledged
	tokens []uint64 // the highest lease by then
	leases map[string]store.Lease
	chains map[string]*chain
}

// did notes that a call was acknowledged.
func (st *story) did(what string, err error) {
	st.tb.Helper()
	if err != nil {
		st.tb.Fatalf("%s: %v", what, err)
	}
	st.device.ack(len(st.states))
	st.states = append(st.states, contents(st.tb, st.s))
	token := uint64(0)
	for _, l := range st.leases {
		token = max(token, l.Token)
	}
	if n := len(st.tokens); n > 0 {
		token = max(token, st.tokens[n-1])
	}
	st.tokens = append(st.tokens, token)
}

func (st *story) tell(rounds int) {
	ctx := st.tb.Context()
	for i := range rounds {
		name := fmt.Sprintf("s%d", i%5)
		key := journal.Key{Tenant: "acme", Session: name}
		if _, known := st.leases[name]; !known {
			st.chains[name] = newChain(key)
			_, err := st.s.Put(ctx, key, store.Item{Key: "create", Create: true, Record: journal.Record{Kind: "prompt", Body: []byte(name)}})
			st.did("create", err)
			lease, err := st.s.Acquire(ctx, key, "me", int64(i), 1000)
			st.leases[name] = lease
			st.did("acquire", err)
		}
		big := bytes.Repeat([]byte(fmt.Sprintf("%d large ", i)), 3000)
		ticket, err := st.s.Put(ctx, key, store.Item{
			Key: fmt.Sprint("command ", i), Record: journal.Record{Kind: "steer", Body: []byte("body")},
			Blobs: []journal.Blob{journal.NewBlob(fmt.Appendf(nil, "blob of command %d", i))},
		})
		st.did("put", err)
		frames := st.chains[name]
		st.did("append", st.s.Append(ctx, key, store.Batch{
			Lease: st.leases[name], Frames: append(frames.next(), frames.next()...),
			Blobs:   []journal.Blob{journal.NewBlob(fmt.Appendf(nil, "small %d", i)), journal.NewBlob(big)},
			Answers: []store.Answer{{Position: ticket.Position, Body: []byte("done")}},
			Summary: store.Summary{Status: "running", Active: i%2 == 0, WakeAt: int64(i)},
			State:   fmt.Appendf(nil, "state %d %2000d", i, 0),
		}))
		switch i % 4 {
		case 0:
			st.did("reserve", st.s.Reserve(ctx, "acme", "ann", fmt.Sprint(i), 5, -1))
		case 1:
			_, err := st.s.PutBlob(ctx, key, fmt.Appendf(nil, "put %d", i))
			st.did("put blob", err)
		case 2:
			lease, err := st.s.Renew(ctx, st.leases[name], int64(i), 2000)
			st.leases[name] = lease
			st.did("renew", err)
		case 3:
			st.did("settle", st.s.Settle(ctx, "acme", "ann", fmt.Sprint(i-3), 3))
		}
		if i%11 == 10 {
			delete(st.leases, name)
			st.did("delete", st.s.Delete(ctx, key))
		}
	}
}

func newStory(tb testing.TB, options *Options, d *device) *story {
	tb.Helper()
	s, err := Open(newPath(tb), options)
	if err != nil {
		tb.Fatal(err)
	}
	st := &story{tb: tb, s: s, device: d, leases: make(map[string]store.Lease), chains: make(map[string]*chain)}
	st.did("open", nil)
	return st
}

// Power is cut at many instants; whatever the disk makes of what was not
// synced, the file opens, says exactly what it said after the last call that
// was acknowledged or after the one that was under way, and goes on.
//
// contract: S8, S9
func TestPowerLossLosesNothingThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	for _, err := range losses(t, "FULL", points(t, 240)) {
		t.Error(err)
	}
}

// A store that does not sync must be found out, or the test above proves
// nothing.
func TestPowerLossIsNoticedWhereNothingIsSynced(t *testing.T) {
	t.Parallel()
	if len(losses(t, "NORMAL", 40/min(slowdown, 4))) == 0 {
		t.Error("a store that does not sync its commits loses nothing, says the test")
	}
}

// losses cuts power at n instants of a story and tells what went wrong.
func losses(t *testing.T, synchronous string, n int) (all []error) {
	t.Helper()
	d := newDevice(t)
	options := d.options()
	options.CheckpointPages = 60 // many checkpoints, and logs that start anew
	options.synchronous = synchronous
	st := newStory(t, options, d)
	st.tell(40 / min(slowdown, 2))
	if err := st.s.Close(); err != nil {
		t.Fatal(err)
	}
	events := d.events()
	wantCheckpoints(t, events)

	quick := newDevice(t) // what is looked at need not be synced
	quick.deaf = true
	rng := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a fixed seed
	for i := range n {
		at := 1 + (len(events)-1)*i/n
		how := []crash{crashMixed, crashMixed, crashLost, crashKept}[i%4]
		path := cut(events[:at], how, rng).write(t, "sessions.db", rng)
		acked := -1
		for _, e := range events[:at] {
			if e.op == opAck {
				acked = e.ack
			}
		}
		if err := survives(t, st, path, quick, acked); err != nil {
			all = append(all, fmt.Errorf("power cut after event %d of %d, writes %s: %w", at, len(events), how, err))
		}
	}
	t.Logf("synchronous %s: %d instants of %d events, %d calls acknowledged, %d losses",
		synchronous, n, len(events), len(st.states), len(all))
	return all
}

// The same with twelve writers at once, whose commits are shared: every session
// has all frames and commands that were acknowledged, and of what was under way
// all or nothing.
//
// contract: S8
func TestPowerLossLosesNothingOfSharedCommits(t *testing.T) {
	t.Parallel()
	const writers, rounds = 12, 6
	events := shared(t, "FULL", writers, rounds)
	quick := newDevice(t)
	quick.deaf = true
	rng := rand.New(rand.NewPCG(9, 10)) //nolint:gosec // a fixed seed
	n := points(t, 80)
	for i := range n {
		at := len(events)/4 + len(events)*3/4*i/n // the first quarter is preparation
		puts, appends := make([]int, writers), make([]int, writers)
		for _, e := range events[:at] {
			switch w := e.ack / 2 / rounds; {
			case e.op != opAck:
			case e.ack%2 == 0:
				puts[w]++
			default:
				appends[w]++
			}
		}
		s, err := Open(cut(events[:at], crashMixed, rng).write(t, "sessions.db", rng), quick.options())
		if err != nil {
			t.Errorf("power cut after event %d of %d: %v", at, len(events), err)
			continue
		}
		for w := range writers {
			change, err := s.look(t.Context(), journal.Key{Tenant: "acme", Session: strconv.Itoa(w)})
			seq, position := int(change.Seq), int(change.Position)-1 //nolint:gosec // small; the first command created it
			if puts[w]+appends[w] == 0 {
				continue
			}
			if err != nil || seq < appends[w] || seq > appends[w]+1 || position < puts[w] || position > puts[w]+1 {
				t.Errorf("power cut after event %d of %d: session %d has %d frames and %d commands, %d and %d were acknowledged; %v",
					at, len(events), w, seq, position, appends[w], puts[w], err)
			}
		}
		if report, err := s.Check(t.Context()); err != nil || report.Err() != nil {
			t.Errorf("power cut after event %d of %d: %v, %v", at, len(events), err, report.Err())
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// survives opens what a power cut left and compares.
func survives(tb testing.TB, st *story, path string, quick *device, acked int) (err error) {
	tb.Helper()
	s, err := Open(path, quick.options())
	if err != nil {
		return err
	}
	defer func() {
		if e := s.Close(); err == nil && e != nil {
			err = e
		}
	}()
	if acked < 0 {
		return nil // power went before the store was open: that it opens is enough
	}
	found := contents(tb, s)
	if found != st.states[acked] && (acked+1 >= len(st.states) || found != st.states[acked+1]) {
		return fmt.Errorf("the store says neither what it said after call %d nor after the next", acked)
	}
	report, err := s.Check(tb.Context())
	if err != nil || len(report.Damage) > 0 {
		return fmt.Errorf("check: %w, %v", err, report.Damage)
	}
	// It goes on: a new lease is above all that anybody was ever told of.
	key := journal.Key{Tenant: "acme", Session: "after"}
	if token := begin(tb, s, key, "me").Token; token <= st.tokens[acked] {
		return fmt.Errorf("lease %d after the crash, %d was given before it", token, st.tokens[acked])
	}
	return nil
}

// wantCheckpoints makes sure that the log has what the test is about.
func wantCheckpoints(tb testing.TB, events []event) {
	tb.Helper()
	moved, anew := 0, 0
	for _, e := range events {
		switch {
		case e.op == opSync && isMain(e.file.name):
			moved++
		case e.op == opWrite && e.offset == 0 && !isMain(e.file.name):
			anew++
		}
	}
	if moved < 5 || anew < 3 {
		tb.Errorf("%d checkpoints and %d logs begun: too few to prove anything", moved, anew)
	}
}
