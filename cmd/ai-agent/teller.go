package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/transcript"
)

// teller reads a journal and writes down what its model, its tools and its users
// said.
type teller struct {
	archive *journal.Archive
	run     *spec.Run
	effects map[string]kernel.EffectBody
	// turns are the model's answers as a script counts: the turn is one more
	// than the assistant's messages in the request.
	turns map[int][]*script.Reply
	exact bool
	out   recorded
}

// tell reads the journal frame by frame.
func (t *teller) tell() error {
	for i := range t.archive.Frames {
		f := &t.archive.Frames[i]
		in, err := kernel.DecodeInput(f.Input)
		if err != nil {
			return fmt.Errorf("frame %d: %w", f.Seq, err)
		}
		facts, err := kernel.DecodeFacts(f)
		if err != nil {
			return err //nolint:wrapcheck // it names the frame
		}
		refused := slices.ContainsFunc(facts, func(fact kernel.Fact) bool { _, ok := fact.(*kernel.Ignored); return ok })
		if !refused {
			if err := t.input(in); err != nil {
				return fmt.Errorf("frame %d: %w", f.Seq, err)
			}
		}
		effects, err := kernel.DecodeEffects(f)
		if err != nil {
			return err //nolint:wrapcheck // it names the frame
		}
		for _, e := range effects {
			t.effects[e.ID] = e.Body
		}
	}
	return nil
}

func (t *teller) input(in kernel.InputBody) error {
	switch in := in.(type) {
	case *kernel.Open:
		return nil
	case *kernel.Prompt:
		if in.Config != nil {
			return fmt.Errorf("%w: a prompt came with a configuration of its own", errUnscripted)
		}
		m, err := transcript.Message(&kernel.Entry{Ref: in.Content.Ref}, t.blob)
		if err != nil {
			return err //nolint:wrapcheck // it names the content
		}
		if len(m.Parts) != 1 || m.Parts[0].Kind != llm.PartText {
			return fmt.Errorf("%w: a prompt is more than text", errUnscripted)
		}
		t.say("aiagent.Prompt(%q)", m.Content())
	case *kernel.Continue:
		t.say("aiagent.Continue()")
	case *kernel.ToolResult:
		data, err := t.blob(in.Content.Ref)
		if err != nil {
			return err
		}
		t.say("aiagent.Results(aiagent.ToolResult{CallID: %q, Output: %q, Error: %q})", in.CallID, data, in.Error)
	case *kernel.Decision:
		if in.Allow {
			t.say("aiagent.Approve(%q, %q)", in.CallID, in.User)
		} else {
			t.say("aiagent.Deny(%q, %q, %q)", in.CallID, in.User, in.Reason)
		}
	case *kernel.Receipt:
		return t.receipt(in)
	default:
		return fmt.Errorf("%w: %s came during the run", errUnscripted, kernel.EncodeInput(in).Kind)
	}
	return nil
}

func (t *teller) say(format string, args ...any) {
	t.out.Inputs = append(t.out.Inputs, fmt.Sprintf(format, args...))
}

func (t *teller) receipt(r *kernel.Receipt) error {
	switch {
	case r.Timer != nil:
		return nil
	case r.Tool != nil:
		call, ok := t.effects[r.Effect].(*kernel.Tool)
		if !ok {
			return fmt.Errorf("%w: a result of no call", errUnscripted)
		}
		if call.Item >= 0 {
			t.exact = false // a batch tells how long its calls took
		}
		return t.result(call.CallID, r.Tool)
	case r.Generated != nil:
		g, ok := t.effects[r.Effect].(*kernel.Generate)
		if !ok {
			return fmt.Errorf("%w: an answer to no request", errUnscripted)
		}
		return t.answer(g, r.Generated)
	default:
		return fmt.Errorf("%w: others have worked for it", errUnscripted)
	}
}

func (t *teller) result(call string, done *kernel.ToolDone) error {
	result := recordedResult{Call: call, Error: done.Error}
	switch done.Status {
	case kernel.ToolOK:
		ref := done.Output.Ref
		if !done.Original.Ref.IsZero() {
			ref = done.Original.Ref
		}
		data, err := t.blob(ref)
		if err != nil {
			return err
		}
		result.Output, result.Error = string(data), ""
	case kernel.ToolFailed:
	default:
		result.Error = string(done.Status) // the model is told the same
	}
	t.out.Results = append(t.out.Results, result)
	return nil
}

