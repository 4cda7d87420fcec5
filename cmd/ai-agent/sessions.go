package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/transcript"
)

// filter narrows a list of sessions.
type filter struct {
	status, agent string
	children      bool
	limit         int
}

func (a *app) sessionsCommand() *cobra.Command {
	var f filter
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List sessions, the newest first; and show, prune, export, import, check",
		Long: `sessions lists what the store has. On a terminal it is a table with ages; in a pipe
it is one line per session with tabs between the fields and times in UTC.`,
		Example: `  ai-agent sessions
  ai-agent sessions --status awaiting_tool_execution
  ai-agent sessions --json | jq -r '.[].id'
  ai-agent sessions prune --older-than 30d
  ai-agent sessions export 01932f1c -o bug.aiagent`,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := a.list(cmd.Context(), &f)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(all)
			}
			return a.table(all)
		},
	}
	set := cmd.Flags()
	set.StringVar(&f.status, "status", "", "only those: running, awaiting_tool_execution, completed or error")
	set.StringVar(&f.agent, "agent", "", "only those of this agent")
	set.BoolVar(&f.children, "children", false, "sessions that work for others, too")
	set.IntVar(&f.limit, "limit", 50, "at most so many; 0 is all")
	set.BoolVar(&asJSON, "json", false, "print a JSON array")
	cmd.SuggestionsMinimumDistance = 2
	show := a.showCommand()
	show.Example = strings.ReplaceAll(show.Example, "ai-agent show", "ai-agent sessions show")
	cmd.AddCommand(show, a.pruneCommand(), a.exportCommand(), a.importCommand(), a.checkCommand())
	return cmd
}

// summary is a session in a list.
type summary struct {
	ID      string  `json:"id"`
	Status  string  `json:"status"`
	Agent   string  `json:"agent"`
	CostUSD float64 `json:"cost_usd"`
	Created string  `json:"created"`
	Updated string  `json:"updated"`
	Frames  uint64  `json:"frames"`
	Title   string  `json:"title,omitempty"`
	Parent  string  `json:"parent,omitempty"`

	cost    llm.Money
	created int64
	updated int64
	active  bool
}

// list reads what a filter asks for. A store that is not there has no sessions.
func (a *app) list(ctx context.Context, f *filter) ([]summary, error) {
	switch f.status {
	case "", kernel.StatusRunning, kernel.StatusAwaiting, kernel.StatusCompleted, kernel.StatusError:
	default:
		return nil, usage("status %q, want running, awaiting_tool_execution, completed or error", f.status)
	}
	found := []summary{}
	st, err := a.existing()
	if errors.Is(err, store.ErrNotFound) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	defer st.Close() //nolint:errcheck // it was only read
	for s, err := range all(ctx, st, store.Query{Status: f.status, Agent: f.agent}) {
		if err != nil {
			return nil, err
		}
		if s.Parent != "" && !f.children {
			continue
		}
		found = append(found, summarise(ctx, st, s))
		if len(found) == f.limit {
			break
		}
	}
	return found, nil
}

func summarise(ctx context.Context, st store.Store, s *store.Listed) summary {
	cost := llm.Money(s.Cost)
	title := s.Title
	if title == "" {
		title = firstSaid(ctx, st, s.Key)
	}
	return summary{
		ID: s.Key.Session, Status: s.Status, Agent: s.Agent, CostUSD: cost.USD(), Created: stamp(s.Created), Updated: stamp(s.Updated),
		Frames: s.Seq, Title: title, Parent: s.Parent, cost: cost, created: s.Created, updated: s.Updated, active: s.Active,
	}
}

func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }

// firstSaid is the beginning of what the user said first: what people know a
// session by. It is among the first frames.
func firstSaid(ctx context.Context, st store.Store, key journal.Key) string {
	const look = 8
	for f, err := range st.Read(ctx, key, 1) {
		if err != nil || f.Seq > look {
			break
		}
		frame, err := journal.DecodeFrame(f.Data)
		if err != nil {
			break
		}
		facts, _ := kernel.DecodeFacts(&frame) // of another version: it goes without
		for _, fact := range facts {
			m, ok := fact.(*kernel.Message)
			if !ok || m.Entry.Kind != dialect.ItemUser {
				continue
			}
			m.Entry.Inner = nil // the user's own words
			said, err := transcript.Message(&m.Entry, func(ref journal.Ref) ([]byte, error) { return st.Blob(ctx, key, ref) })
			if err == nil {
				return firstLine(strings.TrimSpace(said.Content()))
			}
		}
	}
	return ""
}

func (a *app) printJSON(v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return failed("%w", err)
	}
	fmt.Fprintln(a.stdout, string(data))
	return nil
}

// table writes the list for people, or for other programs.
func (a *app) table(all []summary) error {
	if !terminal(a.stdout) {
		for i := range all {
			s := &all[i]
			fmt.Fprintf(a.stdout, "%s\t%s\t%s\t%s\t%s\t%s\n", s.ID, s.Status, s.Agent, s.cost, s.Updated,
				strings.ReplaceAll(s.Title, "\t", " "))
		}
		return nil
	}
	if len(all) == 0 {
		a.note("no sessions")
		return nil
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tSTATUS\tAGENT\tCOST\tAGE\tTITLE")
	now := host.SystemClock{}.Now()
	for i := range all {
		s := &all[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", s.ID, s.Status, s.Agent, s.cost, age(now-s.updated), s.Title)
	}
	return w.Flush() //nolint:wrapcheck // nobody reads it
}

// age says how long ago something was, roughly.
func age(ms int64) string {
	d := time.Duration(max(ms, 0)) * time.Millisecond
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	default:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
}

// terminal reports whether a stream is a person's screen or keyboard.
func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
