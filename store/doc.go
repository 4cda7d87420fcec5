// Package store says what a session's home must be able to do, and nothing of
// how: append frames under a fence, read them back, keep blobs, take in
// commands once, lend out leases, say what is due, list, watch, and keep
// ledgers.
//
// The rules that every implementation keeps, and package storetest proves:
//
//   - The tenant is part of every call. A store never answers with another
//     tenant's data, and a blob only to a session that holds it.
//   - Append is all or nothing and durable when it returns: frames, blobs,
//     consumed commands with their answers, wake-up time and saved state are
//     written together.
//   - Only the holder of a session's newest lease can append; a late writer
//     gets [ErrFenced], however sure it is of itself.
//   - A command's idempotency key is good for one command: the same body gets
//     the same answer, another body [ErrKeyReused].
//   - Blobs are checked against their name when they are read.
//
// Time is data here too: callers pass it in milliseconds since 1970.
package store
