package transcript

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Blobs reads a content by its reference.
type Blobs func(ref journal.Ref) ([]byte, error)

// History follows a transcript and projects it into requests. Executors use it
// to send them, and whoever checks a journal uses it to derive them again: it
// is the one place where a generate effect becomes a request. It reads only
// what is new since the last head.
type History struct {
	head  journal.Ref
	items []dialect.Item
	// entries is where the next ones are read to.
	entries []kernel.Entry
	// known is an assistant message that need not be read.
	known    *llm.Envelope
	knownRef journal.Ref
	// projections holds one for every transport that was asked for. A session
	// has one transport, unless its configuration changes between runs.
	projections []projection
}

// projection is the transcript in the words of one transport, as far as it has
// read it.
type projection struct {
	transport spec.Transport
	projector *dialect.Projector
	read      int
}

// To brings the history to the given head of the transcript.
func (h *History) To(head journal.Ref, blobs Blobs) error {
	entries, whole, err := between(h.entries[:0], h.head, head, blobs)
	if err != nil {
		return err
	}
	if whole {
		// What we have is not part of this transcript: begin anew.
		*h = History{}
	}
	h.entries = entries
	items := h.items
	for i := range entries {
		e := &entries[i]
		if e.Kind == dialect.ItemAssistant && e.Ref == h.knownRef && h.known != nil {
			items = append(items, dialect.Item{Kind: dialect.ItemAssistant, Assistant: h.known})
			continue
		}
		item, err := load(e, blobs)
		if err != nil {
			return err
		}
		items = append(items, item)
	}
	h.items, h.head = items, head
	return nil
}

// Entries reads a whole transcript, oldest first.
func Entries(head journal.Ref, blobs Blobs) ([]kernel.Entry, error) {
	entries, _, err := between(nil, journal.Ref{}, head, blobs)
	return entries, err
}

// between reads the entries after one head of a transcript up to another, oldest
// first, into a slice that it may use. whole says that the first is not part of
// it, so that all are there.
func between(entries []kernel.Entry, after, head journal.Ref, blobs Blobs) (_ []kernel.Entry, whole bool, err error) {
	at := head
	for at != after && !at.IsZero() {
		data, err := blobs(at)
		if err != nil {
			return nil, false, err
		}
		chunk, err := kernel.DecodeChunk(data)
		if err != nil {
			return nil, false, fmt.Errorf("transcript %s: %w", at.Short(), err)
		}
		slices.Reverse(chunk.Entries)
		entries = append(entries, chunk.Entries...)
		at = chunk.Prev
	}
	slices.Reverse(entries)
	return entries, at != after, nil
}

// Know tells the history an assistant message that may come next, so that it
// need not be read. It must be what its stored form is read as.
func (h *History) Know(ref journal.Ref, e *llm.Envelope) { h.known, h.knownRef = e, ref }

// project returns the projection in a transport, brought up to date.
func (h *History) project(transport spec.Transport) *dialect.Projector {
	i := slices.IndexFunc(h.projections, func(p projection) bool { return p.transport == transport })
	if i < 0 {
		i = len(h.projections)
		h.projections = append(h.projections, projection{transport: transport, projector: dialect.NewProjector(transport)})
	}
	p := &h.projections[i]
	p.projector.Append(h.items[p.read:]...)
	p.read = len(h.items)
	return p.projector
}

// Request makes the request of a generate effect and its digest. The history
// must stand at the effect's head.
func (h *History) Request(g *kernel.Generate, run *spec.Run, tools *dialect.Toolset) (*llm.Request, journal.Ref, error) {
	if g.Target < 0 || g.Target >= int64(len(run.Targets)) {
		return nil, journal.Ref{}, fmt.Errorf("%w: request to target %d of %d", journal.ErrCorrupt, g.Target, len(run.Targets))
	}
	projector := h.project(run.Transport)
	request := projector.Request(run, &run.Targets[g.Target], tools, &g.Ask)
	request.CorrelationID = g.Correlation
	return request, projector.Digest(request), nil
}

// load reads the content of an entry.
func load(e *kernel.Entry, blobs Blobs) (dialect.Item, error) {
	item := dialect.Item{Kind: e.Kind}
	if e.Kind == dialect.ItemTerminal {
		return item, nil
	}
	if e.Kind == dialect.ItemResult {
		text, err := Text(e, blobs)
		item.Result = &llm.ToolResult{CallID: e.CallID, Name: e.Name, Content: text, Failed: e.Failed}
		return item, err
	}
	var err error
	if e.Kind == dialect.ItemUser {
		item.User, err = Message(e, blobs)
	} else {
		var data []byte
		if data, err = blobs(e.Ref); err == nil {
			item.Assistant = new(llm.Envelope)
			err = json.Unmarshal(data, item.Assistant)
		}
	}
	if err != nil {
		return item, fmt.Errorf("%s message %s: %w", e.Kind, e.Ref.Short(), err)
	}
	return item, nil
}
