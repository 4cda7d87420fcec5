package journal_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-agent-go/ai-agent/journal"
)

// archive writes a session of n frames.
func archive(t testing.TB, n int) []byte {
	t.Helper()
	frames, blobs := session(n)
	var b bytes.Buffer
	w := journal.NewArchiveWriter(&b, key)
	for i := range frames {
		w.Frame(&frames[i])
		w.Blob(blobs[i].Data)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAnArchiveIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 5} {
		frames, blobs := session(n)
		got, err := journal.ReadArchive(iotest.OneByteReader(bytes.NewReader(archive(t, n))))
		if err != nil {
			t.Fatal(err)
		}
		want := &journal.Archive{Key: key, Frames: frames, Blobs: make(map[journal.Ref][]byte)}
		for _, b := range blobs {
			want.Blobs[b.Ref] = b.Data
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d frames (-want +got):\n%s", n, diff)
		}
	}
}

func TestTheArchiveFormatHasNotChanged(t *testing.T) {
	t.Parallel()
	golden(t, "testdata/archive.hex", hex.Dump(archive(t, 1)))
}

func TestAnArchiveThatIsCutOffIsRefusedAtEveryByte(t *testing.T) {
	t.Parallel()
	data := archive(t, 3)
	for n := range data {
		_, err := journal.ReadArchive(bytes.NewReader(data[:n]))
		wantCorrupt(t, "an archive that is cut off", err)
	}
}

func TestEveryFlippedBitOfAnArchiveIsNoticed(t *testing.T) {
	t.Parallel()
	frames, blobs := session(3)
	data := archive(t, 3)
	for i := range data {
		for bit := range 8 {
			spoilt := bytes.Clone(data)
			spoilt[i] ^= 1 << bit
			got, err := journal.ReadArchive(bytes.NewReader(spoilt))
			if err != nil {
				wantCorrupt(t, "a flipped bit", err)
				continue
			}
			// Only a blob can change without an error, and then it is not there.
			if got.Key != key || !cmp.Equal(frames, got.Frames) {
				t.Fatalf("byte %d bit %d: a change to key or frames went unnoticed", i, bit)
			}
			missing := 0
			for _, b := range blobs {
				if _, ok := got.Blobs[b.Ref]; !ok {
					missing++
				}
			}
			if missing == 0 {
				t.Fatalf("byte %d bit %d: the change went unnoticed", i, bit)
			}
		}
	}
}

func TestAnArchiveWithoutItsLastFrameIsRefused(t *testing.T) {
	t.Parallel()
	frames, _ := session(2)
	whole := archive(t, 2)
	// The kinds of frame and blob differ in one bit: turning the last frame
	// into a blob leaves as many entries as before.
	at := bytes.LastIndex(whole, frames[1].Encode()) - len("F\x80\x01")
	if whole[at] != 'F' {
		t.Fatalf("entry kind is %q, the test has lost its place", whole[at])
	}
	whole[at] = 'B'
	_, err := journal.ReadArchive(bytes.NewReader(whole))
	wantCorrupt(t, "a frame that became a blob", err)
}

func TestWhatIsNoArchiveIsRefused(t *testing.T) {
	t.Parallel()
	const magic = "ai-agent session 1\n"
	good := string(archive(t, 1))
	const keyEntry = "K\x09\x04acme\x03s-1"
	for name, s := range map[string]string{
		"nothing":                 "",
		"something else":          "PK\x03\x04",
		"another version":         "ai-agent session 2\n" + good[len(magic):],
		"text after the end":      good + "x",
		"no key":                  magic + good[len(magic)+len(keyEntry):],
		"two keys":                magic + keyEntry + keyEntry + good[len(magic)+len(keyEntry):],
		"a key that is not safe":  magic + "K\x05\x02..\x01s",
		"a key that is cut off":   magic + "K\x01\x05",
		"an entry of 2^34 bytes":  magic + keyEntry + "B\x80\x80\x80\x80\x40",
		"an entry without length": magic + keyEntry + "B\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		"a length in a long form": magic + keyEntry + "B\x81\x00x",
		"more than is there":      magic + keyEntry + "B\x80\x80\x80\x01x",
		"an unknown kind":         magic + keyEntry + "X\x00",
	} {
		_, err := journal.ReadArchive(strings.NewReader(s))
		wantCorrupt(t, name, err)
	}
}

func TestAFaultOfTheDiskIsNotCalledCorruption(t *testing.T) {
	t.Parallel()
	broken := errors.New("input/output error")
	data := archive(t, 2)
	for n := range data {
		_, err := journal.ReadArchive(io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) || errors.Is(err, journal.ErrCorrupt) {
			t.Fatalf("a fault after %d bytes is reported as %v", n, err)
		}
	}
}

type brokenWriter struct{ left int }

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestAnArchiveThatCannotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	w := journal.NewArchiveWriter(&brokenWriter{left: 5000}, key)
	for range 100 {
		w.Blob(make([]byte, 1000))
	}
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got %v", err)
	}
}

func TestABlobThatCouldNotBeReadAgainIsNotWritten(t *testing.T) {
	t.Parallel()
	w := journal.NewArchiveWriter(io.Discard, key)
	w.Blob(make([]byte, 256<<20+1)) // never touched, so it costs no memory
	if err := w.Close(); err == nil {
		t.Error("an entry that ReadArchive refuses was written")
	}
}
