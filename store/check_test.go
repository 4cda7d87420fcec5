package store_test

import (
	"errors"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

func TestATailStaysWhereItIsWhenAFrameDoesNotFollow(t *testing.T) {
	t.Parallel()
	key := journal.Key{Tenant: "acme", Session: "main"}
	first := store.Encode(&journal.Frame{Seq: 1, Time: 5, Prev: journal.Genesis(key)})
	second := store.Encode(&journal.Frame{Seq: 2, Time: 5, Prev: first.Hash})
	tail := store.NewTail(key)
	for what, frames := range map[string][]store.Frame{
		"a gap":               {second},
		"a good one, a gap":   {first, store.Encode(&journal.Frame{Seq: 3, Time: 5, Prev: first.Hash})},
		"another before":      {store.Encode(&journal.Frame{Seq: 1, Time: 5, Prev: first.Hash})},
		"time that goes back": {first, store.Encode(&journal.Frame{Seq: 2, Time: 4, Prev: first.Hash})},
	} {
		if err := tail.Follow(frames); !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("%s: %v, want %v", what, err, journal.ErrCorrupt)
		}
		if tail != store.NewTail(key) {
			t.Errorf("%s: the tail has moved to %+v", what, tail)
		}
	}
	if err := tail.Follow([]store.Frame{first, second}); err != nil || tail.Seq != 2 || tail.Hash != second.Hash {
		t.Errorf("tail %+v, %v", tail, err)
	}
}

func TestACursorIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	for _, place := range []store.Place{{}, {Created: -5, Name: "a b"}, {Created: 1 << 60, Name: "ünï"}} {
		if got, err := store.ParseCursor(place.Cursor()); err != nil || got != place {
			t.Errorf("%+v became %+v, %v", place, got, err)
		}
	}
	for _, text := range []string{"%", "bm8", "LQ"} {
		if _, err := store.ParseCursor(text); err == nil {
			t.Errorf("cursor %q was taken", text)
		}
	}
}
