package sim

import (
	"fmt"
	"slices"

	"github.com/ai-agent-go/ai-agent/contract"
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/transcript"
)

// Permute plays a script twice, the second time with the results of every batch
// in another order, and compares what the models were asked and what was said.
// Neither may depend on who was faster (contract T7). It reports the first
// difference; what else is broken is the business of [Play].
func Permute(s *Script, order uint64) (contract.Violation, bool) {
	calm := s.calm()
	a := account(play(calm, options{unaudited: true}).Archive)
	b := account(play(calm, options{unaudited: true, order: order}).Archive)
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a) || i >= len(b):
			return contract.Violation{
				Clause: "T7", Detail: fmt.Sprintf("%d things are said, in another order of results %d", len(a), len(b)),
			}, true
		case a[i].what != b[i].what:
			return contract.Violation{Clause: "T7", Seq: a[i].seq, Detail: fmt.Sprintf(
				"%s, in another order of results (frame %d) %s", a[i].what, b[i].seq, b[i].what)}, true
		}
	}
	return contract.Violation{}, false
}

// calm is the script without what depends on the time: every tool takes as long
// as the others, nobody interferes, nothing crashes. What is left to chance is
// which result comes first.
func (s *Script) calm() *Script {
	c := *s
	c.Faults, c.Answers, c.Abandon = nil, nil, false
	// The second question comes when the first is long answered.
	c.Commands = []Command{{Do: DoPrompt, Text: "first"}, {Do: DoPrompt, Text: "second", At: 86_400_000}}
	c.Agents = slices.Clone(s.Agents[:1])
	a := &c.Agents[0]
	a.Profiles = nil // how long a look-up takes is left to chance
	if len(a.Targets) == 0 {
		a.Targets = []spec.Target{{Provider: "p", Model: "m"}}
		a.Limits.MaxCost, a.Limits.MaxSessionCost = 0, 0
	}
	a.Limits.RunTimeoutMS, a.Limits.RemoteToolTimeoutMS = 0, 0
	a.Tools = slices.Clone(a.Tools)
	for i := range a.Tools {
		// A call that was allowed starts when it was allowed, and the tools'
		// conducts are dealt out as they start.
		a.Tools[i].Approval = false
	}
	c.Replies = slices.Clone(s.Replies)
	for i := range c.Replies {
		c.Replies[i].Twice = false
	}
	c.Conducts = slices.Clone(s.Conducts)
	for i := range c.Conducts {
		c.Conducts[i].After, c.Conducts[i].Twice, c.Conducts[i].Waits = 1_000, false, 0
	}
	return &c
}

// said is one thing that was said to a model or by one.
type said struct {
	seq  uint64
	what string
}

// account lists what was said in a session: the messages of the conversation
// and the requests by their digest, which covers every byte of them.
func account(a *journal.Archive) []said {
	var all []said
	for i := range a.Frames {
		facts, err := kernel.DecodeFacts(&a.Frames[i])
		if err != nil {
			return nil
		}
		for _, fact := range facts {
			switch f := fact.(type) {
			case *kernel.Message:
				e := f.Entry
				text, _ := transcript.Text(&e, func(ref journal.Ref) ([]byte, error) { return a.Blobs[ref], nil })
				if e.Kind != dialect.ItemResult {
					text = e.Ref.Short()
				}
				all = append(all, said{a.Frames[i].Seq, fmt.Sprintf("%s %s %s %t %q", e.Kind, e.CallID, e.Name, e.Failed, text)})
			case *kernel.AttemptEnd:
				all = append(all, said{a.Frames[i].Seq, fmt.Sprintf("request %s", f.Request.Short())})
			}
		}
	}
	return all
}
