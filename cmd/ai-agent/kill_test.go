package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store/sqlite"
)

// slow is a model whose second turn takes a minute, unless it is the last turn.
const slow = `turns:
  - calls: [{id: c, name: agent__task_status, arguments: {status: in-progress, done: some, pending: rest, now: waiting, ready_for_final_report: false, need_to_run_more_tools: true}}]
  - delay_ms: 60000
    calls: [{id: r, name: agent__final_report, arguments: {report_format: markdown, report_content: slow}}]
`

const quick = `repeat: last
turns:
  - calls: [{id: r, name: agent__final_report, arguments: {report_format: markdown, report_content: quick}}]
`

// process starts the command as another process and waits until its session has
// asked the model for the second time.
func process(t *testing.T, folder string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	for name, text := range map[string]string{"slow.yaml": slow, "quick.yaml": quick, "tools.yaml": "[{name: other}]"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db := filepath.Join(folder, "s.db")
	path, err := exec.LookPath("ai-agent") // testscript puts it there
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), path, "run", "--store", db, "--session", "s", "--transport", "native",
		"--script", filepath.Join(folder, "slow.yaml"), "--tools", filepath.Join(folder, "tools.yaml"), "hi")
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	until(t, db, 3)
	return c, &out
}

// until waits until a session has so many frames. It asks every few milliseconds:
// before its first frame there is nothing to watch.
func until(t *testing.T, db string, frames uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("the session does not get under way")
		}
		if _, err := os.Stat(db); err != nil {
			continue
		}
		st, err := sqlite.Open(db, nil)
		if err != nil {
			continue
		}
		head, err := st.Head(ctx, journal.Key{Tenant: tenant, Session: "s"})
		_ = st.Close()
		if err == nil && head.Seq >= frames {
			tick.Stop()
			return
		}
	}
}

// contract: S8
func TestASessionWhoseProcessWasKilledIsResumed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	c, _ := process(t, folder)
	if err := c.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	db := filepath.Join(folder, "s.db")
	// Another command on the same store leaves the session alone: it is not its.
	if r := command(t, "run", "--store", db, "--session", "other", "--transport", "native", "--script", filepath.Join(folder, "quick.yaml"),
		"hi"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if r := command(t, "sessions", "--store", db, "--status", "running"); !strings.HasPrefix(r.out, "s\trunning") {
		t.Fatalf("sessions: %+v", r)
	}
	r := command(t, "resume", "--store", db, "s", "--script", filepath.Join(folder, "quick.yaml"))
	if r.code != 0 || r.out != "quick\n" {
		t.Errorf("resume: %+v", r)
	}
	if r := command(t, "verify", "--store", db, "--all"); r.code != 0 {
		t.Errorf("verify: %+v", r)
	}
}

// contract: S11, S9
func TestARunInAnotherProcessCanBeAborted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	c, out := process(t, folder)
	db := filepath.Join(folder, "s.db")
	if r := command(t, "abort", "--store", db, "s"); r.code != 1 || !strings.Contains(r.errors, "aborted") {
		t.Errorf("abort: %+v", r)
	}
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != exitFailed || !strings.Contains(out.String(), "aborted") {
		t.Errorf("the run ended with %v: %s", err, out)
	}
	if r := command(t, "verify", "--store", db, "s"); r.code != 0 {
		t.Errorf("verify: %+v", r)
	}
}
