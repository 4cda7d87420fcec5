package openai_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/openai"
)

const chunks = 2000

// chatter is a long answer in small pieces, as models write.
func chatter() []byte {
	var b bytes.Buffer
	for i := range chunks {
		fmt.Fprintf(&b, `data: {"id":"chatcmpl-Ab12","object":"chat.completion.chunk","created":1772625600,"model":"gpt-test-1","service_tier":"default",`+
			`"system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":{"content":" token%d"},"logprobs":null,"finish_reason":null}],"usage":null}`+"\n\n", i)
	}
	b.WriteString(`data: {"id":"chatcmpl-Ab12","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	return b.Bytes()
}

// bare is the loop that anybody would write: net/http, bufio, encoding/json.
func bare(t testing.TB, transport http.RoundTripper) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/v1/chat/completions", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var text strings.Builder
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var chunk struct {
			ID, Model string
			Choices   []struct {
				Delta struct {
					Content   string
					ToolCalls []struct {
						Index    int
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				FinishReason *string `json:"finish_reason"`
			}
			Usage *struct{ PromptTokens, CompletionTokens int }
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			t.Fatal(err)
		}
		for _, choice := range chunk.Choices {
			text.WriteString(choice.Delta.Content)
		}
	}
	return text.String()
}

//nolint:paralleltest // allocations are counted for the whole process
func TestAChunkCostsFewAllocations(t *testing.T) {
	c := &canned{kind: "text/event-stream", body: chatter()}
	p := chat(t, openai.Config{Transport: c})
	request := hello()
	if got := llm.Call(t.Context(), p, request).Output.AssistantText; got != bare(t, c) {
		t.Fatal("the two loops read different texts")
	}
	allocations := testing.AllocsPerRun(5, func() { llm.Call(t.Context(), p, request) }) / chunks
	t.Logf("%.2f allocations a chunk", allocations)
	if allocations > 2 {
		t.Errorf("%.2f allocations a chunk, want at most 2", allocations)
	}
}

// The measure is the fastest of several runs that take turns, so that a busy
// machine slows both.
//
//nolint:paralleltest // it measures time
func TestAChunkCostsLessThanABareLoop(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("measures time")
	}
	c := &canned{kind: "text/event-stream", body: chatter()}
	p := chat(t, openai.Config{Transport: c})
	request := hello()
	fastest := func(best time.Duration, run func()) time.Duration {
		start := time.Now()
		run()
		return min(best, time.Since(start))
	}
	ours, theirs := time.Hour, time.Hour
	for range 15 {
		ours = fastest(ours, func() { llm.Call(t.Context(), p, request) })
		theirs = fastest(theirs, func() { bare(t, c) })
	}
	ratio := float64(ours) / float64(theirs)
	t.Logf("%v a chunk, %.2f of a bare loop", ours/chunks, ratio)
	if ratio > 0.8 {
		t.Errorf("%.2f times the time of a bare loop, want at most 0.8", ratio)
	}
}

func BenchmarkStream(b *testing.B) {
	c := &canned{kind: "text/event-stream", body: chatter()}
	p := chat(b, openai.Config{Transport: c})
	request := hello()
	b.Run("loop=ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			llm.Call(b.Context(), p, request)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*chunks), "ns/chunk")
	})
	b.Run("loop=bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			bare(b, c)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*chunks), "ns/chunk")
	})
}
