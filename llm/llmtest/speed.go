package llmtest

import (
	"fmt"
	"math"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ai-agent-go/ai-agent/llm"
)

// The limits of an adapter's cost.
const (
	// maxAllocations is allowed for a chunk of a stream, all included.
	maxAllocations = 4
	// maxRatio is allowed of the CPU time that a bare loop takes.
	maxRatio = 0.8
	// maxExponent is allowed for the growth of a conversation's cost with its
	// turns. One would be perfect, two means that each turn pays for all.
	maxExponent = 1.3
)

// Speed checks what an adapter costs: allocations for a chunk of a stream, CPU
// time for it beside a bare loop, and the encoding of a conversation that
// grows.
//
// Time is the CPU time of the process, which other processes do not add to, and
// the best of several rounds in which the two sides take turns. It must not be
// called from a test that runs in parallel with others.
func Speed(t *testing.T, a *Adapter, format Format) {
	chatter := NewChatter(format, 2000)
	p := a.New(t, &Endpoint{BaseURL: "http://llm.test", Key: llm.FixedKey(Secret), Transport: chatter})
	request := hello(a)
	request.Provider, request.Model, request.Stream = ProviderName, a.Model, true
	ours := func() string {
		r := llm.Call(t.Context(), p, request)
		if r.Error != nil {
			t.Fatal(r.Error)
		}
		return r.Output.AssistantText
	}
	bare := func() string {
		text, err := chatter.Bare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if got := ours(); got != bare() || !strings.HasSuffix(got, chatter.Last) {
		t.Fatal("the two loops read different texts")
	}
	t.Run("allocations", func(t *testing.T) {
		n := testing.AllocsPerRun(5, func() { ours() }) / float64(chatter.Chunks)
		t.Logf("%.2f allocations a chunk", n)
		if n > maxAllocations {
			t.Errorf("%.2f allocations a chunk, want at most %d", n, maxAllocations)
		}
	})
	t.Run("time", func(t *testing.T) {
		skipTime(t)
		var best [2]time.Duration
		ratio := rounds(func() float64 {
			best[0], best[1] = fastest(best[0], ours), fastest(best[1], bare)
			return float64(best[0]) / float64(best[1])
		}, maxRatio)
		t.Logf("%v of CPU a chunk, %.2f of a bare loop's", best[0]/time.Duration(chatter.Chunks), ratio)
		if ratio > maxRatio {
			t.Errorf("%.2f times the CPU of a bare loop, want at most %.1f", ratio, maxRatio)
		}
	})
	t.Run("growth", func(t *testing.T) { a.growth(t) })
}

// skipTime passes over what measures time where that means nothing.
func skipTime(t *testing.T) {
	t.Helper()
	if testing.Short() || raceEnabled {
		t.Skip("measures CPU time")
	}
}

// rounds measures until the result is good enough, at least a few times. More
// rounds only ever make a measurement truer: each keeps the best it has seen.
func rounds(measure func() float64, enough float64) (result float64) {
	for i := range 60 {
		if result = measure(); i >= 8 && result <= enough {
			break
		}
	}
	return result
}

func fastest(best time.Duration, run func() string) time.Duration {
	start := CPU()
	run()
	if took := CPU() - start; best == 0 || took < best {
		return max(took, 1)
	}
	return best
}

// mute answers every request at once and reads nothing of it: what is left is
// the cost of encoding.
type mute struct{}

// RoundTrip implements [http.RoundTripper].
func (mute) RoundTrip(r *http.Request) (*http.Response, error) {
	return answerWith(r, "application/json", []byte("{}")), nil
}

// growth checks that a turn costs the same however long the conversation is:
// work is done for what is new (contract P12).
func (a *Adapter) growth(t *testing.T) {
	const few, many = 25, 200
	exponent := func(small, large float64) float64 { return math.Log(large/small) / math.Log(many/few) }
	bytes := exponent(float64(allocated(func() { a.Turns(t, few) })), float64(allocated(func() { a.Turns(t, many) })))
	t.Logf("memory grows with exponent %.2f", bytes)
	if bytes > maxExponent {
		t.Errorf("the memory taken grows with exponent %.2f, want at most %.1f", bytes, maxExponent)
	}
	skipTime(t)
	// As many turns in short conversations as in a long one, so that whatever a
	// turn costs by itself, collecting its garbage included, is on both sides.
	short := func() string {
		for range many / few {
			a.Turns(t, few)
		}
		return ""
	}
	long := func() string {
		a.Turns(t, many)
		return ""
	}
	var best [2]time.Duration
	cpu := rounds(func() float64 {
		best[0], best[1] = fastest(best[0], short), fastest(best[1], long)
		return exponent(float64(best[0])/(many/few), float64(best[1]))
	}, maxExponent)
	t.Logf("%d turns take %v of CPU, %d of them %v: exponent %.2f", few, best[0]/(many/few), many, best[1], cpu)
	if cpu > maxExponent {
		t.Errorf("the CPU time grows with exponent %.2f, want at most %.1f", cpu, maxExponent)
	}
}

// allocated counts the bytes that a function takes.
func allocated(run func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Turns sends the requests of a conversation of so many turns, each with a call
// and its result, and reads no answers.
func (a *Adapter) Turns(t testing.TB, n int) {
	t.Helper()
	p := a.New(t, &Endpoint{BaseURL: "http://llm.test", Key: llm.FixedKey(Secret), Transport: mute{}})
	request := weather(a)
	request.Provider, request.Model = ProviderName, a.Model
	output := strings.Repeat("a line of output \"quoted\"\n", 40)
	for i := range n {
		llm.Call(t.Context(), p, request)
		id := fmt.Sprintf("call_%d", i)
		request.History = append(request.History, assistant(nil, call(id, "Berlin")), result(id, output))
	}
}
