package llm

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
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
func (u Usage) Total() int64 { return plus(plus(u.Input, u.Output), plus(u.CacheRead, u.CacheWrite)) }

// Add returns the sum of two usages, bucket by bucket.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: plus(u.Input, v.Input), Output: plus(u.Output, v.Output),
		CacheRead: plus(u.CacheRead, v.CacheRead), CacheWrite: plus(u.CacheWrite, v.CacheWrite),
		Reasoning: plus(u.Reasoning, v.Reasoning),
	}
}

// plus adds and stops at the limits: counts come from providers, and an absurd
// one must look like too much and never like less than nothing.
func plus(a, b int64) int64 {
	switch sum := a + b; {
	case a > 0 && b > 0 && sum < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && sum >= 0:
		return math.MinInt64
	default:
		return sum
	}
}

// Money is an amount in nano-dollars: 1,000,000,000 is one US dollar. Integers
// add up the same on every machine and in every order.
type Money int64

// Dollar is one US dollar.
const Dollar Money = 1_000_000_000

// Add returns the sum of two amounts, or the maximum where that is less: a sum
// of money never becomes a debt because somebody reported nonsense.
func (m Money) Add(n Money) Money {
	if n > 0 && m > math.MaxInt64-n {
		return math.MaxInt64
	}
	return m + n
}

// USD returns the amount in dollars, for people and for JSON that seeds fix as
// a number.
func (m Money) USD() float64 { return float64(m) / float64(Dollar) }

// String writes the amount with all digits that it needs, as in $0.0125.
func (m Money) String() string {
	sign, nano := "", uint64(m) //nolint:gosec // negative amounts are turned round below
	if m < 0 {
		sign, nano = "-", -nano
	}
	s := fmt.Sprintf("%d.%09d", nano/uint64(Dollar), nano%uint64(Dollar))
	return sign + "$" + strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// MoneyFromUSD rounds an amount in dollars up to the next nano-dollar. Amounts
// that are negative or not a number are zero; too large ones are the maximum.
func MoneyFromUSD(usd float64) Money {
	nano := usd * float64(Dollar)
	switch {
	case math.IsNaN(usd) || usd <= 0:
		return 0
	case nano >= math.MaxInt64:
		return math.MaxInt64
	}
	// A price such as 0.1 has no exact binary form; without the tolerance its
	// error, which grows with the amount, would round up to a nano-dollar that
	// nobody charged.
	nearest := math.Round(nano)
	if math.Abs(nano-nearest) <= max(1e-6, nano*0x1p-51) {
		return Money(nearest)
	}
	return Money(math.Ceil(nano))
}

// Price is what a model costs, in nano-dollars per million tokens.
type Price struct {
	Input      Money `json:"input"`
	Output     Money `json:"output"`
	CacheRead  Money `json:"cache_read,omitempty"`
	CacheWrite Money `json:"cache_write,omitempty"`
}

// Cost is the price of a usage, rounded up to the next nano-dollar. What is
// below zero counts as zero, and a cost too large for Money is the maximum.
func (p Price) Cost(u Usage) Money {
	const million = 1_000_000
	// 128 bits hold four products of 63 bits each with room to spare.
	var high, low uint64
	for _, b := range [...]struct {
		tokens int64
		price  Money
	}{{u.Input, p.Input}, {u.Output, p.Output}, {u.CacheRead, p.CacheRead}, {u.CacheWrite, p.CacheWrite}} {
		h, l := bits.Mul64(uint64(max(b.tokens, 0)), uint64(max(b.price, 0)))
		var carry uint64
		low, carry = bits.Add64(low, l, 0)
		high += h + carry
	}
	low, carry := bits.Add64(low, million-1, 0)
	if high += carry; high >= million {
		return math.MaxInt64
	}
	cost, _ := bits.Div64(high, low, million)
	return Money(min(cost, math.MaxInt64))
}
