package kernel

import (
	"github.com/ai-agent-go/ai-agent/journal"
)

// Fields codes the state.
func (s *State) Fields(k *journal.Codec) {
	k.Int(&s.Seq)
	k.Int(&s.Time)
	s.Identity.Fields(k)
	k.String(&s.Nonce)
	k.Int(&s.Slot)
	k.Int(&s.Offered)
	s.Config.Fields(k)
	k.Ref(&s.Transcript.Head)
	k.Int(&s.Transcript.Entries)
	k.Int(&s.Guard.Current)
	k.Int(&s.Guard.Pending)
	k.Int(&s.Guard.New)
	k.Int(&s.Runs)
	journal.Opt(k, &s.Run, func(k *journal.Codec, r *Run) { r.Fields(k) })
	journal.List(k, &s.FollowUps, func(k *journal.Codec, p *Prompt) { p.Fields(k) })
	usage(k, &s.Totals.Usage)
	money(k, &s.Totals.Cost)
	k.Int(&s.Totals.Attempts)
	k.Int(&s.Totals.Tools)
	k.String(&s.Last)
}

// Fields codes the run.
func (r *Run) Fields(k *journal.Codec) {
	k.Int(&r.Number)
	k.Int(&r.Started)
	r.Prompt.Fields(k)
	k.Bool(&r.Said)
	r.Config.Fields(k)
	journal.Text(k, &r.Phase)
	k.Int(&r.Turn)
	k.Int(&r.MaxTurns)
	k.Int(&r.Attempt)
	journal.Text(k, &r.Forced)
	journal.List(k, &r.Notices, notice)
	journal.List(k, &r.Steers, func(k *journal.Codec, c *Content) { c.Fields(k) })
	k.Int(&r.Cycle.Size)
	k.Int(&r.Cycle.Asked)
	k.Int(&r.Cycle.Limited)
	k.Int(&r.Cycle.WaitMS)
	k.String(&r.Cycle.Source)
	k.Int(&r.Cycle.Backoffs)
	journal.Opt(k, &r.Batch, func(k *journal.Codec, b *Batch) { b.Fields(k) })
	journal.List(k, &r.Open, func(k *journal.Codec, o *OpenEffect) { o.Fields(k) })
	k.Int(&r.Reports)
	k.Int(&r.Wasted)
	k.String(&r.LastError)
	journal.Text(k, &r.LastClass)
	journal.Opt(k, &r.Text, func(k *journal.Codec, t *TextFallback) { t.Fields(k) })
	journal.Opt(k, &r.Ending, func(k *journal.Codec, e *Ending) { e.Fields(k) })
	usage(k, &r.Usage)
	money(k, &r.Cost)
	k.Ref(&r.Partial)
}

// Fields codes the open effect.
func (o *OpenEffect) Fields(k *journal.Codec) {
	k.String(&o.ID)
	k.String(&o.Class)
	k.Int(&o.Call)
	k.Int(&o.Target)
	k.Int(&o.Turn)
	k.Int(&o.Wake)
	journal.Text(k, &o.Purpose)
	k.Bool(&o.Remote)
	money(k, &o.Reserved)
	k.String(&o.Child)
	journal.List(k, &o.Waits, func(k *journal.Codec, p *PendingCall) { p.Fields(k) })
}

// Fields codes the batch.
func (b *Batch) Fields(k *journal.Codec) {
	k.Ref(&b.Output)
	journal.List(k, &b.Calls, func(k *journal.Codec, c *BatchCall) { c.Fields(k) })
	k.Int(&b.Admitted)
	k.Int(&b.Started)
	k.Ref(&b.Report)
	k.String(&b.ReportCall)
	k.String(&b.ModelStatus)
	k.Int(&b.TagBytes)
}

// Fields codes the call.
func (c *BatchCall) Fields(k *journal.Codec) {
	k.String(&c.ID)
	k.String(&c.Item)
	k.Int(&c.Group)
	k.Int(&c.Sub)
	k.Int(&c.Lines)
	k.String(&c.Name)
	k.String(&c.Server)
	k.Ref(&c.Args)
	k.Int(&c.Index)
	k.Int(&c.In)
	journal.Text(k, &c.Kind)
	k.String(&c.Queue)
	k.Int(&c.TimeoutMS)
	k.Bool(&c.ReplaySafe)
	k.Bool(&c.Approval)
	k.String(&c.Effect)
	k.Bool(&c.Done)
	k.Bool(&c.Failed)
	k.String(&c.Error)
	c.Result.Fields(k)
	k.Int(&c.LatencyMS)
	k.Int(&c.Deadline)
}

// Fields codes the fallback.
func (t *TextFallback) Fields(k *journal.Codec) {
	k.Ref(&t.Output)
	k.Ref(&t.Payload)
	k.Int(&t.Tokens)
	k.Int(&t.Bytes)
}

// Fields codes the ending.
func (e *Ending) Fields(k *journal.Codec) {
	k.String(&e.Reason)
	k.String(&e.Message)
}
