package sqlite

import (
	"bytes"
	"strings"
	"unsafe"

	sqlite3lib "modernc.org/sqlite/lib"
)

// The shapes of the methods that a device replaces. T is the type of a thread
// in the C library that the driver was translated with; it is inferred, for
// that library is no dependency of ours.
type (
	openMethod[T any]     = func(t *T, vfs, name, file uintptr, flags int32, out uintptr) int32
	deleteMethod[T any]   = func(t *T, vfs, name uintptr, durable int32) int32
	closeMethod[T any]    = func(t *T, file uintptr) int32
	transfer[T any]       = func(t *T, file, buf uintptr, n int32, offset int64) int32
	truncateMethod[T any] = func(t *T, file uintptr, size int64) int32
)

// addressOf is how the translated C code knows a Go function; method is the way
// back.
func addressOf(f any) uintptr {
	return (*[2]uintptr)(unsafe.Pointer(&f))[1] //nolint:gosec // G103: see pointer
}

func method[F any](address uintptr) F {
	p := pointer(address)
	return *(*F)(unsafe.Pointer(&p)) //nolint:gosec // G103: see pointer
}

// register makes a device known to SQLite: a copy of the default VFS that
// opens files with a copy of their methods.
func register[T any](
	d *device, thread unsafe.Pointer,
	find func(*T, uintptr) uintptr, add func(*T, uintptr, int32) int32, malloc func(*T, int32) uintptr,
) int32 {
	tls := (*T)(thread)
	original := find(tls, 0)
	// What SQLite keeps addresses of is in memory of its own, and stays there.
	address := malloc(tls, int32(unsafe.Sizeof(sqlite3lib.Tsqlite3_vfs{})))
	vfs := (*sqlite3lib.Tsqlite3_vfs)(pointer(address))
	*vfs = *(*sqlite3lib.Tsqlite3_vfs)(pointer(original))
	vfs.FzName, vfs.FpNext = malloc(tls, int32(len(d.name)+1)), 0                  //nolint:gosec // short
	copy(unsafe.Slice((*byte)(pointer(vfs.FzName)), len(d.name)+1), d.name+"\x00") //nolint:gosec // G103: see pointer

	w := &watched[T]{d: d, malloc: malloc, tables: make(map[uintptr]uintptr), originals: make(map[uintptr]*ioMethods)}
	open, remove := method[openMethod[T]](vfs.FxOpen), method[deleteMethod[T]](vfs.FxDelete)
	w.kept = []any{
		func(t *T, _, name, file uintptr, flags int32, out uintptr) int32 {
			return w.open(t, open, original, name, file, flags, out)
		},
		func(t *T, _, name uintptr, durable int32) int32 { return w.remove(t, remove, original, name, durable) },
		w.close, w.write, w.read, w.truncate, w.sync,
	}
	devices.Store(d.name, w)
	vfs.FxOpen, vfs.FxDelete = addressOf(w.kept[0]), addressOf(w.kept[1])
	return add(tls, address, 0)
}

type ioMethods = sqlite3lib.Tsqlite3_io_methods

// watched is a device's methods. The maps are guarded by the device's lock.
type watched[T any] struct {
	d         *device
	kept      []any // the methods, in the order of register
	malloc    func(*T, int32) uintptr
	tables    map[uintptr]uintptr    // methods of files, ours by SQLite's
	originals map[uintptr]*ioMethods // by open file
}

// adopt gives an open file our methods. The operating system's files have
// several kinds, by how they are locked.
func (w *watched[T]) adopt(t *T, file uintptr) {
	opened := (*sqlite3lib.Tsqlite3_file)(pointer(file))
	original := (*ioMethods)(pointer(opened.FpMethods))
	table, known := w.tables[opened.FpMethods]
	if !known {
		table = w.malloc(t, int32(unsafe.Sizeof(*original)))
		w.tables[opened.FpMethods] = table
		m := (*ioMethods)(pointer(table))
		*m = *original
		m.FxClose, m.FxWrite, m.FxRead = addressOf(w.kept[2]), addressOf(w.kept[3]), addressOf(w.kept[4])
		m.FxTruncate, m.FxSync = addressOf(w.kept[5]), addressOf(w.kept[6])
	}
	opened.FpMethods = table
	w.originals[file] = original
}

