package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	testscript.Main(leakFree{m}, map[string]func(){"ai-agent": main})
}

// leakFree runs the tests and then looks for goroutines that they left.
type leakFree struct{ *testing.M }

func (m leakFree) Run() int {
	code := m.M.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

// The scripts run the command as a user would: each has a folder and a store of
// its own. `code N CMD…` runs a command that must end with that exit code.
//
// contract: E2, E3, E4, S6, S8, P10, T15, T17, B7
func TestScripts(t *testing.T) {
	t.Parallel()
	module, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, "state"))
			e.Setenv("MODULE", module)
			e.Setenv("GOCACHE", os.Getenv("GOCACHE"))
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY"} {
				out, err := exec.Command("go", "env", name).Output() //nolint:noctx // it is quick
				if err != nil {
					return fmt.Errorf("go env %s: %w", name, err)
				}
				e.Setenv(name, string(out[:len(out)-1]))
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": exitCode, "flip": flip, "copydir": copyDir},
	})
}

// exitCode runs a command and compares its exit code.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if err != nil || neg {
		ts.Fatalf("usage: code N command…")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// flip damages a file: it changes one byte in the middle of what a text begins.
func flip(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	damaged := false
	for i := 0; i+len(args[1]) <= len(data); i++ {
		if string(data[i:i+len(args[1])]) == args[1] {
			data[i+len(args[1])/2] ^= 0x20
			damaged = true
		}
	}
	if !damaged {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(path, data, 0o600))
}

// copyDir copies a folder's files into another, which is made and goes away with
// the test.
func copyDir(ts *testscript.TestScript, _ bool, args []string) {
	from, to := ts.MkAbs(args[0]), ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(to, 0o755)) //nolint:gosec // source code
	ts.Defer(func() { _ = os.RemoveAll(to) })
	files, err := os.ReadDir(from)
	ts.Check(err)
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(from, f.Name()))
		ts.Check(err)
		ts.Check(os.WriteFile(filepath.Join(to, f.Name()), data, 0o600))
	}
}
