// Command ai-agent runs AI agents from the shell and looks into what they did.
//
// stdout carries the answer and nothing else; progress and explanations go to
// stderr. The exit code says how it went: 0 success, 1 the session failed,
// 2 it waits for somebody, 4 wrong arguments or configuration.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// The exit codes (contract E2).
const (
	exitOK        = 0
	exitFailed    = 1
	exitSuspended = 2
	exitUsage     = 4
)

// exitError is an error that knows its exit code. The answer that goes with it
// has been printed already when quiet is set.
type exitError struct {
	code  int
	err   error
	quiet bool
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// failed is an error that is nobody's fault on the command line.
func failed(format string, args ...any) error {
	return &exitError{code: exitFailed, err: fmt.Errorf(format, args...)}
}

// run is main without the process: arguments in, exit code out.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot(stdin, stdout, stderr)
	root.SetArgs(append([]string{}, args...)) // nil would mean the process's own
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var e *exitError
	if !errors.As(err, &e) {
		// Everything that our commands return has a code; the rest is cobra
		// telling that it does not understand the command line.
		e = &exitError{code: exitUsage, err: err}
	}
	if !e.quiet {
		fmt.Fprintf(stderr, "ai-agent: %v\n", e.err)
	}
	return e.code
}
