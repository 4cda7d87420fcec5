package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store/sqlite"
)

func (a *app) checkCommand() *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:   "check [--salvage DIR]",
		Short: "Check the store, and save what can be saved of a damaged one",
		Long: `check reads the whole store: every frame against its hash and the one before, every
content against its name, every row against its seal. It changes nothing, names
what is damaged and exits with 1 if anything is.

--salvage writes what can still be read, one archive per session, also when the
file cannot be opened any more. import puts them into another store.`,
		Example: `  ai-agent sessions check
  ai-agent sessions check --salvage ./rescued`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if folder != "" {
				return a.salvage(cmd.Context(), folder)
			}
			return a.check(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&folder, "salvage", "", "write what can be read into this folder")
	return cmd
}

func (a *app) check(ctx context.Context) error {
	st, err := a.existing()
	if err != nil {
		return err
	}
	defer st.Close() //nolint:errcheck // it was only read
	report, err := st.Check(ctx)
	if err != nil {
		return failed("check store: %w", err)
	}
	for _, d := range report.Damage {
		fmt.Fprintln(a.stdout, d)
	}
	fmt.Fprintf(a.stdout, "%d sessions, %d frames and %d contents are sound; %d contents belong to nobody\n",
		report.Sessions, report.Frames, report.Blobs, report.Orphans)
	if n := len(report.Damage); n > 0 {
		return failed("the store is damaged in %d places; %s saves what can be read", n, a.hint("sessions check", "--salvage", "DIR"))
	}
	return nil
}

func (a *app) salvage(ctx context.Context, folder string) error {
	path, err := a.databasePath()
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return usage("there is no store %s", path)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return usage("%w", err)
	}
	saved, lost := 0, 0
	for s, err := range sqlite.Salvage(ctx, path) {
		if err != nil {
			return failed("%w (%d sessions were saved)", err, saved)
		}
		for _, d := range s.Damage {
			lost++
			a.note("%s", d)
		}
		if len(s.Frames) == 0 {
			continue
		}
		if err := writeSalvaged(folder, &s); err != nil {
			return failed("save session %s: %w", s.Key, err)
		}
		saved++
	}
	fmt.Fprintf(a.stdout, "%d sessions are in %s; %d things could not be read\n", saved, folder, lost)
	return nil
}

func writeSalvaged(folder string, s *sqlite.Salvaged) error {
	name := filepath.Join(folder, s.Key.Session+".aiagent")
	return writeFile(name, func(w io.Writer) error {
		archive := journal.NewArchiveWriter(w, s.Key)
		var broken error
		for i := range s.Frames {
			f, err := journal.DecodeFrame(s.Frames[i].Data)
			if err != nil {
				broken = err
				break
			}
			archive.Frame(&f)
		}
		for _, b := range s.Blobs {
			archive.Blob(b.Data)
		}
		return errors.Join(broken, archive.Close())
	})
}
