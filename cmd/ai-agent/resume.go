package main

import (
	"context"
	"os/user"
	"strings"

	"github.com/spf13/cobra"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/kernel"
)

// going is a command that goes on with a session.
type going struct {
	script string
	// modelless says that the command can do without a model: it ends things.
	modelless bool
	following
	// say is what the session is told, given where it stands.
	say func(state *kernel.State) (aiagent.Input, error)
}

func (g *going) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&g.script, "script", "", "let this script answer as the model (default: the one that the session was started with)")
	g.following.flags(cmd)
}

// goOn says something to a session of the store and follows it to its end, or to
// where it waits again.
func (a *app) goOn(ctx context.Context, name string, g *going) error {
	st, err := a.existing()
	if err != nil {
		return err
	}
	defer st.Close() //nolint:errcheck // every append was durable when it returned
	id, err := a.resolve(ctx, st, name)
	if err != nil {
		return err
	}
	archive, err := readAlone(ctx, st, id)
	if err != nil {
		return err
	}
	run, state, err := pinned(archive)
	if err != nil {
		return err
	}
	if of := state.Identity.Origin; state.Identity.Parent != "" {
		return usage("session %s works for session %s: go on with that one", id, of)
	}
	services := newServices(ctx)
	defer services.close()
	providers, err := models(run, g.script, services)
	if err != nil && !g.modelless {
		return err
	}
	in, err := g.say(state)
	if err != nil {
		return err
	}
	b, err := work(ctx, st, id, providers)
	if err != nil {
		return err
	}
	defer b.done()
	s, err := b.Session(ctx, id)
	if err != nil {
		return failed("%w", err)
	}
	return a.follow(ctx, b, s, in, &g.following)
}

func (a *app) resumeCommand() *cobra.Command {
	g := new(going)
	var results []string
	cmd := &cobra.Command{
		Use:   "resume SESSION [PROMPT]",
		Short: "Go on with a session: after an interruption, with a result, or with a new prompt",
		Long: `resume takes up a session where it stands and follows it to its answer.

A run that was interrupted goes on from its last receipt: nothing that was done
is done again. A run that failed or was aborted is tried again from where the
conversation stands. A session that waits for results of remote tools gets them
with --result. With PROMPT the conversation goes on ("-" reads standard input).

The exit code is 2 when the session waits (again); stderr says for what.`,
		Example: `  ai-agent resume 01932f1c
  ai-agent resume 01932f1c "And in Rome?"
  ai-agent resume 01932f1c --result call_7="42 rows"
  ai-agent resume 01932f1c --result call_7=@rows.txt`,
		Args: between(1, 2, "a session's id and perhaps a prompt"),
		RunE: func(cmd *cobra.Command, args []string) error {
			given, err := parseResults(results)
			if err != nil {
				return err
			}
			var prompt string
			if len(args) == 2 {
				if prompt, err = text(args[1], cmd.InOrStdin()); err != nil {
					return err
				}
			}
			g.say = func(state *kernel.State) (aiagent.Input, error) { return toResume(state, prompt, given) }
			return a.goOn(cmd.Context(), args[0], g)
		},
	}
	cmd.Flags().StringArrayVar(&results, "result", nil, "the result of a remote call: CALL=TEXT or CALL=@FILE; may be repeated")
	g.flags(cmd)
	return cmd
}

// toResume decides what a session is told, given where it stands.
func toResume(state *kernel.State, prompt string, results []aiagent.ToolResult) (aiagent.Input, error) {
	waits := state.Status() == kernel.StatusAwaiting
	switch {
	case len(results) > 0 && prompt != "":
		return aiagent.Input{}, usage("results and a prompt are two things to say: the results first")
	case len(results) > 0:
		return aiagent.Results(results...), nil
	case prompt != "" && waits:
		return aiagent.Input{}, usage("the session waits for %s: answer that first (resume without a prompt says how)", pendingNames(state))
	case prompt != "":
		return aiagent.Prompt(prompt), nil
	case state.Status() == kernel.StatusError:
		return aiagent.Continue(), nil
	default:
		return aiagent.Resume(), nil
	}
}

func pendingNames(state *kernel.State) string {
	var names []string
	for _, c := range state.Pending() {
		names = append(names, c.Name+" ("+c.CallID+")")
	}
	return strings.Join(names, ", ")
}

// parseResults reads CALL=TEXT and CALL=@FILE.
func parseResults(given []string) ([]aiagent.ToolResult, error) {
	var results []aiagent.ToolResult
	for _, g := range given {
		call, value, ok := strings.Cut(g, "=")
		if !ok || call == "" {
			return nil, usage("result %q: want CALL=TEXT or CALL=@FILE", g)
		}
		if value != "-" { // standard input is for the prompt
			var err error
			if value, err = text(value, nil); err != nil {
				return nil, err
			}
		}
		results = append(results, aiagent.ToolResult{CallID: call, Output: value})
	}
	return results, nil
}

// decider is who decides on this machine.
func decider() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "command line"
}

func (a *app) approveCommand() *cobra.Command {
	g := new(going)
	cmd := &cobra.Command{
		Use:   "approve SESSION CALL",
		Short: "Allow a tool call that waits for approval, and go on",
		Long: `approve allows one call, once. The session goes on in this process, or in the one
that is at work on it. What is allowed is the call as it was journaled: the tool
and its arguments, as show tells them.`,
		Example: "  ai-agent approve 01932f1c call_7",
		Args:    between(2, 2, "a session's id and a call's"),
		RunE: func(cmd *cobra.Command, args []string) error {
			g.say = func(*kernel.State) (aiagent.Input, error) { return aiagent.Approve(args[1], decider()), nil }
			return a.goOn(cmd.Context(), args[0], g)
		},
	}
	g.flags(cmd)
	return cmd
}

func (a *app) denyCommand() *cobra.Command {
	g := new(going)
	var reason string
	cmd := &cobra.Command{
		Use:     "deny SESSION CALL",
		Short:   "Refuse a tool call that waits for approval, and go on",
		Long:    "deny refuses one call. The model is told, with the reason if there is one, and\nthe session goes on.",
		Example: "  ai-agent deny 01932f1c call_7 --reason \"not on a Friday\"",
		Args:    between(2, 2, "a session's id and a call's"),
		RunE: func(cmd *cobra.Command, args []string) error {
			g.say = func(*kernel.State) (aiagent.Input, error) { return aiagent.Deny(args[1], decider(), reason), nil }
			return a.goOn(cmd.Context(), args[0], g)
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "what the model is told")
	g.flags(cmd)
	return cmd
}
