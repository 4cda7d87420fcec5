package contract_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/contract"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/view"
)

var golden = flag.Bool("golden", false, "write the golden journals anew")

// folder holds the golden journals of this version. Those of older versions stay
// beside it.
func folder() string { return filepath.Join("testdata", fmt.Sprintf("v%d", kernel.Version)) }

// lead runs a session of a kind, in fake time, and returns its archive.
func lead(t *testing.T, k *kind) []byte {
	t.Helper()
	providers := make(map[string]llm.Provider)
	for name, steps := range k.scripts {
		providers[name] = script.New(steps...)
	}
	rt, err := aiagent.New(aiagent.Config{Providers: providers})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close() //nolint:errcheck // memory
	s, err := rt.Open(t.Context(), k.agent, &aiagent.SessionOptions{ID: "golden", User: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range k.inputs {
		s.Run(t.Context(), in, nil)
	}
	if k.fork != nil {
		if s, err = s.Fork(t.Context(), k.fork); err != nil {
			t.Fatal(err)
		}
		s.Run(t.Context(), aiagent.Continue(), nil)
	}
	var file bytes.Buffer
	if err := s.Export(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// The journal of every kind of session is what it was: an encoding that changes
// needs another version, and `make golden` under that.
//
// contract: P10
func TestTheFormatDoesNotChangeWithoutItsVersion(t *testing.T) {
	t.Parallel()
	for name, k := range kinds(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var file []byte
			synctest.Test(t, func(t *testing.T) { file = lead(t, &k) })
			path := filepath.Join(folder(), name+".aiagent")
			if *golden {
				writeGolden(t, path, file)
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(file, want) {
				t.Errorf("%s has changed although version %d has not: frame %d is the first that differs",
					path, kernel.Version, firstDifference(t, file, want))
			}
		})
	}
}

func writeGolden(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // a folder of the repository
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil { //nolint:gosec // a file of the repository
		t.Fatal(err)
	}
}

func firstDifference(t *testing.T, a, b []byte) int {
	t.Helper()
	one, err := journal.ReadArchive(bytes.NewReader(a))
	if err != nil {
		t.Fatal(err)
	}
	two, err := journal.ReadArchive(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for i := range min(len(one.Frames), len(two.Frames)) {
		if one.Frames[i].Hash() != two.Frames[i].Hash() {
			return i + 1
		}
	}
	return min(len(one.Frames), len(two.Frames)) + 1
}

// Journals of every version fold into views that are what they were; those of
// this version are replayed and verified besides.
//
// contract: P10, E4
func TestGoldenJournalsOfEveryVersionAreReadAsTheyWere(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "v*", "*.aiagent"))
	if err != nil || len(files) < len(kinds(t)) {
		t.Fatalf("%d golden journals, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(filepath.ToSlash(path), func(t *testing.T) {
			t.Parallel()
			archive := readArchive(t, path)
			var told strings.Builder
			for _, a := range archive.All() {
				told.WriteString(fold(t, archive, a))
				compared := replayAll(t, a)
				if filepath.Base(filepath.Dir(path)) == filepath.Base(folder()) && compared != len(a.Frames) {
					t.Errorf("%d of %d frames were compared", compared, len(a.Frames))
				}
				for _, v := range contract.Check(a) {
					t.Error(v)
				}
			}
			name := strings.TrimSuffix(path, ".aiagent") + ".txt"
			if *golden {
				writeGolden(t, name, []byte(told.String()))
			}
			want, err := os.ReadFile(name)
			if err != nil || told.String() != string(want) {
				t.Errorf("%v: the session reads\n%s\nit was\n%s", err, told.String(), want)
			}
		})
	}
}

// replayAll replays a session and counts the frames that could be compared.
func replayAll(t *testing.T, a *journal.Archive) int {
	t.Helper()
	r := kernel.NewReplayer(a.Key)
	compared := 0
	for i := range a.Frames {
		if _, err := r.Next(&a.Frames[i]); err == nil {
			compared++
		} else if a.Frames[i].Kernel == kernel.Version {
			t.Error(err)
		}
	}
	return compared
}

// fold writes what a session's view shows.
func fold(t *testing.T, root, a *journal.Archive) string {
	t.Helper()
	v := view.NewSession(func(ref journal.Ref) ([]byte, error) {
		if data, ok := root.Blobs[ref]; ok {
			return data, nil
		}
		return nil, fmt.Errorf("content %s is missing", ref.Short())
	})
	for i := range a.Frames {
		facts, err := kernel.DecodeFacts(&a.Frames[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range facts {
			if err := v.Apply(a.Frames[i].Time, f); err != nil {
				t.Error(err)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "session %s, agent %s: %s, %d frames, cost %s\n", v.ID, v.Agent, v.Status, len(a.Frames), v.TotalCost)
	for i := range v.Messages {
		m := &v.Messages[i]
		calls := llm.MustMarshalJSON(m.ToolCalls)
		fmt.Fprintf(&b, "  %s %q %s %s\n", m.Role, m.Content, calls, m.ErrorMessage)
	}
	for _, e := range v.Accounting {
		fmt.Fprintf(&b, "  account %s %s%s%s: %s %s\n", e.Type, e.Provider, e.MCPServer, e.Command, e.Status, e.Error)
	}
	if v.Report != nil {
		fmt.Fprintf(&b, "  report %s (%s): %s\n", v.Report.Status, v.Report.Source, v.Report.Text())
	}
	return b.String()
}
