package host

import (
	"context"
	"fmt"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// startGenerate projects the transcript into a request and sends it. What
// cannot be projected is a failed attempt like any other.
func (a *actor) startGenerate(id string, g *kernel.Generate) {
	fail := func(err error) {
		out := &kernel.Generated{
			Finish: llm.Finish{Reason: llm.FinishError},
			Error:  &llm.Error{Class: llm.ClassModel, Message: err.Error()},
		}
		a.settleHold(g, nil, out)
		a.deliver(delivery{receipt: &kernel.Receipt{Effect: id, Generated: out}})
	}
	rc, err := a.project.config(g.Config)
	if err == nil {
		err = a.project.history.To(g.Head, a.project.blob)
	}
	if err != nil {
		fail(err)
		return
	}
	// What was appended is in the history now; what tools still want of it is
	// in the store.
	clear(a.project.fresh)
	provider := a.h.providers[g.Provider]
	if provider == nil {
		fail(fmt.Errorf("provider %q is not configured in this process", g.Provider))
		return
	}
	request, digest, err := a.project.history.Request(g, rc.run, rc.tools)
	if err != nil {
		fail(err)
		return
	}
	started := a.h.clock.Now()
	done := func(receipt *llm.Receipt) delivery {
		latency := a.h.clock.Now() - started
		return delivery{finish: func() delivery {
			d := safelyObserve(rc.tools, g, receipt)
			d.receipt.Effect, d.receipt.LatencyMS = id, latency
			d.receipt.Generated.Request = digest
			a.settleHold(g, rc.run, d.receipt.Generated)
			return d
		}}
	}
	a.background(id, func(problem string) delivery {
		return done(failed(llm.ClassServer, "the provider's adapter panicked: "+problem))
	}, func(e *effort) delivery {
		e.watch(nil, func() delivery { return done(failed(llm.ClassAborted, "the request was cancelled")) })
		return done(a.ask(e.ctx, id, provider, request, func() *dialect.Filter {
			return dialect.NewFilter(&g.Ask, rc.run.Format, rc.run.Preamble)
		}))
	})
}

func failed(class llm.ErrorClass, message string) *llm.Receipt {
	return &llm.Receipt{Error: &llm.Error{Class: class, Message: message}}
}

// ask calls the provider and passes deltas on. A provider that breaks its
// promise of one receipt gives a failed attempt.
func (a *actor) ask(
	ctx context.Context, id string, provider llm.Provider, request *llm.Request, newFilter func() *dialect.Filter,
) *llm.Receipt {
	var filter *dialect.Filter // there may be nothing to filter
	show := func(shown []dialect.Shown) {
		for _, s := range shown {
			a.hub.publishDelta(&Delta{Effect: id, LLM: &s.Delta, Answer: s.Answer})
		}
	}
	for delta, receipt := range provider.Generate(ctx, request) {
		if receipt != nil {
			if filter != nil {
				show(filter.Close())
			}
			return receipt
		}
		if filter == nil {
			filter = newFilter()
		}
		show(filter.Push(delta))
	}
	return failed(llm.ClassInvalidResponse, "the provider's stream ended without a receipt")
}

// safelyObserve makes a response that nobody can read a failed attempt.
func safelyObserve(tools *dialect.Toolset, g *kernel.Generate, r *llm.Receipt) (d delivery) {
	defer func() {
		if problem := recover(); problem != nil {
			d = observe(tools, g, failed(llm.ClassInvalidResponse, fmt.Sprintf("the response could not be read: %v", problem)))
		}
	}()
	return observe(tools, g, r)
}

// observe turns a provider's receipt into the kernel's, with its blobs.
func observe(tools *dialect.Toolset, g *kernel.Generate, r *llm.Receipt) delivery {
	out := &kernel.Generated{
		ResponseID: r.ResponseID, Finish: r.Finish, Usage: r.Usage, Cost: r.Cost, Upstream: r.UpstreamCost,
		Warnings: r.Warnings, Provider: r.ActualProvider, Model: r.ActualModel, Error: r.Error,
	}
	d := delivery{receipt: &kernel.Receipt{Generated: out}}
	keep := func(data []byte) journal.Ref {
		b := journal.NewBlob(data)
		d.blobs = append(d.blobs, b)
		return b.Ref
	}
	if len(r.Raw) > 0 && (g.Capture == spec.CaptureAll || g.Capture == spec.CaptureErrors && r.Error != nil) {
		out.Raw = keep(r.Raw)
	}
	if r.Error != nil {
		if !r.Output.Empty() {
			out.Output = keep(llm.MustMarshalJSON(&r.Output))
		}
		return d
	}
	seen := dialect.Observe(tools, &g.Ask, r.Output, r.Finish)
	out.Observation = &seen.Observation
	out.Output = keep(llm.MustMarshalJSON(&seen.Envelope))
	if seen.Envelope.IsText() {
		d.envelope = &seen.Envelope
	}
	if seen.ReportBody != nil {
		out.Report = keep(llm.MustMarshalJSON(seen.ReportBody))
	}
	// Text that is only said in passing need not be kept a second time.
	if seen.TextPayload != nil && (seen.Report == nil && len(seen.Calls) == 0 || seen.TextReport.Truncated) {
		out.TextReport = keep(llm.MustMarshalJSON(seen.TextPayload))
	}
	return d
}
