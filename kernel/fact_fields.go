package kernel

import (
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
)

// Fields codes the fact.
func (f *SessionStart) Fields(k *journal.Codec) { f.Identity.Fields(k) }

// Fields codes the fact.
func (f *ProfileRequested) Fields(k *journal.Codec) {
	k.Int(&f.Run)
	k.Strings(&f.Profiles)
	journal.Text(k, &f.Format)
}

// Fields codes the fact.
func (f *ProfileResolved) Fields(k *journal.Codec) {
	k.Int(&f.Run)
	k.Ref(&f.Catalogue)
	k.Ref(&f.Config)
	k.Strings(&f.Targets)
}

// Fields codes the fact.
func (f *ProfileFailed) Fields(k *journal.Codec) {
	k.Int(&f.Run)
	k.Ref(&f.Catalogue)
	k.String(&f.Code)
	k.String(&f.Message)
}

// Fields codes the fact.
func (f *RunStart) Fields(k *journal.Codec) {
	k.Int(&f.Run)
	k.Ref(&f.Config)
	k.String(&f.Agent)
	journal.Text(k, &f.Format)
	k.Strings(&f.Targets)
	k.Int(&f.MaxTurns)
	k.String(&f.Nonce)
	journal.Text(k, &f.Transport)
	journal.Text(k, &f.Completion)
	k.Bool(&f.Preamble)
}

// Fields codes the fact.
func (f *Message) Fields(k *journal.Codec) {
	k.Int(&f.Turn)
	f.Entry.Fields(k)
}

// Fields codes the fact.
func (f *TurnStart) Fields(k *journal.Codec) {
	k.Int(&f.Turn)
	k.Int(&f.MaxTurns)
	k.Bool(&f.Final)
	journal.Text(k, &f.Reason)
}

// Fields codes the fact.
func (f *AttemptStart) Fields(k *journal.Codec) {
	k.String(&f.Effect)
	k.Int(&f.Turn)
	k.Int(&f.Attempt)
	k.String(&f.Provider)
	k.String(&f.Model)
	k.Bool(&f.Final)
	journal.Text(k, &f.Reason)
	journal.List(k, &f.Slugs, journal.Text[dialect.Slug])
	k.Int(&f.Context)
	k.Int(&f.New)
	k.Int(&f.Schema)
	k.Int(&f.Expected)
	k.Int(&f.Window)
	k.Int(&f.Limit)
	money(k, &f.Reserved)
}

// Fields codes the fact.
func (f *AttemptEnd) Fields(k *journal.Codec) {
	k.String(&f.Effect)
	k.Int(&f.Turn)
	k.Int(&f.Attempt)
	k.String(&f.Provider)
	k.String(&f.Model)
	k.String(&f.ActualProvider)
	k.String(&f.ActualModel)
	journal.Text(k, &f.Outcome)
	journal.Opt(k, &f.Error, llmError)
	journal.List(k, &f.Slugs, journal.Text[dialect.Slug])
	journal.Text(k, &f.Finish.Reason)
	k.String(&f.Finish.Raw)
	journal.Opt(k, &f.Usage, usage)
	money(k, &f.Cost)
	k.Bool(&f.CostKnown)
	journal.Opt(k, &f.Upstream, money)
	k.Int(&f.LatencyMS)
	k.Ref(&f.Request)
	k.Ref(&f.Output)
	k.Ref(&f.Raw)
	k.String(&f.ResponseID)
	k.Strings(&f.Warnings)
	k.Bool(&f.Late)
}

// Fields codes the fact.
func (f *ToolStart) Fields(k *journal.Codec) {
	k.String(&f.Effect)
	k.Int(&f.Turn)
	k.String(&f.CallID)
	k.String(&f.Name)
	k.String(&f.Server)
	journal.Text(k, &f.Kind)
	k.Ref(&f.Args)
	k.Int(&f.ArgsBytes)
	k.Ref(&f.Output)
	k.Int(&f.Index)
	k.Int(&f.Item)
	k.String(&f.Child)
}

// Fields codes the fact.
func (f *ChildEnd) Fields(k *journal.Codec) {
	k.String(&f.Effect)
	k.String(&f.CallID)
	k.String(&f.Session)
	k.Bool(&f.OK)
	money(k, &f.Cost)
	usage(k, &f.Usage)
}

