// Mutants plants faults, one at a time, and sees whether the tests notice.
//
//	go run ./sim/mutants [-list] [-only name] [-parallel n] [-seeds n] [folder]
//
// A suite that stays green whatever is done to the code proves nothing. Each
// fault of the list breaks one promise of docs/contract.md in the smallest way
// that a person could break it: a comparison that is off by one, a line left
// out. It is planted in a copy of the module, and the tests of the copy must
// fail. The program exits with 1 when a fault survives, or when the list has
// gone stale: the text to replace is gone, or what replaces it does not compile.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"
)

// fault is one change that breaks a promise.
type fault struct {
	// name says what is broken.
	name string
	// clauses are those of the contract that it breaks.
	clauses string
	// file is the one to change, below the module's root. old occurs in it
	// exactly once; instead takes its place.
	file, old, instead string
}

// faults is the whole list, room by room.
func faults() []fault {
	var all []fault
	for _, room := range [][]fault{
		loopFaults, guardFaults, toolFaults, reportFaults, sessionFaults, dialectFaults, hostFaults, viewFaults, stageFaults,
	} {
		all = append(all, room...)
	}
	return all
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr) //nolint:forbidigo // a program prints
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(stderr)
	list := flags.Bool("list", false, "print the faults and plant none")
	only := flags.String("only", "", "plant only faults whose name, clauses or file contain this")
	parallel := flags.Int("parallel", 1, "how many copies to work in at a time")
	var opts options
	flags.IntVar(&opts.seeds, "seeds", 40, "how many sessions the simulator plays for each fault")
	flags.DurationVar(&opts.timeout, "timeout", 30*time.Second, "how long the tests of one package may take")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	var chosen []fault
	for _, f := range faults() {
		if strings.Contains(f.name+" "+f.clauses+" "+f.file, *only) {
			chosen = append(chosen, f)
		}
	}
	if *list {
		for _, f := range chosen {
			fmt.Fprintf(stdout, "%-12s %-24s %s\n", f.clauses, f.file, f.name)
		}
		return 0
	}
	root := "."
	if flags.NArg() > 0 {
		root = flags.Arg(0)
	}
	t := &tally{out: stdout}
	if err := hunt(ctx, root, chosen, max(*parallel, 1), opts, t); err != nil {
		fmt.Fprintln(stderr, "mutants:", err)
		return 1
	}
	return t.summary()
}

// hunt plants the faults, each in a copy that is whole again afterwards.
func hunt(ctx context.Context, root string, chosen []fault, parallel int, opts options, t *tally) error {
	copies := make([]*plot, min(parallel, max(len(chosen), 1)))
	for i := range copies {
		p, err := newPlot(root, opts)
		if err != nil {
			return err
		}
		defer p.remove()
		copies[i] = p
	}
	// Tests that fail anyway would catch everything.
	if v := copies[0].test(ctx, allStages); v.outcome != survived {
		return fmt.Errorf("the tests fail without any fault:\n%s", v.output)
	}
	queue := make(chan fault, len(chosen))
	for _, f := range chosen {
		queue <- f
	}
	close(queue)
	problems := make([]error, len(copies))
	var wg sync.WaitGroup
	for i, p := range copies {
		wg.Go(func() {
			for f := range queue {
				v, err := p.try(ctx, f)
				if err != nil {
					problems[i] = err
					return
				}
				t.note(f, v)
			}
		})
	}
	wg.Wait()
	return errors.Join(problems...)
}

// tally counts the verdicts and prints them as they come.
type tally struct {
	out    io.Writer
	mu     sync.Mutex
	counts [outcomes]int
}

func (t *tally) note(f fault, v verdict) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[v.outcome]++
	fmt.Fprintf(t.out, "%-16s %5.1fs  %-12s %s (%s)", v.outcome, v.took.Seconds(), f.clauses, f.name, f.file)
	if v.by != "" {
		fmt.Fprint(t.out, ": ", v.by)
	}
	fmt.Fprintln(t.out)
	if v.outcome == broken {
		fmt.Fprintln(t.out, v.output)
	}
}

// summary prints the totals and returns the exit code.
func (t *tally) summary() int {
	all := 0
	for _, n := range t.counts {
		all += n
	}
	fmt.Fprintf(t.out, "%d faults:", all)
	for o, n := range t.counts {
		fmt.Fprintf(t.out, " %d %s;", n, outcome(o))
	}
	fmt.Fprintln(t.out)
	return min(all-t.counts[caught], 1)
}
