package aiagent_test

import (
	"context"
	"iter"
	"sync"

	"github.com/ai-agent-go/ai-agent/llm"
)

var recording sync.Mutex

// Generate notes the request and passes it on.
func (r *recorder) Generate(ctx context.Context, request *llm.Request) iter.Seq2[llm.Delta, *llm.Receipt] {
	recording.Lock()
	r.requests = append(r.requests, request)
	recording.Unlock()
	return r.Provider.Generate(ctx, request)
}
