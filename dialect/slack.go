package dialect

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// What Slack accepts, with some room for what it adds when it counts.
const (
	maxMessages    = 20
	maxBlocks      = 50
	maxFields      = 10
	maxSectionText = 2900
	maxFieldText   = 2000
	maxHeaderText  = 150
)

// slackReport reads messages in any of the forms in which models write them: an
// array, an object that holds one, a string that holds either. Plain text
// becomes a section; something that looks like JSON and is not is rejected.
func (l *listener) slackReport(raw json.RawMessage) (Report, *spec.ReportPayload) {
	if len(raw) == 0 {
		return reject(SlugMessagesMissing, "messages is missing"), nil
	}
	source := string(raw)
	if quoted := stringOf(raw); quoted != "" {
		source = quoted
	}
	return l.slackText(source)
}

func (l *listener) slackText(source string) (Report, *spec.ReportPayload) {
	body := strings.TrimSpace(unfence(source))
	switch {
	case body == "":
		return reject(SlugMessagesMissing, "the report is empty"), nil
	case body[0] != '[' && body[0] != '{':
		return l.slackMessages(chunk(sections(source)))
	}
	object, _, ok := l.repair.read(body, body[0])
	if !ok {
		return reject(SlugMessagesMissing, "invalid_json: messages is not valid JSON"), nil
	}
	value, err := decode(object)
	if err != nil {
		return reject(SlugMessagesMissing, "invalid_json: %v", err), nil
	}
	return l.slackMessages(slackMessages(value))
}

func (l *listener) slackMessages(messages []any) (Report, *spec.ReportPayload) {
	if len(messages) == 0 {
		return reject(SlugMessagesMissing, "messages must be a non-empty array of messages with blocks"), nil
	}
	messages = messages[:min(len(messages), maxMessages)]
	return Report{Fit: true}, &spec.ReportPayload{Format: l.ts.format, Messages: llm.MustMarshalJSON(messages)}
}

// slackMessages makes proper messages of a value.
func slackMessages(value any) []any {
	switch v := value.(type) {
	case map[string]any:
		if inner, ok := v["messages"]; ok {
			return slackMessages(inner)
		}
		return slackMessage(v)
	case []any:
		if isBlock(v) {
			return chunk(blocks(v))
		}
		var messages []any
		for i := 0; i < len(v) && len(messages) < maxMessages; i++ {
			messages = append(messages, slackMessage(v[i])...)
		}
		return messages
	default:
		return nil
	}
}

// isBlock knows a list of blocks where a list of messages was wanted.
func isBlock(list []any) bool {
	first, _ := at(list, []string{"0"}).(map[string]any)
	_, typed := first["type"].(string)
	return typed && first["blocks"] == nil
}

// slackMessage makes messages of one. Only its blocks are taken: where it goes
// is not for the model to say.
func slackMessage(value any) []any {
	switch v := value.(type) {
	case string:
		return chunk(sections(v))
	case map[string]any:
		if list, ok := v["blocks"].([]any); ok {
			return chunk(blocks(list))
		}
		if _, typed := v["type"]; typed {
			return chunk(blocks([]any{v}))
		}
		return chunk(sections(blockText(v["text"])))
	default:
		return nil
	}
}

// chunk puts blocks into as many messages as they need.
func chunk(list []any) []any {
	var messages []any
	for len(list) > 0 {
		n := min(len(list), maxBlocks)
		messages = append(messages, map[string]any{"blocks": list[:n:n]})
		list = list[n:]
	}
	return messages
}

// blocks puts each block right and leaves out what is none.
func blocks(list []any) []any {
	var out []any
	for _, v := range list {
		b, ok := v.(map[string]any)
		if !ok {
			if s, ok := v.(string); ok {
				out = append(out, sections(s)...)
			}
			continue
		}
		content := blockText(b["text"])
		switch b["type"] {
		case "divider":
			out = append(out, map[string]any{"type": "divider"})
		case "header":
			if content != "" {
				out = append(out, map[string]any{"type": "header", "text": map[string]any{
					"type": "plain_text", "text": clipRunes(content, maxHeaderText),
				}})
			}
		case "context":
			if elements := smallTexts(b["elements"]); len(elements) > 0 {
				out = append(out, map[string]any{"type": "context", "elements": elements})
			}
		default:
			section := map[string]any{"type": "section"}
			if content != "" {
				section["text"] = markdown(content, maxSectionText)
			}
			if fields := smallTexts(b["fields"]); len(fields) > 0 {
				section["fields"] = fields
			}
			if len(section) > 1 {
				out = append(out, section)
			}
		}
	}
	return out
}

// smallTexts reads the small texts of a section or a context.
func smallTexts(value any) []any {
	list, _ := value.([]any)
	var out []any
	for _, v := range list {
		if s := blockText(v); s != "" && len(out) < maxFields {
			out = append(out, markdown(s, maxFieldText))
		}
	}
	return out
}

// blockText reads a text object, or the plain string that models write for it.
func blockText(value any) string {
	if m, ok := value.(map[string]any); ok {
		value = m["text"]
	}
	s, _ := value.(string)
	return strings.TrimSpace(s)
}

func markdown(text string, limit int) map[string]any {
	return map[string]any{"type": "mrkdwn", "text": clipRunes(mrkdwn(text), limit)}
}

// sections makes blocks of plain text, as many as its length needs, divided
// between lines where that is possible.
func sections(text string) []any {
	text = mrkdwn(strings.TrimSpace(text))
	var out []any
	for text != "" {
		piece := text
		if cut := runeOffset(text, maxSectionText); cut < len(text) {
			if line := strings.LastIndexByte(text[:cut], '\n'); line > 0 {
				cut = line
			}
			piece = text[:cut]
		}
		text = strings.TrimLeft(text[len(piece):], "\n")
		if piece = strings.TrimSpace(piece); piece != "" {
			out = append(out, map[string]any{"type": "section", "text": map[string]any{"type": "mrkdwn", "text": piece}})
		}
	}
	return out
}

// clipRunes cuts text to so many characters.
func clipRunes(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return s[:runeOffset(s, n-1)] + "…"
}

// runeOffset is where the first n characters end.
func runeOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
