// Package view folds facts into what people and clients look at: the
// conversation, the accounts, the log, the stream of events, the result.
//
// A view records nothing that the journal does not have, so any view of any
// session can be made again at any time, also for a session that ran on another
// machine. [Session] folds all that a result needs; [Stream] turns facts and
// deltas into the events that a client follows.
package view
