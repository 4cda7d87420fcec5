package kernel

import "github.com/ai-agent-go/ai-agent/llm"

// Recovery is what must be done about an effect that was open when its host
// went away: its intent is in the journal and its receipt is not.
type Recovery struct {
	Effect string
	// Receipt answers for the effect; nil means that it is to be run again.
	Receipt *Receipt
}

// Recover says how to close the uncertain window. A request may have been
// answered or not: its outcome is unknown, and it counts. A tool may have run
// or not: it was interrupted, and whether it may run again is decided with that
// receipt. Remote calls, approvals and timers are simply still open, and so are
// children: what is said to them is durable with the frame that says it.
func (s *State) Recover() []Recovery {
	if s.Run == nil {
		return nil
	}
	var all []Recovery
	for i := range s.Run.Open {
		o := &s.Run.Open[i]
		switch {
		case o.Remote:
		case o.Class == "generate":
			all = append(all, Recovery{Effect: o.ID, Receipt: &Receipt{Effect: o.ID, Generated: &Generated{
				Finish: llm.Finish{Reason: llm.FinishUnknown},
				Error:  &llm.Error{Class: llm.ClassUnknown, Message: "the process ended before the answer arrived"},
			}}})
		case o.Class == "lookup", o.Class == "forward", o.Class == "ledger":
			all = append(all, Recovery{Effect: o.ID})
		case o.Class == "tool":
			all = append(all, Recovery{Effect: o.ID, Receipt: &Receipt{Effect: o.ID, Tool: &ToolDone{Status: ToolInterrupted}}})
		}
	}
	return all
}
