package journal

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// An archive is one session in one file: its key, its frames, its blobs, and
// the same of the sessions that have worked for it. It is what a bug report
// attaches and what any machine can replay.
//
//	"ai-agent session 1\n", key, then entries, then the end entry
//	entry: 'F' length frame | 'B' length blob | 'S' length head key | 'E' length count head
//
// 'S' begins the next session. The count is of all entries before the end, in 8
// bytes; a head is the hash of the last frame before it. Each frame is vouched
// for by the one after it, the last by the head: without it a change to the last
// frame would go unnoticed.
const archiveMagic = "ai-agent session 1\n"

// maxEntry bounds one archived frame or blob.
const maxEntry = 256 << 20

// Archive is a session read from an archive.
type Archive struct {
	Key    Key
	Frames []Frame
	Blobs  map[Ref][]byte
	// Others are the sessions that have worked for this one. They share its
	// blobs, and have no others themselves.
	Others []*Archive
}

// All lists the session and those that have worked for it.
func (a *Archive) All() []*Archive { return append([]*Archive{a}, a.Others...) }

// ArchiveWriter writes an archive; Close completes it.
type ArchiveWriter struct {
	w     *bufio.Writer
	count uint64
	head  Ref
	err   error
}

// NewArchiveWriter starts an archive of the session k.
func NewArchiveWriter(w io.Writer, k Key) *ArchiveWriter {
	a := &ArchiveWriter{w: bufio.NewWriter(w), head: Genesis(k)}
	_, a.err = a.w.WriteString(archiveMagic)
	a.entry('K', Encode(nil, &k))
	return a
}

// Fields codes a key.
func (k *Key) Fields(c *Codec) {
	c.String(&k.Tenant)
	c.String(&k.Session)
}

// Session goes on with another session. What is added from here on is its.
func (a *ArchiveWriter) Session(k Key) {
	a.entry('S', append(a.head[:len(a.head):len(a.head)], Encode(nil, &k)...))
	a.head = Genesis(k)
}

// Frame adds a frame. Frames are added in order.
func (a *ArchiveWriter) Frame(f *Frame) {
	data := f.Encode()
	a.head = RefOf(data)
	a.entry('F', data)
}

// Blob adds a blob.
func (a *ArchiveWriter) Blob(data []byte) { a.entry('B', data) }

// Close writes the end mark and reports the first error of all.
func (a *ArchiveWriter) Close() error {
	a.entry('E', endMark(a.count, a.head))
	if err := a.w.Flush(); a.err == nil && err != nil {
		a.err = err
	}
	if a.err != nil {
		return fmt.Errorf("write session archive: %w", a.err)
	}
	return nil
}

func (a *ArchiveWriter) entry(kind byte, data []byte) {
	if a.err == nil && len(data) > maxEntry {
		a.err = fmt.Errorf("entry of %d bytes, the most is %d", len(data), maxEntry)
	}
	if a.err != nil {
		return
	}
	a.count++
	header := binary.AppendUvarint([]byte{kind}, uint64(len(data)))
	if _, a.err = a.w.Write(header); a.err == nil {
		_, a.err = a.w.Write(data)
	}
}

func endMark(count uint64, head Ref) []byte {
	return append(binary.BigEndian.AppendUint64(nil, count), head[:]...)
}

// ReadArchive reads and checks a whole archive: the chain of its frames, that
// it is complete, and that nothing follows. Blobs are named by what they are,
// so a changed blob is simply not there.
func ReadArchive(r io.Reader) (*Archive, error) {
	in := bufio.NewReader(r)
	magic := make([]byte, len(archiveMagic))
	n, err := io.ReadFull(in, magic)
	if !strings.HasPrefix(archiveMagic, string(magic[:n])) {
		return nil, fmt.Errorf("%w: this is not a session archive", ErrCorrupt)
	}
	if err != nil {
		return nil, cutOff(err)
	}
	a := &Archive{Blobs: make(map[Ref][]byte)}
	last := a
	var chain *Chain
	for count := uint64(0); ; count++ {
		kind, data, err := readEntry(in)
		if err != nil {
			return nil, fmt.Errorf("session archive, entry %d: %w", count, err)
		}
		switch {
		case kind == 'K' && chain == nil:
			if chain, err = readKey(data, &a.Key); err != nil {
				return nil, err
			}
		case kind == 'S' && chain != nil:
			head := chain.Head()
			rest, follows := bytes.CutPrefix(data, head[:])
			if !follows {
				return nil, fmt.Errorf("%w: session archive, entry %d: it does not fit what came before", ErrCorrupt, count)
			}
			last = &Archive{Blobs: a.Blobs}
			if chain, err = readKey(rest, &last.Key); err != nil {
				return nil, err
			}
			a.Others = append(a.Others, last)
		case kind == 'F' && chain != nil:
			f, err := DecodeFrame(data)
			if err != nil {
				return nil, fmt.Errorf("session archive, entry %d: %w", count, err)
			}
			if err := chain.Next(&f, data); err != nil {
				return nil, err
			}
			last.Frames = append(last.Frames, f)
		case kind == 'B' && chain != nil:
			a.Blobs[RefOf(data)] = data
		case kind == 'E' && chain != nil:
			if !bytes.Equal(data, endMark(count, chain.Head())) {
				return nil, fmt.Errorf("%w: session archive: its end does not fit what came before", ErrCorrupt)
			}
			if err := expectEnd(in); err != nil {
				return nil, err
			}
			return a, nil
		default:
			return nil, fmt.Errorf("%w: session archive, entry %d: unexpected kind %q", ErrCorrupt, count, kind)
		}
	}
}

func readKey(data []byte, k *Key) (*Chain, error) {
	if err := Decode(data, k); err != nil {
		return nil, err
	}
	if err := k.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return NewChain(*k), nil
}

func readEntry(in *bufio.Reader) (byte, []byte, error) {
	kind, err := in.ReadByte()
	if err != nil {
		return 0, nil, cutOff(err)
	}
	n, err := readLength(in)
	if err != nil {
		return 0, nil, err
	}
	// The length is a claim: LimitReader grows with what is really there.
	data, err := io.ReadAll(io.LimitReader(in, n))
	if err != nil {
		return 0, nil, fmt.Errorf("read session archive: %w", err)
	}
	if int64(len(data)) != n {
		return 0, nil, cutOff(io.EOF)
	}
	return kind, data, nil
}

// readLength reads a length in its shortest form. binary.ReadUvarint would
// take longer forms too, and its error for a hostile one looks like a fault of
// the disk.
func readLength(in *bufio.Reader) (int64, error) {
	var n int64
	for shift := 0; n <= maxEntry && shift < 35; shift += 7 {
		b, err := in.ReadByte()
		if err != nil {
			return 0, cutOff(err)
		}
		n |= int64(b&0x7f) << shift
		switch {
		case b == 0 && shift > 0:
			return 0, fmt.Errorf("%w: length is not in its shortest form", ErrCorrupt)
		case b < 0x80 && n <= maxEntry:
			return n, nil
		}
	}
	return 0, fmt.Errorf("%w: entry of more than %d bytes", ErrCorrupt, maxEntry)
}

func expectEnd(in *bufio.Reader) error {
	_, err := in.ReadByte()
	switch {
	case err == nil:
		return fmt.Errorf("%w: session archive: text after its end", ErrCorrupt)
	case errors.Is(err, io.EOF):
		return nil
	default:
		return cutOff(err)
	}
}

func cutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: the file is cut off", ErrCorrupt)
	}
	return fmt.Errorf("read session archive: %w", err)
}
