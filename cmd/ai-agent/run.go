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
	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/view"
)

// job is one run of the command line.
type job struct {
	agent     *aiagent.Agent
	providers map[string]llm.Provider
	prompt    string
	session   string
	following
}

// following says how a command follows a session.
type following struct {
	export  string
	verbose bool
}

func (f *following) flags(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&f.export, "export", "", "also write the session to this file")
	set.BoolVar(&f.verbose, "verbose", false, "tell on stderr what happens")
}

func (a *app) runCommand() *cobra.Command {
	j := &job{agent: &aiagent.Agent{ID: "cli-main"}}
	var file, schema, tools string
	var models []string
	var chat bool
	cmd := &cobra.Command{
		Use:   "run [--model PROVIDER/MODEL | --script FILE] [flags] PROMPT",
		Short: "Run a prompt",
		Long: `run asks a model and prints its answer. Without --model it takes the first
service whose key is in the environment, or that runs on this machine, and says
which. With --script the model is a YAML or JSON file that says what it answers,
turn by turn: no key, no network. PROMPT "-" reads standard input.
A tool that --tools declares is run by somebody else: its call suspends the
session, which ends the command with code 2; resume goes on with the result.`,
		Example: `  ai-agent run "Say hello"
  ai-agent run --model PROVIDER/MODEL --model OTHER/MODEL "Say hello"
  ai-agent run --script hello.yaml "Say hello"
  echo "Say hello" | ai-agent run --script hello.yaml -
  ai-agent run --script s.json --format json --schema @schema.json "Count"`,
		Args: one("the prompt"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := newServices(cmd.Context())
			defer s.close()
			err := a.choose(j, s, file, models)
			if err != nil {
				return err
			}
			if j.agent.Tools, err = declaredTools(tools); err != nil {
				return err
			}
			if chat {
				j.agent.Completion = spec.CompleteText
			}
			if j.prompt, err = text(args[0], cmd.InOrStdin()); err != nil {
				return err
			}
			if schema != "" {
				s, err := text(schema, cmd.InOrStdin())
				if err != nil {
					return err
				}
				j.agent.Schema = []byte(s)
			}
			return a.execute(cmd.Context(), j)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&models, "model", nil, "a model to ask, PROVIDER/MODEL; several are asked in turn when one fails")
	f.StringVar(&file, "script", "", "a scripted model's file, YAML or JSON, in place of a service")
	f.StringVar(&j.agent.System, "system", "", "the system prompt")
	f.StringVar((*string)(&j.agent.Format), "format", "", "form of the answer: "+formats()+" (default markdown)")
	f.StringVar((*string)(&j.agent.Transport), "transport", "",
		"how tool calls and the report travel: native, xml-final or xml (default xml-final)")
	f.StringVar(&schema, "schema", "", "JSON Schema of a json answer, inline or @file")
	f.Int64Var(&j.agent.Limits.MaxTurns, "max-turns", 0, "turns at most (default 10)")
	f.Int64Var(&j.agent.Limits.MaxRetries, "max-retries", 0, "attempts in a turn at most, the first included (default 5)")
	f.BoolVar(&chat, "chat", false, "plain text is the answer; no final report is asked for")
	f.StringVar(&tools, "tools", "", "YAML or JSON file with tools that others run: a list of {name, description, parameters, approval}")
	f.StringVar(&j.session, "session", "", "id of the new session (default: a new one)")
	j.following.flags(cmd)
	return cmd
}

// choose decides who is asked.
func (a *app) choose(j *job, s *services, file string, models []string) (err error) {
	j.providers = make(map[string]llm.Provider)
	if file != "" {
		if len(models) > 0 {
			return usage("--script and --model: say one of them")
		}
		j.providers[scriptProvider], err = openScript(file)
		j.agent.Targets = []aiagent.Target{scriptTarget(file)}
		return err
	}
	if j.agent.Targets, err = s.targets(models); err != nil {
		return err
	}
	for name, p := range s.open {
		j.providers[name] = p
	}
	if len(models) == 0 {
		a.note("asking %s, because %s; --model PROVIDER/MODEL asks another", &j.agent.Targets[0], s.found[0].Why)
	}
	return nil
}

func formats() string {
	var names []string
	for _, f := range spec.Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// text resolves an argument: - is standard input, @path a file, the rest means
// itself.
func text(arg string, stdin io.Reader) (string, error) {
	var data []byte
	var err error
	switch {
	case arg == "-":
		data, err = io.ReadAll(stdin)
	case strings.HasPrefix(arg, "@"):
		data, err = os.ReadFile(arg[1:])
	default:
		return arg, nil
	}
	if err != nil {
		return "", usage("%w", err)
	}
	return string(data), nil
}

// execute runs a job: the answer to stdout, the rest to stderr.
func (a *app) execute(ctx context.Context, j *job) error {
	st, err := a.openStore()
	if err != nil {
		return err
	}
	defer st.Close() //nolint:errcheck // every append was durable when it returned
	if j.session == "" {
		j.session = host.RandomIDs{}.New()
	}
	b, err := work(ctx, st, j.session, j.providers)
	if err != nil {
		return err
	}
	defer b.done()
	s, err := b.Open(ctx, j.agent, &aiagent.SessionOptions{ID: j.session})
	switch {
	case errors.Is(err, spec.ErrInvalid):
		return usage("%w", err)
	case err != nil:
		return failed("%w", err)
	}
	return a.follow(ctx, b, s, aiagent.Prompt(j.prompt), &j.following)
}

// follow says something to a session and tells what comes of it.
func (a *app) follow(ctx context.Context, b *bench, s *aiagent.Session, in aiagent.Input, f *following) error {
	options := &aiagent.RunOptions{}
	if f.verbose {
		options.OnEvent = a.progress
	}
	result := b.run(ctx, s, in, options)
	if f.export != "" {
		write := func(w io.Writer) error { return s.Export(context.WithoutCancel(ctx), w) }
		if err := writeFile(f.export, write); err != nil {
			return failed("export session: %w", err)
		}
	}
	return a.finish(result)
}

// writeFile writes a file that only its owner may read: sessions hold what people
// said.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err //nolint:wrapcheck // it names the file
	}
	return errors.Join(write(f), f.Close())
}

