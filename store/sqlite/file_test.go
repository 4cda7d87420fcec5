package sqlite

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

func TestAStoreIsTheSameAfterReopening(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := openAt(t, path)
	lease := begin(t, s, testKey, "me")
	frames := newChain(testKey)
	small, large := journal.NewBlob([]byte("small")), journal.NewBlob(bytes.Repeat([]byte("large"), 10_000))
	batch := store.Batch{
		Lease: lease, Frames: append(frames.next(), frames.next()...), Blobs: []journal.Blob{small, large},
		Answers: []store.Answer{{Position: 1, Body: []byte("answer")}},
		Summary: store.Summary{Status: "running", Active: true}, State: []byte("state"),
	}
	if err := s.Append(t.Context(), testKey, batch); err != nil {
		t.Fatal(err)
	}
	if err := s.Reserve(t.Context(), "acme", "ann", "a", 60, 100); err != nil {
		t.Fatal(err)
	}
	before, err := s.Head(t.Context(), testKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = openAt(t, path)
	after, err := s.Head(t.Context(), testKey)
	if err != nil || !reflect.DeepEqual(after, before) || after.Seq != 2 || string(after.State) != "state" {
		t.Errorf("head after reopening: %+v, %v, want %+v", after, err, before)
	}
	if n := count(t, s, testKey); n != 2 {
		t.Errorf("%d frames after reopening, want 2", n)
	}
	for _, b := range []journal.Blob{small, large} {
		if got, err := s.Blob(t.Context(), testKey, b.Ref); err != nil || !bytes.Equal(got, b.Data) {
			t.Errorf("blob of %d bytes after reopening: %d bytes, %v", len(b.Data), len(got), err)
		}
	}
	if ticket, err := s.Ticket(t.Context(), testKey, "create"); err != nil || string(ticket.Answer) != "answer" {
		t.Errorf("ticket after reopening: %+v, %v", ticket, err)
	}
	if b, err := s.Balance(t.Context(), "acme", "ann"); err != nil || b.Reserved != 60 {
		t.Errorf("balance after reopening: %+v, %v", b, err)
	}
	// The lease is in the file, not in the process.
	if err := s.Append(t.Context(), testKey, store.Batch{Lease: lease, Frames: frames.next()}); err != nil {
		t.Errorf("append after reopening: %v", err)
	}
}

func TestNewFilesAreTheUsersAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("permissions are others there")
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := openAt(t, filepath.Join(dir, "sessions.db"))
	begin(t, s, testKey, "me")
	for name, want := range map[string]fs.FileMode{
		"..": 0o700, ".": 0o700, "sessions.db": 0o600, "sessions.db-wal": 0o600, "sessions.db-shm": 0o600,
		"sessions.db-alive": 0o700,
	} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: mode %o, want %o", name, got, want)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 4 {
		t.Errorf("folder has %v, %v, want nothing but the store's own", entries, err)
	}
}

// A file is as durable as the folders that lead to it.
func TestNamesOfNewFoldersAreSynced(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, "a", "b", "sessions.db")
	var synced []string
	sync := func(folder string) error {
		below, err := filepath.Rel(root, folder)
		synced = append(synced, below)
		return err
	}
	if err := createFile(path, sync); err != nil {
		t.Fatal(err)
	}
	if want := []string{".", "a", filepath.Join("a", "b")}; !slices.Equal(synced, want) {
		t.Errorf("synced %q, want %q", synced, want)
	}
	broken := errors.New("broken")
	err := createFile(filepath.Join(root, "c", "sessions.db"), func(string) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("a folder that cannot be synced: %v", err)
	}
}

func TestPathsMayHoldAnyCharacter(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("not there")
	}
	path := filepath.Join(t.TempDir(), "100%25 odd?mode=memory#&;'é.db")
	s := openAt(t, path)
	begin(t, s, testKey, "me")
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	s = openAt(t, path)
	if _, err := s.Head(t.Context(), testKey); err != nil {
		t.Error(err)
	}
}

func TestOpeningANewFileManyTimesAtOnce(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			s, err := Open(path, nil)
			if err != nil {
				t.Error(err)
				return
			}
			key := journal.Key{Tenant: "acme", Session: strconv.Itoa(i)}
			if _, err := s.Put(t.Context(), key, store.Item{Key: "create", Create: true}); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	page, err := openAt(t, path).List(t.Context(), "acme", store.Query{})
	if err != nil || len(page.Sessions) != 8 {
		t.Errorf("%d sessions, %v, want 8", len(page.Sessions), err)
	}
}

func TestWhatCannotBeOpenedSaysWhy(t *testing.T) {
	t.Parallel()
	foreign := newPath(t)
	newer := newPath(t)
	for path, script := range map[string]string{
		foreign: "CREATE TABLE song (title TEXT)",
		newer:   "UPDATE schema_version SET version = 99",
	} {
		if path == newer {
			openAt(t, path)
		}
		dsn, err := address(path, "rwc")
		if err != nil {
			t.Fatal(err)
		}
		c, err := dial(dsn)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(c.script(script), c.close()); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		path    string
		options *Options
		want    string
	}{
		{"", nil, "names no file"},
		{":memory:", nil, "names no file"},
		{t.TempDir(), nil, "unable to open"},
		{newPath(t), &Options{Readers: -1}, "below zero"},
		{foreign, nil, "database of something else"},
		{newer, nil, "newer version"},
	} {
		_, err := Open(c.path, c.options)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("open %q: %v, want an error with the path and %q", c.path, err, c.want)
		}
	}
}
