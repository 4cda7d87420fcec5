package kernel

import (
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
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
	// Inner are the results of a batch's calls: the batch's own result is made
	// of them when it is read, so that nothing is kept twice.
	Inner []Inner
}

// Inner is the result of one call of a batch.
type Inner struct {
	ID        string
	Tool      string
	OK        bool
	ElapsedMS int64
	Ref       journal.Ref
	// Code says why it failed.
	Code string
}

// Fields codes the inner result.
func (i *Inner) Fields(k *journal.Codec) {
	k.String(&i.ID)
	k.String(&i.Tool)
	k.Bool(&i.OK)
	k.Int(&i.ElapsedMS)
	k.Ref(&i.Ref)
	k.String(&i.Code)
}

// Fields codes the entry.
func (e *Entry) Fields(k *journal.Codec) {
	journal.Text(k, &e.Kind)
	k.Ref(&e.Ref)
	k.Int(&e.Bytes)
	k.String(&e.CallID)
	k.String(&e.Name)
	k.Bool(&e.Failed)
	journal.List(k, &e.Inner, func(k *journal.Codec, i *Inner) { i.Fields(k) })
}

// innerResult is an inner result as the model reads it.
type innerResult struct {
	ID        string      `json:"id"`
	Tool      string      `json:"tool"`
	OK        bool        `json:"ok"`
	ElapsedMS int64       `json:"elapsedMs"`
	Output    string      `json:"output,omitempty"`
	Error     *innerError `json:"error,omitempty"`
}

type innerError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Text reads the text of a result's entry. A result may come from anywhere: what
// is not text is put right, because no provider takes it.
func (e *Entry) Text(blobs Blobs) (string, error) {
	if len(e.Inner) == 0 {
		data, err := blobs(e.Ref)
		return strings.ToValidUTF8(string(data), "\uFFFD"), err
	}
	results := make([]innerResult, len(e.Inner))
	for i := range e.Inner {
		in := &e.Inner[i]
		data, err := blobs(in.Ref)
		if err != nil {
			return "", err
		}
		results[i] = innerResult{ID: in.ID, Tool: in.Tool, OK: in.OK, ElapsedMS: in.ElapsedMS}
		if in.OK {
			results[i].Output = string(data)
		} else {
			results[i].Error = &innerError{Code: in.Code, Message: string(data)}
		}
	}
	return string(llm.MustMarshalJSON(map[string]any{"results": results})), nil
}

// Chunk is a link of the transcript: some entries and what came before them.
// The transcript's head is the hash of its last chunk.
type Chunk struct {
	Prev    journal.Ref
	Entries []Entry
}

// Fields codes the chunk.
func (c *Chunk) Fields(k *journal.Codec) {
	k.Ref(&c.Prev)
	journal.List(k, &c.Entries, func(k *journal.Codec, e *Entry) { e.Fields(k) })
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
	blob := journal.NewBlob(journal.Encode(nil, &Chunk{Prev: t.Head, Entries: entries}))
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
