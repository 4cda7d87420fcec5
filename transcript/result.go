package transcript

import (
	"strings"

	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
)

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
func Text(e *kernel.Entry, blobs Blobs) (string, error) {
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
