// Package contract is the contract as a program: a checker per clause over a
// recorded session. Unit tests, the simulator and the verify command all run
// the same checkers, so a promise that is broken anywhere is broken by name
// (contract E4).
//
//	for _, v := range contract.Check(archive) {
//		fmt.Println(v) // L4: frame 12: attempt 4 of turn 2, at most 3 are allowed
//	}
//
// A checker reads the journal alone. It trusts nothing that it can derive:
// state is replayed, requests are projected again and compared by digest.
package contract
