package sim

import (
	"errors"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/spec"
)

// profile is the world's catalogue: one that works, one that never does, and
// nothing else.
func profile(id string) (spec.Profile, bool) {
	switch id {
	case "good":
		return spec.Profile{ID: id, Provider: "p", DefaultModel: "profiled", Target: spec.Target{Window: 20_000}}, true
	case "capped":
		return spec.Profile{ID: id, Provider: "p", DefaultModel: "big", AllowedModels: []string{"small"}}, true
	default:
		return spec.Profile{}, false
	}
}

// startLookup resolves a run's profiles, as a host does.
func (w *world) startLookup(id string, l *kernel.Lookup) {
	w.count("lookup")
	done := &kernel.LookupDone{Catalogue: journal.RefOf([]byte("catalogue"))}
	resolved, err := w.lookup(l)
	var blobs []journal.Blob
	if err != nil {
		done.Code, done.Message = spec.ProfileIncomplete, err.Error()
		if p, ok := errors.AsType[*spec.ProfileError](err); ok {
			done.Code = p.Code
		}
	} else {
		done.Config, blobs = &resolved.config, []journal.Blob{resolved.blob}
	}
	w.deliver(oneOf(w.ties, int64(0), 0, 500), &kernel.Receipt{Effect: id, Lookup: done}, blobs, w.ties.percent(5))
}

func (w *world) lookup(l *kernel.Lookup) (*prepared, error) {
	p, err := w.config(l.Config)
	if err != nil {
		return nil, err
	}
	run, err := p.run.WithProfiles(profile)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the profile
	}
	return w.ready(run)
}
