// Package crash kills real processes. Its test starts a process that drives a
// session on a database in a file, and that kills itself, with a signal that
// nobody can catch, at one of its durable writes: before it or after it. Then it
// starts another one, which takes the session up and brings it to its end, and
// looks at what is left: nothing that was acknowledged is lost, nothing ran
// twice that must not, every run has one end, and every clause of the contract
// holds on every session.
//
//	go test ./sim/crash -every 1 -v
//
// does so at every write of every scenario. Without -every it takes a sample.
package crash
