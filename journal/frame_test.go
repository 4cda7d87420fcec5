package journal_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/journal"
)

func TestEveryFrameIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := frames().Draw(t, "frame")
		data := want.Encode()
		got, err := journal.DecodeFrame(data)
		if err != nil {
			t.Fatalf("decode: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("decode(encode(x)) is not x (-want +got):\n%s", diff)
		}
		if got.Hash() != journal.RefOf(data) {
			t.Fatal("a frame's hash is not that of its bytes")
		}
	})
}

func TestTheFrameFormatHasNotChanged(t *testing.T) {
	t.Parallel()
	f := journal.Frame{
		Seq: 2, Time: 1_700_000_000_123, Kernel: 1, Dialect: 3,
		Prev:    journal.Genesis(key),
		Input:   journal.Record{Kind: "receipt", Body: []byte{0xca, 0xfe}},
		Effects: []journal.Record{{Kind: "generate", Body: []byte("x")}, {Kind: "timer"}},
		Facts:   []journal.Record{{Kind: "turn_start", Body: bytes.Repeat([]byte{0}, 200)}},
		State:   journal.RefOf([]byte("state")),
		Blobs:   []journal.Ref{journal.RefOf([]byte("blob"))},
	}
	golden(t, "testdata/frame.hex", hex.Dump(f.Encode())+"hash "+f.Hash().String()+"\n")
}

func TestAFrameOfAnotherFormatIsRefused(t *testing.T) {
	t.Parallel()
	data := new(journal.Frame).Encode()
	data[0] = journal.FormatVersion + 1
	_, err := journal.DecodeFrame(data)
	wantCorrupt(t, "format 2", err)
}

func TestAFrameThatIsCutOffIsRefusedAtEveryByte(t *testing.T) {
	t.Parallel()
	list, _ := session(1)
	data := list[0].Encode()
	for n := range data {
		_, err := journal.DecodeFrame(data[:n])
		wantCorrupt(t, "a frame that is cut off", err)
	}
}

// contract: P10
func TestAChainAcceptsASessionAndKnowsWhereItEnds(t *testing.T) {
	t.Parallel()
	list, _ := session(4)
	chain := journal.NewChain(key)
	if chain.Head() != journal.Genesis(key) || chain.Seq() != 0 {
		t.Fatal("a new chain does not start at the session's beginning")
	}
	for i := range list {
		if err := chain.Next(&list[i], list[i].Encode()); err != nil {
			t.Fatal(err)
		}
	}
	last := &list[3]
	if chain.Head() != last.Hash() || chain.Seq() != 4 {
		t.Errorf("the chain ends at %d %s, want 4 %s", chain.Seq(), chain.Head().Short(), last.Hash().Short())
	}
	resumed := journal.ResumeChain(list[1].Hash(), 2, list[1].Time)
	if err := resumed.Next(&list[2], list[2].Encode()); err != nil {
		t.Errorf("a resumed chain refuses the next frame: %v", err)
	}
}

// contract: P10
func TestAChainRefusesWhatDoesNotFollow(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(f *journal.Frame){
		"a gap":                         func(f *journal.Frame) { f.Seq++ },
		"a frame twice":                 func(f *journal.Frame) { f.Seq-- },
		"another frame before it":       func(f *journal.Frame) { f.Prev = journal.RefOf([]byte("other")) },
		"no frame before it":            func(f *journal.Frame) { f.Prev = journal.Ref{} },
		"a time before the last one's":  func(f *journal.Frame) { f.Time = 9 },
		"the beginning of another line": func(f *journal.Frame) { f.Prev = journal.Genesis(key) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, _ := session(3)
			chain := journal.NewChain(key)
			for i := range 2 {
				if err := chain.Next(&list[i], list[i].Encode()); err != nil {
					t.Fatal(err)
				}
			}
			good := list[2]
			spoil(&list[2])
			wantCorrupt(t, name, chain.Next(&list[2], list[2].Encode()))
			if err := chain.Next(&good, good.Encode()); err != nil {
				t.Errorf("after a refusal the right frame is refused too: %v", err)
			}
		})
	}
}

func TestAJournalCannotBePassedOffAsAnotherSessions(t *testing.T) {
	t.Parallel()
	list, _ := session(1)
	for _, other := range []journal.Key{
		{Tenant: "acme", Session: "s-2"}, {Tenant: "other", Session: "s-1"}, {Tenant: "acmes", Session: "-1"},
	} {
		wantCorrupt(t, other.String(), journal.NewChain(other).Next(&list[0], list[0].Encode()))
	}
}
