package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/journal"
)

func (a *app) exportCommand() *cobra.Command {
	var out, asTest string
	cmd := &cobra.Command{
		Use:   "export SESSION|FILE [-o FILE] [--as-test DIR]",
		Short: "Write a session as one file, or as a Go test",
		Long: `export writes one self-contained file: the journal of the session and of those that
have worked for it, and every content. replay, verify, show and import accept it on
any machine. Secrets are not in journals; contents that hold the value of a
variable whose name says that it is one (…_KEY, …_TOKEN, …_SECRET, …_PASSWORD) are
left out.

With --as-test it writes a Go test and a script of the model into a folder: go test
runs the session again, offline, and compares the answer and every request.`,
		Example: `  ai-agent export 01932f1c -o bug.aiagent
  ai-agent export 01932f1c > bug.aiagent
  ai-agent export 01932f1c --as-test ./bug`,
		Args: one("a session's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if asTest != "" {
				return a.exportTest(cmd.Context(), args[0], asTest)
			}
			return a.export(cmd.Context(), args[0], out)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "the file to write (default: standard output)")
	cmd.Flags().StringVar(&asTest, "as-test", "", "write a Go test into this folder instead")
	return cmd
}

func (a *app) export(ctx context.Context, name, out string) error {
	if out == "" && terminal(a.stdout) {
		return usage("an archive is not for the screen: say -o FILE")
	}
	st, err := a.existing()
	if err != nil {
		return err
	}
	defer st.Close() //nolint:errcheck // it was only read
	id, err := a.resolve(ctx, st, name)
	if err != nil {
		return err
	}
	var withheld []journal.Ref
	write := func(w io.Writer) (err error) {
		withheld, err = aiagent.ExportSessionWith(ctx, st, journal.Key{Tenant: tenant, Session: id}, w,
			&aiagent.ExportOptions{Secrets: secrets(os.Environ())})
		return err //nolint:wrapcheck // it names the session
	}
	if out == "" {
		err = write(a.stdout)
	} else {
		err = writeFile(out, write)
	}
	if err != nil {
		return failed("%w", err)
	}
	for _, ref := range withheld {
		a.note("content %s was left out: it holds a secret, or is not in the store any more", ref.Short())
	}
	if out != "" {
		a.note("session %s is in %s", id, out)
	}
	return nil
}

// secrets finds values in an environment that must not leave the machine. Short
// ones are no secrets, and would be found everywhere.
func secrets(environ []string) []string {
	const short = 8
	var values []string
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		name = strings.ToUpper(name)
		for _, end := range [...]string{"KEY", "TOKEN", "SECRET", "PASSWORD"} {
			if strings.HasSuffix(name, end) && len(value) >= short {
				values = append(values, value)
				break
			}
		}
	}
	return values
}

func (a *app) importCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Put an exported session into the store",
		Long: `import puts a session that was exported, here or elsewhere, into the store under its
own id, after it was replayed. Importing twice changes nothing. A session that was
in the middle of a run rests until somebody resumes it.`,
		Example: "  ai-agent sessions import bug.aiagent",
		Args:    one("an archive file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return usage("%w", err)
			}
			defer f.Close() //nolint:errcheck // it was only read
			archive, err := journal.ReadArchive(f)
			if err != nil {
				return failed("%s: %w", args[0], err)
			}
			for _, s := range archive.All() {
				if s.Key.Tenant != tenant {
					return usage("session %s belongs to tenant %q, and the command line works for %q", s.Key.Session, s.Key.Tenant, tenant)
				}
			}
			st, err := a.openStore()
			if err != nil {
				return err
			}
			defer st.Close() //nolint:errcheck // every append was durable when it returned
			err = aiagent.Import(cmd.Context(), st, archive)
			if errors.Is(err, aiagent.ErrExists) {
				return usage("%w", err)
			}
			if err != nil {
				return failed("%w", err)
			}
			fmt.Fprintln(a.stdout, archive.Key.Session)
			return nil
		},
	}
}
