package dialect

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// batchItem is one call of a batch, in the one form in which it is stored.
type batchItem struct {
	ID         string          `json:"id"`
	Parameters json.RawMessage `json:"parameters"`
	Tool       string          `json:"tool"`
}

type batchArguments struct {
	Calls []batchItem `json:"calls"`
}

// BatchItem returns the arguments of one call of a batch, from the batch's own
// arguments as Observe stored them. Their hash is the call's Args.
func BatchItem(arguments json.RawMessage, index int64) (json.RawMessage, error) {
	var batch batchArguments
	if err := json.Unmarshal(arguments, &batch); err != nil {
		return nil, fmt.Errorf("read batch: %w", err)
	}
	if index < 0 || index >= int64(len(batch.Calls)) {
		return nil, fmt.Errorf("read batch: no call %d of %d", index, len(batch.Calls))
	}
	return batch.Calls[index].Parameters, nil
}

// checkBatch takes a batch apart and decides about each call in it as if it
// stood alone (contract T10). What models write is put into one form, so that
// whoever executes a call finds its arguments.
func (l *listener) checkBatch(tc *llm.ToolCall, c *Call, read func() any) {
	if !c.intrinsic(l, tc) {
		return
	}
	fields, _ := read().(map[string]any)
	raw, problem := l.batchCalls(fields["calls"])
	if problem != "" {
		c.refuse(CallInvalid, "%s", problem)
		return
	}
	batch := batchArguments{Calls: make([]batchItem, len(raw))}
	c.Items = make([]Call, len(raw))
	used := make(map[string]bool, len(raw))
	for i := range raw {
		inner, problem := l.batchCall(raw[i], i, used)
		if problem != "" {
			c.Items = nil
			c.refuse(CallInvalid, "%s", problem)
			return
		}
		item := &c.Items[i]
		l.observeItem(&inner, item)
		item.Index, item.Source = int64(i), c.Source
		batch.Calls[i] = batchItem{ID: inner.ID, Tool: inner.Name, Parameters: inner.Arguments}
		if inner.Bad {
			batch.Calls[i].Parameters = json.RawMessage("{}")
		}
		item.ID = inner.ID
	}
	l.storeBatch(tc, c, &batch)
}

// storeBatch replaces the arguments of the batch by their one form. What the
// model wrote is kept beside them.
func (l *listener) storeBatch(tc *llm.ToolCall, c *Call, batch *batchArguments) {
	stored := llm.MustMarshalJSON(batch)
	if tc.Raw == "" && string(stored) != string(tc.Arguments) {
		tc.Raw = string(tc.Arguments)
	}
	tc.Arguments = stored
	c.hash(tc)
}

// observeItem decides about a call inside a batch. What ends the run, and another
// batch, have no place there.
func (l *listener) observeItem(inner *llm.ToolCall, item *Call) {
	m := l.ts.resolve(inner.Name, func(*boundTool) bool { return false })
	if m.last() || m.intrinsic == intrinsicBatch || wrapperName.MatchString(inner.Name) {
		*item = Call{Name: storedName(inner.Name), Kind: spec.ToolIntrinsic, Server: "agent"}
		inner.Name = item.Name
		item.hash(inner)
		item.refuse(CallDenied, "INTERNAL_NOT_ALLOWED: %s cannot be called inside a batch", inner.Name)
		return
	}
	l.observeCall(inner, item)
}

// batchCalls reads the list of calls, which may be written as a string.
func (l *listener) batchCalls(value any) ([]any, string) {
	if text, ok := value.(string); ok {
		raw, _, ok := l.repair.read(text, '[')
		if !ok {
			return nil, "invalid_batch_input: calls is not an array"
		}
		value, _ = decode(raw)
	}
	switch calls := value.(type) {
	case []any:
		if len(calls) == 0 {
			return nil, "empty_batch: calls is empty"
		}
		if len(calls) > maxCalls {
			return nil, fmt.Sprintf("invalid_batch_input: %d calls, at most %d are allowed", len(calls), maxCalls)
		}
		return calls, ""
	case map[string]any:
		return []any{calls}, ""
	case nil:
		return nil, "empty_batch: calls is missing"
	default:
		return nil, "invalid_batch_input: calls is not an array"
	}
}

// batchCall reads one call of a batch.
func (l *listener) batchCall(value any, index int, used map[string]bool) (llm.ToolCall, string) {
	fields, ok := value.(map[string]any)
	if !ok {
		return llm.ToolCall{}, fmt.Sprintf("invalid_batch_input: call %d is not an object", index+1)
	}
	name, _ := firstOf(fields, "tool", "name", "function").(string)
	if strings.TrimSpace(name) == "" {
		return llm.ToolCall{}, fmt.Sprintf("invalid_batch_input: call %d names no tool", index+1)
	}
	var call llm.ToolCall
	switch parameters := firstOf(fields, "parameters", "arguments", "args").(type) {
	case nil:
		call = llm.NewToolCall("", name, "")
	case string:
		call = llm.NewToolCall("", name, parameters)
	default:
		call = llm.NewToolCall("", name, string(llm.MustMarshalJSON(parameters)))
	}
	call.ID = itemID(fields["id"], index, used)
	return call, ""
}

// maxItemID keeps the ids of a batch's calls short: they are part of longer
// ones.
const maxItemID = 24

func itemID(value any, index int, used map[string]bool) string {
	var id string
	switch v := value.(type) {
	case string:
		id = v
	case json.Number:
		id = v.String()
	}
	id = strings.Trim(badNameChars.ReplaceAllString(id, "_"), "_")
	id = id[:min(len(id), maxItemID)]
	if id == "" {
		id = "call_" + strconv.Itoa(index+1)
	}
	base := id
	for n := 2; used[id]; n++ {
		id = base + "_" + strconv.Itoa(n)
	}
	used[id] = true
	return id
}

// firstOf returns the first of some fields that is there and not null.
func firstOf(fields map[string]any, names ...string) any {
	for _, n := range names {
		if v := fields[n]; v != nil {
			return v
		}
	}
	return nil
}