func (w *watched[T]) open(t *T, open openMethod[T], vfs, name, file uintptr, flags int32, out uintptr) int32 {
	d := w.d
	d.mu.Lock()
	defer d.mu.Unlock()
	path := cString(name)
	switch rc := d.refuse(opOpen, base(path)); rc {
	case 0:
	case sqlite3lib.SQLITE_READONLY: // opens, but not for writing
		flags = flags&^(sqlite3lib.SQLITE_OPEN_READWRITE|sqlite3lib.SQLITE_OPEN_CREATE) | sqlite3lib.SQLITE_OPEN_READONLY
	default:
		return rc
	}
	isNew := flags&sqlite3lib.SQLITE_OPEN_CREATE != 0 && !exists(path)
	if rc := open(t, vfs, name, file, flags, out); rc != 0 {
		return rc
	}
	w.adopt(t, file)
	d.opened(file, path, isNew)
	return 0
}

func (w *watched[T]) remove(t *T, remove deleteMethod[T], vfs, name uintptr, durable int32) int32 {
	d := w.d
	d.mu.Lock()
	defer d.mu.Unlock()
	file := base(cString(name))
	if rc := d.refuse(opDelete, file); rc != 0 {
		return rc
	}
	rc := remove(t, vfs, name, 0)
	if in := d.names[file]; rc == 0 && in != nil {
		delete(d.names, file)
		d.note(event{op: opDelete, file: in, durable: durable != 0})
	}
	return rc
}

func (w *watched[T]) close(t *T, file uintptr) int32 {
	w.d.mu.Lock()
	original := w.originals[file]
	delete(w.originals, file)
	delete(w.d.files, file)
	w.d.mu.Unlock()
	return method[closeMethod[T]](original.FxClose)(t, file)
}

func (w *watched[T]) read(t *T, file, buf uintptr, n int32, offset int64) int32 {
	d := w.d
	d.mu.Lock()
	rc, original := d.refuse(opRead, d.files[file].name), w.originals[file]
	d.mu.Unlock()
	if rc != 0 {
		return rc
	}
	return method[transfer[T]](original.FxRead)(t, file, buf, n, offset)
}

func (w *watched[T]) write(t *T, file, buf uintptr, n int32, offset int64) int32 {
	d := w.d
	d.mu.Lock()
	defer d.mu.Unlock()
	in := d.files[file]
	if rc := d.refuse(opWrite, in.name); rc != 0 {
		return rc
	}
	if !d.deaf {
		data := unsafe.Slice((*byte)(pointer(buf)), n) //nolint:gosec // G103: see pointer
		d.note(event{op: opWrite, file: in, offset: offset, data: bytes.Clone(data)})
	}
	return method[transfer[T]](w.originals[file].FxWrite)(t, file, buf, n, offset)
}

func (w *watched[T]) truncate(t *T, file uintptr, size int64) int32 {
	d := w.d
	d.mu.Lock()
	defer d.mu.Unlock()
	in := d.files[file]
	if rc := d.refuse(opTruncate, in.name); rc != 0 {
		return rc
	}
	d.note(event{op: opTruncate, file: in, offset: size})
	return method[truncateMethod[T]](w.originals[file].FxTruncate)(t, file, size)
}

// sync notes the sync and does not do it: power is never really cut, and the
// tests are many.
func (w *watched[T]) sync(_ *T, file uintptr, _ int32) int32 {
	d := w.d
	d.mu.Lock()
	in, since, slow := d.files[file], len(d.log), d.slow
	if rc := d.refuse(opSync, in.name); rc != 0 {
		d.mu.Unlock()
		return rc
	}
	d.mu.Unlock()
	if slow != nil {
		slow(in.name)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.note(event{op: opSync, file: in, since: since, durable: in.fresh})
	if isMain(in.name) {
		d.fileSyncs++
	} else {
		d.logSyncs++
	}
	in.fresh = false
	return 0
}

// isMain tells the database file from its log and journal.
func isMain(name string) bool {
	return !strings.HasSuffix(name, "-wal") && !strings.HasSuffix(name, "-journal")
}
