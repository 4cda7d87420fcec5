package contract

import (
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/replay"
)

// checkOrder: a conversation begins with a user, and an assistant never speaks
// before one.
func checkOrder(t *trace) {
	spoken := false
	t.each(func(s *step, fact kernel.Fact) {
		f, ok := fact.(*kernel.Message)
		if !ok {
			return
		}
		switch f.Entry.Kind {
		case dialect.ItemUser:
			spoken = true
		case dialect.ItemAssistant, dialect.ItemResult:
			if !spoken && f.Turn > 0 {
				t.fail(s.seq, "%s before a user has spoken", f.Entry.Kind)
			}
		case dialect.ItemTerminal:
		}
	})
}

// checkTerminal: a run that failed says so in the conversation, once; one that
// succeeded does not.
func checkTerminal(t *trace) {
	terminals := 0
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.RunStart, *kernel.ProfileRequested:
			terminals = 0
		case *kernel.Message:
			if f.Entry.Kind != dialect.ItemTerminal {
				return
			}
			terminals++
			m := read[kernel.Terminal](t, s.seq, f.Entry.Ref)
			if m != nil && m.StopReason != "error" && m.StopReason != "aborted" {
				t.fail(s.seq, "a last message with the stop reason %q", m.StopReason)
			}
		case *kernel.RunEnd:
			if f.OK != (terminals == 0) || terminals > 1 {
				t.fail(s.seq, "success %t with %d last messages", f.OK, terminals)
			}
		}
	})
}

// checkProfiles: a look-up is answered once, and a run whose look-up failed
// never starts.
func checkProfiles(t *trace) {
	var open, failed int64
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.ProfileRequested:
			open = f.Run
		case *kernel.ProfileResolved:
			if f.Run != open {
				t.fail(s.seq, "profiles of run %d are resolved, asked for were those of %d", f.Run, open)
			}
			open = 0
		case *kernel.ProfileFailed:
			if f.Run != open || f.Code == "" {
				t.fail(s.seq, "profiles of run %d failed with code %q, asked for were those of %d", f.Run, f.Code, open)
			}
			open, failed = 0, f.Run
		case *kernel.RunStart:
			if f.Run == failed || f.Run == open {
				t.fail(s.seq, "run %d starts without its profiles", f.Run)
			}
		}
	})
}

// checkInputs: every message that a session took in starts a run, joins one or
// still waits: nothing is lost and nothing is said twice.
func checkInputs(t *trace) {
	waiting := make(map[journal.Ref]int)
	for i := range t.steps {
		s := &t.steps[i]
		refused := has[*kernel.Ignored](s.facts)
		switch in := s.input.(type) {
		case *kernel.Prompt:
			if !refused {
				waiting[in.Content.Ref]++
			}
		case *kernel.Steer:
			if !refused {
				waiting[in.Content.Ref]++
			}
		}
		if _, ok := s.input.(*kernel.Open); ok {
			continue
		}
		for _, fact := range s.facts {
			f, ok := fact.(*kernel.Message)
			if !ok || f.Entry.Kind != dialect.ItemUser {
				continue
			}
			if waiting[f.Entry.Ref]--; waiting[f.Entry.Ref] < 0 {
				t.fail(s.seq, "a message is said twice")
			}
		}
	}
	r := replay.New(t.archive.Key)
	for i := range t.steps {
		if _, err := r.Next(t.steps[i].frame); err != nil {
			return // P10 says so
		}
	}
	state := r.State()
	queued := len(state.FollowUps)
	if state.Run != nil {
		queued += len(state.Run.Steers)
		if !state.Run.Said {
			queued++
		}
	}
	left := 0
	for _, n := range waiting {
		left += n
	}
	if left != queued && len(t.steps) > 0 {
		t.fail(t.steps[len(t.steps)-1].seq, "%d messages were taken in and neither said nor kept, %d wait", left, queued)
	}
}

// checkIdentity: a session says once who it is.
func checkIdentity(t *trace) {
	starts := 0
	t.each(func(s *step, fact kernel.Fact) {
		f, ok := fact.(*kernel.SessionStart)
		if !ok {
			return
		}
		starts++
		id := &f.Identity
		if id.Session != t.archive.Key.Session || id.Tenant != t.archive.Key.Tenant || id.Origin == "" || id.Agent == "" ||
			id.CallPath == "" || starts > 1 {
			t.fail(s.seq, "session start %d of %+v", starts, *id)
		}
	})
}

// checkRequestData: a request names what it asks and whom, and a receipt how it
// ended.
func checkRequestData(t *trace) {
	for i := range t.steps {
		s := &t.steps[i]
		for _, e := range s.effects {
			g, ok := e.Body.(*kernel.Generate)
			if ok && (g.Correlation == "" || g.Provider == "" || g.Model == "" || g.Config.IsZero() || g.Head.IsZero()) {
				t.fail(s.seq, "a request that does not say everything: %+v", *g)
			}
		}
	}
}

// checkReceiptData: a response that was accepted has its envelope, and every
// attempt says how it ended.
func checkReceiptData(t *trace) {
	t.each(func(s *step, fact kernel.Fact) {
		f, ok := fact.(*kernel.AttemptEnd)
		if !ok {
			return
		}
		if f.Outcome == kernel.OutcomeAccepted && (f.Output.IsZero() || f.Finish.Reason == "") {
			t.fail(s.seq, "an accepted response without envelope or finish reason")
		}
		if f.Error != nil && f.Error.Class == "" {
			t.fail(s.seq, "a failure without a class")
		}
	})
}
