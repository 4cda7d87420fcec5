package dialect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
)

// Some models write calls into their text in the form of their training data
// instead of making them. Where a response has no other calls these are taken
// for what they mean: a call of a tool that the model may use, under the same
// rules as any other.

// leakTags hold calls as JSON.
var leakTags = [...]string{"tool_calls", "tool_call", "tools", "function_call", "function"}

// addLeaked takes leaked calls out of the text and reports whether there were
// any. On the last turn only a report is looked for: the text may be all that
// there will be (contract F1).
func (l *listener) addLeaked() bool {
	calls, cuts := l.leaks(l.Envelope.AssistantText, true)
	if len(calls) == 0 {
		return false
	}
	for i := range calls {
		calls[i].ID, calls[i].Source = "leaked_"+strconv.Itoa(i+1), SourceLeaked
	}
	cutText(&l.Envelope, cuts)
	l.addCalls(calls)
	return true
}

// leaks finds the blocks that hold calls, and the calls. Blocks may stand in
// another one, which is looked into once.
func (l *listener) leaks(text string, outer bool) ([]llm.ToolCall, []span) {
	var calls []llm.ToolCall
	var cuts []span
	// What is not closed here is not closed further on: look for it once.
	open := make(map[string]bool)
	for at := 0; len(calls) <= maxCalls; {
		next := strings.IndexByte(text[at:], '<')
		if next < 0 {
			break
		}
		at += next
		name := l.leakName(text[at:])
		if name == "" || open[name] {
			at++
			continue
		}
		inner, _, closed := strings.Cut(text[at+len(name)+2:], "</"+name+">")
		if open[name] = !closed; !closed {
			at++
			continue
		}
		cut := span{at, at + 2*len(name) + len(inner) + len("<></>")}
		var found []llm.ToolCall
		if !slices.Contains(leakTags[:], name) {
			found = l.parameterLeak(name, inner)
		} else if outer {
			found, _ = l.leaks(inner, false)
		}
		if len(found) == 0 {
			found = l.jsonLeak(inner)
		}
		if at = cut.to; len(found) > 0 {
			calls, cuts = append(calls, found...), append(cuts, cut)
		}
	}
	return calls, cuts
}

// leakName is the name of the tag that a text begins with, if it is one that
// could hold calls.
func (l *listener) leakName(text string) string {
	end := strings.IndexByte(text[:min(len(text), maxName+2)], '>')
	if end < 0 {
		return ""
	}
	if name := text[1:end]; slices.Contains(leakTags[:], name) || l.means(name) {
		return name
	}
	return ""
}

// means says whether a leaked call by this name is one that counts.
func (l *listener) means(name string) bool {
	m := l.ts.exact(name)
	return m.last() || m.found() && !l.ask.Final
}

// jsonLeak reads one call or a list of calls.
func (l *listener) jsonLeak(text string) []llm.ToolCall {
	open := byte('{')
	if i := strings.IndexAny(text, "{["); i < 0 {
		return nil
	} else if text[i] == '[' {
		open = '['
	}
	raw, _, ok := l.repair.read(text, open)
	if !ok {
		return nil
	}
	value, err := decode(raw)
	if err != nil {
		return nil
	}
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	calls := make([]llm.ToolCall, 0, len(list))
	for _, v := range list {
		if call, ok := l.leakedCall(v); ok {
			calls = append(calls, call)
		}
	}
	return calls
}

func (l *listener) leakedCall(value any) (llm.ToolCall, bool) {
	fields, _ := value.(map[string]any)
	if inner, ok := fields["function"].(map[string]any); ok {
		fields = inner
	}
	name, _ := firstOf(fields, "name", "function", "tool").(string)
	if m := l.ts.resolve(name, func(*boundTool) bool { return false }); !m.found() || l.ask.Final && !m.last() {
		return llm.ToolCall{}, false
	}
	arguments := ""
	switch v := firstOf(fields, "parameters", "arguments").(type) {
	case nil:
	case string:
		arguments = v
	default:
		arguments = string(llm.MustMarshalJSON(v))
	}
	return llm.NewToolCall("", name, arguments), true
}

// parameterLeak reads a tag named like a tool, with its arguments as children:
// <parameter name="x">value</parameter>, or closed by </x>. A name that comes
// twice has both values, on lines of their own. Arguments are text; where the
// tool wants something else, what the text spells is used.
func (l *listener) parameterLeak(name, text string) []llm.ToolCall {
	fields := make(map[string]any)
	for {
		_, rest, ok := strings.Cut(text, `<parameter name="`)
		if !ok {
			break
		}
		key, rest, ok := strings.Cut(rest, `">`)
		if !ok || key == "" {
			break
		}
		value, after, _ := strings.Cut(rest, "</parameter>")
		if short, _, named := strings.Cut(value, "</"+key+">"); named {
			value, after = short, rest[len(short)+len(key)+3:]
		}
		value = strings.TrimSpace(value)
		if before, again := fields[key].(string); again {
			value = before + "\n" + value
		}
		fields[key], text = value, after
	}
	if len(fields) == 0 {
		return nil
	}
	if m := l.ts.exact(name); m.tool != nil {
		m.tool.schema.fit(fields, len(fields))
	}
	return []llm.ToolCall{{Name: name, Arguments: llm.MustMarshalJSON(fields)}}
}
