package sqlite

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/ai-agent-go/ai-agent/journal"
)

//go:embed schema/*.sql
var schema embed.FS

// step is the SQL that leads from one schema version to the next.
type step string

// migrations returns the steps from nothing to the newest schema. A file's
// version is the number of steps that it has seen.
func migrations() ([]step, error) {
	names, err := fs.Glob(schema, "schema/*.sql") // sorted
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	steps := make([]step, len(names))
	for i, name := range names {
		text, err := schema.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read migration: %w", err)
		}
		steps[i] = step(text)
	}
	return steps, nil
}

const markFile = `
CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT;
INSERT INTO schema_version VALUES (0)`

// migrate brings a file to the newest schema. Several processes may try at
// once: the version that counts is the one seen inside the transaction. A file
// that needs nothing is not locked for it.
func migrate(c *conn, steps []step) error {
	version, err := schemaVersion(c)
	if err != nil || version == len(steps) {
		return err
	}
	return advance(c, steps)
}

// advance runs the steps that a file has not seen, all or none.
func advance(c *conn, steps []step) (err error) {
	if _, err := c.exec("BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("begin migration: %w", err)
	}
	defer func() {
		if err != nil {
			_, _ = c.exec("ROLLBACK") // its failure would add nothing
		}
	}()
	version, err := schemaVersion(c)
	if err != nil {
		return err
	}
	if version > len(steps) {
		return fmt.Errorf("%w: schema version %d, this program knows up to %d", ErrNewer, version, len(steps))
	}
	if version == 0 {
		if err := c.script(markFile); err != nil {
			return fmt.Errorf("mark an empty file: %w", err)
		}
	}
	for i, next := range steps[version:] {
		if err := c.script(string(next)); err != nil {
			return fmt.Errorf("migrate to schema version %d: %w", version+i+1, err)
		}
	}
	if _, err := c.exec("UPDATE schema_version SET version = ?", len(steps)); err != nil {
		return fmt.Errorf("note schema version: %w", err)
	}
	if _, err := c.exec("COMMIT"); err != nil {
		return fmt.Errorf("commit migration: %w", err)
	}
	return nil
}

// schemaVersion reads a file's version; that of an empty file is zero.
func schemaVersion(c *conn) (int, error) {
	r, err := c.one("SELECT count(*), count(*) FILTER (WHERE name = 'schema_version') FROM sqlite_schema WHERE type = 'table'")
	if err != nil {
		return 0, fmt.Errorf("look for tables: %w", err)
	}
	switch tables, ours := r.int(0), r.int(1); {
	case tables == 0:
		return 0, nil
	case ours == 0:
		return 0, errors.New("the file is a database of something else")
	}
	r, err = c.one("SELECT version FROM schema_version")
	if err != nil {
		return 0, fmt.Errorf("read schema version: %w", err)
	}
	if r == nil || r.int(0) < 1 {
		return 0, errors.New("the file does not tell its schema version")
	}
	return int(r.int(0)), nil
}

// ownSchema is what our steps make of an empty file. It is found out once.
var ownSchema = sync.OnceValues(func() (schema map[string]string, err error) { //nolint:gochecknoglobals // never changes
	steps, err := migrations()
	if err != nil {
		return nil, err
	}
	c, err := dial("file::memory:?_error_rc=1")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := migrate(c, steps); err != nil {
		return nil, err
	}
	return schemaText(c)
})

// compareSchema makes sure that a file's schema is what our steps make. A
// changed bit in it could change what a statement means.
func compareSchema(c *conn) error {
	want, err := ownSchema()
	if err != nil {
		return err
	}
	got, err := schemaText(c)
	if err != nil {
		return err
	}
	for name, text := range want {
		if got[name] != text {
			return fmt.Errorf("%w: the schema of %s is not ours", journal.ErrCorrupt, name)
		}
	}
	return nil
}

// schemaText returns the definitions of tables and indexes by name. What
// others have added is theirs.
func schemaText(c *conn) (map[string]string, error) {
	all := make(map[string]string)
	err := c.each("SELECT name, type, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'", func(r row) error {
		all[r.text(0)] = r.text(1) + " " + r.text(2) + " " + r.text(3)
		return nil
	})
	return all, err
}
