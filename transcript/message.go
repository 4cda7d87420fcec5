package transcript

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// A user's message that others have something to say to is sent in blocks: the
// user's own words, what advisors said, what another agent answered. Each block
// stands between tags that nobody who wrote one could foresee, because they are
// made of the hashes of all.

// blockRequest is the tag of the user's own words.
const blockRequest = "original_user_request"

// Message reads the message of a user's entry.
func Message(e *kernel.Entry, blobs Blobs) (*llm.Message, error) {
	data, err := blobs(e.Ref)
	if err != nil {
		return nil, err
	}
	m := new(llm.Message)
	if err := json.Unmarshal(data, m); err != nil || len(e.Inner) == 0 {
		return m, err //nolint:wrapcheck // the caller says which message it is
	}
	before, after := make([]string, 0, len(e.Inner)+1), make([]string, 0, len(e.Inner))
	for i := range e.Inner {
		in := &e.Inner[i]
		text, err := blockText(in, blobs)
		if err != nil {
			return nil, err
		}
		kind := in.ID
		if kind == kernel.BlockAnswer {
			before = append(before, block(e, i, kernel.BlockResponse, in.Tool, text))
			continue
		}
		after = append(after, block(e, i, kind, in.Tool, text))
	}
	before = append(before, block(e, -1, blockRequest, "", m.Content()))
	whole := llm.Text(m.Role, strings.Join(append(before, after...), "\n"))
	for _, p := range m.Parts {
		if p.Kind != llm.PartText {
			whole.Parts = append(whole.Parts, p)
		}
	}
	return &whole, nil
}

func blockText(in *kernel.Inner, blobs Blobs) (string, error) {
	data, err := blobs(in.Ref)
	if err != nil {
		return "", err
	}
	if in.ID == kernel.BlockAdvice {
		return strings.ToValidUTF8(string(data), "\uFFFD"), nil
	}
	var payload spec.ReportPayload
	if err := json.Unmarshal(data, &payload); err != nil {
		return "", fmt.Errorf("report %s: %w", in.Ref.Short(), err)
	}
	return payload.Text(), nil
}

// block puts a text between tags.
func block(e *kernel.Entry, index int, kind, agent, text string) string {
	seed := append([]byte(kind), e.Ref[:]...)
	for i := range e.Inner {
		seed = append(seed, e.Inner[i].Ref[:]...)
	}
	seed = binary.AppendVarint(seed, int64(index))
	sum := journal.RefOf(seed)
	name := kind + "__" + hex.EncodeToString(sum[:6])
	attribute := ""
	if agent != "" {
		attribute = fmt.Sprintf(" agent=%q", agent)
	}
	return "<" + name + attribute + ">\n" + text + "\n</" + name + ">"
}
