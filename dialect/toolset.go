package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Toolset is a run's tools made ready: schemas compiled, definitions for the
// provider made once. It does not change and may be shared.
type Toolset struct {
	tools   map[string]*boundTool
	names   []string
	offered []llm.Tool
	report  llm.Tool
	schema  *schema
	format  spec.Format
	// withReport says that the report travels as a tool call.
	withReport bool
}

type boundTool struct {
	spec   *spec.Tool
	schema *schema
}

// NewToolset prepares the tools of a run. It fails when the transport is not
// one that this version speaks or when the report's schema does not compile; a
// tool's schema that does not compile is an error too, because a call could
// never be checked against it.
func NewToolset(run *spec.Run) (*Toolset, error) {
	if run.Transport != spec.TransportNative {
		return nil, fmt.Errorf("%w: transport %q is not available in this version, use %q",
			spec.ErrInvalid, run.Transport, spec.TransportNative)
	}
	ts := &Toolset{
		tools: make(map[string]*boundTool, len(run.Tools)), format: run.Format,
		withReport: !run.Completion.IsText(),
	}
	for i := range run.Tools {
		t := &run.Tools[i]
		s, err := compileSchema(t.Parameters)
		if err != nil {
			return nil, fmt.Errorf("%w: tool %q: parameters: %w", spec.ErrInvalid, t.Name, err)
		}
		ts.tools[t.Name] = &boundTool{spec: t, schema: s}
		ts.names = append(ts.names, t.Name)
		ts.offered = append(ts.offered, llm.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	if len(run.Schema) > 0 {
		s, err := compileSchema(run.Schema)
		if err != nil {
			return nil, fmt.Errorf("%w: report schema: %w", spec.ErrInvalid, err)
		}
		ts.schema = s
	}
	if ts.withReport {
		ts.report = reportTool(run)
		ts.offered = append(ts.offered, ts.report)
	}
	return ts, nil
}

// offer returns what the provider is told of. In final turns that is the
// report alone (contract L5).
func (ts *Toolset) offer(ask *Ask) []llm.Tool {
	if !ask.Final {
		return ts.offered
	}
	if ts.withReport {
		return []llm.Tool{ts.report}
	}
	return nil
}

// SchemaTokens estimates the tool definitions of a request.
func (ts *Toolset) SchemaTokens(final bool) int64 {
	var bytes int64
	for _, t := range ts.offer(&Ask{Final: final}) {
		bytes += int64(len(t.Name) + len(t.Description) + len(t.Parameters))
	}
	return Tokens(bytes)
}

// known lists tool names for a model that asked for one that is not there.
func (ts *Toolset) known() string {
	names := slices.Clone(ts.names)
	if ts.withReport {
		names = append(names, spec.FinalReportTool)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// resolve finds the tool that a name means: the exact one, or the only one
// whose name ends in it after "__" (contract T6).
func (ts *Toolset) resolve(name string) *boundTool {
	if t := ts.tools[name]; t != nil {
		return t
	}
	if name == "" || strings.Contains(name, "__") {
		return nil
	}
	var found *boundTool
	for _, n := range ts.names {
		if strings.HasSuffix(n, "__"+name) {
			if found != nil {
				return nil
			}
			found = ts.tools[n]
		}
	}
	return found
}

// reportTool is the definition of the final report for the run's format.
func reportTool(run *spec.Run) llm.Tool {
	properties := map[string]any{
		"report_format": map[string]any{"const": string(run.Format)},
		"metadata":      map[string]any{"type": "object", "description": "Anything worth keeping beside the report."},
	}
	required := []string{"report_format"}
	switch run.Format {
	case spec.FormatJSON:
		body := json.RawMessage(`{"type":"object"}`)
		if len(run.Schema) > 0 {
			body = run.Schema
		}
		properties["content_json"] = body
		required = append(required, "content_json")
	case spec.FormatSlack:
		properties["messages"] = map[string]any{
			"type": "array", "minItems": 1, "maxItems": 20,
			"description": "Slack Block Kit messages.", "items": map[string]any{"type": "object"},
		}
		required = append(required, "messages")
	default:
		properties["report_content"] = map[string]any{"type": "string", "minLength": 1, "description": "The whole answer."}
		properties["encoding"] = map[string]any{"enum": []string{"raw", "base64"}}
		required = append(required, "report_content")
	}
	return llm.Tool{
		Name: spec.FinalReportTool,
		Description: "Gives the final answer and ends the session. Call it once, when the task is done. " +
			"The user sees this report and nothing else.",
		Parameters: llm.MustMarshalJSON(map[string]any{
			"type": "object", "properties": properties, "required": required, "additionalProperties": false,
		}),
	}
}

// isReport reports whether a name means the final report (contract F4).
func isReport(name string) bool {
	switch strings.ReplaceAll(name, "-", "_") {
	case spec.FinalReportTool, "agent_final_report", "final_report":
		return true
	default:
		return false
	}
}