// Fields codes the fact.
func (f *ToolEnd) Fields(k *journal.Codec) {
	k.String(&f.Effect)
	k.Int(&f.Turn)
	k.String(&f.CallID)
	k.String(&f.Name)
	journal.Text(k, &f.Status)
	k.String(&f.Error)
	f.Output.Fields(k)
	k.Int(&f.LatencyMS)
}

// Fields codes the fact.
func (f *ToolEntry) Fields(k *journal.Codec) {
	k.Int(&f.Turn)
	k.String(&f.CallID)
	k.String(&f.Name)
	k.String(&f.Server)
	k.Bool(&f.OK)
	k.String(&f.Error)
	k.Int(&f.LatencyMS)
	k.Int(&f.CharsIn)
	k.Int(&f.CharsOut)
	journal.Opt(k, &f.Guard, func(k *journal.Codec, g *GuardNumbers) { g.Fields(k) })
}

// Fields codes the numbers.
func (g *GuardNumbers) Fields(k *journal.Codec) {
	k.Int(&g.Original)
	k.Int(&g.Replacement)
	k.Int(&g.Projected)
	k.Int(&g.Limit)
	k.Int(&g.Remaining)
}

// Fields codes the fact.
func (f *Guard) Fields(k *journal.Codec) {
	k.Int(&f.Turn)
	k.String(&f.Trigger)
	k.String(&f.Outcome)
	k.String(&f.Provider)
	k.String(&f.Model)
	f.Numbers.Fields(k)
}

// Fields codes the fact.
func (f *ForcedFinal) Fields(k *journal.Codec) {
	k.Int(&f.Turn)
	journal.Text(k, &f.Reason)
	k.Int(&f.MaxTurns)
}

// Fields codes the fact.
func (f *Awaiting) Fields(k *journal.Codec) {
	journal.List(k, &f.Calls, func(k *journal.Codec, c *PendingCall) { c.Fields(k) })
}

// Fields codes the pending call.
func (c *PendingCall) Fields(k *journal.Codec) {
	k.String(&c.CallID)
	k.String(&c.Name)
	k.String(&c.Kind)
	k.Ref(&c.Args)
	k.Ref(&c.Output)
	k.Int(&c.Index)
	k.Int(&c.Deadline)
	k.String(&c.Child)
}

// Fields codes the fact.
func (f *Wait) Fields(k *journal.Codec) {
	k.Int(&f.Turn)
	k.Int(&f.Attempt)
	k.Int(&f.WaitMS)
	k.Int(&f.Until)
	k.String(&f.Source)
}

// Fields codes the fact.
func (f *QueueUpdate) Fields(k *journal.Codec) {
	k.Int(&f.Steer)
	k.Int(&f.FollowUp)
}

// Fields codes the fact.
func (f *Log) Fields(k *journal.Codec) {
	k.String(&f.Severity)
	k.String(&f.Code)
	k.String(&f.Message)
	k.Int(&f.Turn)
	k.Ref(&f.Ref)
}

// Fields codes the fact.
func (f *Progress) Fields(k *journal.Codec) {
	k.Int(&f.Turn)
	k.String(&f.CallID)
	taskStatus(k, &f.Status)
}

// Fields codes the fact.
func (f *OutputStored) Fields(k *journal.Codec) {
	k.Int(&f.Turn)
	k.String(&f.CallID)
	k.String(&f.Name)
	k.String(&f.Handle)
	k.String(&f.Reason)
	f.Output.Fields(k)
	k.Int(&f.Lines)
	k.Int(&f.Tokens)
}

// Fields codes the fact.
func (f *FinalReport) Fields(k *journal.Codec) {
	k.Int(&f.Turn)
	k.Bool(&f.OK)
	k.String(&f.Source)
	journal.Text(k, &f.Format)
	k.Ref(&f.Payload)
	k.String(&f.Reason)
	k.String(&f.ModelStatus)
	k.Int(&f.At)
}

// Fields codes the fact.
func (f *RunEnd) Fields(k *journal.Codec) {
	k.Int(&f.Run)
	k.String(&f.Status)
	k.Bool(&f.OK)
	k.String(&f.Reason)
	k.String(&f.Error)
	k.String(&f.Exit)
	k.Int(&f.Turns)
	money(k, &f.Cost)
	money(k, &f.Total)
	usage(k, &f.Usage)
	k.Int(&f.Started)
}

// Fields codes the fact.
func (f *Ignored) Fields(k *journal.Codec) {
	k.String(&f.Effect)
	k.String(&f.Reason)
}
