package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// createFile makes sure that there is a file and returns its address for the
// driver. An existing file, and its permissions, are left alone.
func createFile(path string) (dsn string, err error) {
	if path == "" || path == ":memory:" {
		return "", errors.New("path names no file; a store in memory is package memory")
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("make path absolute: %w", err)
	}
	if _, err := os.Stat(full); errors.Is(err, fs.ErrNotExist) {
		if err := createEmpty(full); err != nil {
			return "", fmt.Errorf("create file: %w", err)
		}
	} else if err != nil {
		return "", fmt.Errorf("look for file: %w", err)
	}
	slashed := filepath.ToSlash(full)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	return "file:" + (&url.URL{Path: slashed}).EscapedPath() + "?mode=rw&_error_rc=1", nil
}

// createEmpty makes an empty file that only the user can read. SQLite itself
// would make it readable for all.
//
// The file is made under another name, closed, and only then given its own.
// Closing any descriptor of a file drops all locks that the process has on it,
// and from the moment the name is there somebody else in this process may have
// opened it and hold some.
func createEmpty(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-store-*") // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
