package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const contractFile = "docs/contract.md"

// clause is a promise, without its text.
type clause struct {
	id      string
	journal bool
}

// ranges says which ids the contract has: every letter counts from 1 without a
// gap. A new clause is added at the end of its group, here and in the document,
// so that no promise disappears by an edit that nobody noticed.
func ranges() []idRange {
	return []idRange{
		{"L", 8},
		{"R", 13},
		{"X", 8},
		{"T", 18},
		{"F", 8},
		{"M", 10},
		{"A", 5},
		{"V", 5},
		{"C", 5},
		{"E", 4},
		{"B", 8},
		{"S", 12},
		{"P", 13},
		{"U", 11},
	}
}

type idRange struct {
	letter string
	last   int
}

// parseContract lists the clauses in order and says what is wrong with the
// list: an id that is there twice, missing, out of its place or unknown.
func parseContract(text string) (clauses []clause, problems []string) {
	bullet := regexp.MustCompile(`^- \*\*([A-Z]+[0-9]+)\*\*( \[J\])? \S`)
	almost := regexp.MustCompile(`^\s*[-*]\s*\**[A-Z][0-9]+\*\*`)
	lines := make(map[string]int)
	for i, line := range strings.Split(text, "\n") {
		m := bullet.FindStringSubmatch(line)
		if m == nil {
			if almost.MatchString(line) {
				problems = append(problems, fmt.Sprintf("%s:%d: not a clause: %.40q", contractFile, i+1, line))
			}
			continue
		}
		if first := lines[m[1]]; first > 0 {
			problems = append(problems, fmt.Sprintf("%s:%d: %s is there already, on line %d", contractFile, i+1, m[1], first))
			continue
		}
		lines[m[1]] = i + 1
		clauses = append(clauses, clause{id: m[1], journal: m[2] != ""})
	}
	return clauses, append(problems, missing(clauses, lines)...)
}

// missing compares what was found with what there should be.
func missing(clauses []clause, lines map[string]int) (problems []string) {
	wanted := make(map[string]bool)
	previous := 0
	for _, r := range ranges() {
		for n := 1; n <= r.last; n++ {
			id := r.letter + strconv.Itoa(n)
			wanted[id] = true
			switch line := lines[id]; {
			case line == 0:
				problems = append(problems, fmt.Sprintf("%s: %s is missing", contractFile, id))
			case line < previous:
				problems = append(problems, fmt.Sprintf("%s:%d: %s is out of order", contractFile, line, id))
			default:
				previous = line
			}
		}
	}
	for _, c := range clauses {
		if !wanted[c.id] {
			problems = append(problems, fmt.Sprintf("%s:%d: %s is in no known range; see ranges in contract/clauses",
				contractFile, lines[c.id], c.id))
		}
	}
	return problems
}
