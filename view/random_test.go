package view_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// author makes up stories: any sequence of attempts that end in any way, heard
// from the start, from the middle, up to a point, or not at all.
type author struct {
	*story
	t      *rapid.T
	effect int
	text   bool // completion is text
	// orderly says that blocks did not interleave in any message.
	orderly bool
	// ended are effects that are over.
	ended []string
}

func (a *author) chance(percent int, what string) bool {
	return rapid.IntRange(0, 99).Draw(a.t, what) < percent
}

func (a *author) next() string {
	a.effect++
	return fmt.Sprintf("%d.0", a.effect)
}

// randomStory is a session of a few runs.
func randomStory(t *rapid.T) *author {
	a := &author{story: newStory(), t: t, text: rapid.Bool().Draw(t, "text"), orderly: true}
	a.frame(0, opened())
	if a.chance(30, "history") {
		m := a.accepted(attemptEnd("0.0", 0, 0, "a/b", ""), &llm.Envelope{AssistantText: "from before"})
		a.frame(0, a.userMessage("before"), m[1])
	}
	for run := range rapid.IntRange(1, 3).Draw(t, "runs") {
		a.run(int64(run) + 1)
	}
	return a
}

func (a *author) run(number int64) {
	config := &spec.Run{Format: spec.FormatMarkdown, Completion: spec.CompleteReport}
	if a.text {
		config.Completion = spec.CompleteText
	}
	if a.chance(20, "profile") {
		a.frame(1, &kernel.ProfileRequested{Run: number})
		if a.chance(50, "no profile") {
			a.frame(1, &kernel.ProfileFailed{Run: number, Code: "unknown"}, a.userMessage("hi"))
			a.fail(number, 0)
			return
		}
	}
	a.frame(1, a.runStart(number, config), a.userMessage("hi"))
	turns := int64(rapid.IntRange(1, 3).Draw(a.t, "turns"))
	for turn := range turns {
		a.frame(0, &kernel.TurnStart{Turn: turn + 1, MaxTurns: turns})
		e := a.turn(turn + 1)
		switch {
		case e == nil:
			a.fail(number, turn+1)
			return
		case len(e.ToolCalls) == 0 && e.AssistantText != "" && a.text:
			report := a.finalReport(turn+1, e.AssistantText)
			report.Source = kernel.SourceText
			a.frame(0, report, runEnd(number, turn+1))
			return
		}
	}
	a.frame(0, a.finalReport(turns, "the report"), runEnd(number, turns))
}

func (a *author) fail(run, turn int64) {
	a.frame(1, a.failure(turn, kernel.ReasonRetries, "no answer"), runFailed(run, turn, kernel.ReasonRetries, "no answer"))
	a.late()
}

// turn is a turn: attempts until one is accepted, then tools. It returns the
// message, nil when there is none.
func (a *author) turn(turn int64) *llm.Envelope {
	for attempt := range int64(rapid.IntRange(1, 3).Draw(a.t, "attempts")) {
		effect := a.next()
		a.frame(1, attemptStart(effect, turn, attempt+1, "script/demo"))
		if a.chance(20, "late") {
			a.late()
		}
		e := a.response(effect)
		end := attemptEnd(effect, turn, attempt+1, "script/demo", "")
		end.Outcome = rapid.SampledFrom([]kernel.Outcome{
			kernel.OutcomeAccepted, kernel.OutcomeAccepted, kernel.OutcomeRejected, kernel.OutcomeUnknown, kernel.OutcomeAborted, "lost",
		}).Draw(a.t, "outcome")
		a.ended = append(a.ended, effect)
		switch end.Outcome {
		case kernel.OutcomeAccepted:
			facts := a.accepted(end, e)
			a.frame(1, facts...)
			return a.tools(end, e)
		case "lost": // nobody will ever say how it ended
		case kernel.OutcomeRejected:
			end.Output = a.json(e)
			a.frame(1, end)
			if a.chance(20, "fallback") {
				// A rejected text is taken after all.
				a.frame(1, &kernel.Message{Turn: turn, Entry: kernel.Entry{Kind: dialect.ItemAssistant, Ref: end.Output}})
			}
		default:
			a.frame(1, end)
		}
	}
	return nil
}

// late tells deltas of something that is over.
func (a *author) late() {
	if len(a.ended) > 0 {
		effect := rapid.SampledFrom(a.ended).Draw(a.t, "late effect")
		a.stream(effect, llm.Delta{Kind: llm.DeltaText, Text: "too late"}, 4)
	}
	a.toolDelta("nobody's", "too late")
}

