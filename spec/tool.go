package spec

import (
	"encoding/json"
	"fmt"
)

// ToolKind says who executes a tool.
type ToolKind string

// The kinds of tool.
const (
	// ToolLocal runs in this process or is reached from it.
	ToolLocal ToolKind = "local"
	// ToolRemote is declared without an executor: its call suspends the
	// session until somebody sends the result (contract T15).
	ToolRemote ToolKind = "remote"
	// ToolAgent is another agent; its call is a child session.
	ToolAgent ToolKind = "agent"
	// ToolIntrinsic is settled by the kernel itself: the final report, the
	// task status.
	ToolIntrinsic ToolKind = "intrinsic"
)

// Tool is a tool as data.
type Tool struct {
	// Name is what the model calls. It is unique in a toolset.
	Name string `json:"name"`
	// Label is what people read. Empty means Name.
	Label       string `json:"label,omitempty"`
	Description string `json:"description,omitempty"`
	// Parameters is a JSON Schema of an object.
	Parameters json.RawMessage `json:"parameters"`
	Kind       ToolKind        `json:"kind"`
	// Agent is the id of the agent that the tool stands for, when Kind is
	// agent.
	Agent string `json:"agent,omitempty"`
	// Server names where the tool comes from, for accounting: an MCP server,
	// "rest", "agent" for our own. Empty means "local".
	Server string `json:"server,omitempty"`
	// Queue names the execution queue. Empty means "default".
	Queue string `json:"queue,omitempty"`
	// TimeoutMS overrides the run's tool time-out. Zero means the run's.
	TimeoutMS int64 `json:"timeout_ms,omitempty"`
	// ReplaySafe says that running the tool twice does no harm: after a crash
	// it is run again instead of being answered "interrupted".
	ReplaySafe bool `json:"replay_safe,omitempty"`
	// Approval says that a person must allow each call (contract T17).
	Approval bool `json:"approval,omitempty"`
}

// maxToolName is what every provider accepts.
const maxToolName = 64

// CheckToolName reports why a name cannot be offered to a model.
func CheckToolName(name string) error {
	if name == "" || len(name) > maxToolName {
		return fmt.Errorf("tool name %.80q: want 1 to %d characters", name, maxToolName)
	}
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' {
			continue
		}
		return fmt.Errorf("tool name %q: %q is not allowed, want letters, digits, _ and -", name, c)
	}
	return nil
}

// Names of the tools that the kernel settles itself.
const (
	FinalReportTool = "agent__final_report"
	TaskStatusTool  = "agent__task_status"
	BatchTool       = "agent__batch"
	ToolOutputTool  = "tool_output"
	RouterTool      = "router__handoff-to"
)

// IsIntrinsic says that a tool's name is one of ours.
func IsIntrinsic(name string) bool {
	switch name {
	case FinalReportTool, TaskStatusTool, BatchTool, ToolOutputTool, RouterTool:
		return true
	default:
		return false
	}
}
