package main

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"github.com/ai-agent-go/ai-agent/contract"
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/replay"
	"github.com/ai-agent-go/ai-agent/store"
)

// chosen yields the sessions that a command is about: one, with those that have
// worked for it, or all of the store.
func (a *app) chosen(ctx context.Context, args []string, everything bool) iter.Seq2[*journal.Archive, error] {
	return func(yield func(*journal.Archive, error) bool) {
		if !everything {
			archive, err := a.load(ctx, args[0])
			if err != nil {
				yield(nil, err)
				return
			}
			for _, one := range archive.All() {
				if !yield(one, nil) {
					return
				}
			}
			return
		}
		st, err := a.existing()
		if err != nil {
			yield(nil, err)
			return
		}
		defer st.Close() //nolint:errcheck // it was only read
		for s, err := range all(ctx, st, store.Query{}) {
			var archive *journal.Archive
			if err == nil && s.Seq == 0 {
				continue // asked for and not opened yet
			}
			if err == nil {
				archive, err = readAlone(ctx, st, s.Key.Session)
			}
			if !yield(archive, err) || err != nil {
				return
			}
		}
	}
}

// oneOrAll wants a session, or --all and none.
func oneOrAll(everything *bool) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if *everything && len(args) > 0 {
			return usage("%s --all means every session: it wants no other argument", cmd.Name())
		}
		if *everything {
			return nil
		}
		return one("a session's id or an archive file, or --all")(cmd, args)
	}
}

func (a *app) replayCommand() *cobra.Command {
	var everything bool
	cmd := &cobra.Command{
		Use:   "replay SESSION|FILE|--all",
		Short: "Rebuild a session from its journal and compare, bit for bit",
		Long: `replay applies every input of the journal again, without a model, a tool, a clock
or a network, and compares effects, facts and the hash of the state after every
frame with what the journal has. The first difference is named. Sessions that have
worked for the one that is named are replayed, too.`,
		Example: "  ai-agent replay 01932f1c\n  ai-agent replay session.aiagent\n  ai-agent replay --all",
		Args:    oneOrAll(&everything),
		RunE: func(cmd *cobra.Command, args []string) error {
			sessions, frames := 0, 0
			var last *kernel.State
			for archive, err := range a.chosen(cmd.Context(), args, everything) {
				if err != nil {
					return err
				}
				if last, err = rebuild(archive); err != nil {
					return failed("session %s: %w", archive.Key.Session, err)
				}
				sessions++
				frames += len(archive.Frames)
			}
			if sessions == 1 && !everything {
				fmt.Fprintf(a.stdout, "%d frames replayed, bit for bit; %s; state %s\n", frames, last.Status(), last.Hash())
				return nil
			}
			fmt.Fprintf(a.stdout, "%d sessions, %d frames replayed, bit for bit\n", sessions, frames)
			return nil
		},
	}
	cmd.Flags().BoolVar(&everything, "all", false, "every session of the store")
	return cmd
}

func rebuild(archive *journal.Archive) (*kernel.State, error) {
	r := replay.New(archive.Key)
	var other error // frames of another version, until a migration
	for i := range archive.Frames {
		_, err := r.Next(&archive.Frames[i])
		if err != nil && !errors.Is(err, replay.ErrVersion) {
			return nil, fmt.Errorf("replay: %w", err)
		}
		other = err
	}
	if other != nil {
		return nil, fmt.Errorf("replay: %w", other)
	}
	state := r.State()
	return &state, nil
}

// foreign counts the frames that another version made.
func foreign(archive *journal.Archive) int {
	n := 0
	for i := range archive.Frames {
		if f := &archive.Frames[i]; f.Kernel != kernel.Version || f.Dialect != dialect.Version {
			n++
		}
	}
	return n
}

// finding is a violation with the session that it is in.
type finding struct {
	Session string `json:"session"`
	contract.Violation
}

func (a *app) verifyCommand() *cobra.Command {
	var asJSON, everything bool
	cmd := &cobra.Command{
		Use:   "verify SESSION|FILE|--all",
		Short: "Check a session against the contract",
		Long: `verify runs a checker per clause of the contract over the session's journal, and
those of the sessions that have worked for it, and names the clause and the frame
of everything that breaks it. It exits with 1 when something does.`,
		Example: "  ai-agent verify 01932f1c\n  ai-agent verify --json session.aiagent\n  ai-agent verify --all",
		Args:    oneOrAll(&everything),
		RunE: func(cmd *cobra.Command, args []string) error {
			found := []finding{}
			sessions, frames := 0, 0
			for archive, err := range a.chosen(cmd.Context(), args, everything) {
				if err != nil {
					return err
				}
				for _, v := range contract.Check(archive) {
					found = append(found, finding{archive.Key.Session, v})
				}
				sessions++
				frames += len(archive.Frames)
				if n := foreign(archive); n > 0 {
					a.note("session %s: %d frames are of another version and cannot be replayed by this one", archive.Key.Session, n)
				}
			}
			return a.judge(found, sessions, frames, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the violations as a JSON array")
	cmd.Flags().BoolVar(&everything, "all", false, "every session of the store")
	return cmd
}

// judge prints what verify found.
func (a *app) judge(found []finding, sessions, frames int, asJSON bool) error {
	switch {
	case asJSON:
		if err := a.printJSON(found); err != nil {
			return err
		}
	case len(found) == 0:
		fmt.Fprintf(a.stdout, "%d sessions, %d clauses checked over %d frames: all kept\n", sessions, len(contract.Clauses()), frames)
	default:
		for i := range found {
			fmt.Fprintf(a.stdout, "session %s: %s\n", found[i].Session, found[i].Violation)
		}
	}
	if len(found) > 0 {
		return failed("%d violations", len(found))
	}
	return nil
}
