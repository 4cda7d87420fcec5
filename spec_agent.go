package aiagent

import (
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/tool"
)

// NewAgent makes an agent of its data, such as a configuration file or a
// session's pinned one has it. execute gives its local tools their functions; a
// tool for which it has none is remote. Agents that work for others are data of
// their own: those that the data names are left out.
func NewAgent(data *spec.Agent, execute func(spec.Tool) tool.Executor) *Agent {
	a := &Agent{
		ID: data.ID, System: data.System, Targets: data.Targets, Profiles: data.Profiles, Limits: data.Limits, Format: data.Format,
		Schema: data.Schema, Transport: data.Transport, Batch: data.Batch, ToolOutput: data.ToolOutput, NoProgress: data.NoProgress,
		Completion: data.Completion, Sampling: data.Sampling, ToolChoice: data.ToolChoice, OnAuthError: data.OnAuthError,
		Capture: data.Capture, NoStream: data.NoStream,
	}
	for _, t := range data.Tools {
		if t.Kind == spec.ToolAgent {
			continue
		}
		with := tool.Tool{Tool: t}
		if t.Kind == spec.ToolLocal && execute != nil {
			with.Execute = execute(t)
		}
		a.Tools = append(a.Tools, with)
	}
	return a
}

// Requests lists the digests of the requests that a session has sent, in order.
// Two sessions that were led the same way have sent the same.
func Requests(a *journal.Archive) ([]journal.Ref, error) {
	var digests []journal.Ref
	for i := range a.Frames {
		in, err := kernel.DecodeInput(a.Frames[i].Input)
		if err != nil {
			return nil, fmt.Errorf("frame %d: %w", a.Frames[i].Seq, err)
		}
		if r, ok := in.(*kernel.Receipt); ok && r.Generated != nil && !r.Generated.Request.IsZero() {
			digests = append(digests, r.Generated.Request)
		}
	}
	return digests, nil
}
