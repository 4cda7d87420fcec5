package wire

import (
	"bytes"
	"io"
)

// Body is the body of a request in pieces. What was encoded for an earlier
// request is a piece of the next one and is not copied.
type Body struct{ pieces [][]byte }

// Add appends pieces. They must not change any more.
func (b *Body) Add(pieces ...[]byte) { b.pieces = append(b.pieces, pieces...) }

// AddText appends a text.
func (b *Body) AddText(text string) { b.pieces = append(b.pieces, []byte(text)) }

// Len is the length in bytes.
func (b *Body) Len() (n int64) {
	for _, p := range b.pieces {
		n += int64(len(p))
	}
	return n
}

// Bytes returns the body in one piece.
func (b *Body) Bytes() []byte { return bytes.Join(b.pieces, nil) }

func (b *Body) reader() io.ReadCloser {
	readers := make([]io.Reader, len(b.pieces))
	for i, p := range b.pieces {
		readers[i] = bytes.NewReader(p)
	}
	return io.NopCloser(io.MultiReader(readers...))
}
