package sim

import (
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
)

// plant breaks something on purpose, so that a test can see that it is found. A
// simulator that cannot fail proves nothing. No script reaches it.
type plant struct {
	// frame changes a frame before it is written.
	frame func(*journal.Frame)
	// request changes a request before it is sent, or what is noted of it.
	request func(*llm.Request, *journal.Ref)
	// lose says which effects nobody carries out.
	lose func(kernel.Effect) bool
	// rerun says that recovery runs everything again.
	rerun bool
}
