package wire

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
)

// script is a transcript that only notes what it was given.
type script struct{ text []byte }

func (s *script) Size() int { return len(s.text) }

// encoded sends a history through a memory and counts the messages that had to
// be encoded.
func encoded(m *Memory[script, *script], form string, history []*llm.Message) (text string, work int) {
	c := m.Take(form, history)
	c.Append(history, func(msg *llm.Message) {
		work++
		c.Transcript.text = append(c.Transcript.text, msg.Content()...)
	})
	text = string(c.Transcript.text)
	m.Keep(c)
	return text, work
}

func messages(texts ...string) []*llm.Message {
	var list []*llm.Message
	for _, text := range texts {
		m := llm.Text(llm.RoleUser, text)
		list = append(list, &m)
	}
	return list
}

// contract: P12
func TestOnlyWhatIsNewIsEncoded(t *testing.T) {
	t.Parallel()
	var m Memory[script, *script]
	history := messages("a", "b", "c")
	check := func(wantText string, wantWork int, form string, history []*llm.Message) {
		t.Helper()
		text, work := encoded(&m, form, history)
		same(t, wantText, text)
		same(t, wantWork, work)
	}
	check("ab", 2, "x", history[:2])
	check("abc", 1, "x", history)
	check("abc", 0, "x", history)
	check("abc", 3, "y", history)    // another model reads it differently
	check("ab", 2, "x", history[:2]) // shorter is not a continuation
	check("abc", 1, "x", history)    // but this is
	branch := slices.Concat(history[:1], messages("z"))
	check("az", 2, "x", branch)                   // a branch starts anew
	check("abc", 3, "x", messages("a", "b", "c")) // equal is not the same
	check("", 0, "x", nil)
}

// Sessions that share a history, and retries that overlap, never see each
// other's text.
func TestConversationsMayBeUsedConcurrently(t *testing.T) {
	t.Parallel()
	var m Memory[script, *script]
	shared := messages("a", "b")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			history := slices.Concat(shared, messages(fmt.Sprint(i), "-", fmt.Sprint(i)))
			for range 200 {
				for n := 2; n <= len(history); n++ {
					want := ""
					for _, msg := range history[:n] {
						want += msg.Content()
					}
					if text, _ := encoded(&m, "x", history[:n]); text != want {
						t.Errorf("%q, want %q", text, want)
					}
				}
			}
		})
	}
	wg.Wait()
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	var m Memory[script, *script]
	for range maxRemembered + 50 {
		encoded(&m, "x", messages("a"))
	}
	same(t, maxRemembered, len(m.items))
	same(t, maxRemembered, m.order.Len())
	big := strings.Repeat("x", maxRememberedSize/4)
	for range 6 {
		encoded(&m, "x", messages(big))
	}
	if m.size > maxRememberedSize || m.size < maxRememberedSize/2 {
		t.Errorf("%d bytes are kept", m.size)
	}
	encoded(&m, "x", messages(strings.Repeat("x", maxRememberedSize+1)))
	if m.size > maxRememberedSize {
		t.Errorf("%d bytes are kept", m.size)
	}
}
