package script_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
)

// slow takes 100 ms to the first of five deltas and 50 ms to each other.
var slow = script.Reply{Text: "abcdefghij", ChunkSize: 2, DelayMS: 100, ChunkDelayMS: 50, Usage: &llm.Usage{Input: 1}}

func TestDelaysPassBetweenDeltas(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		texts, r := hear(t.Context(), t, script.New(slow), ask())
		same(t, []string{"ab", "cd", "ef", "gh", "ij"}, texts)
		same(t, 300*time.Millisecond, time.Since(start))
		if r.Error != nil {
			t.Error(r.Error)
		}
	})
}

// contract: R10, R11
func TestAnAbortIsHeardAtOnceAndKeepsWhatHadArrived(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		after time.Duration
		text  string
	}{
		"before the first delta":     {30 * time.Millisecond, ""},
		"just before the time limit": {99 * time.Millisecond, ""},
		"between two deltas":         {170 * time.Millisecond, "abcd"},
		"just before the last delta": {299 * time.Millisecond, "abcdefgh"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), test.after)
				defer cancel()
				request := ask()
				request.TimeoutMS = 100
				start := time.Now()
				_, r := hear(ctx, t, script.New(slow), request)
				same(t, test.after, time.Since(start))
				wantFailure(t, r, llm.ClassAborted)
				same(t, llm.FinishAborted, r.Finish.Reason)
				same(t, test.text, r.Output.AssistantText)
				if r.Usage != nil {
					t.Error("usage was reported, though the end was never heard")
				}
			})
		})
	}
}

// contract: R10
func TestACallThatIsCancelledBeforeItBeginsIsAborted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the user went home"))
	for _, p := range []*script.Provider{script.New(script.Text("hi")), script.New()} {
		texts, r := hear(ctx, t, p, ask())
		wantFailure(t, r, llm.ClassAborted, "the user went home")
		if len(texts) > 0 {
			t.Errorf("deltas came: %q", texts)
		}
	}
}

// contract: R10
func TestACallThatIsCancelledWhileADeltaIsReadIsAborted(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]script.Reply{
		"in the middle":    {Text: "abcd", ChunkSize: 2},
		"at the end":       {Text: "ab"},
		"before a failure": {Text: "ab", Error: &script.Failure{Status: 500}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var last *llm.Receipt
			for _, r := range script.New(reply).Generate(ctx, ask()) {
				cancel()
				last = r
			}
			wantFailure(t, last, llm.ClassAborted)
			same(t, "ab", last.Output.AssistantText)
		})
	}
}

// contract: R13
func TestTheTimeLimitIsForSilenceWhileStreaming(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		request := ask()
		request.TimeoutMS = 100 // each silence is that long or shorter, the whole is longer
		_, r := hear(t.Context(), t, script.New(slow), request)
		if r.Error != nil {
			t.Fatal(r.Error)
		}
		late := slow
		late.ChunkDelayMS = 101
		start := time.Now()
		_, r = hear(t.Context(), t, script.New(late), request)
		wantFailure(t, r, llm.ClassTimeout, "100 ms")
		same(t, 200*time.Millisecond, time.Since(start))
		same(t, "ab", r.Output.AssistantText)
		same(t, llm.FinishError, r.Finish.Reason)
	})
}

// contract: R13
func TestTheTimeLimitIsForTheWholeOtherwise(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		request := ask()
		request.Stream = false
		request.TimeoutMS = 300
		start := time.Now()
		texts, r := hear(t.Context(), t, script.New(slow), request)
		same(t, []string{"abcdefghij"}, texts)
		same(t, 300*time.Millisecond, time.Since(start))
		if r.Error != nil {
			t.Fatal(r.Error)
		}
		request.TimeoutMS = 299
		texts, r = hear(t.Context(), t, script.New(slow), request)
		wantFailure(t, r, llm.ClassTimeout)
		same(t, 599*time.Millisecond, time.Since(start))
		if len(texts) > 0 || !r.Output.Empty() {
			t.Error("half a body was read")
		}
	})
}

func TestWithoutStreamAnAnswerComesWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	whole := script.Reply{
		Reasoning: []llm.Reasoning{{Text: "hmmm", Signature: "sig"}}, Text: "hello", ChunkSize: 1,
		Calls: []script.Call{{ID: "a", Name: "t", Arguments: map[string]any{"x": 1}}},
	}
	request := ask()
	streamed := llm.Call(t.Context(), script.New(whole), request)
	request.Stream = false
	texts, r := hear(t.Context(), t, script.New(whole), request)
	same(t, []string{"hmmm", "hello", `{"x":1}`}, texts)
	same(t, streamed.Output, r.Output)

	broken, failed := whole, whole
	broken.BreakAfter = &script.Break{Chunks: 2}
	failed.Error = &script.Failure{Status: 500}
	for class, reply := range map[llm.ErrorClass]script.Reply{llm.ClassNetwork: broken, llm.ClassServer: failed} {
		texts, r := hear(t.Context(), t, script.New(reply), request)
		wantFailure(t, r, class)
		if len(texts) > 0 || !r.Output.Empty() {
			t.Errorf("%s: deltas came: %q", class, texts)
		}
	}
}

func TestLeavingTheLoopEndsTheCall(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{true, false} {
		request := ask()
		request.Stream = stream
		seen := 0
		for range script.New(script.Reply{Text: "ab", Calls: []script.Call{{Name: "t"}}, ChunkSize: 1}).Generate(t.Context(), request) {
			seen++
			break
		}
		same(t, 1, seen)
	}
}

func TestTextIsCutBetweenCharactersOnly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(rapid.String().Draw(t, "text"), "{{", "{")
		reply := script.Reply{Text: text, ChunkSize: rapid.IntRange(0, 5).Draw(t, "size")}
		var whole strings.Builder
		for d, r := range script.New(reply).Generate(t.Context(), ask()) {
			if r != nil {
				same(t, text, r.Output.AssistantText)
				continue
			}
			if !utf8.ValidString(d.Text) || reply.ChunkSize > 0 && utf8.RuneCountInString(d.Text) > reply.ChunkSize {
				t.Fatalf("%q is cut into %q", text, d.Text)
			}
			whole.WriteString(d.Text)
		}
		same(t, text, whole.String())
	})
}

func TestABrokenStreamHoldsExactlyWhatHadArrived(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(rapid.String().Draw(t, "text"), "{{", "{")
		n := rapid.IntRange(0, len(text)+2).Draw(t, "bytes")
		reply := script.Reply{
			Text: text, ChunkSize: rapid.IntRange(0, 5).Draw(t, "size"), BreakAfter: &script.Break{Bytes: n},
		}
		r := llm.Call(t.Context(), script.New(reply), ask())
		if r.Error == nil || r.Error.Class != llm.ClassNetwork {
			t.Fatalf("got %v", r.Error)
		}
		got := r.Output.AssistantText
		if !strings.HasPrefix(text, got) || len(got) > n || len(got) < min(n, len(text))-utf8.UTFMax+1 || !utf8.ValidString(got) {
			t.Fatalf("%d bytes of %q arrived as %q", n, text, got)
		}
	})
}

func TestABreakComesWithWhicheverLimitIsReachedFirst(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		limit script.Break
		want  string
	}{
		{script.Break{}, ""},
		{script.Break{Chunks: 2}, "abcd"},
		{script.Break{Chunks: 99}, "abcdefghij"},
		{script.Break{Bytes: 99}, "abcdefghij"},
		{script.Break{Bytes: 3}, "abc"},
		{script.Break{Bytes: 4}, "abcd"},
		{script.Break{Chunks: 1, Bytes: 5}, "ab"},
		{script.Break{Chunks: 4, Bytes: 5}, "abcde"},
	} {
		r := first(t, script.Reply{Text: "abcdefghij", ChunkSize: 2, BreakAfter: &test.limit})
		wantFailure(t, r, llm.ClassNetwork)
		same(t, test.want, r.Output.AssistantText)
	}
	sealed := script.Reply{Reasoning: []llm.Reasoning{{Text: "hm", Signature: "sig"}}, BreakAfter: &script.Break{Bytes: 1}}
	same(t, []llm.Reasoning{{Text: "h"}}, first(t, sealed).Output.Reasoning)
}
