package spec

import (
	"fmt"
	"slices"
)

// ProfileError is why a run's profiles cannot be used. Nothing is bent to make
// them fit (contract P3).
type ProfileError struct {
	// Code is profile_not_found, profile_constraint or config_incomplete.
	Code    string
	Profile string
	Message string
}

// Error names the profile and what is wrong with it.
func (e *ProfileError) Error() string { return fmt.Sprintf("profile %q: %s", e.Profile, e.Message) }

// The codes of a [ProfileError].
const (
	ProfileNotFound   = "profile_not_found"
	ProfileConstraint = "profile_constraint"
	ProfileIncomplete = "config_incomplete"
)

// WithProfiles returns the run's configuration with the targets of its
// profiles added, in order. Defaults of a profile fill what the run leaves
// unset; its constraints are checked, never applied silently. The error is a
// [*ProfileError].
func (r *Run) WithProfiles(find func(id string) (Profile, bool)) (*Run, error) {
	resolved := *r
	resolved.Profiles = nil
	resolved.Targets = slices.Clone(r.Targets)
	for _, id := range r.Profiles {
		p, ok := find(id)
		if !ok {
			return nil, &ProfileError{Code: ProfileNotFound, Profile: id, Message: "there is no profile of this name"}
		}
		t, err := p.target(r)
		if err != nil {
			return nil, err
		}
		resolved.Targets = append(resolved.Targets, *t)
	}
	if err := resolved.validate(); err != nil {
		return nil, &ProfileError{Code: ProfileIncomplete, Profile: r.Profiles[0], Message: err.Error()}
	}
	return &resolved, nil
}

func (p *Profile) target(r *Run) (*Target, error) {
	t := p.Target
	t.Profile, t.Provider, t.Model = p.ID, p.Provider, p.DefaultModel
	t.Sampling = merge(r.Sampling, t.Sampling)
	if t.Sampling.ReasoningEffort == "" {
		t.Sampling.ReasoningEffort = p.DefaultReasoningEffort
	}
	if len(t.Options) == 0 {
		t.Options = p.Options
	}
	constraint := func(format string, args ...any) (*Target, error) {
		return nil, &ProfileError{Code: ProfileConstraint, Profile: p.ID, Message: fmt.Sprintf(format, args...)}
	}
	if t.Model == "" {
		return nil, &ProfileError{Code: ProfileIncomplete, Profile: p.ID, Message: "it names no model"}
	}
	if len(p.AllowedModels) > 0 && !slices.Contains(p.AllowedModels, t.Model) {
		return constraint("model %q is not among the allowed ones: %v", t.Model, p.AllowedModels)
	}
	if m := t.Sampling.MaxTokens; p.MaxTokensCap > 0 && m != nil && *m > p.MaxTokensCap {
		return constraint("max_tokens %d is above the cap of %d", *m, p.MaxTokensCap)
	}
	t.fill()
	return &t, nil
}
