package view_test

import (
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/view"
)

// story is a session as a listener hears of it: frames of facts, and deltas.
type story struct {
	store
	at    int64
	seq   uint64
	heard []heard
	// answer says that text is the answer.
	answer bool
	// title is what the session is about.
	title string
}

// heard is one thing that a listener hears.
type heard struct {
	seq    uint64
	at     int64
	fact   kernel.Fact
	effect string
	delta  *llm.Delta
	call   string
	text   string
}

func newStory() *story { return &story{store: make(store), at: now} }

// frame tells facts, some milliseconds after what was before.
func (s *story) frame(after int64, facts ...kernel.Fact) {
	s.seq++
	s.at += after
	for _, f := range facts {
		s.heard = append(s.heard, heard{seq: s.seq, at: s.at, fact: f})
	}
}

// stream tells a text in pieces of some bytes.
func (s *story) stream(effect string, d llm.Delta, size int) {
	for text := d.Text; text != ""; {
		d.Text = text[:min(size, len(text))]
		text = text[len(d.Text):]
		piece := d
		s.heard = append(s.heard, heard{seq: s.seq, effect: effect, delta: &piece})
	}
}

func (s *story) toolDelta(call, text string) {
	s.heard = append(s.heard, heard{seq: s.seq, call: call, text: text})
}

// fold tells the story to a stream, and what the stream makes of it to a
// listener of events and one of notices.
func (s *story) fold(t testing.TB, onEvent func(view.Event), onNotice func(view.Notice)) *view.Stream {
	t.Helper()
	fold := view.NewStream(s.read)
	notices := view.NewNotices(fold)
	notices.Tree().Title = s.title
	for _, h := range s.heard {
		var events []view.Event
		var told []view.Notice
		switch {
		case h.delta != nil:
			events = fold.Shown(h.seq, h.effect, s.shown(h.delta))
			told = notices.Delta(events)
		case h.fact == nil:
			events = fold.ToolDelta(h.seq, h.call, h.text)
		default:
			var err error
			if events, err = fold.Fact(h.seq, h.at, h.fact); err != nil {
				t.Fatal(err)
			}
			told = notices.Fact(h.seq, h.at, h.fact, events)
		}
		for i := range events {
			onEvent(events[i])
		}
		for i := range told {
			onNotice(told[i])
		}
	}
	return fold
}

// shown marks the answer as the host does.
func (s *story) shown(d *llm.Delta) dialect.Shown {
	return dialect.Shown{Delta: *d, Answer: s.answer && d.Kind == llm.DeltaText}
}

func (s *story) events(t testing.TB) []view.Event {
	t.Helper()
	var all []view.Event
	s.fold(t, func(e view.Event) { all = append(all, e) }, func(view.Notice) {})
	return all
}

func (s *story) notices(t testing.TB) []view.Notice {
	t.Helper()
	var all []view.Notice
	s.fold(t, func(view.Event) {}, func(n view.Notice) { all = append(all, n) })
	return all
}

// types lists the types of events, repeated ones once.
func types(events []view.Event) string {
	var all []string
	for i := range events {
		if kind := string(events[i].Type); len(all) == 0 || all[len(all)-1] != kind {
			all = append(all, kind)
		}
	}
	return strings.Join(all, " ")
}

// The parts of stories.

func (s *story) userMessage(text string) *kernel.Message {
	m := llm.Text(llm.RoleUser, text)
	return &kernel.Message{Entry: kernel.Entry{Kind: dialect.ItemUser, Ref: s.json(&m), Bytes: int64(len(text))}}
}

func (s *story) runStart(run int64, config *spec.Run) *kernel.RunStart {
	s.answer = config.Completion.IsText()
	return &kernel.RunStart{
		Run: run, Config: s.json(config), Agent: "demo", Format: config.Format, Targets: []string{"script/demo", "other/large"},
		MaxTurns: 10, Nonce: "0a1b2c3d", Transport: config.Transport, Completion: config.Completion, Preamble: config.Preamble,
	}
}

func attemptStart(effect string, turn, attempt int64, model string) *kernel.AttemptStart {
	provider, name, _ := strings.Cut(model, "/")
	return &kernel.AttemptStart{
		Effect: effect, Turn: turn, Attempt: attempt, Provider: provider, Model: name, Context: 100 * turn, New: 40, Schema: 60,
		Expected: 100*turn + 100, Window: 1000, Limit: 700,
	}
}

func attemptEnd(effect string, turn, attempt int64, model string, outcome kernel.Outcome) *kernel.AttemptEnd {
	provider, name, _ := strings.Cut(model, "/")
	return &kernel.AttemptEnd{
		Effect: effect, Turn: turn, Attempt: attempt, Provider: provider, Model: name, Outcome: outcome, LatencyMS: 250,
	}
}

// accepted ends an attempt well and makes its message part of the conversation.
func (s *story) accepted(end *kernel.AttemptEnd, e *llm.Envelope) []kernel.Fact {
	data := llm.MustMarshalJSON(e)
	end.Outcome, end.Output = kernel.OutcomeAccepted, s.keep(data)
	return []kernel.Fact{end, &kernel.Message{
		Turn: end.Turn, Entry: kernel.Entry{Kind: dialect.ItemAssistant, Ref: end.Output, Bytes: int64(len(data))},
	}}
}

func (s *story) result(turn int64, call, name, text string) *kernel.Message {
	c := s.content(text)
	return &kernel.Message{Turn: turn, Entry: kernel.Entry{
		Kind: dialect.ItemResult, Ref: c.Ref, Bytes: c.Bytes, CallID: call, Name: name, Failed: strings.HasPrefix(text, "(tool failed"),
	}}
}

func call(id, name, arguments string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: name, Arguments: []byte(arguments)}
}

func (s *story) finalReport(turn int64, text string) *kernel.FinalReport {
	return &kernel.FinalReport{
		Turn: turn, OK: true, Source: kernel.SourceTool, Format: spec.FormatMarkdown,
		Payload: s.json(&spec.ReportPayload{Format: spec.FormatMarkdown, Content: text}), At: s.at,
	}
}

func (s *story) failure(turn int64, reason, text string) *kernel.FinalReport {
	return &kernel.FinalReport{
		Turn: turn, Source: kernel.SourceSynthetic, Format: spec.FormatMarkdown, Reason: reason, At: s.at,
		Payload: s.json(&spec.ReportPayload{
			Format: spec.FormatMarkdown, Content: text, Metadata: llm.MustMarshalJSON(map[string]string{"reason": reason}),
		}),
	}
}

func runEnd(run, turns int64) *kernel.RunEnd {
	return &kernel.RunEnd{
		Run: run, Status: kernel.StatusCompleted, OK: true, Exit: "EXIT-FINAL-ANSWER", Turns: turns, Started: now,
		Cost: llm.Dollar / 50, Total: llm.Dollar / 50,
	}
}

func runFailed(run, turns int64, reason, message string) *kernel.RunEnd {
	return &kernel.RunEnd{
		Run: run, Status: kernel.StatusError, Reason: reason, Error: message, Exit: "EXIT-CANCELED", Turns: turns, Started: now,
	}
}

func usage(in, out, read, write int64) *llm.Usage {
	return &llm.Usage{Input: in, Output: out, CacheRead: read, CacheWrite: write}
}
