package llm

import (
	"math"
	"strconv"
)

// Usage counts tokens in four disjoint buckets: no token is in two of them, so
// that their sum is what the model processed. Reasoning is part of Output.
type Usage struct {
	// Input is the prompt tokens that were neither read from nor written to a
	// cache.
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	Reasoning  int64 `json:"reasoning,omitempty"`
}

// Total is the sum of the four buckets.
func (u Usage) Total() int64 { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// Add returns the sum of two usages, bucket by bucket.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output,
		CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		Reasoning: u.Reasoning + v.Reasoning,
	}
}

// Money is an amount in nano-dollars: 1,000,000,000 is one US dollar. Integers
// add up the same on every machine and in every order.
type Money int64

// Dollar is one US dollar.
const Dollar Money = 1_000_000_000

// USD returns the amount in dollars, for people and for JSON that seeds fix as
// a number.
func (m Money) USD() float64 { return float64(m) / float64(Dollar) }

// String writes the amount with all digits that it needs, as in $0.0125.
func (m Money) String() string {
	return "$" + strconv.FormatFloat(m.USD(), 'f', -1, 64)
}

// MoneyFromUSD rounds an amount in dollars up to the next nano-dollar. Amounts
// that are negative or not a number are zero; too large ones are the maximum.
func MoneyFromUSD(usd float64) Money {
	switch {
	case math.IsNaN(usd) || usd <= 0:
		return 0
	case usd >= math.MaxInt64/float64(Dollar):
		return math.MaxInt64
	}
	// A price such as 0.1 has no exact binary form; without the tolerance its
	// error would round up to a nano-dollar that nobody charged.
	return Money(math.Ceil(usd*float64(Dollar) - 1e-6))
}

// Price is what a model costs, in nano-dollars per million tokens.
type Price struct {
	Input      Money `json:"input"`
	Output     Money `json:"output"`
	CacheRead  Money `json:"cache_read,omitempty"`
	CacheWrite Money `json:"cache_write,omitempty"`
}

// Cost is the price of a usage, rounded up to the next nano-dollar.
func (p Price) Cost(u Usage) Money {
	const million = 1_000_000
	// High and low parts are kept apart so that no realistic count overflows.
	var whole, rest int64
	for _, b := range [...]struct {
		tokens int64
		price  Money
	}{{u.Input, p.Input}, {u.Output, p.Output}, {u.CacheRead, p.CacheRead}, {u.CacheWrite, p.CacheWrite}} {
		whole += b.tokens / million * int64(b.price)
		rest += b.tokens % million * int64(b.price)
	}
	return Money(whole + (rest+million-1)/million)
}
