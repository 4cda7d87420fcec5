package sqlite

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// sector is what a disk writes whole.
const sector = 512

// crash is what a power cut does to writes that no sync has covered.
type crash string

const (
	// crashKept is the end of the process alone: all that was written is there.
	crashKept crash = "kept"
	// crashLost keeps nothing that was not synced.
	crashLost crash = "lost"
	// crashMixed decides for every write: kept, lost, some of its sectors kept,
	// or some of them full of noise.
	crashMixed crash = "mixed"
)

// disk is what a folder holds: contents by name.
type disk map[string][]byte

// cut tells what the disk may hold if power is lost after the first events of
// a log.
func cut(events []event, how crash, rng *rand.Rand) disk {
	contents := make(map[*inode][]byte)
	covered := coverage(events)
	for i, e := range events {
		switch {
		case e.op != opWrite && e.op != opTruncate:
		case i < covered[e.file] || how == crashKept:
			contents[e.file] = apply(contents[e.file], e)
		case how == crashMixed:
			contents[e.file] = maybe(contents[e.file], e, rng)
		}
	}
	d := make(disk)
	for name, in := range folder(events, how, rng) {
		d[name] = contents[in]
	}
	return d
}

// coverage tells for each file up to which event its writes are durable.
func coverage(events []event) map[*inode]int {
	covered := make(map[*inode]int)
	for _, e := range events {
		if e.op == opSync {
			covered[e.file] = e.since
		}
	}
	return covered
}

func apply(content []byte, e event) []byte {
	if e.op == opTruncate {
		return resize(content, e.offset)
	}
	if end := e.offset + int64(len(e.data)); end > int64(len(content)) {
		content = resize(content, end)
	}
	copy(content[e.offset:], e.data)
	return content
}

func resize(content []byte, size int64) []byte {
	if size <= int64(len(content)) {
		return content[:size:size]
	}
	return append(content, make([]byte, size-int64(len(content)))...)
}

// maybe applies a write that nothing has made durable.
func maybe(content []byte, e event, rng *rand.Rand) []byte {
	fate := rng.IntN(5)
	if e.op == opTruncate || fate < 2 {
		if fate%2 == 0 {
			return content
		}
		return apply(content, e)
	}
	for at := int64(0); at < int64(len(e.data)); {
		// The disk's sectors, not those of the write.
		end := min((e.offset+at)/sector*sector+sector-e.offset, int64(len(e.data)))
		part := event{op: opWrite, offset: e.offset + at, data: e.data[at:end]}
		at = end
		switch {
		case rng.IntN(2) == 0:
		case fate == 4:
			part.data = noise(len(part.data), rng)
			fallthrough
		default:
			content = apply(content, part)
		}
	}
	return content
}

func noise(n int, rng *rand.Rand) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32()) //nolint:gosec // noise
	}
	return b
}

// folder tells which names lead to which contents. Names come and go in order;
// how many of those that nothing made durable have happened, chance decides.
func folder(events []event, how crash, rng *rand.Rand) map[string]*inode {
	var changes []event
	durable := 0
	names := map[string]*inode{}
	for _, e := range events {
		switch e.op {
		case opCreate, opDelete:
			changes = append(changes, e)
		case opWrite, opTruncate, opSync:
			if isMain(e.file.name) {
				names[e.file.name] = e.file // is there from the start
			}
		}
		if e.durable {
			durable = len(changes)
		}
	}
	happened := len(changes)
	switch how {
	case crashLost:
		happened = durable
	case crashMixed:
		happened = durable + rng.IntN(len(changes)-durable+1)
	}
	for _, e := range changes[:happened] {
		if e.op == opCreate {
			names[e.file.name] = e.file
		} else {
			delete(names, e.file.name)
		}
	}
	return names
}

// write puts the disk into a new folder and returns the path of the store in
// it. There may be left-overs in shared memory, which is a file too.
func (d disk) write(tb testing.TB, name string, rng *rand.Rand) string {
	tb.Helper()
	dir := tb.TempDir()
	path := filepath.Join(dir, name)
	all := disk{name: nil}
	maps.Copy(all, d)
	if rng.IntN(2) == 0 {
		all[name+"-shm"] = noise(32<<10, rng)
	}
	for file, content := range all {
		if err := os.WriteFile(filepath.Join(dir, file), content, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return path
}
