package journal_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
)

// FuzzDecodeFrame checks that bytes which decode are the one encoding of what
// they decode to.
func FuzzDecodeFrame(f *testing.F) {
	frames, _ := session(2)
	f.Add([]byte{})
	f.Add(new(journal.Frame).Encode())
	for i := range frames {
		f.Add(frames[i].Encode())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		frame, err := journal.DecodeFrame(data)
		if err != nil {
			if !errors.Is(err, journal.ErrCorrupt) {
				t.Fatalf("got %v, want ErrCorrupt", err)
			}
			return
		}
		if again := frame.Encode(); !bytes.Equal(data, again) {
			t.Fatalf("two encodings of one frame:\n%x\n%x", data, again)
		}
	})
}

// FuzzReadArchive checks that no bytes bring the reader down, and that what it
// accepts can be written and read again.
func FuzzReadArchive(f *testing.F) {
	f.Add([]byte{})
	f.Add(archive(f, 0))
	f.Add(archive(f, 2))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := journal.ReadArchive(bytes.NewReader(data))
		if err != nil {
			if !errors.Is(err, journal.ErrCorrupt) {
				t.Fatalf("got %v, want ErrCorrupt", err)
			}
			return
		}
		var b bytes.Buffer
		w := journal.NewArchiveWriter(&b, a.Key)
		for i := range a.Frames {
			w.Frame(&a.Frames[i])
		}
		for _, blob := range a.Blobs {
			w.Blob(blob)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := journal.ReadArchive(&b)
		if err != nil {
			t.Fatalf("an archive that was accepted cannot be written again: %v", err)
		}
		if len(again.Frames) != len(a.Frames) || len(again.Blobs) != len(a.Blobs) || again.Key != a.Key {
			t.Fatal("an archive changes when it is written again")
		}
	})
}
