package tool_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/ai-agent-go/ai-agent/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAQueueLetsInAsManyAsItHasPlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, err := tool.NewQueues(map[string]int{"narrow": 2})
		if err != nil {
			t.Fatal(err)
		}
		var leave []func()
		for range 2 {
			l, err := q.Enter(t.Context(), "narrow")
			if err != nil {
				t.Fatal(err)
			}
			leave = append(leave, l)
		}
		entered := make(chan func())
		go func() {
			l, err := q.Enter(t.Context(), "narrow")
			if err != nil {
				t.Error(err)
			}
			entered <- l
		}()
		synctest.Wait()
		select {
		case <-entered:
			t.Error("a third was let in")
		default:
		}
		leave[0]()
		(<-entered)()
		leave[1]()
	})
}

func TestAWaitInAQueueEndsWithItsContext(t *testing.T) {
	t.Parallel()
	q, err := tool.NewQueues(map[string]int{"one": 1})
	if err != nil {
		t.Fatal(err)
	}
	leave, err := q.Enter(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Enter(ctx, "one"); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting with a context that has ended: %v", err)
	}
}

func TestQueuesThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	if _, err := tool.NewQueues(map[string]int{"none": 0}); err == nil {
		t.Error("a queue without places was made")
	}
	q, err := tool.NewQueues(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Enter(t.Context(), "nowhere"); err == nil || q.Has("nowhere") || !q.Has(tool.DefaultQueue) {
		t.Errorf("an unknown queue: %v", err)
	}
}
