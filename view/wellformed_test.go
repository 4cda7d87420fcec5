package view_test

import (
	"encoding/json"
	"strings"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/view"
)

// wellFormed checks a stream of events: every start has its end, in order, and
// deltas add up (contract S2, S3).
type wellFormed struct {
	t       rapid.TB
	session bool
	role    llm.Role // of the open message, empty for none
	block   string   // text, thinking or empty
	part    strings.Builder
	calls   []string
	ended   int // of the calls
	tools   map[string]bool

	// All text and thinking of the message.
	text, thinking strings.Builder
	// whole is told every message that was accepted, with its deltas.
	whole func(m *view.Message, text, thinking string, calls []string)
}

func newWellFormed(t rapid.TB) *wellFormed { return &wellFormed{t: t, tools: make(map[string]bool)} }

func (w *wellFormed) must(ok bool, e *view.Event, what string) {
	w.t.Helper()
	if !ok {
		w.t.Fatalf("%s: %s", what, view.MarshalEvent(e))
	}
}

func (w *wellFormed) event(e *view.Event) {
	w.t.Helper()
	switch e.Type {
	case view.EventSessionStart:
		w.must(!w.session, e, "the session has begun already")
		w.session = true
	case view.EventSessionEnd:
		w.must(w.session && w.role == "" && len(w.tools) == 0, e, "something is still open")
		w.session = false
	case view.EventMessageStart:
		w.must(w.role == "", e, "a message is open already")
		w.role, w.calls, w.ended = e.Role, nil, 0
		w.text.Reset()
		w.thinking.Reset()
	case view.EventMessageEnd:
		w.must(w.role == e.Role && w.block == "" && w.ended == len(w.calls), e, "something in the message is still open")
		w.must((e.Outcome == "accepted") == (e.Message != nil), e, "what is accepted is told whole, and nothing else")
		w.role = ""
		w.accepted(e)
	case view.EventToolStart:
		w.must(!w.tools[e.ToolCallID], e, "the execution has begun already")
		w.tools[e.ToolCallID] = true
	case view.EventToolDelta, view.EventToolEnd:
		w.must(w.tools[e.ToolCallID], e, "no such execution")
		if e.Type == view.EventToolEnd {
			delete(w.tools, e.ToolCallID)
		}
	case view.EventToolCallStart, view.EventToolCallDelta, view.EventToolCallEnd:
		w.call(e)
	default:
		if kind, phase, ok := strings.Cut(string(e.Type), "_"); ok && (kind == "text" || kind == "thinking") {
			w.piece(e, kind, phase)
		}
	}
}

func (w *wellFormed) piece(e *view.Event, kind, phase string) {
	w.t.Helper()
	w.must(w.role == llm.RoleAssistant, e, "outside a message")
	all := &w.text
	if kind == "thinking" {
		all = &w.thinking
	}
	switch phase {
	case "start":
		w.must(w.block == "", e, "a block is open already")
		w.block = kind
		w.part.Reset()
	case "delta":
		w.must(w.block == kind && e.Delta != "", e, "no such block is open")
		w.part.WriteString(e.Delta)
		all.WriteString(e.Delta)
	case "end":
		w.must(w.block == kind && w.part.String() == e.Text+e.Thinking, e, "the deltas add up to "+w.part.String())
		w.block = ""
	}
}

func (w *wellFormed) call(e *view.Event) {
	w.t.Helper()
	w.must(w.role == llm.RoleAssistant && e.Index != nil, e, "outside a message")
	switch e.Type {
	case view.EventToolCallStart:
		w.must(w.block == "" && *e.Index == len(w.calls), e, "calls start one after the other")
		w.calls = append(w.calls, "")
	case view.EventToolCallDelta:
		w.must(*e.Index < len(w.calls) && w.ended == 0, e, "no such call is open")
		w.calls[*e.Index] += e.Delta
	case view.EventToolCallEnd:
		w.must(*e.Index == w.ended, e, "calls end one after the other")
		w.ended++
	}
}

func (w *wellFormed) accepted(e *view.Event) {
	w.t.Helper()
	m := e.Message
	if m == nil || m.Role != llm.RoleAssistant || m.StopReason != "" {
		return
	}
	w.must(len(w.calls) >= len(m.ToolCalls), e, "a call was not told")
	if w.whole != nil {
		w.whole(m, w.text.String(), w.thinking.String(), w.calls)
	}
}

// sameJSON compares JSON by meaning.
func sameJSON(t rapid.TB, want, got string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(want), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(got), &b); err != nil {
		t.Fatalf("%q: %v", got, err)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Fatalf("difference (-want +got):\n%s", diff)
	}
}
