package contract

import (
	"regexp"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/spec"
)

// checkRefusedCalls: a call that cannot run has no execution.
func checkRefusedCalls(t *trace) {
	refused := make(map[string]bool)
	for i := range t.steps {
		s := &t.steps[i]
		r, ok := s.input.(*kernel.Receipt)
		if ok && r.Generated != nil && r.Generated.Observation != nil && !has[*kernel.Ignored](s.facts) {
			clear(refused)
			for _, c := range r.Generated.Observation.Calls {
				if !c.Runs() || c.Report {
					refused[c.ID] = true
				}
				for _, item := range c.Items {
					if !item.Runs() {
						refused[c.ID+"."+item.ID] = true
					}
				}
			}
		}
		for _, fact := range s.facts {
			if f, ok := fact.(*kernel.ToolStart); ok && refused[f.CallID] {
				t.fail(s.seq, "call %s of %s is executed, although it cannot run", f.CallID, f.Name)
			}
		}
	}
}

// checkTimeouts: a time-out is told as one.
func checkTimeouts(t *trace) {
	timedOut := make(map[string]bool)
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.ToolEnd:
			timedOut[f.CallID] = f.Status == kernel.ToolTimeout
		case *kernel.Message:
			if f.Entry.Kind != dialect.ItemResult || !timedOut[f.Entry.CallID] {
				return
			}
			if data, err := t.blob(f.Entry.Ref); err != nil || string(data) != "(tool failed: timeout)" {
				t.fail(s.seq, "the time-out of %s reads %.60q", f.Entry.Name, data)
			}
			delete(timedOut, f.Entry.CallID)
		}
	})
}

// checkSizes: no executed result is longer than its limit.
func checkSizes(t *trace) {
	var run *spec.Run
	executed := make(map[string]bool)
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.RunStart:
			run = t.run(s.seq, f.Config)
		case *kernel.ToolStart:
			executed[f.CallID] = f.Kind == spec.ToolLocal
		case *kernel.Message:
			e := &f.Entry
			if run == nil || e.Kind != dialect.ItemResult || e.Failed || !executed[e.CallID] || len(e.Inner) > 0 {
				return
			}
			limit := run.Limits.ToolResponseMaxBytes
			if limit > 0 && e.Bytes > limit && !run.ToolOutput {
				t.fail(s.seq, "a result of %d bytes, the limit is %d", e.Bytes, limit)
			}
		}
	})
}

// checkApprovals: a call that needs approval is executed only after a person
// allowed it.
func checkApprovals(t *trace) {
	waits, allowed := make(map[string]bool), make(map[string]bool)
	for i := range t.steps {
		s := &t.steps[i]
		if d, ok := s.input.(*kernel.Decision); ok && d.Allow {
			allowed[d.CallID] = true
		}
		for _, fact := range s.facts {
			switch f := fact.(type) {
			case *kernel.TurnStart:
				clear(waits)
				clear(allowed)
			case *kernel.ToolStart:
				if f.Kind == kernel.ToolAwaitsApproval {
					waits[f.CallID] = true
					continue
				}
				if waits[f.CallID] && !allowed[f.CallID] {
					t.fail(s.seq, "call %s of %s is executed without approval", f.CallID, f.Name)
				}
			}
		}
	}
}

// checkRemote: a remote call gets its result from outside, or none.
func checkRemote(t *trace) {
	remote := make(map[string]bool)
	for i := range t.steps {
		s := &t.steps[i]
		for _, e := range s.effects {
			if tool, ok := e.Body.(*kernel.Tool); ok && (tool.Kind == spec.ToolRemote || tool.Kind == kernel.ToolAwaitsApproval) {
				remote[e.ID] = true
			}
		}
		r, ok := s.input.(*kernel.Receipt)
		if ok && remote[r.Effect] && !has[*kernel.Ignored](s.facts) {
			t.fail(s.seq, "an executor answered the remote effect %s", r.Effect)
		}
	}
}

var nonceForm = regexp.MustCompile(`^[0-9a-f]{8}$`)

// checkSlots: one nonce for the session, and slots that are never offered again
// once their turn is over.
func checkSlots(t *trace) {
	nonce := ""
	var turn, run, end int64
	for i := range t.steps {
		s := &t.steps[i]
		for _, fact := range s.facts {
			if f, ok := fact.(*kernel.RunStart); ok && f.Run != run {
				run, turn = f.Run, 0
			}
		}
		for _, e := range s.effects {
			g, ok := e.Body.(*kernel.Generate)
			if !ok {
				continue
			}
			if !nonceForm.MatchString(g.Ask.Nonce) || nonce != "" && g.Ask.Nonce != nonce {
				t.fail(s.seq, "nonce %q after %q", g.Ask.Nonce, nonce)
			}
			nonce = g.Ask.Nonce
			if g.Ask.Turn != turn {
				if g.Ask.Slot < end {
					t.fail(s.seq, "slot %d is offered again", g.Ask.Slot)
				}
				turn = g.Ask.Turn
			}
			end = g.Ask.Slot + g.Ask.Slots
		}
	}
}

// checkAccounting: every result in the conversation has its entry, and every
// entry names its tool.
func checkAccounting(t *trace) {
	entries := make(map[string]int)
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.ToolEntry:
			if f.Name == "" || f.Server == "" {
				t.fail(s.seq, "an accounting entry without a name: %+v", *f)
			}
			entries[f.CallID]++
		case *kernel.AttemptEnd:
			if f.Provider == "" || f.Model == "" {
				t.fail(s.seq, "an accounting entry without provider or model")
			}
		case *kernel.Message:
			if f.Turn == 0 || f.Entry.Kind != dialect.ItemResult {
				return
			}
			if entries[f.Entry.CallID] == 0 {
				t.fail(s.seq, "the result of %s has no accounting entry", f.Entry.CallID)
			}
			delete(entries, f.Entry.CallID)
		}
	})
}
