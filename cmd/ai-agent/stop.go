package main

import (
	"github.com/spf13/cobra"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/kernel"
)

func (a *app) stopCommand() *cobra.Command {
	g := new(going)
	cmd := &cobra.Command{
		Use:   "stop SESSION",
		Short: "Ask a running session for its final report now",
		Long: `stop makes the next turn the last: the model is asked to report what it has. It
reaches the process that is at work on the session; an interrupted session is
taken up for it.`,
		Example: "  ai-agent stop 01932f1c",
		Args:    one("a session's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			g.say = func(state *kernel.State) (aiagent.Input, error) { return aiagent.Stop(), atWork(state, "stop") }
			return a.goOn(cmd.Context(), args[0], g)
		},
	}
	g.flags(cmd)
	return cmd
}

func (a *app) abortCommand() *cobra.Command {
	g := &going{modelless: true}
	cmd := &cobra.Command{
		Use:   "abort SESSION",
		Short: "End a session's run at once",
		Long: `abort ends the run: what is under way is cancelled, calls that wait are answered,
and the conversation is left valid. It exits with 1, as a run does that was
aborted. The session can be resumed.`,
		Example: "  ai-agent abort 01932f1c",
		Args:    one("a session's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			g.say = func(state *kernel.State) (aiagent.Input, error) { return aiagent.Abort(), atWork(state, "abort") }
			return a.goOn(cmd.Context(), args[0], g)
		},
	}
	g.flags(cmd)
	return cmd
}

// atWork refuses what makes sense for a run only.
func atWork(state *kernel.State, what string) error {
	if state.Run == nil {
		return usage("session %s has no run to %s: it is %s", state.Identity.Session, what, state.Status())
	}
	return nil
}
