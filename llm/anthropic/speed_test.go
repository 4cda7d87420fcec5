package anthropic_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/anthropic"
)

const chunks = 2000

func chatter() []byte {
	var b bytes.Buffer
	b.WriteString(`event: message_start` + "\n" + `data: {"type":"message_start","message":{"id":"msg_1","model":"m","usage":{"input_tokens":1,"output_tokens":1}}}` + "\n\n")
	b.WriteString(`event: content_block_start` + "\n" + `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n")
	for i := range chunks {
		fmt.Fprintf(&b, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" token%d\"}}\n\n", i)
	}
	b.WriteString(`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n")
	return b.Bytes()
}

//nolint:paralleltest // allocations are counted for the whole process
func TestAChunkCostsFewAllocations(t *testing.T) {
	body := chatter()
	allocations := testing.AllocsPerRun(5, func() {
		if r := ask(t, canned{"text/event-stream", body}, true); r.Error != nil || !strings.HasSuffix(r.Output.AssistantText, "token1999") {
			t.Fatal(r.Error)
		}
	}) / chunks
	t.Logf("%.2f allocations a chunk", allocations)
	if allocations > 2 {
		t.Errorf("%.2f allocations a chunk, want at most 2", allocations)
	}
}

// turns sends the requests of a conversation that grows, and measures them.
func turns(t testing.TB, n int) time.Duration {
	t.Helper()
	p, err := anthropic.New(llm.FixedKey("secret-key"), &anthropic.Config{Transport: canned{"application/json", []byte(`{}`)}})
	if err != nil {
		t.Fatal(err)
	}
	m := llm.Text(llm.RoleUser, "Hello?")
	request := &llm.Request{Provider: "p", Model: "m", System: "Be brief.", History: []*llm.Message{&m}}
	output := strings.Repeat("a line of output \"quoted\"\n", 40)
	start := time.Now()
	for i := range n {
		llm.Call(t.Context(), p, request)
		call := llm.NewToolCall(fmt.Sprintf("call_%d", i), "read", `{"path":"/etc/hosts"}`)
		request.History = append(
			request.History,
			&llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{{Kind: llm.PartToolCall, Call: &call}}},
			&llm.Message{Role: llm.RoleTool, Parts: []llm.Part{{Kind: llm.PartToolResult, Result: &llm.ToolResult{CallID: call.ID, Content: output}}}},
		)
	}
	return time.Since(start)
}

// Encoding costs work for what is new: eight times the turns take about eight
// times as long, not sixty-four times.
//
// contract: P12
//
//nolint:paralleltest // it measures time
func TestTheCostOfATurnDoesNotGrowWithTheConversation(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("measures time")
	}
	few, many := time.Hour, time.Hour
	for range 5 {
		few, many = min(few, turns(t, 50)), min(many, turns(t, 400))
	}
	exponent := math.Log(float64(many)/float64(few)) / math.Log(8)
	t.Logf("50 turns %v, 400 turns %v, exponent %.2f", few, many, exponent)
	if exponent > 1.3 {
		t.Errorf("the cost grows with exponent %.2f, want at most 1.3", exponent)
	}
}

func BenchmarkTurns(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		turns(b, 200)
	}
}
