package transcript

import (
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
)

// Refs lists the contents that an opening refers to.
func Refs(o *kernel.Open) []journal.Ref {
	refs := []journal.Ref{o.Config.Ref}
	inner := func(in *kernel.Inner) { refs = append(refs, in.Ref) }
	for i := range o.History {
		e := &o.History[i]
		refs = append(refs, e.Ref)
		for j := range e.Inner {
			inner(&e.Inner[j])
		}
	}
	if o.Answered != nil {
		inner(o.Answered)
	}
	return refs
}
