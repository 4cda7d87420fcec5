package view_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/view"
)

// contract: S2, S4, B3, B8, A4
func TestWholeSessionsLookAsTheyDid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		story    *story
		protects string
	}{
		"weather": {weather(), "A session with a rate limit, a streamed response, a status, tools that stream and fail,\n" +
			"and a report that was not streamed."},
		"aborted": {aborted(), "A session that waits for a remote result and an approval and is then aborted in the middle\n" +
			"of its answer. Nobody executes remote calls, so no execution is told; late deltas are dropped."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var events, notices strings.Builder
			var last *view.Snapshot
			c.story.title = "the weather"
			c.story.fold(t, func(e view.Event) {
				fmt.Fprintf(&events, "%s\n", view.MarshalEvent(&e))
			}, func(n view.Notice) {
				fmt.Fprintf(&notices, "%s\n", llm.MustMarshalJSON(&n))
				if n.Snapshot != nil {
					last = n.Snapshot
				}
			})
			golden(t, "testdata/"+name+".txt", fmt.Sprintf("%s\n\n-- tree --\n%s-- events --\n%s-- notices --\n%s",
				c.protects, last.Snapshot.OpTree.Render(), events.String(), notices.String()))
		})
	}
}
