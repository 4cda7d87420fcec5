package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/view"
)

func (a *app) showCommand() *cobra.Command {
	var frames bool
	cmd := &cobra.Command{
		Use:     "show SESSION|FILE",
		Short:   "Tell what happened in a session, turn by turn",
		Example: "  ai-agent show 01932f1c-…\n  ai-agent show --frames session.aiagent",
		Args:    one("a session's id or an archive file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			archive, err := a.load(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if frames {
				return a.showFrames(archive)
			}
			return a.showTimeline(archive)
		},
	}
	cmd.Flags().BoolVar(&frames, "frames", false, "list the journal's frames instead")
	return cmd
}

// showFrames lists the journal as it is.
func (a *app) showFrames(archive *journal.Archive) error {
	for i := range archive.Frames {
		f := &archive.Frames[i]
		fmt.Fprintf(a.stdout, "%4d  %s  %-11s  state %s  %s%s\n", f.Seq, clock(f.Time), f.Input.Kind, f.State.Short(),
			kinds("→ ", f.Effects), kinds("· ", f.Facts))
	}
	return nil
}

func kinds(mark string, records []journal.Record) string {
	var b strings.Builder
	for _, r := range records {
		b.WriteString(mark + r.Kind + " ")
	}
	return b.String()
}

func clock(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05.000") }

// showTimeline tells the session's story.
func (a *app) showTimeline(archive *journal.Archive) error {
	v := view.NewSession(func(ref journal.Ref) ([]byte, error) {
		if data, ok := archive.Blobs[ref]; ok {
			return data, nil
		}
		return nil, fmt.Errorf("content %s is not in the archive", ref.Short())
	})
	t := &timeline{app: a, view: v}
	for i := range archive.Frames {
		f := &archive.Frames[i]
		facts, err := kernel.DecodeFacts(f)
		if err != nil {
			return &exitError{code: exitFailed, err: err}
		}
		for _, fact := range facts {
			if err := v.Apply(f.Time, fact); err != nil {
				a.note("ai-agent: %v", err)
			}
			t.line(f, fact)
		}
	}
	fmt.Fprintf(a.stdout, "\n%s, %d messages, %d accounting entries, %s\n", v.Status, len(v.Messages), len(v.Accounting), v.TotalCost)
	return nil
}

// timeline prints one line per thing that happened.
type timeline struct {
	app  *app
	view *view.Session
}

func (t *timeline) printf(indent int, format string, args ...any) {
	fmt.Fprintf(t.app.stdout, strings.Repeat("  ", indent)+format+"\n", args...)
}

func (t *timeline) line(frame *journal.Frame, fact kernel.Fact) {
	switch f := fact.(type) {
	case *kernel.SessionStart:
		t.printf(0, "session %s, agent %s, %s UTC", f.Identity.Session, f.Identity.Agent, clock(frame.Time))
		if of := f.Identity.ForkedFrom; of != "" {
			t.printf(0, "forked from session %s at frame %d", of, f.Identity.ForkedAt)
		}
	case *kernel.RunStart:
		t.printf(0, "run %d: %s", f.Run, strings.Join(f.Targets, ", "))
	case *kernel.Message:
		t.message()
	case *kernel.TurnStart:
		last := ""
		if f.Final {
			last = ", the last: " + string(f.Reason)
		}
		t.printf(1, "turn %d of %d%s", f.Turn, f.MaxTurns, last)
	case *kernel.AttemptStart:
		t.printf(2, "attempt %d: %s/%s, context %d + new %d + tools %d = %d of %d tokens", f.Attempt, f.Provider, f.Model,
			f.Context, f.New, f.Schema, f.Expected, f.Limit)
	case *kernel.AttemptEnd:
		t.attemptEnd(f)
	case *kernel.ToolEnd:
		t.printf(3, "%s: %s, %d bytes, %d ms", f.Name, f.Status, f.Output.Bytes, f.LatencyMS)
	case *kernel.Wait:
		t.printf(2, "every target is rate-limited: wait %d ms", f.WaitMS)
	case *kernel.Guard:
		t.printf(2, "context guard: %s %s/%s, %d of %d tokens", f.Outcome, f.Provider, f.Model, f.Numbers.Projected, f.Numbers.Limit)
	case *kernel.ForcedFinal:
		t.printf(2, "the next turn is the last: %s", f.Reason)
	case *kernel.Awaiting:
		for _, c := range f.Calls {
			t.printf(2, "waiting for %s %s (call %s)", c.Kind, c.Name, c.CallID)
		}
	case *kernel.Log:
		t.printf(2, "%s %s: %s", f.Severity, f.Code, firstLine(f.Message))
	case *kernel.FinalReport:
		status := "failure, " + f.Reason
		if f.OK {
			status = "success"
		}
		t.printf(1, "report (%s, %s): %s", status, f.Source, firstLine(t.view.Report.Text()))
	case *kernel.RunEnd:
		t.printf(0, "run %d ended: %s, %s, %s", f.Run, f.Status, f.Exit, f.Cost)
	}
}

func (t *timeline) attemptEnd(f *kernel.AttemptEnd) {
	detail := string(f.Finish.Reason)
	if f.Error != nil {
		detail = f.Error.Error()
	}
	for _, s := range f.Slugs {
		detail += ", " + string(s)
	}
	if u := f.Usage; u != nil {
		detail += fmt.Sprintf(", %d in, %d out", u.Input+u.CacheRead+u.CacheWrite, u.Output)
	}
	t.printf(2, "%s: %s, %d ms", f.Outcome, detail, f.LatencyMS)
}

// message tells the newest message.
func (t *timeline) message() {
	m := &t.view.Messages[len(t.view.Messages)-1]
	switch {
	case m.StopReason != "":
		t.printf(1, "%s: %s", m.StopReason, firstLine(m.ErrorMessage))
	case m.ToolCallID != "":
		t.printf(3, "%s said: %s", m.ToolName, firstLine(m.Content))
	default:
		if m.Reasoning != "" {
			t.printf(3, "thought: %s", firstLine(m.Reasoning))
		}
		if m.Content != "" {
			t.printf(1, "%s: %s", m.Role, firstLine(m.Content))
		}
		for _, c := range m.ToolCalls {
			t.printf(3, "call %s %s", c.Name, firstLine(string(c.Parameters)))
		}
	}
}
