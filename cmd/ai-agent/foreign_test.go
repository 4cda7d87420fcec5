package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
)

// contract: P10
func TestASessionOfAnotherVersionIsNotCalledBroken(t *testing.T) {
	t.Parallel()
	archive := runDemo(t)
	path := filepath.Join(t.TempDir(), "other.aiagent")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := journal.NewArchiveWriter(f, archive.Key)
	prev := journal.Genesis(archive.Key)
	for i := range archive.Frames {
		frame := archive.Frames[i]
		frame.Kernel, frame.Prev = kernel.Version+1, prev
		prev = frame.Hash()
		w.Frame(&frame)
	}
	for _, data := range archive.Blobs {
		w.Blob(data)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if r := command(t, "replay", path); r.code != exitFailed || !strings.Contains(r.errors, "not comparable") {
		t.Errorf("replay: %+v", r)
	}
	if r := command(t, "verify", path); r.code != exitOK || !strings.Contains(r.errors, "of another version") {
		t.Errorf("verify: %+v", r)
	}
	if r := command(t, "show", path); r.code != exitOK || !strings.Contains(r.out, "Take a coat") {
		t.Errorf("show: %+v", r)
	}
}
