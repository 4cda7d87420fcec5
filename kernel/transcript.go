package kernel

import (
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
)

// Entry is one entry of the transcript, by reference: a user's llm.Message, an
// assistant's llm.Envelope, the text of a tool's result, or a [Terminal].
type Entry struct {
	Kind  dialect.ItemKind
	Ref   journal.Ref
	Bytes int64
	// CallID, Name and Failed belong to results.
	CallID string
	Name   string
	Failed bool
	// Inner are the results of a batch's calls, or what other agents have to
	// say to a user's message. The whole is made of them when it is read, so
	// that nothing is kept twice.
	Inner []Inner
}

// Inner is the result of one call of a batch, by the call's id and tool, or a
// block of a message, by its kind and agent.
type Inner struct {
	ID        string
	Tool      string
	OK        bool
	ElapsedMS int64
	Ref       journal.Ref
	Bytes     int64
	// Code says why it failed.
	Code string
}

// The kinds of block, as Inner.ID names them. A response and an answer refer to
// a spec.ReportPayload, advice is plain text. An answer was given before the
// user's message and stands before it.
const (
	BlockAdvice   = "advisory"
	BlockResponse = "response"
	BlockAnswer   = "answer"
)

// BlockBytes is what the tags of a block add to a message, at most.
const BlockBytes = 160

// DecodeChunk reads a link of the transcript.
func DecodeChunk(data []byte) (chunk Chunk, err error) {
	err = codes.Decode(data, &chunk)
	return chunk, err //nolint:wrapcheck // the caller says what was read
}

// Chunk is a link of the transcript: some entries and what came before them.
// The transcript's head is the hash of its last chunk.
type Chunk struct {
	Prev    journal.Ref
	Entries []Entry
}

// Terminal is how a run ended when it ended badly, as a message for people
// (contract V5).
type Terminal struct {
	// StopReason is error or aborted.
	StopReason   string `json:"stop_reason"`
	ErrorMessage string `json:"error_message"`
	// Partial is the envelope that had arrived, where there is one.
	Partial journal.Ref `json:"partial,omitzero"`
}

// commit adds entries to the transcript: one chunk, one fact each.
func (x *step) commit(entries ...Entry) {
	t := &x.s.Transcript
	blob := journal.NewBlob(codes.Append(nil, make([]byte, 0, 64+128*len(entries)), &Chunk{Prev: t.Head, Entries: entries}))
	x.out.Blobs = append(x.out.Blobs, blob)
	t.Head = blob.Ref
	for i := range entries {
		t.Entries++
		x.tell(&Message{Turn: x.turn(), Entry: entries[i]})
	}
}

// text stores a text that the kernel itself wrote.
func (x *step) text(s string) Content {
	blob := journal.NewBlob([]byte(s))
	x.out.Blobs = append(x.out.Blobs, blob)
	return Content{Ref: blob.Ref, Bytes: int64(len(s))}
}
