package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"

	"github.com/ai-agent-go/ai-agent/llm"
)

// read takes in an answer with a good status.
func (x *exchange) read(ctx context.Context, r *reader, contentType string) {
	kind, _, _ := mime.ParseMediaType(contentType)
	stream := x.call.Stream
	switch kind {
	case "text/event-stream", "application/x-ndjson":
		stream = true
	case "application/json":
		// Some services answer in one piece whatever they were asked for.
		stream = stream && x.call.Lines
	case "text/html":
		stream = false
	}
	if stream {
		x.stream(ctx, r)
		return
	}
	raw := r.all()
	switch {
	case !errors.Is(r.err, io.EOF) || ctx.Err() != nil:
		x.broken(ctx, r.err)
	case x.notJSON(raw):
	case x.errorBody(raw):
	default:
		x.decoder.Whole(raw)
	}
}

// notJSON fails an answer that cannot be JSON, with words that help: most often
// it is the page of a proxy.
func (x *exchange) notJSON(raw []byte) bool {
	text := bytes.TrimSpace(raw)
	switch {
	case len(text) == 0:
		x.answer.Fail(&llm.Error{Class: llm.ClassInvalidResponse, Message: "the answer is empty"})
	case text[0] == '<':
		text = x.secrets.scrubAll(text) // before anything is cut out of it
		x.answer.Fail(&llm.Error{Class: llm.ClassInvalidResponse, Message: "the answer is a web page, not JSON: " + pageText(text)})
	case text[0] != '{' && text[0] != '[':
		text = x.secrets.scrubAll(text)
		x.answer.Malformed("it is not JSON: " + string(text[:min(len(text), 200)]))
	default:
		return false
	}
	return true
}

// errorBody fails an answer that says of itself that it is an error, although
// its status does not.
func (x *exchange) errorBody(raw []byte) bool {
	f, ok := readFailure(raw)
	if ok {
		x.answer.Fail(x.client.rules.sort(0, f))
	}
	return ok
}

// stream reads an answer piece by piece.
func (x *exchange) stream(ctx context.Context, r *reader) {
	r.body = &attentive{r.body, x.watch}
	next := r.next
	if x.call.Lines {
		next = r.nextLine
	}
	pieces := 0
	for !x.answer.over() {
		e, ok := next()
		if !ok {
			x.ended(ctx, r, pieces, x.decoder.Complete())
			return
		}
		pieces++
		// What the beginning of an event says does not make an answer complete.
		complete := e.cut && x.decoder.Complete()
		if x.answer.over() {
			return
		}
		last, heard := x.decoder.Event(e.name, e.data)
		if e.cut && x.answer.failure != nil && x.answer.failure.Class == llm.ClassInvalidResponse {
			// It could not be read because it is not all there.
			x.answer.failure = nil
			x.ended(ctx, r, pieces, complete)
			return
		}
		if last {
			// What may follow is not read: some services leave the connection
			// open, and waiting for them would keep the answer from the caller.
			// Closing it ends one stream of an HTTP/2 connection, which stays; an
			// HTTP/1.1 connection is given up, and the next call makes another.
			return
		}
		if heard {
			x.watch.heard()
		}
	}
}

// ended judges a stream that stopped without saying that it was over; complete
// says that all that matters had arrived.
func (x *exchange) ended(ctx context.Context, r *reader, pieces int, complete bool) {
	clean := errors.Is(r.err, io.EOF)
	switch cause := context.Cause(ctx); {
	case ctx.Err() != nil && !errors.Is(cause, errLate):
		x.broken(ctx, r.err)
	case complete:
		if !clean {
			x.answer.Warn("the stream was not closed properly")
		}
	case !clean:
		x.broken(ctx, r.err)
	case pieces == 0 && len(bytes.TrimSpace(r.raw)) > 0:
		// Not events at all. An error, a page?
		if !x.notJSON(r.raw) && !x.errorBody(r.raw) {
			x.answer.Malformed("it is not a stream of events")
		}
	case pieces == 0:
		x.answer.Fail(&llm.Error{Class: llm.ClassInvalidResponse, Message: "the answer is empty"})
	default:
		x.answer.Fail(&llm.Error{Class: llm.ClassNetwork, Message: "the stream ended before the answer was complete"})
	}
}

// attentive lets a watch measure the waiting for a body.
type attentive struct {
	io.Reader
	watch *watch
}

func (a *attentive) Read(p []byte) (int, error) {
	a.watch.wait()
	return a.Reader.Read(p) //nolint:wrapcheck // io.EOF must stay what it is
}
