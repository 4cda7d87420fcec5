package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/memory"
	"github.com/ai-agent-go/ai-agent/store/sqlite"
)

// tenant is whose sessions the command line runs.
const tenant = "default"

// openStore opens the store that the flag names, or the user's own.
func (a *app) openStore() (store.Store, error) {
	if a.storePath == "memory" {
		return memory.New(), nil
	}
	path, err := a.databasePath()
	if err != nil {
		return nil, err
	}
	st, err := sqlite.Open(path, nil)
	if err != nil {
		return nil, failed("open store: %w", err)
	}
	return st, nil
}

// existing opens a store that must be there: looking for a session must not make
// one.
func (a *app) existing() (*sqlite.Store, error) {
	if a.storePath == "memory" {
		return nil, usage("a memory store has no sessions from before: name a file or a session of another store")
	}
	path, err := a.databasePath()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, &exitError{code: exitUsage, err: fmt.Errorf("there is no store %s yet: %w", path, store.ErrNotFound)}
	}
	st, err := sqlite.Open(path, nil)
	if err != nil {
		return nil, failed("open store: %w", err)
	}
	return st, nil
}

func (a *app) databasePath() (string, error) {
	if a.storePath != "" {
		return a.storePath, nil
	}
	dir := os.Getenv("XDG_STATE_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", usage("no place to keep sessions: %v; set HOME or XDG_STATE_HOME, or say --store FILE or --store memory", err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "ai-agent", "sessions.db"), nil
}

// load reads a session: from an archive file when the argument names one, from
// the store otherwise.
func (a *app) load(ctx context.Context, name string) (*journal.Archive, error) {
	if f, err := os.Open(name); err == nil {
		defer f.Close() //nolint:errcheck // it was only read
		archive, err := journal.ReadArchive(f)
		if err != nil {
			return nil, failed("%s: %w", name, err)
		}
		return archive, nil
	} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) {
		return nil, usage("%w", err)
	}
	if err := (journal.Key{Tenant: tenant, Session: name}).Validate(); err != nil {
		return nil, usage("%q is neither a file nor a session: %v", name, err)
	}
	st, err := a.existing()
	if errors.Is(err, store.ErrNotFound) {
		return nil, usage("there is no file and no session %q: %v", name, err)
	}
	if err != nil {
		return nil, err
	}
	defer st.Close() //nolint:errcheck // it was only read
	id, err := a.resolve(ctx, st, name)
	if err != nil {
		return nil, err
	}
	return read(ctx, st, id)
}

// read reads a session out of a store.
func read(ctx context.Context, st store.Store, id string) (*journal.Archive, error) {
	return readWith(ctx, st, id, nil)
}

// readAlone reads a session without those that have worked for it.
func readAlone(ctx context.Context, st store.Store, id string) (*journal.Archive, error) {
	return readWith(ctx, st, id, &aiagent.ExportOptions{Alone: true})
}

func readWith(ctx context.Context, st store.Store, id string, o *aiagent.ExportOptions) (*journal.Archive, error) {
	var buf bytes.Buffer
	_, err := aiagent.ExportSessionWith(ctx, st, journal.Key{Tenant: tenant, Session: id}, &buf, o)
	var archive *journal.Archive
	if err == nil {
		archive, err = journal.ReadArchive(&buf)
	}
	if err != nil {
		return nil, failed("%w", err)
	}
	return archive, nil
}
