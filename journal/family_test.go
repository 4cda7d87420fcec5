package journal_test

import (
	"bytes"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
)

// familyArchive is a session with two others that have worked for it.
func familyArchive(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	var w *journal.ArchiveWriter
	for i, name := range []string{"s", "s.2-0", "s.2-1"} {
		key := journal.Key{Tenant: "acme", Session: name}
		if i == 0 {
			w = journal.NewArchiveWriter(&b, key)
		} else {
			w.Session(key)
		}
		prev := journal.Genesis(key)
		for seq := range uint64(2) {
			f := journal.Frame{Seq: seq + 1, Time: int64(i), Kernel: 1, Dialect: 1, Prev: prev, Input: journal.Record{Kind: "in"}}
			w.Frame(&f)
			prev = f.Hash()
		}
		w.Blob([]byte("content of " + name))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAnArchiveHoldsTheSessionsThatHaveWorkedForIts(t *testing.T) {
	t.Parallel()
	a, err := journal.ReadArchive(bytes.NewReader(familyArchive(t)))
	if err != nil {
		t.Fatal(err)
	}
	all := a.All()
	if len(all) != 3 || all[2].Key.Session != "s.2-1" || len(a.Blobs) != 3 {
		t.Fatalf("%d sessions, %d contents", len(all), len(a.Blobs))
	}
	for _, s := range all {
		if len(s.Frames) != 2 || len(s.Blobs) != 3 {
			t.Errorf("%s has %d frames and sees %d contents", s.Key, len(s.Frames), len(s.Blobs))
		}
	}
}

// Wherever one is cut or changed, it is noticed: also in a session in the middle,
// whose last frame no frame vouches for.
func TestDamageToAnyOfSeveralSessionsIsNoticed(t *testing.T) {
	t.Parallel()
	whole := familyArchive(t)
	for n := range whole {
		if _, err := journal.ReadArchive(bytes.NewReader(whole[:n])); err == nil {
			t.Errorf("cut off at %d: it is read", n)
		}
	}
	good, err := journal.ReadArchive(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		for bit := range 8 {
			damaged := bytes.Clone(whole)
			damaged[i] ^= 1 << bit
			a, err := journal.ReadArchive(bytes.NewReader(damaged))
			if err == nil && !lacksContent(good, a) {
				t.Errorf("bit %d of byte %d: it is read", bit, i)
			}
		}
	}
}

// lacksContent reports that an archive misses a content of another: contents are
// named by what they are, so a changed one is not there.
func lacksContent(good, a *journal.Archive) bool {
	for ref := range good.Blobs {
		if _, ok := a.Blobs[ref]; !ok {
			return true
		}
	}
	return false
}
