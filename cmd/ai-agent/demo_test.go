package main

import (
	"bytes"
	"crypto/rand"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/contract"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
)

var golden = flag.Bool("golden", false, "write the golden journal anew")

// runDemo runs the demonstration and returns its journal.
func runDemo(t *testing.T) *journal.Archive {
	t.Helper()
	s, err := script.Parse("demo.yaml", demoScript)
	if err != nil {
		t.Fatal(err)
	}
	rt, err := aiagent.New(aiagent.Config{Providers: map[string]llm.Provider{"script": script.Play(s, script.Options{})}})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close() //nolint:errcheck // memory
	result := rt.Run(t.Context(), demoAgent(false), "What is the weather tomorrow in Athens and Oslo?",
		&aiagent.RunOptions{SessionID: "demo"})
	if !result.Success {
		t.Fatalf("the demonstration failed: %s", result.Error)
	}
	session, err := rt.Session(t.Context(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := session.Export(t.Context(), &buf); err != nil {
		t.Fatal(err)
	}
	if *golden {
		path := filepath.Join("..", "..", "contract", "testdata", "demo-1.aiagent")
		if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil { //nolint:gosec // a file of the repository
			t.Fatal(err)
		}
	}
	archive, err := journal.ReadArchive(&buf)
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

// poisonedReader panics when somebody wants a random number.
type poisonedReader struct{}

func (poisonedReader) Read([]byte) (int, error) { panic("replay draws a random number") }

// contract: P10, E4
func TestTheDemonstrationsJournalReplaysWithoutClockOrRandomness(t *testing.T) { //nolint:paralleltest // poisons the whole process
	archive := runDemo(t)
	reader := rand.Reader
	rand.Reader = poisonedReader{}
	t.Cleanup(func() { rand.Reader = reader })
	synctest.Test(t, func(t *testing.T) {
		if _, err := replay(archive); err != nil {
			t.Error(err)
		}
		for _, v := range contract.Check(archive) {
			t.Error(v)
		}
	})
}

// A journal that was tampered with is never accepted.
func TestATamperedJournalIsNamedByFrame(t *testing.T) {
	t.Parallel()
	archive := runDemo(t)
	archive.Frames[2].Facts = archive.Frames[2].Facts[1:]
	_, err := replay(archive)
	if err == nil || !strings.Contains(err.Error(), "frame 3") {
		t.Errorf("replay of a tampered journal: %v", err)
	}
}
