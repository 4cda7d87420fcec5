package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// outcome is what became of a fault.
type outcome int

// The outcomes. The last two say that the list has gone stale.
const (
	caught outcome = iota
	survived
	broken
	gone
	outcomes
)

func (o outcome) String() string {
	return [...]string{"caught", "SURVIVED", "does not compile", "not found", "?"}[min(o, outcomes)]
}

// verdict is an outcome, how long it took to reach it, and for a fault that was
// caught the first test that did.
type verdict struct {
	outcome outcome
	took    time.Duration
	by      string
	output  string
}

// options say how hard to look.
type options struct {
	seeds   int
	timeout time.Duration
}

// plot is a copy of the module in which faults are planted.
type plot struct {
	dir  string
	opts options
}

// skipped are folders that no test of ours needs. This program's own is among
// them: its test would notice every fault, by the text that is gone.
var skipped = map[string]bool{".git": true, "bin": true, "sim/mutants": true} //nolint:gochecknoglobals // a table

// newPlot copies the module at root, the files that are not committed included:
// who changes the code wants to know before.
func newPlot(root string, opts options) (*plot, error) {
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return nil, fmt.Errorf("copy the module: %w", err)
	}
	p := &plot{dir: dir, opts: opts}
	if err := copyTree(os.DirFS(root), dir); err != nil {
		p.remove()
		return nil, fmt.Errorf("copy the module: %w", err)
	}
	return p, nil
}

func copyTree(from fs.FS, dir string) error {
	return fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error { //nolint:wrapcheck // the caller does
		to := filepath.Join(dir, filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case skipped[name]:
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o750)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := fs.ReadFile(from, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // somebody works here: it was there a moment ago
		}
		if err != nil {
			return err //nolint:wrapcheck // it names the file
		}
		return os.WriteFile(to, data, 0o600)
	})
}

func (p *plot) remove() { _ = os.RemoveAll(p.dir) }

// try plants a fault, runs the tests that can see it and takes it out again.
func (p *plot) try(ctx context.Context, f fault) (verdict, error) {
	name := filepath.Join(p.dir, filepath.FromSlash(f.file))
	whole, err := os.ReadFile(name) //nolint:gosec // a file of our own copy
	if err != nil || strings.Count(string(whole), f.old) != 1 {
		return verdict{outcome: gone}, nil //nolint:nilerr // a file that is gone is a stale entry
	}
	changed := strings.Replace(string(whole), f.old, f.instead, 1)
	if err := os.WriteFile(name, []byte(changed), 0o600); err != nil { //nolint:gosec // as above
		return verdict{}, fmt.Errorf("plant %q: %w", f.name, err)
	}
	v := p.test(ctx, stagesFor(f.file))
	if err := os.WriteFile(name, whole, 0o600); err != nil { //nolint:gosec // as above
		return verdict{}, fmt.Errorf("take out %q: %w", f.name, err)
	}
	return v, ctx.Err() //nolint:wrapcheck // interrupted: nothing to add
}

// A stage is packages that are tested together. The next one is not needed once
// one of them has failed.
type stage []string

// allStages begins with what is quick and notices most.
var allStages = []stage{ //nolint:gochecknoglobals // a table
	{"."}, {"./kernel", "./dialect", "./contract", "./spec"}, {"./view", "./host"}, {"./sim"},
}

// stagesFor puts a fault's own package first: its tests are the nearest.
func stagesFor(file string) []stage {
	own := "./" + path.Dir(file)
	stages := append([]stage{{own}}, allStages...)
	if !strings.HasPrefix(file, "host/") && !strings.HasPrefix(file, "view/") {
		// What the views show is judged by the library's tests as well.
		stages = append(stages[:len(stages)-2], stages[len(stages)-1])
	}
	return stages
}

// test runs the stages until one fails.
func (p *plot) test(ctx context.Context, stages []stage) verdict {
	v := verdict{outcome: survived}
	start := time.Now() //nolint:forbidigo // tests take real time
	for _, s := range stages {
		output, err := p.goTest(ctx, s)
		if err == nil {
			continue
		}
		v.outcome, v.output = caught, output
		if strings.Contains(output, "[build failed]") || strings.Contains(output, "[setup failed]") {
			v.outcome = broken
		} else {
			v.by = firstFailure(output)
		}
		break
	}
	v.took = time.Since(start) //nolint:forbidigo // as above
	return v
}

func (p *plot) goTest(ctx context.Context, packages stage) (string, error) {
	args := []string{"test", "-count=1", "-short", "-failfast", "-vet=off", "-ldflags=-s -w", "-timeout", p.opts.timeout.String()}
	if packages[0] == "./sim" {
		// What the simulator's other tests say is about the simulator.
		args = append(args, "-run", "^TestSeeds$")
	}
	// A fault can make a loop endless that no test's time-out ends.
	ctx, cancel := context.WithTimeout(ctx, 3*p.opts.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append(args, packages...)...) //nolint:gosec // our own arguments
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "SIM_SEEDS="+strconv.Itoa(p.opts.seeds), "GOWORK=off")
	cmd.WaitDelay = time.Second
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	return output.String(), err
}

var failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^(panic: .*)$`)

// firstFailure is the most precise name in the output of failed tests.
func firstFailure(output string) string {
	by := ""
	for _, m := range failure.FindAllStringSubmatch(output, -1) {
		switch name := m[1]; {
		case m[2] != "" && by == "":
			by = m[2]
		case by == "", strings.HasPrefix(name, by+"/"):
			by = name
		}
	}
	return by
}