// answer notes what the model said to a request.
func (t *teller) answer(g *kernel.Generate, got *kernel.Generated) error {
	entries, err := transcript.Entries(g.Head, t.blob)
	if err != nil {
		return err //nolint:wrapcheck // it names the content
	}
	turn := 1
	for i := range entries {
		if entries[i].Kind == dialect.ItemAssistant {
			turn++
		}
	}
	attempt, err := strconv.Atoi(g.Correlation[strings.LastIndexByte(g.Correlation, '/')+1:])
	if err != nil {
		return fmt.Errorf("correlation %q: %w", g.Correlation, err)
	}
	reply, err := t.reply(got)
	if err != nil {
		return err
	}
	for len(t.turns[turn]) < attempt {
		t.turns[turn] = append(t.turns[turn], nil)
	}
	if before := t.turns[turn][attempt-1]; before != nil && !bytes.Equal(llm.MustMarshalJSON(before), llm.MustMarshalJSON(reply)) {
		return fmt.Errorf("%w: turn %d was asked for twice, and its answers differ", errUnscripted, turn)
	}
	t.turns[turn][attempt-1] = reply
	return nil
}

// reply writes an answer as a script has it.
func (t *teller) reply(got *kernel.Generated) (*script.Reply, error) {
	r := &script.Reply{Usage: got.Usage, ResponseID: got.ResponseID, Warnings: got.Warnings, Model: got.Model, Provider: got.Provider}
	if got.Cost != nil {
		usd := got.Cost.USD()
		r.CostUSD = &usd
	}
	if e := got.Error; e != nil {
		r.Error = &script.Failure{Status: e.Status, Class: e.Class, Code: e.Code, Message: e.Message}
		if e.RetryAfterMS > 0 {
			r.Error.Headers = map[string]string{"retry-after-ms": strconv.FormatInt(e.RetryAfterMS, 10)}
		}
	} else {
		r.Finish = got.Finish.Reason
	}
	if got.Output.IsZero() {
		return r, nil
	}
	data, err := t.blob(got.Output)
	var e llm.Envelope
	if err == nil {
		err = json.Unmarshal(data, &e)
	}
	if err != nil {
		return nil, fmt.Errorf("answer %s: %w", got.Output.Short(), err)
	}
	for _, p := range e.Message().Parts {
		switch p.Kind {
		case llm.PartText:
			r.Parts = append(r.Parts, script.Part{Text: literal(p.Text)})
		case llm.PartReasoning:
			r.Parts = append(r.Parts, script.Part{Reasoning: p.Reasoning})
		case llm.PartToolCall:
			if p.Call.Signature != "" {
				t.exact = false // a script does not sign
			}
			r.Parts = append(r.Parts, script.Part{Call: t.call(p.Call)})
		default:
		}
	}
	return r, nil
}

func (t *teller) call(c *llm.ToolCall) *script.Call {
	call := &script.Call{ID: c.ID, Name: c.Name}
	var arguments any
	decoder := json.NewDecoder(bytes.NewReader(c.Arguments))
	decoder.UseNumber() // as they were written
	if c.Bad || decoder.Decode(&arguments) != nil {
		call.Arguments = literal(c.Raw)
		return call
	}
	call.Arguments = literals(arguments)
	return call
}

// literal makes a script say a text as it is.
func literal(s string) string { return strings.ReplaceAll(s, "{{", `{{"{{"}}`) }

func literals(v any) any {
	switch v := v.(type) {
	case string:
		return literal(v)
	case []any:
		for i := range v {
			v[i] = literals(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = literals(v[k])
		}
	}
	return v
}

// script is the model's side of the session.
func (t *teller) script() *script.Script {
	s := &script.Script{Name: t.archive.Key.Session}
	last := 0
	if len(t.turns) > 0 {
		last = slices.Max(slices.Collect(maps.Keys(t.turns)))
	}
	for turn := 1; turn <= last; turn++ {
		attempts := script.Attempts{}
		for _, r := range t.turns[turn] {
			if r == nil {
				r = &script.Reply{Error: &script.Failure{Message: "this attempt was not made then"}}
			}
			attempts = append(attempts, *r)
		}
		if len(attempts) == 0 {
			attempts = script.Attempts{{}}
		}
		s.Turns = append(s.Turns, attempts)
	}
	return s
}
