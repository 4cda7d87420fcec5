package store

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/journal"
)

// Wants is what decides whether a session is due, for those who write a store.
type Wants struct {
	Key journal.Key
	// WakeAt is the summary's timer; zero is none.
	WakeAt int64
	// Pending says that commands are waiting, the first since PendingSince.
	Pending      bool
	PendingSince int64
	Active       bool
	// LeaseUntil is the end of the newest lease; zero if it was released, at a
	// time that nobody told, or never taken. Updated then stands for it.
	LeaseUntil int64
	Updated    int64
}

// Due tells whether a session needs an actor, why, and since when. The reason
// is the first that holds; the time is that of the oldest, for the session has
// been waiting since then.
func (w *Wants) Due(now int64) (Due, bool) {
	if w.LeaseUntil > now {
		return Due{}, false
	}
	d := Due{Key: w.Key}
	add := func(reason DueReason, since int64) {
		if d.Reason == "" {
			d.Reason, d.Since = reason, since
		}
		d.Since = min(d.Since, since)
	}
	if w.WakeAt != 0 && w.WakeAt <= now {
		add(DueWake, w.WakeAt)
	}
	if w.Pending {
		add(DueInbox, w.PendingSince)
	}
	if w.Active {
		add(DueOrphan, cmp.Or(w.LeaseUntil, w.Updated))
	}
	return d, d.Reason != ""
}

// Longest puts the longest due first and keeps as many as limit; a limit below
// one keeps all.
func Longest(due []Due, limit int) []Due {
	slices.SortFunc(due, func(a, b Due) int {
		return cmp.Or(
			cmp.Compare(a.Since, b.Since),
			strings.Compare(a.Key.Tenant, b.Key.Tenant),
			strings.Compare(a.Key.Session, b.Key.Session))
	})
	if limit > 0 && len(due) > limit {
		due = due[:limit]
	}
	return due
}
