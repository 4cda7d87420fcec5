package script

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ai-agent-go/ai-agent/llm"
)

// play is one answer being given.
type play struct {
	request *llm.Request
	reply   *Reply // its templates are filled
	raw     []byte
	chunks  []chunk
	usage   *llm.Usage // the script's default
	now     func() time.Time

	collector llm.Collector
}

// run plays the reply and returns its receipt, or nil when nobody listens.
func (p *play) run(ctx context.Context, show func(llm.Delta) bool) *llm.Receipt {
	var heard bool
	var err *llm.Error
	if p.request.Stream {
		heard, err = p.stream(ctx, show)
	} else {
		heard, err = p.atOnce(ctx, show)
	}
	if !heard {
		return nil
	}
	if err == nil && ctx.Err() != nil {
		err = aborted(ctx)
	}
	if err != nil {
		return p.interrupted(err)
	}
	return p.receipt(p.failure())
}

// stream shows chunk after chunk. Each silence has the request's time limit
// for itself (contract R13).
func (p *play) stream(ctx context.Context, show func(llm.Delta) bool) (heard bool, err *llm.Error) {
	limit := p.request.TimeoutMS
	if err := wait(ctx, p.reply.DelayMS, limit); err != nil {
		return true, err
	}
	chunks := p.chunks
	if b := p.reply.BreakAfter; b != nil {
		chunks = b.arrive(chunks)
	}
	for i := range chunks {
		if i > 0 {
			if err := wait(ctx, p.reply.ChunkDelayMS, limit); err != nil {
				return true, err
			}
		}
		p.collect(chunks[i])
		if !show(chunks[i].delta) {
			return false, nil
		}
	}
	return true, nil
}

// atOnce waits as long as a stream would take, then shows each part at once.
// The limit is for the sum (contract R13), and a failure has no output: half a
// body cannot be read.
func (p *play) atOnce(ctx context.Context, show func(llm.Delta) bool) (heard bool, err *llm.Error) {
	gaps := int64(max(len(p.chunks)-1, 0))
	if err := wait(ctx, p.reply.DelayMS+gaps*p.reply.ChunkDelayMS, p.request.TimeoutMS); err != nil {
		return true, err
	}
	if p.reply.Error != nil || p.reply.BreakAfter != nil {
		return true, nil
	}
	for i := 0; i < len(p.chunks); {
		part := p.chunks[i]
		var text strings.Builder
		for block := part.delta.Block; i < len(p.chunks) && p.chunks[i].delta.Block == block; i++ {
			text.WriteString(p.chunks[i].delta.Text)
			part.seal = p.chunks[i].seal
		}
		part.delta.Text = text.String()
		p.collect(part)
		if !show(part.delta) {
			return false, nil
		}
	}
	return true, nil
}

func (p *play) collect(c chunk) {
	p.collector.Add(c.delta)
	if s := c.seal; s != nil {
		p.collector.Sign(c.delta.Block, c.delta.Kind, s.Signature, s.Redacted, s.ID)
	}
}

// failure is how the script wants the attempt to fail, nil for success.
func (p *play) failure() *llm.Error {
	if p.reply.BreakAfter != nil {
		return &llm.Error{Class: llm.ClassNetwork, Message: "the connection was closed before the response was complete"}
	}
	f := p.reply.Error
	if f == nil {
		return nil
	}
	e := &llm.Error{Class: f.Class, Message: f.Message, Status: f.Status, Code: f.Code}
	if e.Class == "" {
		e.Class = llm.ClassOfStatus(f.Status)
	}
	if e.Message == "" {
		e.Message = "scripted failure"
	}
	if len(f.Headers) > 0 {
		e.RetryAfterMS, e.RetryAfterSource = llm.RetryAfter(f.header, p.now())
	}
	return e
}

// header finds a header by name in any case. Keys are sorted, so that two which
// differ in case alone give the same answer every time.
func (f *Failure) header(name string) string {
	for _, k := range slices.Sorted(maps.Keys(f.Headers)) {
		if strings.EqualFold(k, name) {
			return f.Headers[k]
		}
	}
	return ""
}

// receipt reports what the script foresaw.
func (p *play) receipt(err *llm.Error) *llm.Receipt {
	r := p.partial(err)
	r.ResponseID = p.reply.ResponseID
	r.Warnings = slices.Clone(p.reply.Warnings)
	if reason := p.reply.finish(); err == nil || p.reply.Finish != "" {
		r.Finish = llm.Finish{Reason: reason, Raw: string(reason)}
	}
	usage := p.reply.Usage
	if usage == nil && err == nil {
		usage = p.usage
	}
	if usage != nil {
		u := *usage
		r.Usage = &u
	}
	if p.reply.CostUSD != nil {
		cost := llm.MoneyFromUSD(*p.reply.CostUSD)
		r.Cost = &cost
	}
	return r
}

// interrupted reports an end that the script did not foresee: what a provider
// says last, as usage and cost, was never heard.
func (p *play) interrupted(err *llm.Error) *llm.Receipt {
	r := p.partial(err)
	if err.Class == llm.ClassAborted {
		r.Finish.Reason = llm.FinishAborted
	}
	return r
}

// partial is what all receipts have in common.
func (p *play) partial(err *llm.Error) *llm.Receipt {
	return &llm.Receipt{
		Output:         p.collector.Envelope(&llm.Origin{Provider: p.request.Provider, Model: p.request.Model}),
		Raw:            p.raw,
		Finish:         llm.Finish{Reason: llm.FinishError},
		ProviderID:     providerID(p.request),
		ActualProvider: cmp.Or(p.reply.Provider, p.request.Provider),
		ActualModel:    cmp.Or(p.reply.Model, p.request.Model),
		Error:          err,
	}
}

// wait lets ms pass, but no more than limit, which is none when 0. It ends at
// once with ctx. An abort is never taken for a time-out (contract R10).
func wait(ctx context.Context, ms, limit int64) *llm.Error {
	late := limit > 0 && ms > limit
	if late {
		ms = limit
	}
	if ms > 0 && ctx.Err() == nil {
		timer := time.NewTimer(time.Duration(min(ms, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
	}
	switch {
	case ctx.Err() != nil:
		return aborted(ctx)
	case late:
		return &llm.Error{Class: llm.ClassTimeout, Message: fmt.Sprintf("nothing came for %d ms", limit)}
	default:
		return nil
	}
}

func aborted(ctx context.Context) *llm.Error {
	message := "the call was cancelled"
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		message += ": " + cause.Error()
	}
	return &llm.Error{Class: llm.ClassAborted, Message: message}
}
