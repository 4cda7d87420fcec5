// Clauses prints which test proves which clause of the contract.
//
//	go run ./contract/clauses [-check | -open] [folder]
//
// It reads docs/contract.md for the clauses and every test for citations: a
// comment of the form "// contract: L1, L4", or an id in the name of a test
// (TestL1_TurnsAreBounded) or of a subtest (t.Run("L1 turns are bounded", …)).
// Tests are the files *_test.go and the conformance suites, which are packages
// whose name ends in "test".
//
// A clause that no test cites is open. That is no error; a citation of a clause
// that does not exist is one.
package main

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("clauses", flag.ContinueOnError)
	flags.SetOutput(stderr)
	check := flags.Bool("check", false, "exit with 1 when the contract or a citation is wrong")
	open := flags.Bool("open", false, "print the ids of open clauses only, one per line")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	root := "."
	if flags.NArg() > 0 {
		root = flags.Arg(0)
	}
	r, err := inspect(os.DirFS(root))
	if err != nil {
		fmt.Fprintln(stderr, "clauses:", err)
		return 1
	}
	if *open {
		fmt.Fprint(stdout, lines(r.open()))
	} else {
		fmt.Fprint(stdout, r.table())
	}
	if !*check {
		return 0
	}
	fmt.Fprint(stderr, lines(r.problems))
	return min(len(r.problems), 1)
}

func lines(texts []string) string {
	var b strings.Builder
	for _, t := range texts {
		b.WriteString(t + "\n")
	}
	return b.String()
}

// report is what was found out.
type report struct {
	clauses  []clause
	tests    map[string][]string // "file:line func" by clause id, in order
	count    int                 // tests that cite anything
	problems []string
}

// inspect reads a source tree.
func inspect(tree fs.FS) (*report, error) {
	text, err := fs.ReadFile(tree, contractFile)
	if err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	clauses, problems := parseContract(string(text))
	citations, err := scan(tree)
	if err != nil {
		return nil, err
	}
	r := &report{clauses: clauses, problems: problems, tests: make(map[string][]string)}
	known := make(map[string]bool, len(clauses))
	for _, c := range clauses {
		known[c.id] = true
	}
	seen := make(map[string]bool)
	for _, c := range citations {
		if !known[c.id] {
			r.problems = append(r.problems, fmt.Sprintf("%s cites %q, which is no clause of %s", c.test, c.id, contractFile))
			continue
		}
		if !seen[c.test] {
			seen[c.test] = true
			r.count++
		}
		if tests := r.tests[c.id]; len(tests) == 0 || tests[len(tests)-1] != c.test {
			r.tests[c.id] = append(tests, c.test)
		}
	}
	return r, nil
}

// open lists the clauses that no test cites.
func (r *report) open() []string {
	var ids []string
	for _, c := range r.clauses {
		if len(r.tests[c.id]) == 0 {
			ids = append(ids, c.id)
		}
	}
	return ids
}

// table shows everything: the clauses with their tests, what is open, counts.
func (r *report) table() string {
	var b strings.Builder
	for _, c := range r.clauses {
		mark := ""
		if c.journal {
			mark = "[J]"
		}
		head := fmt.Sprintf("%-4s %-4s", c.id, mark)
		for _, test := range r.tests[c.id] {
			fmt.Fprintf(&b, "%s%s\n", head, test)
			head = strings.Repeat(" ", len(head))
		}
		if len(r.tests[c.id]) == 0 {
			fmt.Fprintf(&b, "%s-\n", head)
		}
	}
	open := r.open()
	if len(open) > 0 {
		fmt.Fprintf(&b, "\nopen: %s\n", strings.Join(open, " "))
	}
	fmt.Fprintf(&b, "\n%d clauses: %d cited by %d tests, %d open\n",
		len(r.clauses), len(r.clauses)-len(open), r.count, len(open))
	return b.String()
}
