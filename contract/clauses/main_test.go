package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// wholeContract is a contract with every clause, as edited by change.
func wholeContract(change func(lines []string) []string) string {
	var lines []string
	for _, r := range ranges() {
		for n := 1; n <= r.last; n++ {
			lines = append(lines, fmt.Sprintf("- **%s%d** [J] A promise.", r.letter, n))
		}
	}
	if change != nil {
		lines = change(lines)
	}
	return strings.Join(lines, "\n")
}

func tree(contract string, tests map[string]string) fstest.MapFS {
	files := fstest.MapFS{contractFile: {Data: []byte(contract)}}
	for name, source := range tests {
		files[name] = &fstest.MapFile{Data: []byte(source)}
	}
	return files
}

func TestCitationsAreFoundInCommentsNamesAndSuites(t *testing.T) {
	t.Parallel()
	r, err := inspect(tree(wholeContract(nil), map[string]string{
		"a_test.go": "package a\n\n// It holds.\n//\n// contract: L1, T2\nfunc TestIt(t *testing.T) {\n" +
			"\t// contract: L3\n\tt.Run(\"R4: sub\", f)\n\tt.Run(name, f)\n}\n",
		"b/b_test.go":              "package b\n\nfunc TestL1_Again(t *testing.T) {}\n\nfunc FuzzThing_S9(f *testing.F) {}\n",
		"c/ctest/suite.go":         "package ctest\n\n// contract: S9\nfunc fences(t *testing.T) {}\n",
		"c/code.go":                "package c\n\n// contract: E1\nfunc notATest() {}\n",
		"c/testdata/other_test.go": "this is not Go\n",
		".git/x_test.go":           "nor is this\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"L1": {"a_test.go:6 TestIt", "b/b_test.go:3 TestL1_Again"},
		"T2": {"a_test.go:6 TestIt"},
		"L3": {"a_test.go:6 TestIt"},
		"R4": {"a_test.go:6 TestIt"},
		"S9": {"b/b_test.go:5 FuzzThing_S9", "c/ctest/suite.go:4 fences"},
	}
	if fmt.Sprint(r.tests) != fmt.Sprint(want) {
		t.Errorf("citations\n%v\nwant\n%v", r.tests, want)
	}
	if len(r.problems) > 0 {
		t.Errorf("problems: %q", r.problems)
	}
	if r.count != 4 {
		t.Errorf("%d tests, want 4", r.count)
	}
	if open := r.open(); slices.Contains(open, "L1") || !slices.Contains(open, "E1") || len(open) != len(r.clauses)-5 {
		t.Errorf("open: %v", open)
	}
}

func TestMistakesAreNamed(t *testing.T) {
	t.Parallel()
	cites := func(text string) map[string]string {
		return map[string]string{"a_test.go": "package a\n\n// contract: " + text + "\nfunc TestIt(t *testing.T) {}\n"}
	}
	for _, c := range []struct {
		name     string
		contract func(lines []string) []string
		tests    map[string]string
		want     string
	}{
		{"unknown clause", nil, cites("L9"), `a_test.go:4 TestIt cites "L9"`},
		{"not an id", nil, cites("L1 and more"), `cites "L1 and more"`},
		{"nothing cited", nil, cites(""), `cites ""`},
		{"twice", func(l []string) []string { return append(l, l[0]) }, nil, "L1 is there already, on line 1"},
		{"missing", func(l []string) []string { return l[:len(l)-1] }, nil, "U11 is missing"},
		{"swapped", func(l []string) []string { l[0], l[1] = l[1], l[0]; return l }, nil, "docs/contract.md:1: L2 is out of order"},
		{"new", func(l []string) []string { return append(l, "- **Z1** New.") }, nil, "Z1 is in no known range"},
		{"malformed", func(l []string) []string { l[0] = "- **L1**: x"; return l }, nil, "docs/contract.md:1: not a clause"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := inspect(tree(wholeContract(c.contract), c.tests))
			if err != nil {
				t.Fatal(err)
			}
			if all := strings.Join(r.problems, "\n"); !strings.Contains(all, c.want) {
				t.Errorf("problems %q, want one with %q", all, c.want)
			}
		})
	}
}

// The project's own contract and citations are sound, and the output is the
// same every time.
func TestTheProjectItselfPasses(t *testing.T) {
	t.Parallel()
	output := func(args ...string) string {
		var stdout, stderr bytes.Buffer
		if code := run(append(args, "../.."), &stdout, &stderr); code != 0 {
			t.Fatalf("clauses %v: exit %d\n%s", args, code, stderr.String())
		}
		return stdout.String()
	}
	table := output("-check")
	if again := output("-check"); again != table {
		t.Error("two runs print different tables")
	}
	if !strings.HasPrefix(table, "L1 ") || !strings.Contains(table, "\nU11 ") {
		t.Errorf("table:\n%s", table)
	}
	if open := strings.Count(output("-open"), "\n"); !strings.Contains(table, fmt.Sprintf(" tests, %d open\n", open)) {
		t.Errorf("-open lists %d, the table ends %q", open, table[max(0, len(table)-60):])
	}
}

func TestABrokenContractFailsTheCheck(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-check", t.TempDir()}, &stdout, &stderr); code != 1 || stderr.Len() == 0 {
		t.Errorf("no contract: exit %d, stderr %q", code, stderr.String())
	}
	if code := run([]string{"-nonsense"}, &stdout, &stderr); code != 2 {
		t.Errorf("unknown flag: exit %d, want 2", code)
	}
}
