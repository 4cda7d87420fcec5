package dialect

import (
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Request projects the transcript so far into the request for one target. The
// system prompt is the run's own: whatever has to be said of tools, slots and
// the report comes last, with this request alone (contract M4, P12).
func (p *Projector) Request(run *spec.Run, target *spec.Target, tools *Toolset, ask *Ask) *llm.Request {
	offered := tools.offer(ask)
	return &llm.Request{
		Provider: target.Provider,
		Model:    target.Model,
		System:   run.System,
		History:  p.History(),
		// Calls without a result can only be open when a journal is cut in the
		// middle of a batch; they are answered here and not in the history,
		// where the real results may still arrive.
		Tail:       append(p.unfinished(), ask.tailMessages(tools)...),
		Tools:      offered,
		ToolChoice: toolChoice(run, offered),
		Sampling:   target.Sampling,
		Stream:     run.Stream,
		TimeoutMS:  max(run.Limits.LLMTimeoutMS, 0),
		Options:    target.Options,
	}
}

// toolChoice never forces a tool where the report is written as text
// (contract M1).
func toolChoice(run *spec.Run, offered []llm.Tool) llm.ToolChoice {
	switch {
	case len(offered) == 0:
		return llm.ToolChoiceUnset
	case run.Transport == spec.TransportNative:
		return run.ToolChoice
	default:
		return llm.ToolChoiceAuto
	}
}
