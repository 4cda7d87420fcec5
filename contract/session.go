package contract

import (
	"errors"
	"slices"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/transcript"
)

// checkReports: every run that ended has exactly one report; it is a success
// only if the model made it, and it has the format that was asked for.
func checkReports(t *trace) {
	var report *kernel.FinalReport
	var format spec.Format
	reasons := []string{
		kernel.ReasonMaxTurns, kernel.ReasonContext, kernel.ReasonRetries, kernel.ReasonReportFailed, kernel.ReasonBudget,
		kernel.ReasonAuth, kernel.ReasonQuota, kernel.ReasonProfile, kernel.ReasonAborted, kernel.ReasonShutdown,
		kernel.ReasonInternal,
	}
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.ProfileRequested:
			report, format = nil, f.Format
		case *kernel.RunStart:
			report, format = nil, f.Format
		case *kernel.FinalReport:
			if report != nil {
				t.fail(s.seq, "a second report")
			}
			report = f
			if f.OK == (f.Source == kernel.SourceSynthetic) {
				t.fail(s.seq, "a report of source %s with success %t", f.Source, f.OK)
			}
			if !f.OK && !slices.Contains(reasons, f.Reason) {
				t.fail(s.seq, "a failure with the reason %q", f.Reason)
			}
			if f.Format != format {
				t.fail(s.seq, "a report of format %s, asked for was %s", f.Format, format)
			}
			if p := read[spec.ReportPayload](t, s.seq, f.Payload); p != nil && p.Text() == "" {
				t.fail(s.seq, "an empty report")
			}
		case *kernel.RunEnd:
			if report == nil {
				t.fail(s.seq, "a run ended without a report")
			} else if report.OK != f.OK {
				t.fail(s.seq, "the run says success %t, its report %t", f.OK, report.OK)
			}
		}
	})
}

// checkRunEnds: every run ends once, with one exit marker, and one run ends
// before the next begins.
func checkRunEnds(t *trace) {
	var open int64
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.ProfileRequested:
			if open != 0 {
				t.fail(s.seq, "run %d is asked for inside run %d", f.Run, open)
			}
			open = f.Run
		case *kernel.RunStart:
			if open != 0 && open != f.Run {
				t.fail(s.seq, "run %d begins inside run %d", f.Run, open)
			}
			open = f.Run
		case *kernel.RunEnd:
			if f.Run != open {
				t.fail(s.seq, "run %d ends, open is %d", f.Run, open)
			}
			if f.Exit == "" {
				t.fail(s.seq, "run %d ends without an exit marker", f.Run)
			}
			open = 0
		}
	})
}

// checkCosts: a run's cost is the sum of its attempts, and no request is sent
// whose worst case is not covered by the budget.
func checkCosts(t *trace) {
	var run, total llm.Money
	var limits spec.Limits
	t.each(func(s *step, fact kernel.Fact) {
		switch f := fact.(type) {
		case *kernel.ProfileRequested:
			run = 0
		case *kernel.RunStart:
			run = 0
			if r := t.run(s.seq, f.Config); r != nil {
				limits = r.Limits
			}
		case *kernel.AttemptStart:
			if limits.MaxCost > 0 && run.Add(f.Reserved) > limits.MaxCost {
				t.fail(s.seq, "%v spent and %v reserved exceed the run's budget of %v", run, f.Reserved, limits.MaxCost)
			}
			if limits.MaxSessionCost > 0 && total.Add(f.Reserved) > limits.MaxSessionCost {
				t.fail(s.seq, "%v spent and %v reserved exceed the session's budget of %v", total, f.Reserved, limits.MaxSessionCost)
			}
		case *kernel.AttemptEnd:
			run, total = run.Add(f.Cost), total.Add(f.Cost)
		case *kernel.ChildEnd:
			run, total = run.Add(f.Cost), total.Add(f.Cost)
		case *kernel.RunEnd:
			if f.Cost != run || f.Total != total {
				t.fail(s.seq, "cost %v of %v, the attempts add up to %v of %v", f.Cost, f.Total, run, total)
			}
		}
	})
}

