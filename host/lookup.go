package host

import (
	"errors"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// startLookup resolves a run's profiles against this host's catalogue.
func (a *actor) startLookup(id string, l *kernel.Lookup) {
	done := &kernel.LookupDone{Catalogue: a.h.catalogue}
	d := delivery{receipt: &kernel.Receipt{Effect: id, Lookup: done}}
	resolved, blob, err := a.lookup(l)
	if err != nil {
		done.Code, done.Message = spec.ProfileIncomplete, err.Error()
		if p, ok := errors.AsType[*spec.ProfileError](err); ok {
			done.Code = p.Code
		}
	} else {
		done.Config = resolved
		d.blobs = []journal.Blob{blob}
	}
	a.deliver(d)
}

func (a *actor) lookup(l *kernel.Lookup) (*kernel.Config, journal.Blob, error) {
	rc, err := a.project.config(l.Config)
	if err != nil {
		return nil, journal.Blob{}, err
	}
	run, err := rc.run.WithProfiles(func(id string) (spec.Profile, bool) {
		p, ok := a.h.profiles[id]
		return p, ok
	})
	if err != nil {
		return nil, journal.Blob{}, err //nolint:wrapcheck // it names the profile
	}
	tools, err := dialect.NewToolset(run)
	if err != nil {
		return nil, journal.Blob{}, err //nolint:wrapcheck // it says what is wrong
	}
	blob := journal.NewBlob(llm.MustMarshalJSON(run))
	a.h.configs.put(blob.Ref, &runConfig{run: run, tools: tools})
	config := kernel.NewConfig(run, blob.Ref, tools)
	return &config, blob, nil
}

// catalogueVersion names a set of profiles by what they say.
func catalogueVersion(profiles map[string]spec.Profile) journal.Ref {
	return journal.RefOf(llm.MustMarshalJSON(profiles))
}
