package llm_test

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/llm"
)

func TestTotalIsTheSumOfTheDisjointBuckets(t *testing.T) {
	t.Parallel()
	u := llm.Usage{Input: 1, Output: 20, CacheRead: 300, CacheWrite: 4000, Reasoning: 15}
	same(t, int64(4321), u.Total())
	same(t, llm.Usage{Input: 2, Output: 40, CacheRead: 600, CacheWrite: 8000, Reasoning: 30}, u.Add(u))
}

func TestAbsurdCountsStopAtTheLimit(t *testing.T) {
	t.Parallel()
	huge := llm.Usage{Input: math.MaxInt64, Output: math.MaxInt64, CacheRead: math.MaxInt64, CacheWrite: 1, Reasoning: math.MaxInt64}
	same(t, int64(math.MaxInt64), huge.Total())
	same(t, int64(math.MaxInt64), huge.Add(huge).Reasoning)
	low := llm.Usage{Input: math.MinInt64}
	same(t, int64(math.MinInt64), low.Add(low).Input)
}

func TestMoneyIsWrittenWithTheDigitsItNeeds(t *testing.T) {
	t.Parallel()
	for m, want := range map[llm.Money]string{
		0: "$0", 1: "$0.000000001", 12_500_000: "$0.0125", llm.Dollar: "$1", 10 * llm.Dollar: "$10",
		llm.Dollar + 1: "$1.000000001", -llm.Dollar / 2: "-$0.5",
		math.MaxInt64: "$9223372036.854775807", math.MinInt64: "-$9223372036.854775808",
	} {
		same(t, want, m.String())
	}
	same(t, 0.0125, llm.Money(12_500_000).USD())
}

func TestMoneyFromUSDRoundsUpButChargesNobodyForBinaryFractions(t *testing.T) {
	t.Parallel()
	for usd, want := range map[float64]llm.Money{
		0: 0, -1: 0, math.Inf(-1): 0, math.Inf(1): math.MaxInt64, 1e300: math.MaxInt64,
		1: llm.Dollar, 32.02: 32_020_000_000, 0.1: 100_000_000, 0.3: 300_000_000, 1e-9: 1, 1.5e-9: 2, 1.001e-9: 2,
		9223372036.854776: math.MaxInt64,
	} {
		same(t, want, llm.MoneyFromUSD(usd))
	}
	same(t, llm.Money(0), llm.MoneyFromUSD(math.NaN()))
	if got := llm.MoneyFromUSD(math.Nextafter(9223372036.854776, 0)); got <= 9_223_372_036*llm.Dollar {
		t.Errorf("the largest amount below the maximum became %d", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		// A million dollars: what a float64 can tell apart to the nano-dollar.
		m := llm.Money(rapid.Int64Range(0, 1_000_000*int64(llm.Dollar)).Draw(t, "money"))
		same(t, m, llm.MoneyFromUSD(m.USD()))
		// And what String writes is the amount.
		usd, err := strconv.ParseFloat(strings.TrimPrefix(m.String(), "$"), 64)
		if err != nil {
			t.Fatal(err)
		}
		same(t, m, llm.MoneyFromUSD(usd))
	})
}

// Generators are made anew for each use: one that parallel tests share is a race.
func prices() *rapid.Generator[llm.Price] {
	return rapid.Custom(func(t *rapid.T) llm.Price {
		one := rapid.Map(rapid.Int64Range(0, 1000*int64(llm.Dollar)), func(n int64) llm.Money { return llm.Money(n) })
		return llm.Price{
			Input: one.Draw(t, "input"), Output: one.Draw(t, "output"),
			CacheRead: one.Draw(t, "cache read"), CacheWrite: one.Draw(t, "cache write"),
		}
	})
}

func usages() *rapid.Generator[llm.Usage] {
	return rapid.Custom(func(t *rapid.T) llm.Usage {
		n := rapid.Int64Range(0, 10_000_000)
		return llm.Usage{
			Input: n.Draw(t, "input"), Output: n.Draw(t, "output"),
			CacheRead: n.Draw(t, "cache read"), CacheWrite: n.Draw(t, "cache write"),
		}
	})
}

func TestCostIsTheExactPriceRoundedUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, u := prices().Draw(t, "price"), usages().Draw(t, "usage")
		exact := new(big.Int)
		for _, b := range [][2]int64{
			{u.Input, int64(p.Input)},
			{u.Output, int64(p.Output)},
			{u.CacheRead, int64(p.CacheRead)},
			{u.CacheWrite, int64(p.CacheWrite)},
		} {
			exact.Add(exact, new(big.Int).Mul(big.NewInt(b[0]), big.NewInt(b[1])))
		}
		exact.Add(exact, big.NewInt(999_999))
		exact.Div(exact, big.NewInt(1_000_000))
		same(t, exact.Int64(), int64(p.Cost(u)))
	})
}

func TestTheCostOfASumIsTheSumOfTheCostsOrOneNanoDollarLess(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, u, v := prices().Draw(t, "price"), usages().Draw(t, "one"), usages().Draw(t, "other")
		apart, together := p.Cost(u)+p.Cost(v), p.Cost(u.Add(v))
		if together > apart || together < apart-1 {
			t.Fatalf("apart %d, together %d", apart, together)
		}
	})
}

func TestACostIsNeverNegativeAndNeverWrapsRound(t *testing.T) {
	t.Parallel()
	million := llm.Price{Input: llm.Dollar}
	same(t, llm.Dollar, million.Cost(llm.Usage{Input: 1_000_000}))
	same(t, llm.Money(1000), million.Cost(llm.Usage{Input: 1}))
	same(t, llm.Money(1), llm.Price{Input: 1}.Cost(llm.Usage{Input: 1}))
	same(t, llm.Money(0), million.Cost(llm.Usage{Output: 5, Reasoning: 5}))
	same(t, llm.Money(0), million.Cost(llm.Usage{Input: -5}))
	same(t, llm.Money(0), llm.Price{Input: -1}.Cost(llm.Usage{Input: 5}))
	huge := llm.Usage{Input: math.MaxInt64, Output: math.MaxInt64, CacheRead: math.MaxInt64, CacheWrite: math.MaxInt64}
	same(t, llm.Money(math.MaxInt64), million.Cost(huge))
	most := llm.Price{Input: math.MaxInt64, Output: math.MaxInt64, CacheRead: math.MaxInt64, CacheWrite: math.MaxInt64}
	same(t, llm.Money(math.MaxInt64), most.Cost(huge))
	same(t, llm.Money(math.MaxInt64), most.Cost(llm.Usage{Input: 1_000_000, Output: 1}))
	same(t, llm.Money(math.MaxInt64), most.Cost(llm.Usage{Input: 1_000_000}))
}
