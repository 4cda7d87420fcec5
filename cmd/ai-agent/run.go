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
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/view"
)

// job is one run of the command line.
type job struct {
	agent    *aiagent.Agent
	provider llm.Provider
	prompt   string
	session  string
	export   string
	verbose  bool
}

func (a *app) runCommand() *cobra.Command {
	j := &job{agent: &aiagent.Agent{ID: "cli-main"}}
	var file, schema string
	var chat bool
	cmd := &cobra.Command{
		Use:   "run --script FILE [flags] PROMPT",
		Short: "Run a prompt",
		Long: `run asks a model and prints its answer. The model is a script: a YAML or JSON
file that says what it answers, turn by turn. PROMPT "-" reads standard input.`,
		Example: `  ai-agent run --script hello.yaml "Say hello"
  echo "Say hello" | ai-agent run --script hello.yaml -
  ai-agent run --script s.json --format json --schema @schema.json "Count"`,
		Args: one("the prompt"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file == "" {
				return usage("no model to ask: say --script FILE")
			}
			provider, err := script.Open(file, script.Options{})
			if err != nil {
				return usage("%w", err)
			}
			j.provider = provider
			j.agent.Targets = []aiagent.Target{{Provider: "script", Model: "script"}}
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
	f.StringVar(&file, "script", "", "the scripted model's file, YAML or JSON (required)")
	f.StringVar(&j.agent.System, "system", "", "the system prompt")
	f.StringVar((*string)(&j.agent.Format), "format", "", "form of the answer: "+formats()+" (default markdown)")
	f.StringVar((*string)(&j.agent.Transport), "transport", "",
		"how tool calls and the report travel: native, xml-final or xml (default xml-final)")
	f.StringVar(&schema, "schema", "", "JSON Schema of a json answer, inline or @file")
	f.Int64Var(&j.agent.Limits.MaxTurns, "max-turns", 0, "turns at most (default 10)")
	f.Int64Var(&j.agent.Limits.MaxRetries, "max-retries", 0, "attempts in a turn at most, the first included (default 5)")
	f.BoolVar(&chat, "chat", false, "plain text is the answer; no final report is asked for")
	f.StringVar(&j.session, "session", "", "id of the new session (default: a new one)")
	f.StringVar(&j.export, "export", "", "also write the session to this file")
	f.BoolVar(&j.verbose, "verbose", false, "tell on stderr what happens")
	return cmd
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
	rt, err := aiagent.New(aiagent.Config{
		Store: st, Providers: map[string]llm.Provider{"script": j.provider}, Tenant: tenant,
	})
	if err != nil {
		return usage("%w", err)
	}
	defer rt.Close() //nolint:errcheck // as above
	options := &aiagent.RunOptions{SessionID: j.session}
	if j.verbose {
		options.OnEvent = a.progress
	}
	result := rt.Run(ctx, j.agent, j.prompt, options)
	if j.export != "" && result.SessionID != "" {
		if err := export(context.WithoutCancel(ctx), rt, result.SessionID, j.export); err != nil {
			return &exitError{code: exitFailed, err: err}
		}
	}
	return a.finish(result)
}

func export(ctx context.Context, rt *aiagent.Runtime, id, path string) error {
	s, err := rt.Session(ctx, id)
	if err != nil {
		return err //nolint:wrapcheck // it names the session
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("export session: %w", err)
	}
	err = s.Export(ctx, f)
	return errors.Join(err, f.Close())
}

// finish prints the answer, says how to go on, and decides the exit code.
func (a *app) finish(r *aiagent.Result) error {
	if r.SessionID == "" {
		code := exitFailed
		if errors.Is(r.Err(), spec.ErrInvalid) {
			code = exitUsage
		}
		return &exitError{code: code, err: errors.New(r.Error)}
	}
	if text := r.Text(); text != "" {
		fmt.Fprintln(a.stdout, text)
	}
	if a.storePath != "memory" {
		flag := ""
		if a.storePath != "" {
			flag = " --store " + a.storePath
		}
		a.note("session %s; look into it: %s show%s %s   (or replay, or verify)", r.SessionID, called(), flag, r.SessionID)
	}
	switch {
	case r.Status == kernel.StatusAwaiting:
		for _, p := range r.Pending {
			a.note("waiting for a result of %s %s (call %s, session %s)", p.Kind, p.Name, p.ID, r.SessionID)
		}
		return &exitError{code: exitSuspended, err: errors.New("the session waits"), quiet: true}
	case !r.Success:
		return &exitError{code: exitFailed, err: errors.New(r.Error)}
	}
	return nil
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
