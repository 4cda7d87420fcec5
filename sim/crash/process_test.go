package crash

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/sqlite"
)

// The environment of a process that is to be killed.
const (
	envScenario = "CRASH_SCENARIO"
	envFolder   = "CRASH_FOLDER"
	envAt       = "CRASH_AT"
	envBefore   = "CRASH_BEFORE"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(envScenario); name != "" {
		if err := live(name, os.Getenv(envFolder)); err != nil {
			fmt.Println("failed", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// deadly is a store whose process dies at one of its writes.
type deadly struct {
	store.Store
	writes atomic.Int64
	at     int64
	before bool
}

// around does a write, or dies before it or after it.
func (d *deadly) around(write func() error) error {
	n := d.writes.Add(1)
	if n == d.at && d.before {
		die()
	}
	err := write()
	if n == d.at && !d.before {
		die()
	}
	return err
}

// die does what kill -9 does.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // it takes a moment
}

func (d *deadly) Append(ctx context.Context, key journal.Key, b store.Batch) error {
	return d.around(func() error { return d.Store.Append(ctx, key, b) })
}

func (d *deadly) Put(ctx context.Context, key journal.Key, item store.Item) (ticket store.Ticket, err error) {
	err = d.around(func() error {
		ticket, err = d.Store.Put(ctx, key, item)
		return err
	})
	return ticket, err
}

func (d *deadly) Reserve(ctx context.Context, tenant, account, id string, amount, limit int64) error {
	return d.around(func() error { return d.Store.Reserve(ctx, tenant, account, id, amount, limit) })
}

func (d *deadly) Settle(ctx context.Context, tenant, account, id string, spent int64) error {
	return d.around(func() error { return d.Store.Settle(ctx, tenant, account, id, spent) })
}

// live is the life of a process.
func live(name, folder string) error {
	st, err := sqlite.Open(filepath.Join(folder, "sessions.db"), nil)
	if err != nil {
		return err
	}
	at, _ := strconv.ParseInt(os.Getenv(envAt), 10, 64)
	d := &deadly{Store: st, at: at, before: os.Getenv(envBefore) != ""}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err = drive(ctx, scenarios()[name], d, folder)
	fmt.Println("writes", d.writes.Load())
	return errors.Join(err, st.Close())
}

// process is what became of a process.
type process struct {
	killed bool
	acked  []string
	writes int64
	failed string
}

// start runs a process to its end, bitter or not.
func start(t *testing.T, scenario, folder string, at int64, before bool) process {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), envScenario+"="+scenario, envFolder+"="+folder, envAt+"="+strconv.FormatInt(at, 10))
	if before {
		c.Env = append(c.Env, envBefore+"=yes")
	}
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	var p process
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		switch word, rest, _ := strings.Cut(lines.Text(), " "); word {
		case "ack":
			p.acked = append(p.acked, rest)
		case "writes":
			p.writes, _ = strconv.ParseInt(rest, 10, 64)
		case "failed":
			p.failed = rest
		}
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		p.killed = exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL //nolint:forcetypeassert // on every Unix
	}
	if err != nil && !p.killed {
		t.Fatalf("%s: %v %s\n%s", scenario, err, p.failed, stderr.String())
	}
	return p
}
