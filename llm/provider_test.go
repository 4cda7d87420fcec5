package llm_test

import (
	"context"
	"iter"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
)

type providerFunc func(yield func(llm.Delta, *llm.Receipt) bool)

func (f providerFunc) Generate(context.Context, *llm.Request) iter.Seq2[llm.Delta, *llm.Receipt] {
	return iter.Seq2[llm.Delta, *llm.Receipt](f)
}

func TestCallDropsDeltasAndReturnsTheReceipt(t *testing.T) {
	t.Parallel()
	want := &llm.Receipt{ResponseID: "r"}
	p := providerFunc(func(yield func(llm.Delta, *llm.Receipt) bool) {
		_ = yield(llm.Delta{Kind: llm.DeltaText, Text: "x"}, nil) && yield(llm.Delta{}, want)
	})
	if got := llm.Call(t.Context(), p, &llm.Request{}); got != want {
		t.Errorf("got %+v", got)
	}
}

// contract: R5
func TestAProviderWithoutAReceiptIsAnInvalidResponse(t *testing.T) {
	t.Parallel()
	for _, p := range []providerFunc{
		func(func(llm.Delta, *llm.Receipt) bool) {},
		func(yield func(llm.Delta, *llm.Receipt) bool) { yield(llm.Delta{Kind: llm.DeltaText, Text: "x"}, nil) },
	} {
		got := llm.Call(t.Context(), p, &llm.Request{})
		if got.Error == nil || got.Error.Class != llm.ClassInvalidResponse {
			t.Errorf("got %+v", got)
		}
	}
}