// checkEffectsOnce: a receipt answers an effect that an earlier frame asked
// for, and no effect is answered twice.
func checkEffectsOnce(t *trace) {
	asked := make(map[string]bool)
	answered := make(map[string]bool)
	for i := range t.steps {
		s := &t.steps[i]
		if r, ok := s.input.(*kernel.Receipt); ok {
			ignored := slices.ContainsFunc(s.facts, func(f kernel.Fact) bool { _, ok := f.(*kernel.Ignored); return ok })
			switch {
			case ignored:
			case !asked[r.Effect]:
				t.fail(s.seq, "a receipt of effect %s, which nothing asked for", r.Effect)
			case answered[r.Effect]:
				t.fail(s.seq, "a second receipt of effect %s was applied", r.Effect)
			}
			answered[r.Effect] = true
		}
		for _, e := range s.effects {
			asked[e.ID] = true
		}
	}
}

// checkConfig: every request of a run uses the configuration that was pinned at
// its start.
func checkConfig(t *trace) {
	var pinned journal.Ref
	for i := range t.steps {
		s := &t.steps[i]
		for _, fact := range s.facts {
			if f, ok := fact.(*kernel.RunStart); ok {
				pinned = f.Config
			}
		}
		for _, e := range s.effects {
			if g, ok := e.Body.(*kernel.Generate); ok && g.Config != pinned {
				t.fail(s.seq, "a request with configuration %s, the run's is %s", g.Config.Short(), pinned.Short())
			}
		}
	}
}

// checkReplay: the journal alone rebuilds every state, effect and fact.
func checkReplay(t *trace) {
	r := kernel.NewReplayer(t.archive.Key)
	for i := range t.steps {
		_, err := r.Next(t.steps[i].frame)
		if errors.Is(err, kernel.ErrVersion) {
			continue // not comparable, which is no mismatch
		}
		if err != nil {
			t.fail(t.steps[i].seq, "%v", err)
			return
		}
	}
}

// checkRequests: every request that was sent is the one that the journal
// derives.
func checkRequests(t *trace) {
	var history transcript.History
	type prepared struct {
		run   *spec.Run
		tools *dialect.Toolset
	}
	configs := make(map[journal.Ref]prepared)
	digests := make(map[string]journal.Ref)
	for i := range t.steps {
		s := &t.steps[i]
		if s.frame.Kernel != kernel.Version || s.frame.Dialect != dialect.Version {
			continue // another version's requests are its own
		}
		if r, ok := s.input.(*kernel.Receipt); ok && r.Generated != nil {
			want, known := digests[r.Effect]
			sent := !r.Generated.Request.IsZero() || r.Generated.Error == nil
			if known && sent && r.Generated.Request != want {
				t.fail(s.seq, "request %s was sent, the journal derives %s", r.Generated.Request.Short(), want.Short())
			}
		}
		for _, e := range s.effects {
			g, ok := e.Body.(*kernel.Generate)
			if !ok {
				continue
			}
			p, ok := configs[g.Config]
			if !ok {
				if p.run = t.run(s.seq, g.Config); p.run == nil {
					return
				}
				var err error
				if p.tools, err = dialect.NewToolset(p.run); err != nil {
					t.fail(s.seq, "%v", err)
					return
				}
				configs[g.Config] = p
			}
			err := history.To(g.Head, t.blob)
			var digest journal.Ref
			if err == nil {
				_, digest, err = history.Request(g, p.run, p.tools)
			}
			if err != nil {
				t.fail(s.seq, "the request cannot be derived: %v", err)
				return
			}
			digests[e.ID] = digest
		}
	}
}

// Missing lists contents that the session's frames brought and that the archive
// does not hold: erased, or lost.
func Missing(a *journal.Archive) []journal.Ref {
	var missing []journal.Ref
	for i := range a.Frames {
		for _, ref := range a.Frames[i].Blobs {
			if _, ok := a.Blobs[ref]; !ok {
				missing = append(missing, ref)
			}
		}
	}
	return missing
}
