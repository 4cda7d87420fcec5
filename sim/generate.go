package sim

import (
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// startGenerate makes the request that a host would send, looks whether any
// provider would take it, and answers with the script's next reply.
func (w *world) startGenerate(id string, g *kernel.Generate) {
	p, err := w.config(g.Config)
	if err == nil {
		err = w.history.To(g.Head, w.blob)
	}
	var request *llm.Request
	var digest journal.Ref
	if err == nil {
		request, digest, err = w.history.Request(g, p.run, p.tools)
	}
	if err != nil {
		w.breaks("V2", w.state.Seq, "no request can be made for %s: %v", id, err)
		w.deliver(0, &kernel.Receipt{Effect: id, Generated: &kernel.Generated{
			Finish: llm.Finish{Reason: llm.FinishError}, Error: &llm.Error{Class: llm.ClassModel, Message: err.Error()},
		}}, nil, false)
		return
	}
	if w.executions[id]++; w.executions[id] > 1 {
		w.breaks("R9", w.state.Seq, "request %s went out twice", id)
	}
	w.wire++
	w.checkHold(id, g)
	if w.plant.request != nil {
		w.plant.request(request, &digest)
	}
	for _, problem := range checkRequest(request, &g.Ask) {
		w.breaks("V2", w.state.Seq, "request %s: %s", id, problem)
	}
	w.checkPrefix(id, request)
	reply := w.nextReply(g)
	w.count("reply " + reply.Kind)
	after := reply.After
	receipt := reply.receipt(g, request)
	if limit := request.TimeoutMS; limit > 0 && after > limit {
		after = limit
		receipt = &llm.Receipt{
			Finish: llm.Finish{Reason: llm.FinishError}, Error: &llm.Error{Class: llm.ClassTimeout, Message: "the model is silent"},
		}
	}
	out, blobs := observe(p.tools, g, receipt)
	out.Request = digest
	w.settleHold(g, p.run.Targets[g.Target].Price, out)
	w.deliver(after, &kernel.Receipt{Effect: id, Generated: out}, blobs, reply.Twice)
}

// nextReply is the script's next reply, or the report when there is none left.
func (w *world) nextReply(g *kernel.Generate) *Reply {
	if w.replies < len(w.script.Replies) {
		w.replies++
		return &w.script.Replies[w.replies-1]
	}
	content := `the answer`
	switch g.Ask.Format {
	case spec.FormatJSON:
		content = `{"answer":"yes"}`
	case spec.FormatSlack:
		content = `[{"blocks":[{"type":"section","text":{"type":"mrkdwn","text":"yes"}}]}]`
	case spec.FormatMarkdown, spec.FormatMarkdownMermaid, spec.FormatText, spec.FormatTTY, spec.FormatPipe, spec.FormatSubAgent:
	}
	r := &Reply{Kind: "good report", After: 500, Finish: llm.FinishStop}
	switch {
	case g.Ask.Completion.IsText():
		r.Blocks = []Block{text(content)}
	case g.Ask.Transport == spec.TransportNative:
		field := map[spec.Format]string{spec.FormatJSON: "content_json", spec.FormatSlack: "messages"}[g.Ask.Format]
		if field == "" {
			field, content = "report_content", string(llm.MustMarshalJSON(content))
		}
		r.Blocks = []Block{{Kind: llm.DeltaToolCall, ID: "done", Name: spec.FinalReportTool, Text: `{"` + field + `":` + content + `}`}}
	default:
		r.Blocks = []Block{text("<ai-agent-@nonce@-FINAL>" + content + "</ai-agent-@nonce@-FINAL>")}
	}
	return r
}

// receipt makes a provider's receipt of a reply, in the way in which adapters
// make theirs.
func (r *Reply) receipt(g *kernel.Generate, request *llm.Request) *llm.Receipt {
	var c llm.Collector
	n := 0
	for i := range r.Blocks {
		b := &r.Blocks[i]
		for j := range max(b.Times, 1) {
			// The text comes in two pieces, as in a stream.
			content := expand(b.Text, &g.Ask, j)
			id, name := expand(b.ID, &g.Ask, j), expand(b.Name, &g.Ask, j)
			c.Add(llm.Delta{Kind: b.Kind, Block: n, CallID: id, Name: name, Text: content[:len(content)/2]})
			c.Add(llm.Delta{Kind: b.Kind, Block: n, Text: content[len(content)/2:]})
			c.Sign(n, b.Kind, b.Sign, "", "")
			n++
		}
	}
	receipt := &llm.Receipt{
		Output: c.Envelope(&llm.Origin{Provider: request.Provider, Model: request.Model}), Raw: []byte(`{"raw":"bytes"}`),
		ResponseID: "r-" + request.CorrelationID, Finish: llm.Finish{Reason: r.Finish, Raw: string(r.Finish)}, Usage: r.Usage,
		Cost: r.Cost, ActualProvider: request.Provider, ActualModel: request.Model,
	}
	if r.Error != nil {
		e := *r.Error
		e.Message = expand(e.Message, &g.Ask, 0)
		receipt.Error = &e
	}
	return receipt
}

// observe turns a provider's receipt into the kernel's, as the host does.
func observe(tools *dialect.Toolset, g *kernel.Generate, r *llm.Receipt) (*kernel.Generated, []journal.Blob) {
	out := &kernel.Generated{
		ResponseID: r.ResponseID, Finish: r.Finish, Usage: r.Usage, Cost: r.Cost, Upstream: r.UpstreamCost,
		Warnings: r.Warnings, Provider: r.ActualProvider, Model: r.ActualModel, Error: r.Error,
	}
	var k keeper
	if g.Capture == spec.CaptureAll || g.Capture == spec.CaptureErrors && r.Error != nil {
		out.Raw = k.keep(r.Raw)
	}
	if r.Error != nil {
		if !r.Output.Empty() {
			out.Output = k.keep(llm.MustMarshalJSON(&r.Output))
		}
		return out, k.blobs
	}
	seen := dialect.Observe(tools, &g.Ask, r.Output, r.Finish)
	out.Observation = &seen.Observation
	out.Output = k.keep(llm.MustMarshalJSON(&seen.Envelope))
	if seen.ReportBody != nil {
		out.Report = k.keep(llm.MustMarshalJSON(seen.ReportBody))
	}
	if seen.TextPayload != nil && (seen.Report == nil && len(seen.Calls) == 0 || seen.TextReport.Truncated) {
		out.TextReport = k.keep(llm.MustMarshalJSON(seen.TextPayload))
	}
	return out, k.blobs
}
