package llmtest_test

import (
	"context"
	"errors"
	"flag"
	"iter"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/llmtest"
	"github.com/ai-agent-go/ai-agent/llm/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var fault = flag.String("fault", "", "the fault to break the adapter with, for the test of the suite itself")

// stream is what an adapter yields.
type stream = iter.Seq2[llm.Delta, *llm.Receipt]

// faults break a good adapter, each in one way.
var faults = map[string]func(ctx context.Context, p llm.Provider, r *llm.Request) stream{
	"none": func(ctx context.Context, p llm.Provider, r *llm.Request) stream { return p.Generate(ctx, r) },
	"retries by itself": func(ctx context.Context, p llm.Provider, r *llm.Request) stream {
		return receipts(p.Generate(ctx, r), func(first *llm.Receipt) *llm.Receipt {
			if first.Error != nil && first.Error.Class == llm.ClassServer {
				return llm.Call(ctx, p, r)
			}
			return first
		})
	},
	"quotes the key": func(ctx context.Context, p llm.Provider, r *llm.Request) stream {
		return receipts(p.Generate(ctx, r), func(x *llm.Receipt) *llm.Receipt {
			if x.Error != nil {
				x.Error.Message = "the service refused " + llmtest.Secret
			}
			return x
		})
	},
	"no receipt": func(ctx context.Context, p llm.Provider, r *llm.Request) stream {
		return receipts(p.Generate(ctx, r), func(*llm.Receipt) *llm.Receipt { return nil })
	},
	"two receipts": func(ctx context.Context, p llm.Provider, r *llm.Request) stream {
		return func(yield func(llm.Delta, *llm.Receipt) bool) {
			for d, x := range p.Generate(ctx, r) {
				if !yield(d, x) || x != nil && !yield(d, x) {
					return
				}
			}
		}
	},
	"loses a delta": func(ctx context.Context, p llm.Provider, r *llm.Request) stream {
		return func(yield func(llm.Delta, *llm.Receipt) bool) {
			n := 0
			for d, x := range p.Generate(ctx, r) {
				if n++; x == nil && n == 2 {
					continue
				}
				if !yield(d, x) {
					return
				}
			}
		}
	},
	"turns calls round": func(ctx context.Context, p llm.Provider, r *llm.Request) stream {
		return receipts(p.Generate(ctx, r), func(x *llm.Receipt) *llm.Receipt {
			slices.Reverse(x.Output.ToolCalls)
			return x
		})
	},
	"makes up usage": func(ctx context.Context, p llm.Provider, r *llm.Request) stream {
		return receipts(p.Generate(ctx, r), func(x *llm.Receipt) *llm.Receipt {
			if x.Usage == nil {
				x.Usage = &llm.Usage{}
			}
			return x
		})
	},
	"takes every failure for one": func(ctx context.Context, p llm.Provider, r *llm.Request) stream {
		return receipts(p.Generate(ctx, r), func(x *llm.Receipt) *llm.Receipt {
			if x.Error != nil {
				x.Error.Class = llm.ClassServer
			}
			return x
		})
	},
	"has a default of its own": func(ctx context.Context, p llm.Provider, r *llm.Request) stream {
		changed := *r
		if changed.Sampling.Temperature == nil {
			changed.Sampling.Temperature = new(0.7)
		}
		return p.Generate(ctx, &changed)
	},
	"forgets whose reasoning it is": func(ctx context.Context, p llm.Provider, r *llm.Request) stream {
		return receipts(p.Generate(ctx, r), func(x *llm.Receipt) *llm.Receipt {
			x.Output.Origin = nil
			return x
		})
	},
	"does not listen to its caller": func(ctx context.Context, p llm.Provider, r *llm.Request) stream {
		return p.Generate(context.WithoutCancel(ctx), r)
	},
	"waits for ever": func(ctx context.Context, p llm.Provider, r *llm.Request) stream {
		patient := *r
		patient.TimeoutMS = 0
		return p.Generate(ctx, &patient)
	},
	"rewrites the past": func(ctx context.Context, p llm.Provider, r *llm.Request) stream {
		changed := *r
		if len(r.History) > 1 {
			first := llm.Text(llm.RoleUser, "Turn "+strings.Repeat("I", len(r.History)))
			changed.History = append([]*llm.Message{&first}, r.History[1:]...)
		}
		return p.Generate(ctx, &changed)
	},
	"mixes up requests": func(ctx context.Context, p llm.Provider, r *llm.Request) stream {
		changed := *r
		changed.System = strings.Repeat("!", int(asked.Add(1)%2)) + r.System
		return p.Generate(ctx, &changed)
	},
}

var asked atomic.Int64

// receipts changes receipts on their way.
func receipts(s stream, change func(*llm.Receipt) *llm.Receipt) stream {
	return func(yield func(llm.Delta, *llm.Receipt) bool) {
		for d, x := range s {
			if x != nil {
				if x = change(x); x == nil {
					return
				}
			}
			if !yield(d, x) {
				return
			}
		}
	}
}

// broken is an adapter with a fault.
type broken struct {
	*openai.Chat
	fault func(ctx context.Context, p llm.Provider, r *llm.Request) stream
}

func (b *broken) Generate(ctx context.Context, r *llm.Request) stream { return b.fault(ctx, b.Chat, r) }

// TestSuite runs the suite with the fault that the flag names.
func TestSuite(t *testing.T) {
	t.Parallel()
	if *fault == "" {
		t.Skip("run by TestABrokenAdapterFailsTheSuite")
	}
	llmtest.Run(t, &llmtest.Adapter{
		New: func(t testing.TB, e *llmtest.Endpoint) llm.Provider {
			p, err := openai.NewChat(e.Key, &openai.Config{BaseURL: e.BaseURL + "/v1", Transport: e.Transport, Flavor: openai.FlavorOpenAI})
			if err != nil {
				t.Fatal(err)
			}
			return &broken{p, faults[*fault]}
		},
		Model: "gpt-test-1", Namespace: "openai", Messages: "messages", Wire: "../openai/testdata/chat",
	})
}

// The suite is only worth something when it notices: each fault must fail it, in
// a process of its own, and the adapter without one must pass.
func TestABrokenAdapterFailsTheSuite(t *testing.T) {
	t.Parallel()
	for name := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSuite$", "-test.timeout=2m", "-fault="+name).CombinedOutput()
			var exit *exec.ExitError
			switch {
			case err != nil && !errors.As(err, &exit):
				t.Fatal(err)
			case name == "none" && err != nil:
				t.Errorf("a good adapter fails:\n%s", out)
			case name != "none" && err == nil:
				t.Errorf("nobody noticed that the adapter %s", name)
			}
		})
	}
}
