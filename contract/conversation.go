package contract

import (
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
)

// checkGuardNumbers: expected is the sum of its parts, and the context is what
// the provider reported last.
func checkGuardNumbers(t *trace) {
	reported := int64(-1)
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.AttemptStart:
			if f.Expected != f.Context+f.New+f.Schema {
				t.fail(s.seq, "expected %d is not %d + %d + %d", f.Expected, f.Context, f.New, f.Schema)
			}
			if reported >= 0 && f.Context != reported {
				t.fail(s.seq, "context %d, the provider reported %d", f.Context, reported)
			}
		case *kernel.AttemptEnd:
			if f.Outcome != kernel.OutcomeAccepted {
				return
			}
			reported = -1
			if f.Usage != nil && f.Usage.Total() > 0 {
				reported = min(f.Usage.Total(), kernel.MaxContext)
			}
		}
	})
}

// checkFailureTexts: a failed tool reaches the model as (tool failed: reason).
func checkFailureTexts(t *trace) {
	t.each(func(s *step, fact kernel.Fact) {
		f, ok := fact.(*kernel.Message)
		if !ok || f.Entry.Kind != dialect.ItemResult || !f.Entry.Failed || f.Turn == 0 {
			return
		}
		data, err := t.blob(f.Entry.Ref)
		if err != nil {
			t.fail(s.seq, "%v", err)
			return
		}
		if text := string(data); !strings.HasPrefix(text, "(tool failed: ") || !strings.HasSuffix(text, ")") {
			t.fail(s.seq, "the failure of %s reads %.60q", f.Entry.Name, text)
		}
	})
}

// checkPairs: every call has exactly one result, in call order, before anything
// else is said.
func checkPairs(t *trace) {
	var open []string
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.Message:
			if f.Turn == 0 {
				return // history from outside is what it is
			}
			if f.Entry.Kind == dialect.ItemResult {
				if len(open) == 0 || open[0] != f.Entry.CallID {
					t.fail(s.seq, "a result for %q, next in order is %q", f.Entry.CallID, strings.Join(open, ", "))
					return
				}
				open = open[1:]
				return
			}
			if len(open) > 0 {
				t.fail(s.seq, "calls %q have no result", strings.Join(open, ", "))
			}
			open = nil
			if f.Entry.Kind == dialect.ItemAssistant {
				if e := t.envelope(s.seq, f.Entry.Ref); e != nil {
					for i := range e.ToolCalls {
						open = append(open, e.ToolCalls[i].ID)
					}
				}
			}
		case *kernel.RunEnd:
			if len(open) > 0 {
				t.fail(s.seq, "calls %q have no result at the run's end", strings.Join(open, ", "))
			}
			open = nil
		}
	})
}

// checkStoredUserTexts: what is stored as a user's message was said by a user.
// Notices are never stored.
func checkStoredUserTexts(t *trace) {
	said := make(map[journal.Ref]bool)
	for i := range t.steps {
		s := &t.steps[i]
		switch in := s.input.(type) {
		case *kernel.Open:
			for j := range in.History {
				said[in.History[j].Ref] = true
			}
		case *kernel.Prompt:
			said[in.Content.Ref] = true
		case *kernel.Steer:
			said[in.Content.Ref] = true
		}
		for _, fact := range s.facts {
			f, ok := fact.(*kernel.Message)
			if ok && f.Entry.Kind == dialect.ItemUser && !said[f.Entry.Ref] {
				t.fail(s.seq, "a user's message that no user sent")
			}
		}
	}
}

// checkEnvelopes: calls have ids, each its own, and arguments that are
// canonical objects or are marked as bad with their text.
func checkEnvelopes(t *trace) {
	t.each(func(s *step, fact kernel.Fact) {
		f, ok := fact.(*kernel.AttemptEnd)
		if !ok || f.Outcome != kernel.OutcomeAccepted {
			return
		}
		e := t.envelope(s.seq, f.Output)
		if e == nil {
			return
		}
		ids := make(map[string]bool)
		for i := range e.ToolCalls {
			c := &e.ToolCalls[i]
			if c.ID == "" || ids[c.ID] {
				t.fail(s.seq, "call %d has no id of its own: %q", i, c.ID)
			}
			ids[c.ID] = true
			if c.Bad {
				continue
			}
			canonical, err := llm.CanonicalJSON(c.Arguments)
			if err != nil || string(canonical) != string(c.Arguments) {
				t.fail(s.seq, "arguments of call %q are not canonical", c.ID)
			}
		}
	})
}
