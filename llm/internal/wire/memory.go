package wire

import (
	"container/list"
	"slices"
	"sync"

	"github.com/ai-agent-go/ai-agent/llm"
)

// Transcript is the history of requests as one service reads it: an adapter's
// text, to which it only ever appends, because requests under way hold its
// earlier states, and what it has to remember between messages.
type Transcript[T any] interface {
	*T
	// Size is the length of the text.
	Size() int
}

// Conversation is a transcript and the messages that are in it. It grows with
// the history and nothing is encoded twice (contract P12).
type Conversation[T any, P Transcript[T]] struct {
	key  conversationKey
	seen []*llm.Message
	size int
	// Transcript is the adapter's.
	Transcript T
}

// Append encodes the messages of the history that are new, one by one.
func (c *Conversation[T, P]) Append(history []*llm.Message, encode func(m *llm.Message)) {
	for _, m := range history[len(c.seen):] {
		encode(m)
		c.seen = append(c.seen, m)
	}
}

// conversationKey finds a conversation again. Histories are shared pointer for
// pointer from one request to the next, so the first message names them; the
// form is all else that the encoding depends on.
type conversationKey struct {
	first *llm.Message
	form  string
}

// Memory keeps encoded conversations, those used last, within a bound. The zero
// value is ready. It may be used concurrently: a conversation is taken out
// while somebody works on it, and who finds none starts from the beginning.
type Memory[T any, P Transcript[T]] struct {
	mu    sync.Mutex
	items map[conversationKey]*list.Element
	order list.List // of *Conversation, the one used last in front
	size  int
}

const (
	maxRemembered     = 1024
	maxRememberedSize = 64 << 20
)

// Take returns what is encoded of a history, or a new conversation when nothing
// is or when the history is no continuation of it.
func (m *Memory[T, P]) Take(form string, history []*llm.Message) *Conversation[T, P] {
	c := &Conversation[T, P]{key: conversationKey{form: form}}
	if len(history) == 0 {
		return c
	}
	c.key.first = history[0]
	m.mu.Lock()
	defer m.mu.Unlock()
	element := m.items[c.key]
	if element == nil {
		return c
	}
	known := m.remove(element)
	if len(known.seen) > len(history) || !slices.Equal(known.seen, history[:len(known.seen)]) {
		return c
	}
	return known
}

// Keep gives a conversation back. Its transcript belongs to others then; texts
// that were taken from it stay as they are.
func (m *Memory[T, P]) Keep(c *Conversation[T, P]) {
	if c.size = P(&c.Transcript).Size(); c.key.first == nil || c.size > maxRememberedSize {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.items == nil {
		m.items = make(map[conversationKey]*list.Element)
	}
	if other := m.items[c.key]; other != nil {
		m.remove(other)
	}
	m.items[c.key] = m.order.PushFront(c)
	m.size += c.size
	for m.size > maxRememberedSize || len(m.items) > maxRemembered {
		m.remove(m.order.Back())
	}
}

func (m *Memory[T, P]) remove(element *list.Element) *Conversation[T, P] {
	c, _ := m.order.Remove(element).(*Conversation[T, P])
	delete(m.items, c.key)
	m.size -= c.size
	return c
}
