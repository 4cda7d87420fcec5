// Package view folds facts into what people and clients look at: the
// conversation, the accounts, the log, the streams of events, the tree of
// operations, the result.
//
// A view records nothing that the journal does not have, so any view of any
// session can be made again at any time, also for a session that ran on another
// machine.
//
//	facts ─▶ Session ─▶ messages, accounting, logs, report, status
//	           │
//	           ├─▶ Stream  ─▶ Event   what a client follows: starts, deltas, ends
//	           ├─▶ Tree    ─▶ SessionNode   turns and operations, with their times
//	           └─▶ Notices ─▶ Notice  what an embedder is told: output, progress, …
//	deltas ────┘
//
// Sessions that work for another one have journals of their own. A fold takes
// over what they did when it is told of their end: see [Session.Include], and
// [Notices.Child] for those who listen while they work.
//
// [Session] is the fold that all others share: they are told a fact after the
// session has folded it and take from the session what they show. No fold does
// work in proportion to the history when a fact comes.
package view
