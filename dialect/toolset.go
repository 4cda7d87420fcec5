package dialect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Toolset is a run's tools made ready: schemas compiled, definitions for the
// provider made once. It does not change and may be shared.
type Toolset struct {
	tools     map[string]*boundTool
	names     []string
	transport spec.Transport
	format    spec.Format
	// schema is what a json report must fit, nil when anything goes.
	schema *schema
	// Which of our own tools the run has. Where completion is text there is no
	// report, and the text is the answer.
	withReport, withStatus, withBatch bool

	status llm.Tool
	// router is how the model hands over, nil where there is nobody to.
	router *router
	// offered and offeredLast are what the provider is told of: on a turn
	// like any other, and on the last.
	offered, offeredLast []llm.Tool
	// listedTools and listedReport say in words what the XML transports do not
	// offer natively.
	listedTools, listedReport string
	// listedLast is listedTools of the last turn.
	listedLast string
}

type boundTool struct {
	spec   *spec.Tool
	schema *schema
}

// NewToolset prepares the tools of a run. It fails when the report's schema
// does not compile; a tool's schema that does not compile is an error too,
// because a call could never be checked against it.
func NewToolset(run *spec.Run) (*Toolset, error) {
	switch run.Transport {
	case spec.TransportNative, spec.TransportXMLFinal, spec.TransportXML:
	default:
		return nil, fmt.Errorf("%w: transport %q, want native, xml-final or xml", spec.ErrInvalid, run.Transport)
	}
	ts := &Toolset{
		tools: make(map[string]*boundTool, len(run.Tools)), transport: run.Transport, format: run.Format,
		withReport: !run.Completion.IsText(), withStatus: run.Progress, withBatch: run.Batch,
	}
	tools := make([]llm.Tool, 0, len(run.Tools)+3)
	for i := range run.Tools {
		t := &run.Tools[i]
		if err := ts.bind(t); err != nil {
			return nil, err
		}
		tools = append(tools, llm.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	if len(run.Schema) > 0 {
		s, err := compileSchema(run.Schema)
		if err != nil {
			return nil, fmt.Errorf("%w: report schema: %w", spec.ErrInvalid, err)
		}
		ts.schema = s
	}
	if ts.withBatch {
		tools = append(tools, batchTool(ts.names))
	}
	if len(run.Router) > 0 {
		r, err := newRouter(run.Router)
		if err != nil {
			return nil, err
		}
		ts.router = r
		tools = append(tools, r.tool)
	}
	ts.status = statusTool()
	ts.offerTools(run, tools)
	return ts, nil
}

func (ts *Toolset) bind(t *spec.Tool) error {
	switch {
	case ts.tools[t.Name] != nil, spec.IsIntrinsic(t.Name):
		return fmt.Errorf("%w: tool name %q is taken", spec.ErrInvalid, t.Name)
	}
	s, err := compileSchema(t.Parameters)
	if err != nil {
		return fmt.Errorf("%w: tool %q: parameters: %w", spec.ErrInvalid, t.Name, err)
	}
	ts.tools[t.Name] = &boundTool{spec: t, schema: s}
	ts.names = append(ts.names, t.Name)
	return nil
}

// offerTools divides the tools by transport: native offers all, xml-final all
// but the report, xml none, and says so in words instead (contract M1).
func (ts *Toolset) offerTools(run *spec.Run, tools []llm.Tool) {
	if ts.transport == spec.TransportXML {
		ts.list(run, tools)
		return
	}
	if ts.withStatus {
		tools = append(tools, ts.status)
	}
	if ts.router != nil {
		ts.offeredLast = append(ts.offeredLast, ts.router.tool)
	}
	if ts.withReport && ts.transport == spec.TransportNative {
		report := reportTool(run)
		tools = append(tools, report)
		ts.offeredLast = append(ts.offeredLast, report)
	}
	ts.list(run, nil)
	ts.offered = tools
}

// offer returns what the provider is told of. In final turns that is the
// report, and the router where there is one (contract L5).
func (ts *Toolset) offer(ask *Ask) []llm.Tool {
	if ask.Final {
		return ts.offeredLast
	}
	return ts.offered
}

// SchemaTokens estimates the tool definitions of a request, and what takes
// their place in the XML transports.
func (ts *Toolset) SchemaTokens(final bool) int64 {
	ask := &Ask{Transport: ts.transport, Nonce: "00000000", Slot: 1, Slots: 1, Final: final, Routes: ts.router != nil}
	bytes := int64(len(ts.listing(ask)))
	for _, t := range ts.offer(ask) {
		bytes += int64(len(t.Name) + len(t.Description) + len(t.Parameters))
	}
	return Tokens(bytes)
}

// known lists tool names for a model that asked for one that is not there.
func (ts *Toolset) known() string {
	names := slices.Clone(ts.names)
	if ts.withReport && ts.transport == spec.TransportNative {
		names = append(names, spec.FinalReportTool)
	}
	if ts.withStatus {
		names = append(names, spec.TaskStatusTool)
	}
	if ts.withBatch {
		names = append(names, spec.BatchTool)
	}
	if ts.router != nil {
		names = append(names, spec.RouterTool)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
