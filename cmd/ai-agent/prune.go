package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/sqlite"
)

func (a *app) pruneCommand() *cobra.Command {
	var f filter
	var older string
	var yes bool
	cmd := &cobra.Command{
		Use:   "prune --older-than AGE [--status STATUS] [--agent AGENT]",
		Short: "Delete sessions",
		Long: `prune deletes sessions, with the sessions that have worked for them, and the
contents that no other session holds. It says what it is about to delete and asks;
where nobody can be asked it deletes nothing unless --yes is given.

Sessions that are at work or wait for somebody are spared, unless --status names
theirs. AGE counts from a session's last change: 90m, 12h, 30d.`,
		Example: `  ai-agent sessions prune --older-than 30d
  ai-agent sessions prune --older-than 1h --status error --yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if older == "" && f.status == "" {
				return usage("say which sessions: --older-than AGE, --status STATUS")
			}
			limit, err := parseAge(older)
			if err != nil {
				return err
			}
			all, err := a.list(cmd.Context(), &f)
			if err != nil {
				return err
			}
			return a.prune(cmd.Context(), doomed(all, &f, limit), yes)
		},
	}
	set := cmd.Flags()
	set.StringVar(&older, "older-than", "", "only those that have not changed for so long: 90m, 12h, 30d")
	set.StringVar(&f.status, "status", "", "only those: running, awaiting_tool_execution, completed or error")
	set.StringVar(&f.agent, "agent", "", "only those of this agent")
	set.BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// parseAge reads a duration that may be in days.
func parseAge(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n < 100_000 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, usage("age %q: want a number with a unit, such as 90m, 12h or 30d", s)
	}
	return d, nil
}

// doomed picks what is to be deleted.
func doomed(all []summary, f *filter, older time.Duration) []summary {
	var picked []summary
	now := host.SystemClock{}.Now()
	for i := range all {
		s := &all[i]
		atRest := !s.active && s.Status != kernel.StatusAwaiting && s.Status != kernel.StatusRunning
		if now-s.updated >= older.Milliseconds() && (atRest || f.status != "") {
			picked = append(picked, *s)
		}
	}
	return picked
}

func (a *app) prune(ctx context.Context, sessions []summary, yes bool) error {
	if len(sessions) == 0 {
		a.note("nothing to delete")
		return nil
	}
	for i := range sessions {
		s := &sessions[i]
		a.note("%s  %s  %s  %s", s.ID, s.Status, s.Updated, s.Title)
	}
	if !yes && !a.ask(fmt.Sprintf("delete %d sessions for good?", len(sessions))) {
		a.note("nothing was deleted; --yes deletes without asking")
		return nil
	}
	st, err := a.existing()
	if err != nil {
		return err
	}
	defer st.Close() //nolint:errcheck // what was deleted is gone
	deleted := 0
	for i := range sessions {
		n, err := remove(ctx, st, journal.Key{Tenant: tenant, Session: sessions[i].ID})
		if deleted += n; err != nil {
			return failed("delete session %s: %w (%d were deleted)", sessions[i].ID, err, deleted)
		}
	}
	fmt.Fprintf(a.stdout, "%d sessions deleted\n", deleted)
	return nil
}

// remove deletes a session after those that have worked for it, so that none is
// left without its root.
func remove(ctx context.Context, st *sqlite.Store, key journal.Key) (int, error) {
	var children []journal.Key
	for s, err := range all(ctx, st, store.Query{Parent: key.Session}) {
		if err != nil {
			return 0, err
		}
		children = append(children, s.Key)
	}
	deleted := 0
	for _, child := range children {
		n, err := remove(ctx, st, child)
		if deleted += n; err != nil {
			return deleted, err
		}
	}
	err := st.Delete(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return deleted, nil // somebody else was faster
	}
	if err != nil {
		return deleted, err //nolint:wrapcheck // the caller names the session
	}
	return deleted + 1, nil
}

// ask puts a question to a person; where there is none the answer is no.
func (a *app) ask(question string) bool {
	if !terminal(a.stdin) {
		return false
	}
	fmt.Fprintf(a.stderr, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(a.stdin).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}
