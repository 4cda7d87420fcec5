package wire_test

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/anthropic"
	"github.com/ai-agent-go/ai-agent/llm/google"
	"github.com/ai-agent-go/ai-agent/llm/llmtest"
	"github.com/ai-agent-go/ai-agent/llm/ollama"
	"github.com/ai-agent-go/ai-agent/llm/openai"
)

// One of the libraries starts a goroutine when it is loaded.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

// contender is somebody who reads streams and sends conversations.
type contender struct {
	// stream reads an answer and returns its text.
	stream func(ctx context.Context) (string, error)
	// turns sends a conversation of so many turns, a request for each.
	turns func(ctx context.Context, n int) error
}

// format is a wire format and those who speak it.
type format struct {
	name    llmtest.Format
	ours    func(key llm.Key, transport http.RoundTripper) (llm.Provider, error)
	theirs  func(transport http.RoundTripper) (*contender, error) // nil where the vendor has no library in Go
	message func(role, text string) any
	field   string
}

func formats() []format {
	return []format{
		{
			name: llmtest.FormatChat, theirs: chatSDK, field: "messages", message: plainMessage,
			ours: func(key llm.Key, t http.RoundTripper) (llm.Provider, error) {
				return openai.NewChat(key, &openai.Config{Transport: t})
			},
		},
		{
			name: llmtest.FormatResponses, theirs: responsesSDK, field: "input", message: plainMessage,
			ours: func(key llm.Key, t http.RoundTripper) (llm.Provider, error) {
				return openai.NewResponses(key, &openai.Config{Transport: t})
			},
		},
		{
			name: llmtest.FormatMessages, theirs: messagesSDK, field: "messages", message: plainMessage,
			ours: func(key llm.Key, t http.RoundTripper) (llm.Provider, error) {
				return anthropic.New(key, &anthropic.Config{Transport: t})
			},
		},
		{
			name: llmtest.FormatGenerate, theirs: generateSDK, field: "contents", message: contentMessage,
			ours: func(key llm.Key, t http.RoundTripper) (llm.Provider, error) {
				return google.New(key, &google.Config{Transport: t})
			},
		},
		{
			name: llmtest.FormatLines, field: "messages", message: plainMessage,
			ours: func(_ llm.Key, t http.RoundTripper) (llm.Provider, error) {
				return ollama.New(&ollama.Config{Transport: t})
			},
		},
	}
}

const (
	chunks = 1000
	turns  = 200
)

// cost is what something takes.
type cost struct {
	cpu    time.Duration
	allocs float64
}

// measure runs everybody in turns and keeps the best of each.
func measure(b *testing.B, rounds int, contenders []func() error) []cost {
	b.Helper()
	best := make([]cost, len(contenders))
	var before, after runtime.MemStats
	for round := range rounds {
		for i, run := range contenders {
			if run == nil {
				continue
			}
			runtime.ReadMemStats(&before)
			start := llmtest.CPU()
			if err := run(); err != nil {
				b.Fatal(err)
			}
			took := llmtest.CPU() - start
			runtime.ReadMemStats(&after)
			allocs := float64(after.Mallocs - before.Mallocs)
			if round == 0 || took < best[i].cpu {
				best[i].cpu = took
			}
			if round == 0 || allocs < best[i].allocs {
				best[i].allocs = allocs
			}
		}
	}
	return best
}

// report prints a line of the table: ours, and ours as multiples of the others'.
func report(b *testing.B, all []cost, n int, unit string) {
	b.Helper()
	ours, sdk, bare := all[0], all[1], all[2]
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(ours.cpu.Nanoseconds())/float64(n), "cpu-ns/"+unit)
	b.ReportMetric(ours.allocs/float64(n), "allocs/"+unit)
	b.ReportMetric(float64(ours.cpu)/float64(bare.cpu), "x-bare-cpu")
	b.ReportMetric(ours.allocs/bare.allocs, "x-bare-allocs")
	if sdk.cpu > 0 {
		b.ReportMetric(float64(ours.cpu)/float64(sdk.cpu), "x-sdk-cpu")
		b.ReportMetric(ours.allocs/sdk.allocs, "x-sdk-allocs")
	}
}

// BenchmarkChunk is the reading of a streamed answer, per chunk.
func BenchmarkChunk(b *testing.B) {
	for _, f := range formats() {
		b.Run("format="+string(f.name), func(b *testing.B) {
			chatter := llmtest.NewChatter(f.name, chunks)
			ours, theirs := f.contenders(b, chatter)
			check := func(text string, err error) error {
				if err == nil && !strings.HasSuffix(strings.TrimSpace(text), chatter.Last) {
					b.Fatalf("read %d bytes and not the last word", len(text))
				}
				return err
			}
			run := []func() error{
				func() error { return check(ours.stream(b.Context())) },
				nil,
				func() error { return check(chatter.Bare(b.Context())) },
			}
			if theirs != nil {
				run[1] = func() error { return check(theirs.stream(b.Context())) }
			}
			for b.Loop() {
				report(b, measure(b, 10, run), chunks, "chunk")
			}
		})
	}
}

// BenchmarkRequest is the sending of a conversation of 200 turns, per request.
func BenchmarkRequest(b *testing.B) {
	for _, f := range formats() {
		b.Run("format="+string(f.name), func(b *testing.B) {
			ours, theirs := f.contenders(b, swallow{})
			run := []func() error{
				func() error { return ours.turns(b.Context(), turns) },
				nil,
				func() error { return f.bareTurns(b.Context(), turns) },
			}
			if theirs != nil {
				run[1] = func() error { return theirs.turns(b.Context(), turns) }
			}
			for b.Loop() {
				report(b, measure(b, 3, run), turns, "request")
			}
		})
	}
}

// contenders are we and the vendor's library, who may be missing.
func (f *format) contenders(b *testing.B, transport http.RoundTripper) (ours, theirs *contender) {
	b.Helper()
	p, err := f.ours(llm.FixedKey("k"), transport)
	if err != nil {
		b.Fatal(err)
	}
	ours = &contender{
		stream: func(ctx context.Context) (string, error) {
			r := llm.Call(ctx, p, &llm.Request{Provider: "p", Model: "m", Stream: true, History: []*llm.Message{said(0, 0)}})
			if r.Error != nil {
				return "", r.Error
			}
			return r.Output.AssistantText, nil
		},
		turns: func(ctx context.Context, n int) error {
			// The answers say nothing of use, and only the requests count.
			request := &llm.Request{Provider: "p", Model: "m", System: system}
			for i := range n {
				request.History = append(request.History, said(i, 0))
				llm.Call(ctx, p, request)
				request.History = append(request.History, said(i, 1))
			}
			return nil
		},
	}
	if f.theirs == nil {
		return ours, nil
	}
	if theirs, err = f.theirs(transport); err != nil {
		b.Fatal(err)
	}
	return ours, theirs
}
