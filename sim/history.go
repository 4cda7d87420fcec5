package sim

import (
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
)

// importMessage makes transcript entries of a message from before the session,
// as a host does.
func importMessage(m *llm.Message) ([]kernel.Entry, []journal.Blob) {
	var entries []kernel.Entry
	var k keeper
	add := func(e kernel.Entry, data []byte) {
		e.Ref, e.Bytes = k.keep(data), int64(len(data))
		entries = append(entries, e)
	}
	switch m.Role {
	case llm.RoleUser:
		add(kernel.Entry{Kind: dialect.ItemUser}, llm.MustMarshalJSON(m))
	case llm.RoleAssistant:
		var c llm.Collector
		for i := range m.Parts {
			switch p := &m.Parts[i]; p.Kind {
			case llm.PartText:
				c.Add(llm.Delta{Kind: llm.DeltaText, Block: i, Text: p.Text})
			case llm.PartToolCall:
				c.Add(llm.Delta{
					Kind: llm.DeltaToolCall, Block: i, CallID: p.Call.ID, Name: p.Call.Name, Text: string(p.Call.Arguments),
				})
			case llm.PartReasoning, llm.PartToolResult, llm.PartImage:
			}
		}
		envelope := c.Envelope(m.Origin)
		add(kernel.Entry{Kind: dialect.ItemAssistant}, llm.MustMarshalJSON(&envelope))
	case llm.RoleTool:
		for i := range m.Parts {
			r := m.Parts[i].Result
			add(kernel.Entry{Kind: dialect.ItemResult, CallID: r.CallID, Name: r.Name, Failed: r.Failed},
				[]byte(strings.ToValidUTF8(r.Content, "\uFFFD")))
		}
	case llm.RoleSystem: // the agent's own system prompt stands in its place
	}
	return entries, k.blobs
}
