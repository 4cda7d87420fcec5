package journal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// An archive is one session in one file: its key, its frames, its blobs. It is
// what a bug report attaches and what any machine can replay.
//
//	"ai-agent session 1\n", key, then entries, then the end entry
//	entry: 'F' length frame | 'B' length blob | 'E' length 8-byte count of entries
const archiveMagic = "ai-agent session 1\n"

// maxEntry bounds one archived frame or blob.
const maxEntry = 256 << 20

// Archive is a session read from an archive.
type Archive struct {
	Key    Key
	Frames []Frame
	Blobs  map[Ref][]byte
}

// ArchiveWriter writes an archive; Close completes it.
type ArchiveWriter struct {
	w     *bufio.Writer
	count uint64
	err   error
}

// NewArchiveWriter starts an archive of the session k.
func NewArchiveWriter(w io.Writer, k Key) *ArchiveWriter {
	a := &ArchiveWriter{w: bufio.NewWriter(w)}
	_, a.err = a.w.WriteString(archiveMagic)
	a.entry('K', Encode(nil, &k))
	return a
}

// Fields codes a key.
func (k *Key) Fields(c *Codec) {
	c.String(&k.Tenant)
	c.String(&k.Session)
}

// Frame adds a frame.
func (a *ArchiveWriter) Frame(f *Frame) { a.entry('F', f.Encode()) }

// Blob adds a blob.
func (a *ArchiveWriter) Blob(data []byte) { a.entry('B', data) }

// Close writes the end mark and reports the first error of all.
func (a *ArchiveWriter) Close() error {
	a.entry('E', binary.BigEndian.AppendUint64(nil, a.count))
	if err := a.w.Flush(); a.err == nil && err != nil {
		a.err = err
	}
	if a.err != nil {
		return fmt.Errorf("write session archive: %w", a.err)
	}
	return nil
}

func (a *ArchiveWriter) entry(kind byte, data []byte) {
	if a.err != nil {
		return
	}
	a.count++
	header := binary.AppendUvarint([]byte{kind}, uint64(len(data)))
	if _, a.err = a.w.Write(header); a.err == nil {
		_, a.err = a.w.Write(data)
	}
}

// ReadArchive reads and checks a whole archive: the chain of its frames, that
// it is complete, and that nothing follows. Blobs are named by what they are,
// so a changed blob is simply not there.
func ReadArchive(r io.Reader) (*Archive, error) {
	in := bufio.NewReader(r)
	magic := make([]byte, len(archiveMagic))
	if _, err := io.ReadFull(in, magic); err != nil || string(magic) != archiveMagic {
		return nil, fmt.Errorf("%w: this is not a session archive", ErrCorrupt)
	}
	a := &Archive{Blobs: make(map[Ref][]byte)}
	var chain *Chain
	for count := uint64(0); ; count++ {
		kind, data, err := readEntry(in)
		if err != nil {
			return nil, fmt.Errorf("session archive, entry %d: %w", count, err)
		}
		switch {
		case kind == 'K' && chain == nil:
			if err := Decode(data, &a.Key); err != nil {
				return nil, err
			}
			if err := a.Key.Validate(); err != nil {
				return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
			}
			chain = NewChain(a.Key)
		case kind == 'F' && chain != nil:
			f, err := DecodeFrame(data)
			if err != nil {
				return nil, fmt.Errorf("session archive, entry %d: %w", count, err)
			}
			if err := chain.Next(&f, data); err != nil {
				return nil, err
			}
			a.Frames = append(a.Frames, f)
		case kind == 'B' && chain != nil:
			a.Blobs[RefOf(data)] = data
		case kind == 'E' && chain != nil && len(data) == 8 && binary.BigEndian.Uint64(data) == count:
			if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
				return nil, fmt.Errorf("%w: session archive: text after its end", ErrCorrupt)
			}
			return a, nil
		default:
			return nil, fmt.Errorf("%w: session archive, entry %d: unexpected kind %q", ErrCorrupt, count, kind)
		}
	}
}

func readEntry(in *bufio.Reader) (byte, []byte, error) {
	kind, err := in.ReadByte()
	if err != nil {
		return 0, nil, cutOff(err)
	}
	n, err := binary.ReadUvarint(in)
	if err != nil {
		return 0, nil, cutOff(err)
	}
	if n > maxEntry {
		return 0, nil, fmt.Errorf("%w: entry of %d bytes", ErrCorrupt, n)
	}
	// The length is a claim: LimitReader grows with what is really there.
	data, err := io.ReadAll(io.LimitReader(in, int64(n))) //nolint:gosec // at most maxEntry
	if err != nil {
		return 0, nil, fmt.Errorf("read session archive: %w", err)
	}
	if uint64(len(data)) != n {
		return 0, nil, cutOff(io.EOF)
	}
	return kind, data, nil
}

func cutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: the file is cut off", ErrCorrupt)
	}
	return fmt.Errorf("read session archive: %w", err)
}
