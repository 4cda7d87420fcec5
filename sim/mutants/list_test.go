package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// A fault whose text is gone, or is there twice, is not planted, and nobody
// would notice.
func TestTheListIsNotStale(t *testing.T) {
	t.Parallel()
	clauses, err := os.ReadFile(filepath.Join(root, "docs", "contract.md"))
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`^[A-Z]\d+$`)
	files := make(map[string]string)
	names := make(map[string]bool)
	for _, f := range faults() {
		if files[f.file] == "" {
			data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.file)))
			if err != nil {
				t.Fatal(err)
			}
			files[f.file] = string(data)
		}
		if n := strings.Count(files[f.file], f.old); n != 1 {
			t.Errorf("%q: its text is %d times in %s, want once:\n%s", f.name, n, f.file, f.old)
		}
		if f.old == f.instead {
			t.Errorf("%q changes nothing", f.name)
		}
		if f.name == "" || names[f.name] {
			t.Errorf("the name %q is empty or taken", f.name)
		}
		names[f.name] = true
		for c := range strings.SplitSeq(f.clauses, " ") {
			if !id.MatchString(c) || !regexp.MustCompile(`\b`+c+`\b`).Match(clauses) {
				t.Errorf("%q: the contract has no clause %q", f.name, c)
			}
		}
	}
	if len(names) < 45 {
		t.Errorf("%d faults: the list has lost some", len(names))
	}
}

func TestAFaultsOwnTestsComeFirst(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"kernel/run.go":  "./kernel . ./kernel ./dialect ./contract ./spec ./sim",
		"view/stream.go": "./view . ./kernel ./dialect ./contract ./spec ./view ./host ./sim",
	} {
		var got []string
		for _, s := range stagesFor(file) {
			got = append(got, s...)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s is tested by %v, want %s", file, got, want)
		}
	}
}

func TestTheMostPreciseFailureIsNamed(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n--- FAIL: TestC (0s)\nFAIL\n": "TestA/b",
		"panic: test timed out after 1m0s\n\trunning tests":                                    "panic: test timed out after 1m0s",
		"ok\n": "",
	} {
		if got := firstFailure(output); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