// finish prints the answer, says how to go on, and decides the exit code.
func (a *app) finish(r *aiagent.Result) error {
	if _, ok := errors.AsType[*host.Refused](r.Err()); ok {
		return &exitError{code: exitUsage, err: r.Err()}
	}
	if text := r.Text(); text != "" {
		fmt.Fprintln(a.stdout, text)
	}
	if a.storePath != "memory" {
		a.note("session %s; look into it: %s   (or replay, or verify)", r.SessionID, a.hint("show", r.SessionID))
	}
	switch {
	case r.Status == kernel.StatusAwaiting:
		a.tellPending(r.SessionID, r.Pending)
		return &exitError{code: exitSuspended, err: errors.New("the session waits"), quiet: true}
	case !r.Success:
		return &exitError{code: exitFailed, err: errors.New(r.Error)}
	}
	return nil
}

// tellPending says what a session waits for, and how to give it.
func (a *app) tellPending(id string, calls []view.PendingCall) {
	for _, p := range calls {
		a.note("waiting for %s of %s %s (call %s)", wanted(p.Kind), p.Name, firstLine(string(p.Parameters)), p.ID)
		if p.Kind == "approval" {
			a.note("  %s   (or deny)", a.hint("approve", id, quote(p.ID)))
		} else {
			a.note("  %s", a.hint("resume", id, "--result", quote(p.ID+"=TEXT")))
		}
	}
}

func wanted(kind string) string {
	if kind == "approval" {
		return "approval"
	}
	return "the result"
}

// hint is a command line to copy.
func (a *app) hint(command string, args ...string) string {
	words := []string{called(), command}
	if a.storePath != "" {
		words = append(words, "--store", quote(a.storePath))
	}
	return strings.Join(append(words, args...), " ")
}

// quote makes a shell read a word as it is.
func quote(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// progress tells what happens, one line each.
func (a *app) progress(e view.Event) {
	switch e.Type {
	case view.EventToolStart:
		a.note("  %s %s", e.ToolName, e.Args)
	case view.EventToolEnd:
		a.note("  %s = %s", e.ToolName, firstLine(e.Output))
	case view.EventAttemptEnd:
		outcome := e.Outcome
		if e.Error != "" {
			outcome += ": " + e.Error
		}
		a.note("turn %d, attempt %d: %s: %s", e.Turn, e.Attempt, e.Model, outcome)
	case view.EventForcedFinal:
		a.note("the next turn is the last: %s", e.Reason)
	}
}

// firstLine shortens a text to one line.
func firstLine(s string) string {
	const limit = 100
	line, _, more := strings.Cut(s, "\n")
	if r := []rune(line); len(r) > limit {
		line, more = string(r[:limit]), true
	}
	if more {
		line += " …"
	}
	return line
}