// response makes up a response and tells as much of it as is heard.
func (a *author) response(effect string) *llm.Envelope {
	var deltas []llm.Delta
	kinds := []llm.DeltaKind{llm.DeltaText, llm.DeltaReasoning, llm.DeltaToolCall}
	count := make(map[llm.DeltaKind]int)
	for block := range rapid.IntRange(0, 4).Draw(a.t, "blocks") {
		d := llm.Delta{Kind: rapid.SampledFrom(kinds).Draw(a.t, "kind"), Block: block}
		count[d.Kind]++
		text := rapid.StringMatching(`[a-zäöü ]{0,12}`).Draw(a.t, "text")
		if d.Kind == llm.DeltaToolCall {
			d.CallID, d.Name, text = fmt.Sprintf("c%d", block), "weather", `{"city": "`+text+`"}`
		}
		deltas = append(deltas, a.pieces(d, text)...)
	}
	if a.chance(15, "interleave") {
		deltas = interleave(a.t, deltas)
		a.orderly = a.orderly && count[llm.DeltaText] < 2 && count[llm.DeltaReasoning] < 2
	}
	var c llm.Collector
	for _, d := range deltas {
		c.Add(d)
	}
	e := c.Envelope(nil)
	a.hear(effect, deltas)
	return &e
}

// pieces cuts a text into deltas, never inside a character.
func (a *author) pieces(d llm.Delta, text string) []llm.Delta {
	var all []llm.Delta
	runes := []rune(text)
	for first := true; first || len(runes) > 0; first = false {
		n := min(rapid.IntRange(1, 5).Draw(a.t, "piece"), len(runes))
		piece := d
		piece.Text = string(runes[:n])
		if !first {
			piece.CallID, piece.Name = "", ""
		}
		runes = runes[n:]
		all = append(all, piece)
	}
	return all
}

// interleave mixes the blocks of a response and keeps each in its order.
func interleave(t *rapid.T, deltas []llm.Delta) []llm.Delta {
	var mixed []llm.Delta
	for rest := slices.Clone(deltas); len(rest) > 0; {
		block := rest[rapid.IntRange(0, len(rest)-1).Draw(t, "next")].Block
		i := slices.IndexFunc(rest, func(d llm.Delta) bool { return d.Block == block })
		mixed = append(mixed, rest[i])
		rest = slices.Delete(rest, i, i+1)
	}
	return mixed
}

// hear tells deltas the way a host does: all of them, what there was at some
// moment and then the rest, the first ones only, or none.
func (a *author) hear(effect string, deltas []llm.Delta) {
	cut := rapid.IntRange(0, len(deltas)).Draw(a.t, "cut")
	switch rapid.SampledFrom([]string{"all", "snapshot", "beginning", "none"}).Draw(a.t, "heard") {
	case "all":
		cut = 0
	case "snapshot":
		var so []llm.Delta
		for _, d := range deltas[:cut] {
			if n := len(so); n > 0 && so[n-1].Block == d.Block {
				so[n-1].Text += d.Text
				continue
			}
			so = append(so, d)
		}
		a.tellAll(effect, so)
	case "beginning":
		deltas, cut = deltas[:cut], 0
	case "none":
		return
	}
	a.tellAll(effect, deltas[cut:])
}

func (a *author) tellAll(effect string, deltas []llm.Delta) {
	for i := range deltas {
		a.heard = append(a.heard, heard{seq: a.seq, effect: effect, delta: &deltas[i]})
	}
}

// tools runs the calls of a message, each in some way.
func (a *author) tools(end *kernel.AttemptEnd, e *llm.Envelope) *llm.Envelope {
	for i := range e.ToolCalls {
		id := e.ToolCalls[i].ID
		effect := a.next()
		a.ended = append(a.ended, effect)
		done := &kernel.ToolEnd{
			Effect: effect, Turn: end.Turn, CallID: id, Name: "weather", Status: kernel.ToolOK, Output: a.content("sunny"),
		}
		switch rapid.SampledFrom([]string{"local", "local", "remote", "allowed", "denied", "stub", "lost"}).Draw(a.t, "tool") {
		case "local":
			a.frame(1, toolStart(end, effect, id, int64(i), spec.ToolLocal))
			a.toolDelta(id, "sun")
			a.frame(1, done)
			a.toolDelta(id, "too late")
		case "remote":
			a.frame(1, toolStart(end, effect, id, int64(i), spec.ToolRemote), &kernel.Awaiting{})
			a.frame(1, done)
		case "allowed":
			a.frame(1, toolStart(end, effect, id, int64(i), kernel.ToolAwaitsApproval), &kernel.Awaiting{})
			done.Effect = a.next()
			a.frame(1, toolStart(end, done.Effect, id, int64(i), spec.ToolLocal))
			a.frame(1, done)
		case "denied":
			a.frame(1, toolStart(end, effect, id, int64(i), kernel.ToolAwaitsApproval), &kernel.Awaiting{})
			done.Status = kernel.ToolFailed
			a.frame(1, done)
		case "stub":
			done.Effect = ""
			a.frame(1, done)
		case "lost":
			a.frame(1, toolStart(end, effect, id, int64(i), spec.ToolLocal))
			return nil // the run ends with it still open
		}
		a.frame(0, a.result(end.Turn, id, "weather", "sunny"))
	}
	return e
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }
