package journal_test

import (
	"errors"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/journal"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var key = journal.Key{Tenant: "acme", Session: "s-1"}

// wantCorrupt fails unless err says that bytes are not a valid encoding.
func wantCorrupt(t testing.TB, what string, err error) {
	t.Helper()
	if !errors.Is(err, journal.ErrCorrupt) {
		t.Fatalf("%s: got error %v, want one that wraps ErrCorrupt", what, err)
	}
}

// golden keeps an encoding from changing unnoticed: everything that was ever
// written depends on it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the format has changed, its version must change with it (-want +got):\n%s", diff)
	}
}

// The generators of what a journal holds. Empty slices are nil, as they are
// read. They are made anew for each use: a generator that tests share, which run
// in parallel, is a race.
func refs() *rapid.Generator[journal.Ref] {
	return rapid.Custom(func(t *rapid.T) journal.Ref {
		if rapid.Bool().Draw(t, "zero") {
			return journal.Ref{}
		}
		return journal.RefOf(rapid.SliceOf(rapid.Byte()).Draw(t, "content"))
	})
}

func bodies() *rapid.Generator[[]byte] {
	return rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) []byte {
		if len(b) == 0 {
			return nil
		}
		return b
	})
}

func records() *rapid.Generator[journal.Record] {
	return rapid.Custom(func(t *rapid.T) journal.Record {
		return journal.Record{Kind: rapid.String().Draw(t, "kind"), Body: bodies().Draw(t, "body")}
	})
}

func frames() *rapid.Generator[journal.Frame] {
	return rapid.Custom(func(t *rapid.T) journal.Frame {
		return journal.Frame{
			Seq:     rapid.Uint64().Draw(t, "seq"),
			Time:    rapid.Int64().Draw(t, "time"),
			Kernel:  rapid.Uint64().Draw(t, "kernel"),
			Dialect: rapid.Uint64().Draw(t, "dialect"),
			Prev:    refs().Draw(t, "prev"),
			Input:   records().Draw(t, "input"),
			Effects: listOf(t, records(), "effects"),
			Facts:   listOf(t, records(), "facts"),
			State:   refs().Draw(t, "state"),
			Blobs:   listOf(t, refs(), "blobs"),
		}
	})
}

func listOf[T any](t *rapid.T, each *rapid.Generator[T], label string) []T {
	list := rapid.SliceOfN(each, 0, 5).Draw(t, label)
	if len(list) == 0 {
		return nil
	}
	return list
}

// session makes n frames that follow each other, with a blob each.
func session(n int) ([]journal.Frame, []journal.Blob) {
	var out []journal.Frame
	var blobs []journal.Blob
	head := journal.Genesis(key)
	for i := range n {
		blob := journal.NewBlob([]byte{'b', 'l', 'o', 'b', byte('0' + i)})
		f := journal.Frame{
			Seq: uint64(i) + 1, Time: int64(i) * 10, Kernel: 1, Dialect: 2, Prev: head,
			Input:   journal.Record{Kind: "prompt", Body: []byte{byte(i)}},
			Effects: []journal.Record{{Kind: "generate", Body: []byte("go")}},
			State:   journal.RefOf([]byte{byte(i)}),
			Blobs:   []journal.Ref{blob.Ref},
		}
		head = f.Hash()
		out, blobs = append(out, f), append(blobs, blob)
	}
	return out, blobs
}
