package contract_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/ai-agent-go/ai-agent/contract"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func readArchive(t *testing.T, path string) *journal.Archive {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a, err := journal.ReadArchive(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// poison makes every use of randomness and network fail. The clock is poisoned
// by a bubble of fake time: whatever asks it gets a date long before the
// journal's, and arrives at another state.
func poison(t *testing.T) {
	t.Helper()
	reader, transport, resolver := rand.Reader, http.DefaultTransport, net.DefaultResolver
	rand.Reader = poisoned{}
	http.DefaultTransport = poisoned{}
	net.DefaultResolver = &net.Resolver{PreferGo: true}
	t.Cleanup(func() { rand.Reader, http.DefaultTransport, net.DefaultResolver = reader, transport, resolver })
}

type poisoned struct{}

func (poisoned) Read([]byte) (int, error) { panic("replay draws a random number") }

func (poisoned) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("replay uses the network")
}

// contract: P10, E4
func TestTheGoldenJournalReplaysBitForBitWithoutClockRandomnessOrNetwork(t *testing.T) { //nolint:paralleltest // poisons the whole process
	archive := readArchive(t, "testdata/demo-1.aiagent")
	poison(t)
	synctest.Test(t, func(t *testing.T) {
		r := replay.New(archive.Key)
		for i := range archive.Frames {
			f := &archive.Frames[i]
			if _, err := r.Next(f); err != nil {
				t.Fatal(err)
			}
			if state := r.State(); state.Hash() != f.State {
				t.Fatalf("frame %d: state %s, want %s", f.Seq, state.Hash(), f.State)
			}
		}
		for _, v := range contract.Check(archive) {
			t.Error(v)
		}
		if missing := contract.Missing(archive); len(missing) > 0 {
			t.Errorf("contents are missing: %v", missing)
		}
	})
}
