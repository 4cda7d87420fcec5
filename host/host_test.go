package host_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errDisk = errors.New("disk full")

// failing is a store whose appends fail.
type failing struct {
	store.Store
	appends atomic.Int64
}

func (f *failing) Append(context.Context, journal.Key, store.Batch) error {
	f.appends.Add(1)
	return errDisk
}

func agent() *spec.Agent {
	return &spec.Agent{ID: "a", Targets: []spec.Target{{Provider: "script", Model: "m"}}, Transport: spec.TransportNative}
}

func newHost(t *testing.T, st store.Store, turns ...script.Step) *host.Host {
	t.Helper()
	h, err := host.New(host.Config{Store: st, Providers: map[string]llm.Provider{"script": script.New(turns...)}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// contract: E1
func TestASessionThatCannotBeDrivenIsTriedAgainButNotAllTheTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := &failing{Store: memory.New()}
		h := newHost(t, st)
		key := journal.Key{Tenant: "t", Session: "s"}
		if err := h.Open(t.Context(), key, agent(), host.Opening{Key: "open"}); !errors.Is(err, errDisk) {
			t.Fatalf("opening: %v", err)
		}
		time.Sleep(10 * time.Minute) // in a bubble of fake time
		synctest.Wait()
		if n := st.appends.Load(); n < 3 || n > 30 {
			t.Errorf("%d tries in ten minutes", n)
		}
		_ = h.Close()
	})
}

// contract: S9, S8
func TestALateWriterStopsWhenAnotherHostHasTakenOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		slow := script.Calls(script.Call{ID: "r", Name: "agent__final_report", Arguments: map[string]any{
			"report_format": "markdown", "report_content": "done",
		}})
		slow.DelayMS = (10 * time.Minute).Milliseconds()
		first := newHost(t, st, slow)
		key := journal.Key{Tenant: "t", Session: "s"}
		if err := first.Open(t.Context(), key, agent(), host.Opening{Key: "open"}); err != nil {
			t.Fatal(err)
		}
		m := llm.Text(llm.RoleUser, "hi")
		content, blob := host.UserContent(&m)
		_, err := first.Send(t.Context(), key, host.Command{
			Key: "p", Body: &kernel.Prompt{Content: content}, Blobs: []journal.Blob{blob},
		})
		if err != nil {
			t.Fatal(err)
		}
		// Somebody else takes the session while the first host waits for its
		// model: from now on nothing of the first one counts.
		if _, err := st.Acquire(t.Context(), key, "somebody else", time.Now().Add(time.Hour).UnixMilli(), 1000); err != nil {
			t.Fatal(err)
		}
		before, err := st.Head(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Minute) // in a bubble of fake time
		synctest.Wait()
		after, err := st.Head(t.Context(), key)
		if err != nil || after.Seq != before.Seq {
			t.Errorf("the late writer went from frame %d to %d, %v", before.Seq, after.Seq, err)
		}
		_ = first.Close()
	})
}

// The same key gives the same answer; another command under it is refused.
func TestTheSameCommandTwiceIsOneCommand(t *testing.T) {
	t.Parallel()
	h := newHost(t, memory.New(), script.Text("x"))
	defer h.Close() //nolint:errcheck // memory
	key := journal.Key{Tenant: "t", Session: "s"}
	a := agent()
	a.Completion = spec.CompleteText
	for range 3 {
		if err := h.Open(t.Context(), key, a, host.Opening{Key: "open"}); err != nil {
			t.Fatal(err)
		}
	}
	m := llm.Text(llm.RoleUser, "hi")
	content, blob := host.UserContent(&m)
	prompt := host.Command{Key: "p", Body: &kernel.Prompt{Content: content}, Blobs: []journal.Blob{blob}}
	var answers []kernel.Answer
	for range 3 {
		answer, err := h.Send(t.Context(), key, prompt)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer)
	}
	if answers[0] != answers[1] || answers[1] != answers[2] || answers[0].Run != 1 {
		t.Errorf("answers %+v", answers)
	}
	other := prompt
	other.Body = &kernel.Stop{}
	if _, err := h.Send(t.Context(), key, other); !errors.Is(err, store.ErrKeyReused) {
		t.Errorf("the same key with another command: %v", err)
	}
}

// shaky is a store whose inbox panics when told to.
type shaky struct {
	store.Store
	armed atomic.Bool
}

func (s *shaky) Pending(ctx context.Context, key journal.Key, limit int) ([]store.Item, error) {
	if s.armed.Load() {
		panic("boom")
	}
	return s.Store.Pending(ctx, key, limit)
}

// contract: E1
func TestAPanicInOneSessionDoesNotTakeTheProcessWithIt(t *testing.T) {
	t.Parallel()
	st := &shaky{Store: memory.New()}
	h := newHost(t, st)
	defer h.Close() //nolint:errcheck // memory
	st.armed.Store(true)
	if err := h.Open(t.Context(), journal.Key{Tenant: "t", Session: "bad"}, agent(), host.Opening{Key: "open"}); err == nil {
		t.Error("a session was opened on a store that panics")
	}
	st.armed.Store(false)
	if err := h.Open(t.Context(), journal.Key{Tenant: "t", Session: "good"}, agent(), host.Opening{Key: "open"}); err != nil {
		t.Errorf("another session: %v", err)
	}
}
