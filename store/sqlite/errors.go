package sqlite

import (
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite"
	sqlite3lib "modernc.org/sqlite/lib"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// ErrNewer is a file that a newer version of this program has written. It is
// left as it is.
var ErrNewer = errors.New("file was written by a newer version")

// explain marks SQLite's own words with ours, so that callers need not know
// them.
func explain(err error) error {
	var kind error
	switch full := code(err); full & 0xff {
	case sqlite3lib.SQLITE_CORRUPT, sqlite3lib.SQLITE_NOTADB:
		kind = journal.ErrCorrupt
	case sqlite3lib.SQLITE_FULL:
		kind = store.ErrFull
	case sqlite3lib.SQLITE_READONLY:
		kind = store.ErrReadOnly
	case sqlite3lib.SQLITE_IOERR:
		kind = store.ErrDevice
		switch full {
		case sqlite3lib.SQLITE_IOERR_CORRUPTFS, sqlite3lib.SQLITE_IOERR_DATA:
			kind = journal.ErrCorrupt
		}
	}
	if kind == nil || errors.Is(err, kind) {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// busy reports that another process is writing.
func busy(err error) bool { return code(err)&0xff == sqlite3lib.SQLITE_BUSY }

// code is SQLite's result code for an error; zero if it is not its.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite3.Error](err); ok {
		return e.Code()
	}
	return 0
}
