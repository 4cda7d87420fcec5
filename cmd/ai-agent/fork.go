package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/spec"
)

// forking is what the fork command is asked for.
type forking struct {
	at            uint64
	model, script string
	prompt        string
	results       []string
	id            string
	idle          bool
	following
}

func (a *app) forkCommand() *cobra.Command {
	f := new(forking)
	cmd := &cobra.Command{
		Use:   "fork SESSION [--at FRAME]",
		Short: "Try another way from a frame of a session on",
		Long: `fork begins a new session with the conversation that another one had at a frame,
and goes on from there: with another model, another prompt, another result of a
tool. The original is not touched. show --frames lists a session's frames.

Calls that were open at that frame are answered "interrupted" in the fork, unless
--result answers them. Approvals and idempotency keys are not inherited, and the
fork's limits, costs and budget are its own.`,
		Example: `  ai-agent fork 01932f1c --at 12 --script other.yaml
  ai-agent fork 01932f1c --prompt "And in Rome?"
  ai-agent fork 01932f1c --at 7 --result call_athens="Athens: hail"`,
		Args: one("a session's id"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.fork(cmd.Context(), args[0], f) },
	}
	set := cmd.Flags()
	set.Uint64Var(&f.at, "at", 0, "the last frame that the two have in common (default: the original's last)")
	set.StringVar(&f.model, "model", "", "another model: PROVIDER/MODEL")
	set.StringVar(&f.script, "script", "", "another model: a script")
	set.StringVar(&f.prompt, "prompt", "", "say this instead of letting it answer what was said; - is standard input, @FILE a file")
	set.StringArrayVar(&f.results, "result", nil, "another result of a call: CALL=TEXT or CALL=@FILE; may be repeated")
	set.StringVar(&f.id, "session", "", "id of the fork (default: a new one)")
	set.BoolVar(&f.idle, "idle", false, "only make the fork and print its id; resume goes on with it")
	f.following.flags(cmd)
	return cmd
}

func (a *app) fork(ctx context.Context, name string, f *forking) error {
	options := &aiagent.ForkOptions{At: f.at, ID: f.id}
	var err error
	if options.Results, err = parseResults(f.results); err != nil {
		return err
	}
	if f.prompt, err = text(f.prompt, a.stdin); err != nil {
		return err
	}
	if options.ID == "" {
		options.ID = host.RandomIDs{}.New()
	}
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
	if n := uint64(len(archive.Frames)); f.at > n {
		return usage("session %s has %d frames: there is no frame %d", id, n, f.at)
	} else if f.at > 0 {
		archive.Frames = archive.Frames[:f.at]
	}
	run, state, err := pinned(archive)
	if err != nil {
		return err
	}
	if run.Targets, err = f.targets(run); err != nil {
		return err
	}
	if f.model != "" || f.script != "" {
		options.Targets = run.Targets
	}
	services := newServices(ctx)
	defer services.close()
	providers, err := models(run, f.script, services)
	if err != nil && !f.idle {
		return err
	}
	if f.prompt == "" && !f.idle && answered(state) {
		return usage("at frame %d the session had its answer: say --prompt TEXT, or --at an earlier frame (%s lists them)",
			state.Seq, a.hint("show", "--frames", id))
	}
	b, err := work(ctx, st, options.ID, providers)
	if err != nil {
		return err
	}
	defer b.done()
	original, err := b.Session(ctx, id)
	if err != nil {
		return failed("%w", err)
	}
	s, err := original.Fork(ctx, options)
	if err != nil {
		return usage("%w", err)
	}
	if f.idle {
		_, err := a.stdout.Write([]byte(s.ID() + "\n"))
		return err //nolint:wrapcheck // nobody reads it
	}
	in := aiagent.Continue()
	if f.prompt != "" {
		in = aiagent.Prompt(f.prompt)
	}
	return a.follow(ctx, b, s, in, &f.following)
}

// targets are the models that the fork asks.
func (f *forking) targets(run *spec.Run) ([]aiagent.Target, error) {
	if f.script != "" && f.model == "" {
		return []aiagent.Target{scriptTarget(f.script)}, nil
	}
	if f.model == "" {
		return run.Targets, nil
	}
	provider, model, ok := strings.Cut(f.model, "/")
	if !ok || provider == "" || model == "" {
		return nil, usage("model %q: want PROVIDER/MODEL", f.model)
	}
	t := aiagent.Target{Provider: provider, Model: model}
	for i := range run.Targets {
		if run.Targets[i].Provider == provider { // the same service: the same key and options
			t.Options, t.APIKey = run.Targets[i].Options, run.Targets[i].APIKey
		}
	}
	return []aiagent.Target{t}, nil
}

// answered reports that a conversation ends with an answer, so that there is
// nothing to go on with.
func answered(state *kernel.State) bool {
	return state.Run == nil && state.Status() == kernel.StatusCompleted
}
