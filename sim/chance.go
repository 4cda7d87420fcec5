package sim

import "math/rand/v2"

// chance draws. It is the only source of variety: the same seed draws the same
// on every machine.
type chance struct{ r *rand.Rand }

// Streams keep draws for different purposes apart: to draw one command more
// must not change what the model says.
const (
	streamAgents = iota + 1
	streamCommands
	streamReplies
	streamConducts
	streamFaults
	streamTies
	streamAudit
)

func newChance(seed, stream uint64) chance {
	return chance{rand.New(rand.NewPCG(seed, stream))} //nolint:gosec // the point is that anybody can predict it
}

// in draws from 0 to n-1.
func (c chance) in(n int) int { return c.r.IntN(n) }

// between draws from low to high, both included.
func (c chance) between(low, high int64) int64 { return low + c.r.Int64N(high-low+1) }

// percent is true in so many of a hundred cases.
func (c chance) percent(n int) bool { return c.r.IntN(100) < n }

// tie draws a number that orders events of one time.
func (c chance) tie() uint64 { return c.r.Uint64() }

func oneOf[T any](c chance, list ...T) T { return list[c.in(len(list))] }

// weighted is one of several things to draw, as likely as its weight.
type weighted[T any] struct {
	weight int
	value  T
}

func drawWeighted[T any](c chance, list []weighted[T]) T {
	total := 0
	for i := range list {
		total += list[i].weight
	}
	n := c.in(total)
	for i := range list {
		if n -= list[i].weight; n < 0 {
			return list[i].value
		}
	}
	panic("weights do not add up")
}
