package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// app is what the commands share: where to read and write, which store.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	storePath      string
}

func newRoot(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	root := &cobra.Command{
		Use:   "ai-agent",
		Short: "Run AI agents and look into what they did",
		Long: `ai-agent runs AI agents: it talks to language models, executes tools, and always
returns an answer. Every session is journaled; the journal replays bit for bit.

Sessions live in ~/.local/state/ai-agent/sessions.db unless --store says otherwise.
Exit codes: 0 success, 1 the session failed, 2 it waits for somebody, 4 wrong
arguments or configuration.`,
		Example: `  ai-agent demo                      a whole session, offline
  ai-agent run --script s.yaml Hi    run a prompt against a scripted model
  ai-agent sessions                  what there is
  ai-agent show ID                   what happened, turn by turn
  ai-agent resume ID                 go on with a session
  ai-agent fork ID --at 5            try another way from frame 5 on
  ai-agent replay ID                 rebuild it from its journal
  ai-agent verify ID                 check it against the contract`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetVersionTemplate("ai-agent {{.Version}}\n")
	root.PersistentFlags().StringVar(&a.storePath, "store", "",
		"where sessions live: a database file, or \"memory\" (default: the user's state folder)")
	root.AddCommand(a.demoCommand(), a.runCommand(), a.sessionsCommand(), a.showCommand(), a.replayCommand(), a.verifyCommand(),
		a.resumeCommand(), a.approveCommand(), a.denyCommand(), a.stopCommand(), a.abortCommand(), a.forkCommand(), a.exportCommand())
	return root
}

// knownCommand refuses what is not a command, with the one that was probably
// meant.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usage("unknown command %q, did you mean %q? %s --help lists them", args[0], near[0], cmd.CommandPath())
	}
	return usage("unknown command %q; %s --help lists them", args[0], cmd.CommandPath())
}

// one refuses anything but one argument and says what it should be.
func one(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("%s wants one argument, %s, and got %d; see ai-agent %s --help", cmd.Name(), what, len(args), cmd.Name())
		}
		return nil
	}
}

// between refuses a number of arguments that a command cannot do with.
func between(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usage("%s wants %s and got %d arguments; see %s --help", cmd.Name(), what, len(args), cmd.CommandPath())
		}
		return nil
	}
}

// called is how this program is called from here.
func called() string {
	if strings.Contains(os.Args[0], "go-build") {
		return "go run ./cmd/ai-agent"
	}
	return "ai-agent"
}

// version is the module's version when it was installed as one, else what the
// build knows of its commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel " + s.Value[:12]
		}
	}
	return "devel"
}

// note writes a line for people.
func (a *app) note(format string, args ...any) { fmt.Fprintf(a.stderr, format+"\n", args...) }
