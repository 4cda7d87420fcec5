package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"os"

	"github.com/ai-agent-go/ai-agent/journal"
)

// Sizes in SQLite's write-ahead log, see https://sqlite.org/fileformat2.html#walformat.
const (
	logHeader  = 32
	frameHead  = 24
	logMagic   = 0x377f0682
	largestLog = 1 << 16 // of a page
)

// checkLog looks for damage in the middle of a log that SQLite is about to
// read. SQLite reads a log up to the first page that is not whole and takes
// what follows for the rest of a commit that power loss cut short, which is
// right at the end of a log and nowhere else. Every commit is synced before
// the next begins, so at most one of them can be incomplete: if there are
// whole commits and more behind the page, the log was whole once, and what was
// acknowledged is lost.
//
// What it cannot see is damage to the newest commit, or a log that was cut
// between two: they look as if they had never been written.
func checkLog(path string) error {
	const tries = 5 // somebody may be writing
	var err error
	for range tries {
		if err = scanLog(path + "-wal"); !errors.Is(err, journal.ErrCorrupt) {
			return err
		}
	}
	return err
}

func scanLog(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at log: %w", err)
	}
	l := &logReader{f: f}
	return errors.Join(l.scan(), f.Close())
}

// logReader reads a log frame by frame; a frame is a page with its head.
type logReader struct {
	f     *os.File
	head  [logHeader]byte
	order binary.ByteOrder // of the checksums
	page  int
	sum   [2]uint32 // of all that came before
}

func (l *logReader) scan() error {
	if _, err := io.ReadFull(l.f, l.head[:]); err != nil {
		return ended(err) // shorter than a header: nothing was ever in it
	}
	l.page = int(binary.BigEndian.Uint32(l.head[8:]))
	if l.page == 1 {
		l.page = largestLog
	}
	if !l.valid() {
		return l.lostHead()
	}
	frame := make([]byte, frameHead+l.page)
	broken, commits := 0, 0
	for n := 1; ; n++ {
		if _, err := io.ReadFull(l.f, frame); err != nil {
			return ended(err)
		}
		if string(frame[8:16]) != string(l.head[16:24]) {
			return nil // of an earlier log, or never written
		}
		switch {
		case commits > 0:
			return fmt.Errorf("%w: page %d of the log is damaged, and commits that were acknowledged come after it",
				journal.ErrCorrupt, broken)
		case broken == 0 && l.follows(frame):
		case broken == 0:
			broken = n
		}
		if broken > 0 && binary.BigEndian.Uint32(frame[4:]) != 0 {
			commits++
		}
	}
}

// valid checks the header and begins the sum.
func (l *logReader) valid() bool {
	magic := binary.BigEndian.Uint32(l.head[:])
	l.order = binary.LittleEndian
	if magic&1 != 0 {
		l.order = binary.BigEndian
	}
	l.sum = [2]uint32{}
	l.add(l.head[:24])
	return magic&^1 == logMagic && l.page >= 512 && l.page <= largestLog && bits.OnesCount(uint(l.page)) == 1 &&
		l.sum[0] == binary.BigEndian.Uint32(l.head[24:]) && l.sum[1] == binary.BigEndian.Uint32(l.head[28:])
}

// follows checks a frame and moves the sum over it.
func (l *logReader) follows(frame []byte) bool {
	before := l.sum
	l.add(frame[:8])
	l.add(frame[frameHead:])
	if l.sum[0] == binary.BigEndian.Uint32(frame[16:]) && l.sum[1] == binary.BigEndian.Uint32(frame[20:]) {
		return true
	}
	l.sum = before
	return false
}

func (l *logReader) add(data []byte) {
	a, b := l.sum[0], l.sum[1]
	for i := 0; i+8 <= len(data); i += 8 {
		a += l.order.Uint32(data[i:]) + b
		b += l.order.Uint32(data[i+4:]) + a
	}
	l.sum = [2]uint32{a, b}
}

// lostHead tells a header that was damaged from one that was being written
// when power was lost, over a log whose pages are all in the file. The salt
// that ties the pages to their header is new for each log.
func (l *logReader) lostHead() error {
	var first [frameHead]byte
	if _, err := io.ReadFull(l.f, first[:]); err != nil {
		return ended(err)
	}
	salt := binary.BigEndian.Uint64(l.head[16:])
	if bits.OnesCount64(salt^binary.BigEndian.Uint64(first[8:])) > 1 {
		return nil
	}
	return fmt.Errorf("%w: the header of the log is damaged, and commits that were acknowledged come after it", journal.ErrCorrupt)
}

// ended is no error for a file that is shorter than it could be.
func ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return fmt.Errorf("read log: %w", err)
}
