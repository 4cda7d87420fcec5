// Package sim plays whole sessions in a world that wants to break them. One
// seed is one session: an agent, people who say things at the wrong moment, a
// model that lies, tools that fail, crashes between any two frames, clocks that
// jump. Everything is drawn from the seed and nothing else, so that a session
// that breaks a promise breaks it again whenever its seed is played.
//
//	seed ─▶ Draw ─▶ Script ─▶ Play ─▶ frames ─▶ contract.Check, replay, audits
//	                  ▲                              │ violation
//	                  └────────── Shrink ◀───────────┘
//
// The world is small and single-threaded: a queue of events ordered by virtual
// time, ties broken by chance. Its parts are the real ones wherever a part is
// pure: kernel.Step, transcript.History, dialect.Observe, llm.Collector, the frames
// and their chain. Only what does I/O in a real host is played: the provider,
// the tools, the store and the people outside. The world applies inputs as a
// host's actor does: it steps what has come in, makes the frames durable, and
// only then lets their effects start.
//
// A [Script] is data. Whatever happens in a session is one of its entries, so
// that [Shrink] can take entries away one after the other until nothing is left
// but what breaks the promise. A shrunk script is printed as JSON and pasted
// into the table of regressions.
//
// What is checked, besides the checkers of package contract: requests are valid
// for any provider, no run hangs, no message of a user is lost, requests on the
// wire and attempts in the journal are equal in number, no tool runs twice that
// must not, the state stays small, a crash loses nothing that was durable.
package sim
