package dialect

import (
	"regexp"
	"strings"

	"github.com/ai-agent-go/ai-agent/spec"
)

// meaning is the tool that a name stands for.
type meaning struct {
	name      string
	intrinsic intrinsic
	tool      *boundTool
}

func (m *meaning) found() bool { return m.tool != nil || m.intrinsic != notIntrinsic }

// last says that the tool may be used on the last turn.
func (m *meaning) last() bool {
	return m.intrinsic == intrinsicReport || m.intrinsic == intrinsicRouter
}

// resolve finds the tool that a model means (contract T6): the exact name,
// another spelling of one of our own tools, the name without what models put
// around it, the name without its namespace. fits says whether the call's
// arguments suit a tool; it decides where a bare name could mean several.
func (ts *Toolset) resolve(name string, fits func(*boundTool) bool) meaning {
	if m := ts.exact(name); m.found() {
		return m
	}
	bare := cleanName(name)
	for _, try := range [...]string{bare, "agent__" + bare, "rest__" + bare} {
		if m := ts.exact(try); m.found() {
			return m
		}
	}
	if bare == "" || strings.Contains(bare, "__") {
		return meaning{}
	}
	var named, fitting []*boundTool
	for _, n := range ts.names {
		if !strings.HasSuffix(n, "__"+bare) {
			continue
		}
		t := ts.tools[n]
		if named = append(named, t); fits(t) {
			fitting = append(fitting, t)
		}
	}
	switch {
	case len(named) == 1:
		return meaning{name: named[0].spec.Name, tool: named[0]}
	case len(fitting) == 1:
		return meaning{name: fitting[0].spec.Name, tool: fitting[0]}
	default:
		return meaning{}
	}
}

func (ts *Toolset) exact(name string) meaning {
	if t := ts.tools[name]; t != nil {
		return meaning{name: name, tool: t}
	}
	// Our own tools have had several names, and models know them all
	// (contract F4, T11).
	switch strings.ReplaceAll(name, "-", "_") {
	case spec.FinalReportTool, "agent_final_report", "final_report":
		if ts.withReport {
			return meaning{name: spec.FinalReportTool, intrinsic: intrinsicReport}
		}
	case spec.TaskStatusTool, "agent_task_status", "agent__progress_report", "agent_progress_report":
		if ts.withStatus {
			return meaning{name: spec.TaskStatusTool, intrinsic: intrinsicStatus}
		}
	case spec.BatchTool, "agent_batch":
		if ts.withBatch {
			return meaning{name: spec.BatchTool, intrinsic: intrinsicBatch}
		}
	case "router__handoff_to", "router_handoff_to", "handoff_to":
		if ts.router != nil {
			return meaning{name: spec.RouterTool, intrinsic: intrinsicRouter}
		}
	}
	return meaning{}
}

var (
	controlToken = regexp.MustCompile(`<\|[^|<>]*\|>`)
	badNameChars = regexp.MustCompile(`[^A-Za-z0-9_-]+`)
	// wrapperName is the report's tag, called as if it were a tool.
	wrapperName = regexp.MustCompile(`(?i)^ai-agent-[0-9a-f]{8}-final$`)
)

// maxName is what providers accept as a tool's name.
const maxName = 64

// cleanName takes away control tokens and puts _ for what no name may hold.
func cleanName(name string) string {
	name = strings.TrimSpace(controlToken.ReplaceAllString(name, ""))
	name = badNameChars.ReplaceAllString(name, "_")
	return name[:min(len(name), maxName)]
}

// storedName is the name under which a call of an unknown tool is kept, so that
// the history that holds it can be sent to any provider (contract V2).
func storedName(name string) string {
	if name = strings.TrimLeft(cleanName(name), "_-"); name == "" {
		return "tool_call"
	}
	return name
}
