package crash

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/contract"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/sqlite"
)

var every = flag.Int64("every", 9, "kill at every n-th write")

// contract: S8, P10, A4, R9
func TestAProcessThatIsKilledLosesNothingAndRunsNothingTwice(t *testing.T) {
	t.Parallel()
	points := 0
	for name, sc := range scenarios() {
		whole := start(t, name, t.TempDir(), 0, false)
		if whole.failed != "" || whole.writes == 0 {
			t.Fatalf("%s: %+v", name, whole)
		}
		for at := int64(1); at <= whole.writes; at += *every {
			for _, before := range []bool{true, false} {
				points++
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					killAt(t, name, &sc, at, before)
				})
			}
		}
	}
	t.Logf("%d points in %d scenarios", points, len(scenarios()))
}

// killAt kills a process at one write, lets another take over, and looks at what
// is left.
func killAt(t *testing.T, name string, sc *scenario, at int64, before bool) {
	t.Helper()
	folder := t.TempDir()
	first := start(t, name, folder, at, before)
	last := start(t, name, folder, 0, false)
	if last.killed || last.failed != "" {
		t.Fatalf("write %d, before %t: taking over: %+v", at, before, last)
	}
	st, err := sqlite.Open(filepath.Join(folder, "sessions.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close() //nolint:errcheck // nothing was written
	tools := make(map[string]bool)
	for _, key := range sessions(t, st) {
		var file bytes.Buffer
		if err := aiagent.ExportSession(t.Context(), st, key, &file); err != nil {
			t.Fatal(err)
		}
		archive, err := journal.ReadArchive(&file)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range contract.Check(archive) {
			t.Errorf("write %d, before %t: session %s: %s", at, before, key.Session, v)
		}
		inspect(t, archive, first.acked, len(sc.prompts), tools)
	}
	checkExecutions(t, folder, tools)
}

func sessions(t *testing.T, st store.Store) []journal.Key {
	t.Helper()
	var keys []journal.Key
	for cursor := ""; ; {
		page, err := st.List(t.Context(), "default", store.Query{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for i := range page.Sessions {
			keys = append(keys, page.Sessions[i].Key)
		}
		if cursor = page.Cursor; cursor == "" {
			return keys
		}
	}
}

// inspect looks at one session: what was acknowledged is there, every run has
// one end, and which executions it knows of.
func inspect(t *testing.T, archive *journal.Archive, acked []string, prompts int, tools map[string]bool) {
	t.Helper()
	inputs, ends := 0, 0
	for i := range archive.Frames {
		f := &archive.Frames[i]
		if f.Input.Kind == "prompt" {
			inputs++
		}
		facts, err := kernel.DecodeFacts(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, fact := range facts {
			if _, ok := fact.(*kernel.RunEnd); ok {
				ends++
			}
		}
		effects, err := kernel.DecodeEffects(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range effects {
			if _, ok := e.Body.(*kernel.Tool); ok {
				tools[archive.Key.Session+"/"+e.ID] = true
			}
		}
	}
	if archive.Key.Session != "s" {
		if ends != 1 {
			t.Errorf("child %s ended %d times", archive.Key.Session, ends)
		}
		return
	}
	// A steering word that comes when no run is under way starts one of its own.
	if steered := slices.Contains(acked, "steer"); inputs != prompts || ends < prompts || ends > prompts+1 || steered && ends == 0 {
		t.Errorf("%d prompts in the journal and %d ends, want %d of each; acknowledged were %q", inputs, ends, prompts, acked)
	}
}

// checkExecutions holds what the tools noted themselves against the journals: no
// execution without a durable intent, none twice that must not be.
func checkExecutions(t *testing.T, folder string, tools map[string]bool) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "executions"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	count := make(map[string]int)
	for line := range strings.Lines(string(data)) {
		word := strings.Fields(line)
		if len(word) != 3 {
			t.Fatalf("execution %q", line)
		}
		count[word[2]]++
		if n := count[word[2]]; word[1] == "false" && n > 1 || n > 3 {
			t.Errorf("%s ran %d times", word[0], n)
		}
		if !tools[word[2]] {
			t.Errorf("%s ran as %s, and no journal knows of it", word[0], word[2])
		}
	}
}
