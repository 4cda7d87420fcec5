//go:build race

package sqlite

// slowdown is by how much tests do less under the race detector, which makes
// SQLite some thirty times slower. What they do less of there is the same on
// one goroutine each time; what runs at once is not cut.
const slowdown = 20
