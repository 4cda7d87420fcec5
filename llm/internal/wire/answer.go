package wire

import (
	"cmp"
	"fmt"

	"github.com/ai-agent-go/ai-agent/llm"
)

// Answer is what a decoder makes of a provider's answer: deltas for whoever
// listens, and in the end the receipt. The exported fields are filled in as the
// provider says them.
type Answer struct {
	ResponseID string
	Finish     llm.Finish
	// Usage is nil as long as the provider has not counted.
	Usage        *llm.Usage
	Cost         *llm.Money
	UpstreamCost *llm.Money
	// Provider and Model are who answered, where that is said.
	Provider, Model string
	Warnings        []string

	collector llm.Collector
	blocks    []place
	show      func(llm.Delta) bool
	// gone is set when nobody listens any more.
	gone    bool
	failure *llm.Error
	secrets secrets
}

// NewAnswer makes an answer whose deltas go to show, until it returns false.
func NewAnswer(show func(llm.Delta) bool) *Answer { return &Answer{show: show} }

// Unsent is the receipt of a request that could not be encoded: nothing left.
func (a *Answer) Unsent(request *llm.Request, err error) *llm.Receipt {
	a.Fail(&llm.Error{Class: llm.ClassModel, Code: "unsendable", Message: OneLine(err.Error())})
	return a.receipt(&Call{Request: request}, nil)
}

// place is where a block stands in the provider's numbering.
type place struct {
	kind llm.DeltaKind
	at   int64
	// named is set when a call's id and name have been told.
	named bool
	id    string
}

// maxBlocks is as many blocks as an answer may have; the collector takes no more.
const maxBlocks = 4096

// Block returns our number of the provider's block: its kind and the provider's
// number, which may start anywhere, leave gaps and come in any order. Ours count
// the blocks as they appear. It is negative when there are too many.
func (a *Answer) Block(kind llm.DeltaKind, at int64) int {
	// The block that is spoken of is nearly always the last one.
	for i := len(a.blocks) - 1; i >= 0; i-- {
		if b := &a.blocks[i]; b.kind == kind && b.at == at {
			return i
		}
	}
	if len(a.blocks) >= maxBlocks {
		a.Fail(&llm.Error{Class: llm.ClassInvalidResponse, Message: fmt.Sprintf("the answer has more than %d parts", maxBlocks)})
		return -1
	}
	a.blocks = append(a.blocks, place{kind: kind, at: at})
	return len(a.blocks) - 1
}

// Text adds to a text block.
func (a *Answer) Text(at int64, text []byte) { a.add(llm.DeltaText, at, text) }

// Reasoning adds to a block of reasoning.
func (a *Answer) Reasoning(at int64, text []byte) { a.add(llm.DeltaReasoning, at, text) }

func (a *Answer) add(kind llm.DeltaKind, at int64, text []byte) {
	if i := a.Block(kind, at); i >= 0 && len(text) > 0 {
		a.tell(llm.Delta{Kind: kind, Block: i, Text: string(text)})
	}
}

// Call adds to a tool call. The id and the name count the first time that they
// are not empty; an argument text may come with them or later.
func (a *Answer) Call(at int64, id, name string, arguments []byte) {
	i := a.Block(llm.DeltaToolCall, at)
	if i < 0 {
		return
	}
	d := llm.Delta{Kind: llm.DeltaToolCall, Block: i, Text: string(arguments)}
	if b := &a.blocks[i]; !b.named && name != "" {
		b.named, b.id = true, cmp.Or(b.id, id)
		d.CallID, d.Name = b.id, name
	} else if b.id == "" && id != "" {
		b.id, d.CallID = id, id
	}
	if d.Text != "" || d.CallID != "" || d.Name != "" {
		a.tell(d)
	}
}

// CallID is the id of a call so far, empty when it has none.
func (a *Answer) CallID(at int64) string {
	for i := len(a.blocks) - 1; i >= 0; i-- {
		if b := &a.blocks[i]; b.kind == llm.DeltaToolCall && b.at == at {
			return b.id
		}
	}
	return ""
}

// Calls counts the tool calls so far.
func (a *Answer) Calls() (n int64) {
	for i := range a.blocks {
		if a.blocks[i].kind == llm.DeltaToolCall {
			n++
		}
	}
	return n
}

// Sign attaches the provider's opaque data to a block.
func (a *Answer) Sign(kind llm.DeltaKind, at int64, signature, redacted, itemID string) {
	if i := a.Block(kind, at); i >= 0 {
		a.collector.Sign(i, kind, a.secrets.scrub(signature), a.secrets.scrub(redacted), a.secrets.scrub(itemID))
	}
}

// tell passes a piece on. A service that repeats the key in an answer, as those
// do that echo requests, is not quoted; a key that it takes apart and sends in
// several pieces is not recognised.
func (a *Answer) tell(d llm.Delta) {
	d.Text, d.CallID, d.Name = a.secrets.scrub(d.Text), a.secrets.scrub(d.CallID), a.secrets.scrub(d.Name)
	a.collector.Add(d)
	if !a.gone && !a.show(d) {
		a.gone = true
	}
}

// Fail ends the answer with a failure. The first one counts.
func (a *Answer) Fail(err *llm.Error) {
	if a.failure == nil {
		a.failure = err
	}
}

// Malformed ends the answer because it could not be read.
func (a *Answer) Malformed(what string) {
	a.Fail(&llm.Error{Class: llm.ClassInvalidResponse, Message: "the answer cannot be read: " + what})
}

// Refused ends the answer because the model or its service would not answer.
func (a *Answer) Refused(message string) {
	a.Fail(&llm.Error{Class: llm.ClassRefusal, Code: a.Finish.Raw, Message: cmp.Or(message, "the model refused to answer")})
}

// Warn adds a warning to the receipt.
func (a *Answer) Warn(format string, args ...any) {
	a.Warnings = append(a.Warnings, fmt.Sprintf(format, args...))
}

// over reports that there is nothing more to read for.
func (a *Answer) over() bool { return a.gone || a.failure != nil }

// receipt closes the answer.
func (a *Answer) receipt(call *Call, raw []byte) *llm.Receipt {
	request := call.Request
	r := &llm.Receipt{
		Output:     a.collector.Envelope(&llm.Origin{Provider: request.Provider, Model: request.Model}),
		Raw:        raw,
		ResponseID: a.secrets.scrub(a.ResponseID), Finish: a.Finish, Usage: a.Usage, Cost: a.Cost, UpstreamCost: a.UpstreamCost,
		Warnings:       append(call.Warnings, a.Warnings...),
		ProviderID:     request.Provider,
		ActualProvider: cmp.Or(a.secrets.scrub(a.Provider), request.Provider),
		ActualModel:    cmp.Or(a.secrets.scrub(a.Model), request.Model),
		Error:          a.failure,
	}
	r.Finish.Raw = a.secrets.scrub(r.Finish.Raw)
	for i := range r.Warnings {
		r.Warnings[i] = a.secrets.scrub(r.Warnings[i])
	}
	switch {
	case a.failure == nil:
		r.Finish.Reason = cmp.Or(r.Finish.Reason, llm.FinishUnknown)
	case a.failure.Class == llm.ClassAborted:
		r.Finish.Reason = llm.FinishAborted
	case a.failure.Class != llm.ClassRefusal || r.Finish.Reason != llm.FinishContentFilter && r.Finish.Reason != llm.FinishRefusal:
		r.Finish.Reason = llm.FinishError
	}
	return r
}
