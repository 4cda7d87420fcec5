// Package host gives sessions a life: it drives the kernel, makes its frames
// durable, and performs its effects.
//
//	Send ─▶ inbox ─▶ actor ─▶ kernel.Step ─▶ store.Append ─▶ facts to subscribers
//	                   ▲                                  └─▶ effects to executors
//	                   └────────────── receipts ◀──────────────────┘
//
// A session that has something to do has one actor: a goroutine that holds the
// session's lease, takes its inputs one by one and appends the frames. Nothing
// of a frame happens before the frame is durable. A session that waits for the
// outside has no actor: it is rows in a store, and the next command or timer
// brings it back.
//
// Executors do one thing once: a request to a model, a tool's execution. They
// decide nothing; every retry, limit and time-out is the kernel's.
package host
