package view

import (
	"encoding/json"
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// contents reads what facts only name. One content is named by several facts in
// a row: a message by its attempt, by its entry in the conversation and by each
// of its calls; a result by its execution and by its message. So the last few
// are remembered, and messages as they were decoded.
type contents struct {
	source Blobs
	recent [8]struct {
		ref  journal.Ref
		data []byte
	}
	next int

	envelopeRef journal.Ref
	envelope    *llm.Envelope
	// shown is the envelope as the conversation shows it.
	shown *Message

	configRef journal.Ref
	config    *spec.Run
}

// maxRecent bounds the size of a content that is remembered.
const maxRecent = 16 << 10

func (c *contents) init(source Blobs) { c.source = source }

// run notes which configuration the run has. It is read when it is needed.
func (c *contents) run(config journal.Ref) {
	if c.configRef != config {
		c.configRef, c.config = config, nil
	}
}

func (c *contents) blob(ref journal.Ref) ([]byte, error) {
	for i := range c.recent {
		if c.recent[i].data != nil && c.recent[i].ref == ref {
			return c.recent[i].data, nil
		}
	}
	data, err := c.source(ref)
	if err == nil && data != nil && len(data) <= maxRecent {
		c.recent[c.next].ref, c.recent[c.next].data = ref, data
		c.next = (c.next + 1) % len(c.recent)
	}
	return data, err
}

// read returns a content, or nothing and remembers why.
func (s *Session) read(ref journal.Ref) []byte {
	if ref.IsZero() {
		return nil
	}
	data, err := s.contents.blob(ref)
	if err != nil {
		s.err = fmt.Errorf("session %s: content %s: %w", s.ID, ref.Short(), err)
		return nil
	}
	return data
}

// peek returns a content that the view can do without: it is shown if it can
// be read.
func (s *Session) peek(ref journal.Ref) []byte {
	if ref.IsZero() {
		return nil
	}
	data, _ := s.contents.blob(ref)
	return data
}

// envelope reads an assistant message, nil when there is none. What it returns
// is shared and not to be changed.
func (s *Session) envelope(ref journal.Ref) *llm.Envelope {
	c := &s.contents
	if c.envelope != nil && c.envelopeRef == ref {
		return c.envelope
	}
	data := s.read(ref)
	if data == nil {
		return nil
	}
	e := new(llm.Envelope)
	if err := json.Unmarshal(data, e); err != nil {
		s.err = fmt.Errorf("session %s: assistant message: %w", s.ID, err)
		return nil
	}
	c.envelopeRef, c.envelope, c.shown = ref, e, nil
	return e
}

// peekEnvelope is [Session.envelope] for what the view can do without.
func (s *Session) peekEnvelope(ref journal.Ref) *llm.Envelope {
	err := s.err
	e := s.envelope(ref)
	s.err = err
	return e
}

// config is the run's configuration, an empty one when it cannot be read.
func (s *Session) config() *spec.Run {
	c := &s.contents
	if c.config == nil {
		c.config = new(spec.Run)
		if data := s.peek(c.configRef); data != nil {
			_ = json.Unmarshal(data, c.config) // what is missing is not shown
		}
	}
	return c.config
}
