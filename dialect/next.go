package dialect

import (
	"fmt"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// tagged says that the report, and perhaps more, travels by tag.
func (a *Ask) tagged() bool {
	return a.Transport == spec.TransportXML || a.Transport == spec.TransportXMLFinal
}

// slots says that tools are called by tag. On the last turn no slot but the
// report's is offered, unless the model may hand over (contract M4, L5).
func (a *Ask) slots() bool {
	return a.Transport == spec.TransportXML && a.Slots > 0 && (!a.Final || a.Routes)
}

// tail is the text that goes out with this request alone (contract V3).
func (a *Ask) tail() string {
	if a.frozen != nil {
		return *a.frozen
	}
	if a.tagged() {
		return a.next()
	}
	return strings.Join(a.warnings(), "\n")
}

// next is XML-NEXT without what the toolset says: where the model stands, what
// went wrong and how the report is written (contract M4).
func (a *Ask) next() string {
	parts := []string{say("next.title"), a.situation()}
	parts = append(parts, a.warnings()...)
	if !a.Final && a.MaxAttempts > 1 && a.Attempt == a.MaxAttempts && !a.Completion.IsText() {
		parts = append(parts, say("next.last_attempt"))
	}
	switch {
	case a.Completion.IsText() && !a.Final:
		parts = append(parts, say("next.text"))
	case a.Completion.IsText():
	case a.Final:
		parts = append(parts, a.reportSlot("next.final_report"))
	default:
		parts = append(parts, a.reportSlot("next.report"))
	}
	return strings.Join(parts, "\n\n")
}

func (a *Ask) situation() string {
	context := say("next.context", a.ContextPct)
	switch {
	case a.Turn <= 0:
		return context
	case a.Attempt > 1:
		return say("next.attempt", a.Turn, a.MaxTurns, a.Attempt, a.MaxAttempts) + " " + context
	default:
		return say("next.turn", a.Turn, a.MaxTurns) + " " + context
	}
}

func (a *Ask) reportSlot(key string) string {
	example, known := texts["example."+string(a.Format)]
	if !known {
		example = say("example")
	}
	return say(key, tag(a.Nonce, slotFinal, fmt.Sprintf(" format=%q", string(a.Format)), example), say("format."+string(a.Format)))
}

// tag writes a whole tag.
func tag(nonce, slot, attributes, payload string) string {
	name := "ai-agent-" + nonce + "-" + slot
	return "<" + name + attributes + ">" + payload + "</" + name + ">"
}

// slotName writes a slot's number: four digits, more when they are needed.
func slotName(n int64) string { return fmt.Sprintf("%04d", n) }

// listing is the toolset's part of XML-NEXT: the report's schema, the free
// slots and the tools. Its length does not depend on the nonce, which always has
// eight digits, nor on the slots while they have four (contract M2), so that
// SchemaTokens can count it before there is a request.
func (ts *Toolset) listing(ask *Ask) string {
	if ts.transport == spec.TransportNative {
		return ""
	}
	text := ts.listedReport
	tools := ts.listedTools
	if ask.Final {
		tools = ts.listedLast
	}
	switch {
	case ts.transport == spec.TransportXMLFinal && !ask.Final && len(ts.offered) > 0:
		text += say("next.native")
	case ask.slots() && tools != "":
		template := tag(ask.Nonce, slotName(ask.Slot), ` tool="NAME"`, "{…}")
		text += say("next.slots", template, ask.Slot, ask.Slot+ask.Slots-1) + tools
	}
	if ask.offers(ts, slotProgress) {
		text += say("next.progress", tag(ask.Nonce, slotProgress, "", "{…}"), string(ts.status.Parameters))
	}
	return text
}

func describeTool(t *llm.Tool) string {
	return say("next.tool", t.Name, t.Description, string(t.Parameters))
}

// list prepares what does not change from one request to the next.
func (ts *Toolset) list(run *spec.Run, tools []llm.Tool) {
	for i := range tools {
		ts.listedTools += describeTool(&tools[i])
	}
	if ts.router != nil && len(tools) > 0 {
		ts.listedLast = describeTool(&ts.router.tool)
	}
	if !ts.withReport {
		return
	}
	switch {
	case run.Format == spec.FormatJSON && len(run.Schema) > 0:
		ts.listedReport = say("next.report_schema", string(run.Schema))
	case run.Format == spec.FormatSlack:
		ts.listedReport = say("next.report_schema", string(llm.MustMarshalJSON(slackSchema())))
	}
}
