package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// address names a file to the driver. Mode is how it is opened: rw or ro.
func address(path, mode string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("make path absolute: %w", err)
	}
	slashed := filepath.ToSlash(full)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	return "file:" + (&url.URL{Path: slashed}).EscapedPath() + "?mode=" + mode + "&_error_rc=1", nil
}

// createFile makes sure that there is a file. An existing one, and its
// permissions, are left alone. Sync makes a folder's entries durable.
func createFile(path string, sync func(folder string) error) error {
	if path == "" || path == ":memory:" {
		return errors.New("path names no file; a store in memory is package memory")
	}
	if _, err := os.Stat(path); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look for file: %w", err)
	}
	folder := filepath.Dir(path)
	if err := createFolder(folder, sync); err != nil {
		return fmt.Errorf("create folder: %w", err)
	}
	if err := createEmpty(path); err != nil {
		return fmt.Errorf("create file: %w", err)
	}
	if err := sync(folder); err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	return nil
}

// createFolder makes a folder and those on the way to it, and makes their
// names durable: a file that is on the disk is lost if the folder that leads
// to it is not.
func createFolder(path string, sync func(folder string) error) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(path)
	if err := createFolder(parent, sync); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return sync(parent)
}

// syncFolder makes a folder's entries durable. Windows does so by itself, and
// knows no other way.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// createEmpty makes an empty file that only the user can read. SQLite itself
// would make it readable for all.
//
// The file is made under another name, closed, and only then given its own.
// Closing any descriptor of a file drops all locks that the process has on it,
// and from the moment the name is there somebody else in this process may have
// opened it and hold some.
func createEmpty(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-store-*") // 0600
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
