package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ai-agent-go/ai-agent/contract"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
)

func (a *app) replayCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "replay SESSION|FILE",
		Short: "Rebuild a session from its journal and compare, bit for bit",
		Long: `replay applies every input of the journal again, without a model, a tool, a clock
or a network, and compares effects, facts and the hash of the state after every
frame with what the journal has. The first difference is named.`,
		Example: "  ai-agent replay 01932f1c-…\n  ai-agent replay session.aiagent",
		Args:    one("a session's id or an archive file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			archive, err := a.load(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			state, err := replay(archive)
			if err != nil {
				return &exitError{code: exitFailed, err: err}
			}
			fmt.Fprintf(a.stdout, "%d frames replayed, bit for bit; %s; state %s\n",
				len(archive.Frames), state.Status(), state.Hash())
			return nil
		},
	}
}

func replay(archive *journal.Archive) (*kernel.State, error) {
	r := kernel.NewReplayer(archive.Key)
	for i := range archive.Frames {
		if _, err := r.Next(&archive.Frames[i]); err != nil {
			return nil, fmt.Errorf("replay: %w", err)
		}
	}
	state := r.State()
	return &state, nil
}

func (a *app) verifyCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify SESSION|FILE",
		Short: "Check a session against the contract",
		Long: `verify runs a checker per clause of the contract over the session's journal and
names the clause and the frame of everything that breaks it. It exits with 1
when something does.`,
		Example: "  ai-agent verify 01932f1c-…\n  ai-agent verify --json session.aiagent",
		Args:    one("a session's id or an archive file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			archive, err := a.load(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			found := contract.Check(archive)
			if asJSON {
				if found == nil {
					found = []contract.Violation{}
				}
				data, err := json.Marshal(found)
				if err != nil {
					return &exitError{code: exitFailed, err: err}
				}
				fmt.Fprintln(a.stdout, string(data))
			} else {
				for _, v := range found {
					fmt.Fprintln(a.stdout, v)
				}
				if len(found) == 0 {
					fmt.Fprintf(a.stdout, "%d clauses checked over %d frames: all kept\n", len(contract.Clauses()), len(archive.Frames))
				}
			}
			if len(found) > 0 {
				return &exitError{code: exitFailed, err: fmt.Errorf("%d violations", len(found))}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the violations as a JSON array")
	return cmd
}
