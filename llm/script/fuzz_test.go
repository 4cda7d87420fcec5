package script_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
)

// FuzzLoad checks that no file brings the loader down, that errors stay short
// and name the file, and that what loads is the same when it is written as JSON
// and loaded again.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for i, section := range strings.Split(string(data), "\n-- ") {
			_, body, found := strings.Cut(section, " --\n")
			if i == 0 || !found {
				body = section
			}
			f.Add(filepath.Ext(file) == ".json", []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, isJSON bool, data []byte) {
		name := "fuzz.yaml"
		if isJSON {
			name = "fuzz.json"
		}
		s, err := script.Parse(name, data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "script "+name+": ") {
				t.Fatalf("the error does not name the file: %v", err)
			}
			return
		}
		written := llm.MustMarshalJSON(s)
		again, err := script.Parse("again.json", written)
		if err != nil {
			t.Fatalf("what was loaded cannot be loaded again: %v\n%s", err, written)
		}
		same(t, string(written), string(llm.MustMarshalJSON(again)))
	})
}
