package host

import (
	"context"
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/transcript"
)

// Genesis is how a fork begins.
type Genesis struct {
	// Key makes it idempotent, as in [Opening].
	Key string
	// Open is the fork's first input. Its identity names the original; its nonce
	// is decided here.
	Open *kernel.Open
	// Blobs are contents that are new. All others that Open refers to are the
	// original's.
	Blobs []journal.Blob
}

// Fork begins a session with a conversation that another one of its tenant has
// had. The contents are not copied: they become the fork's as well, and stay
// when the original is deleted. The fork has a nonce of its own, so that no slot
// is ever offered twice (contract M2).
func (h *Host) Fork(ctx context.Context, key journal.Key, g Genesis) error {
	if err := key.Validate(); err != nil {
		return fmt.Errorf("%w: %w", spec.ErrInvalid, err)
	}
	g.Open.Nonce = nonce(key)
	_, err := h.send(ctx, key, Command{Key: g.Key, Body: g.Open, Blobs: g.Blobs}, true)
	return err
}

// inherited lists what a fork's opening takes over from its original: all that
// it refers to and does not bring itself.
func inherited(body kernel.InputBody, brought []journal.Blob) store.Inherit {
	open, ok := body.(*kernel.Open)
	if !ok || open.Identity.ForkedFrom == "" {
		return store.Inherit{}
	}
	seen := map[journal.Ref]bool{{}: true}
	for _, b := range brought {
		seen[b.Ref] = true
	}
	in := store.Inherit{Session: open.Identity.ForkedFrom, Refs: []journal.Ref{}}
	for _, ref := range transcript.Refs(open) {
		if !seen[ref] {
			seen[ref] = true
			in.Refs = append(in.Refs, ref)
		}
	}
	return in
}
