// Package sqlite keeps sessions in one SQLite file: durable, safe with several
// processes, no server to run.
//
// Writing. One connection writes. Callers put what they want to do into a
// queue; the first to find nobody at work becomes the leader, takes all that
// is queued, and commits it in one transaction, each request in a savepoint of
// its own, so that a refused one does not fail its neighbours. Whoever came
// meanwhile is the next transaction. Nobody waits for others to come, and
// nobody returns before the commit is synced to disk:
//
//	Append ─┐                 ┌ BEGIN IMMEDIATE
//	Put ────┼─▶ queue ─▶ leader ┼ savepoint, request, release … for each
//	Renew ──┘                 └ COMMIT (sync) ─▶ all of them return
//
// Other processes may do the same on the same file. What a request relies on,
// its lease and the last frame, is read again inside the transaction.
//
// Reading. A few connections read, each seeing a snapshot; readers and the
// writer do not wait for each other. A long read goes page by page and holds
// nothing in between.
//
// Blobs of up to 16 KB ride in the row of their append's first frame, as one
// pack; larger ones are rows of their own.
//
// Tidying. Commits go to SQLite's log. When it has grown a keeper moves its
// pages into the file, beside the writer; nobody waits for it but for the last
// few pages.
//
// Damage. Whatever is read is checked: frames against their hash, blobs against
// their name, commands against their digest, all other rows against a seal over
// their columns. Damage is an error that wraps [journal.ErrCorrupt]. [Store.Check]
// looks for it everywhere, [Salvage] gets out what is whole. docs/durability.md
// has the promise and its limits.
//
// Watching. A change made here rings a bell. While, and only while, somebody
// watches, one of the watchers also asks the file now and then whether another
// process has written.
package sqlite
