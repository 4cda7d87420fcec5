package sqlite

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
)

// sealSize is how many bytes of the hash a seal keeps: it is against accidents,
// not against people, who could seal anew.
const sealSize = 8

// seal is over the values of a row, in the order of its columns.
func seal(values ...any) []byte {
	buf := make([]byte, 0, 256)
	for _, value := range values {
		switch v := value.(type) {
		case int64:
			buf = append(buf, 'i')
			buf = binary.BigEndian.AppendUint64(buf, uint64(v)) //nolint:gosec // the bits are what is wanted
		case uint64:
			buf = append(buf, 'i')
			buf = binary.BigEndian.AppendUint64(buf, v)
		case bool:
			n := uint64(0)
			if v {
				n = 1
			}
			buf = append(buf, 'i')
			buf = binary.BigEndian.AppendUint64(buf, n)
		case string:
			buf = append(buf, 't')
			buf = binary.AppendUvarint(buf, uint64(len(v)))
			buf = append(buf, v...)
		case []byte:
			buf = append(buf, 'b')
			buf = binary.AppendUvarint(buf, uint64(len(v)))
			buf = append(buf, v...)
		case nil:
			buf = append(buf, 'n')
		default:
			panic(fmt.Sprintf("sqlite: a row holds no %T", value)) // no input can cause it
		}
	}
	sum := sha256.Sum256(buf)
	return sum[:sealSize]
}

// unbroken checks a row against its seal.
func unbroken(stored []byte, values ...any) error {
	if len(stored) > 0 && !bytes.Equal(stored, seal(values...)) {
		return fmt.Errorf("%w: the row is not what was written", journal.ErrCorrupt)
	}
	return nil
}
