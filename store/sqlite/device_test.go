package sqlite

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	sqlite3 "modernc.org/sqlite"
	sqlite3lib "modernc.org/sqlite/lib"
)

// device is the operating system's file system, seen through a glass: it notes
// what SQLite writes and syncs, in order, and fails when a test tells it to.
//
// It is a VFS whose methods are SQLite's own but for those that matter here.
// The log is all that a power cut leaves; see crash_test.go.
type device struct {
	name string

	mu    sync.Mutex
	log   []event
	files map[uintptr]*inode // what SQLite has open
	names map[string]*inode  // what the folder holds
	count int                // inodes so far
	// fault, if not nil, is asked before anything happens to a file; a result
	// other than zero is SQLite's result code for a failure.
	fault func(op operation, name string) int32
	// deaf notes nothing but how many syncs there were, for stores that are only
	// looked at.
	deaf                bool
	logSyncs, fileSyncs int
	// slow is called in every sync.
	slow func(name string)
}

type operation string

const (
	opOpen     operation = "open"
	opCreate   operation = "create"
	opDelete   operation = "delete"
	opWrite    operation = "write"
	opTruncate operation = "truncate"
	opSync     operation = "sync"
	opRead     operation = "read"
	opAck      operation = "ack" // a test was told that something is durable
)

// inode is a file's content, which outlives its name.
type inode struct {
	number int
	name   string // the file's name without its folder
	fresh  bool   // its name is not durable yet; the first sync makes it so
}

// event is an entry of the log. A sync is noted when it is complete; since is
// how long the log was when it began.
type event struct {
	op     operation
	file   *inode
	offset int64 // of a write; the size for a truncate
	data   []byte
	since  int
	// durable says that the event makes the folder's entries so far durable.
	durable bool
	ack     int
}

// Devices are registered with SQLite for good, so what SQLite calls must not
// be collected. The names are counted.
var (
	devices     sync.Map
	deviceCount atomic.Int64
)

// newDevice registers a device.
func newDevice(tb testing.TB) *device {
	tb.Helper()
	d := &device{
		name:  fmt.Sprintf("device%d", deviceCount.Add(1)),
		files: make(map[uintptr]*inode), names: make(map[string]*inode),
	}
	connector, err := sqlite3.NewConnector(":memory:")
	if err != nil {
		tb.Fatal(err)
	}
	c, err := connector.Connect(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	// SQLite's functions want the thread that they are called on. The driver
	// has one for each connection and no method that tells it.
	thread := reflect.ValueOf(c).Elem().FieldByName("tls").UnsafePointer()
	rc := register(d, thread, sqlite3lib.Xsqlite3_vfs_find, sqlite3lib.Xsqlite3_vfs_register, sqlite3lib.Xsqlite3_malloc)
	if rc != 0 {
		tb.Fatalf("register VFS: result %d", rc)
	}
	if err := c.Close(); err != nil {
		tb.Fatal(err)
	}
	return d
}

// options are those of a store on the device.
func (d *device) options() *Options {
	return &Options{vfs: d.name, PollInterval: 1 << 40}
}

// note adds an event; the lock is held.
func (d *device) note(e event) {
	if !d.deaf {
		d.log = append(d.log, e)
	}
}

// ack notes that a test has been told that its n-th call is durable.
func (d *device) ack(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.note(event{op: opAck, ack: n})
}

// events returns the log so far.
func (d *device) events() []event {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clip(d.log)
}

// counts tells how often the log and the file were synced.
func (d *device) counts() (log, file int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.logSyncs, d.fileSyncs
}

// fail sets what fails from now on; nil is nothing.
func (d *device) fail(fault func(op operation, name string) int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault = fault
}

// slowly sets what is called in every sync from now on.
func (d *device) slowly(slow func(name string)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.slow = slow
}

// refuse asks for a fault; the lock is held.
func (d *device) refuse(op operation, name string) int32 {
	if d.fault == nil {
		return 0
	}
	return d.fault(op, name)
}

// opened notes a file that SQLite has opened.
func (d *device) opened(file uintptr, path string, isNew bool) {
	name := base(path)
	in := d.names[name]
	if in == nil || isNew {
		d.count++
		in = &inode{number: d.count, name: name, fresh: isNew}
		d.names[name] = in
		if isNew {
			d.note(event{op: opCreate, file: in})
		}
	}
	d.files[file] = in
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// pointer makes a pointer of a number that SQLite handed out, which is
// its own memory or a function that devices keeps.
func pointer(p uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&p)) //nolint:gosec // G103: there is no other way to talk to a VFS
}

func cString(p uintptr) string {
	if p == 0 {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(pointer(p)), n)) //nolint:gosec // G103: see pointer
}
