package sqlite

import (
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// The cost of these questions must not grow with the number of sessions.
func TestQuestionsOverSessionsUseIndexes(t *testing.T) {
	t.Parallel()
	s := openAt(t, madePath(t))
	plan := func(query string, args ...any) string {
		var lines []string
		err := s.read(t.Context(), "explain", journal.Key{}, func(c *conn) error {
			return c.each("EXPLAIN QUERY PLAN "+query, func(r row) error {
				lines = append(lines, r.text(3))
				return nil
			}, args...)
		})
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return strings.Join(lines, "\n")
	}
	check := func(what, plan string, want ...string) {
		t.Helper()
		for line := range strings.Lines(plan) {
			if strings.Contains(line, "SCAN session") && !strings.Contains(line, "USING") {
				t.Errorf("%s looks at every session:\n%s", what, plan)
			}
		}
		for _, index := range want {
			if !strings.Contains(plan, index) {
				t.Errorf("%s does not use %s:\n%s", what, index, plan)
			}
		}
	}
	check("due", plan(dueSessions, 1, 1), "session_wake", "session_inbox", "session_active")
	check("next wake-up", plan(nextWake, 1), "session_wake", "session_inbox", "session_active")
	for index, query := range map[string]store.Query{
		"session_age":    {},
		"session_status": {Status: "done"},
		"session_parent": {Parent: "top"},
	} {
		sql, args, err := listQuery("acme", &query)
		if err != nil {
			t.Fatal(err)
		}
		p := plan(sql, append(args, 10)...)
		check("list", p, index)
		if strings.Contains(p, "USE TEMP B-TREE") {
			t.Errorf("list %+v sorts:\n%s", query, p)
		}
		query.Cursor = store.Place{Name: testKey.Session}.Cursor()
		if sql, args, err = listQuery("acme", &query); err != nil {
			t.Fatal(err)
		}
		check("list with a cursor", plan(sql, append(args, 10)...), index)
	}
}
