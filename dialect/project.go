package dialect

import (
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Request projects the transcript so far into the request for one target.
func (p *Projector) Request(run *spec.Run, target *spec.Target, tools *Toolset, ask *Ask) *llm.Request {
	offered := tools.offer(ask)
	choice := run.ToolChoice
	if len(offered) == 0 {
		choice = llm.ToolChoiceUnset
	}
	return &llm.Request{
		Provider: target.Provider,
		Model:    target.Model,
		System:   run.System,
		History:  p.History(),
		// Calls without a result can only be open when a journal is cut in the
		// middle of a batch; they are answered here and not in the history,
		// where the real results may still arrive.
		Tail:       append(p.orphans(), ask.tailMessages()...),
		Tools:      offered,
		ToolChoice: choice,
		Sampling:   target.Sampling,
		Stream:     run.Stream,
		TimeoutMS:  max(run.Limits.LLMTimeoutMS, 0),
		Options:    target.Options,
	}
}
