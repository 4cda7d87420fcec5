package llmtest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// Chatter is a long answer in small pieces, as models write: what the cost of
// a stream is measured with.
type Chatter struct {
	// Kind is the content type.
	Kind string
	Body []byte
	// Chunks is how many pieces of text there are, the last of which ends in
	// Last.
	Chunks int
	Last   string
	// Read is the program that anybody would write for one piece: into a struct
	// with encoding/json, and the text out of it.
	Read func(data []byte) (string, error)
}

// Format is a way in which answers are written.
type Format string

// The formats that there is chatter in.
const (
	FormatChat      Format = "chat"
	FormatResponses Format = "responses"
	FormatMessages  Format = "messages"
	FormatGenerate  Format = "generate-content"
	FormatLines     Format = "json-lines"
)

// words is what a format's chatter is made of: before and after the pieces, and
// a piece as a pattern with the place of its number.
type words struct{ kind, before, piece, after string }

const events = "text/event-stream"

// vocabulary holds pieces as the services send them, with all that they carry
// along.
var vocabulary = map[Format]words{
	FormatChat: {
		kind: events,
		piece: `data: {"id":"chatcmpl-Ab12","object":"chat.completion.chunk","created":1772625600,"model":"gpt-test-1","service_tier":"default",` +
			`"system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":{"content":" token%d"},"logprobs":null,"finish_reason":null}],` +
			`"usage":null}` + "\n\n",
		after: `data: {"id":"chatcmpl-Ab12","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
	},
	FormatResponses: {
		kind: events,
		before: "event: response.created\n" + `data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response",` +
			`"status":"in_progress","model":"gpt-test-1","output":[]}}` + "\n\n" +
			"event: response.output_item.added\n" + `data: {"type":"response.output_item.added","sequence_number":1,"output_index":0,` +
			`"item":{"id":"msg_1","type":"message","status":"in_progress","content":[],"role":"assistant"}}` + "\n\n",
		piece: "event: response.output_text.delta\n" + `data: {"type":"response.output_text.delta","sequence_number":%[1]d,"item_id":"msg_1",` +
			`"output_index":0,"content_index":0,"delta":" token%[1]d","logprobs":[],"obfuscation":"vnbCf4uwd"}` + "\n\n",
		after: "event: response.completed\n" + `data: {"type":"response.completed","sequence_number":9999,"response":{"id":"resp_1",` +
			`"object":"response","status":"completed","model":"gpt-test-1","output":[],"usage":{"input_tokens":1,"output_tokens":9,"total_tokens":10}}}` + "\n\n",
	},
	FormatMessages: {
		kind: events,
		before: "event: message_start\n" + `data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m",` +
			`"content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}` + "\n\n" +
			"event: content_block_start\n" + `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n",
		piece: "event: content_block_delta\n" + `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" token%d"}}` + "\n\n",
		after: "event: content_block_stop\n" + `data: {"type":"content_block_stop","index":0}` + "\n\n" +
			"event: message_delta\n" + `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}` + "\n\n" +
			"event: message_stop\n" + `data: {"type":"message_stop"}` + "\n\n",
	},
	FormatGenerate: {
		kind: events,
		piece: `data: {"candidates":[{"content":{"parts":[{"text":" token%d"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":11,` +
			`"candidatesTokenCount":7,"totalTokenCount":18,"promptTokensDetails":[{"modality":"TEXT","tokenCount":11}]},` +
			`"modelVersion":"gemini-test-1","responseId":"resp-1"}` + "\n\n",
		after: `data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],` +
			`"modelVersion":"gemini-test-1","responseId":"resp-1"}` + "\n\n",
	},
	FormatLines: {
		kind: "application/x-ndjson",
		piece: `{"model":"llama-test","created_at":"2026-03-04T12:00:00.000000000Z","message":{"role":"assistant","content":" token%d"},"done":false}` +
			"\n",
		after: `{"model":"llama-test","created_at":"2026-03-04T12:00:01Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop",` +
			`"prompt_eval_count":11,"eval_count":7}` + "\n",
	},
}

// NewChatter writes an answer of so many pieces.
func NewChatter(format Format, chunks int) *Chatter {
	w, known := vocabulary[format]
	if !known {
		panic("no chatter in the format " + string(format))
	}
	var b bytes.Buffer
	b.WriteString(w.before)
	for i := range chunks {
		fmt.Fprintf(&b, w.piece, i)
	}
	b.WriteString(w.after)
	return &Chatter{Kind: w.kind, Body: b.Bytes(), Chunks: chunks, Last: fmt.Sprintf("token%d", chunks-1), Read: bareReaders[format]}
}

// RoundTrip implements [http.RoundTripper]: the answer to every request.
func (c *Chatter) RoundTrip(r *http.Request) (*http.Response, error) {
	return answerWith(r, c.Kind, c.Body), nil
}

// answerWith answers a request without reading it.
func answerWith(r *http.Request, kind string, body []byte) *http.Response {
	_ = r.Body.Close()
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(bytes.NewReader(body)), Request: r,
	}
}
