// Package kernel is the promise-keeping part: given a session's state and one
// input it computes the next state, the effects to perform and the facts to
// tell. It is a pure, total function. It reads no clock, draws no number, opens
// nothing, waits for nothing and never fails: time and ids arrive in the input,
// and an input that makes no sense is answered, not obeyed.
//
//	next, output := kernel.Step(state, input)
//
// The loop in one picture:
//
//	prompt ─▶ run starts ─▶ turn ─▶ attempt ─▶ generate … receipt
//	                         ▲        ▲                      │
//	                         │        └── failed, try again ─┤
//	                         └── tools … receipts ◀── calls ─┤
//	                                                report ─▶ run ends
//
// Step never sees a model's text. Receipts carry an observation (see package
// dialect); contents are blobs, known by their hash. State therefore stays
// small however long the session gets: the transcript is a hash-linked list of
// chunks of which the state holds the head.
//
// What is journaled is encoded field by field as its type is declared: a change
// of a type in input.go, effect.go, receipt.go, fact.go or state.go changes the
// journal's format.
package kernel

// Version is the version of Step and of everything that it encodes.
const Version = 1
