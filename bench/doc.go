// Package bench holds the project's figures: what a turn costs, and that it
// does not cost more when the conversation gets longer. Run them with
//
//	make bench
//
// Times depend on the machine; what is gated is allocations and ratios.
package bench
