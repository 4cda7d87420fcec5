package sim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// checkRequest looks at a request as the strictest provider would and says what
// it would refuse (contract V2, L5).
func checkRequest(r *llm.Request, ask *dialect.Ask) []string {
	c := requestChecker{xml: ask.Transport == spec.TransportXML}
	messages := slices.Concat(r.History, r.Tail)
	if len(messages) == 0 {
		c.problem("it says nothing")
	}
	for i, m := range messages {
		c.message(i, m)
	}
	c.settled(len(messages))
	seen := make(map[string]bool)
	for i := range r.Tools {
		name := r.Tools[i].Name
		if seen[name] {
			c.problem("tool %s is offered twice", name)
		}
		seen[name] = true
		if ask.Final && name != spec.FinalReportTool && (name != spec.RouterTool || !ask.Routes) {
			c.problem("tool %s is offered on the last turn", name)
		}
	}
	if c.xml && len(r.Tools) > 0 {
		c.problem("tools are offered natively where they are called by tag")
	}
	if len(r.Tools) == 0 && r.ToolChoice != llm.ToolChoiceUnset {
		c.problem("tool choice %s without tools", r.ToolChoice)
	}
	return c.problems
}

type requestChecker struct {
	xml bool
	// open are the calls that have no result yet.
	open     []string
	problems []string
}

func (c *requestChecker) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// settled says that anything but a result comes next.
func (c *requestChecker) settled(i int) {
	if len(c.open) > 0 {
		c.problem("message %d comes before the results of %q", i, c.open)
		c.open = nil
	}
}

func (c *requestChecker) message(i int, m *llm.Message) {
	if m.Role != llm.RoleTool {
		c.settled(i)
	}
	if len(m.Parts) == 0 {
		c.problem("message %d is empty", i)
	}
	for j := range m.Parts {
		p := &m.Parts[j]
		switch {
		case p.Kind == llm.PartToolResult && m.Role == llm.RoleTool && p.Result != nil:
			c.result(i, p.Result)
		case p.Kind == llm.PartToolCall && m.Role == llm.RoleAssistant && p.Call != nil:
			c.call(i, p.Call)
		case p.Kind == llm.PartReasoning && m.Role == llm.RoleAssistant && p.Reasoning != nil:
			c.valid(i, p.Reasoning.Text)
		case p.Kind == llm.PartText && (m.Role == llm.RoleAssistant || m.Role == llm.RoleUser):
			if strings.TrimSpace(p.Text) == "" {
				c.problem("message %d of the %s has a blank text", i, m.Role)
			}
			c.valid(i, p.Text)
		default:
			c.problem("message %d of the %s holds a %s", i, m.Role, p.Kind)
		}
	}
}

func (c *requestChecker) result(i int, r *llm.ToolResult) {
	if c.xml {
		c.problem("message %d is a result where calls go by tag", i)
	}
	if r.Content == "" {
		c.problem("message %d is an empty result", i)
	}
	c.valid(i, r.Content)
	if len(c.open) == 0 || c.open[0] != r.CallID {
		c.problem("message %d is a result of %q, next in order is %q", i, r.CallID, c.open)
		return
	}
	c.open = c.open[1:]
}

func (c *requestChecker) call(i int, call *llm.ToolCall) {
	if c.xml {
		c.problem("message %d holds a call where calls go by tag", i)
		return
	}
	if call.ID == "" || slices.Contains(c.open, call.ID) {
		c.problem("message %d has a call without an id of its own: %.40q", i, call.ID)
	}
	if err := spec.CheckToolName(call.Name); err != nil {
		c.problem("message %d: %v", i, err)
	}
	var object map[string]json.RawMessage
	if !call.Bad && (json.Unmarshal(call.Arguments, &object) != nil || object == nil) {
		c.problem("message %d: the arguments of %s are not an object", i, call.Name)
	}
	c.open = append(c.open, call.ID)
}

func (c *requestChecker) valid(i int, text string) {
	if !utf8.ValidString(text) {
		c.problem("message %d is not UTF-8", i)
	}
}

// checkPrefix compares a request with the one before it. Within a run what was
// said stays said, pointer for pointer, so that adapters and provider caches
// pay only for what is new (contract P12).
func (w *world) checkPrefix(id string, r *llm.Request) {
	last := w.last
	w.last = r
	if last == nil || runOf(last) != runOf(r) {
		return
	}
	if len(last.History) > len(r.History) || !slices.Equal(last.History, r.History[:len(last.History)]) {
		w.breaks("P12", w.state.Seq, "request %s does not begin with the one before it", id)
	}
	if last.System != r.System {
		w.breaks("P12", w.state.Seq, "request %s has another system prompt", id)
	}
}

// runOf is the run that a request belongs to: session/run of its correlation.
func runOf(r *llm.Request) string {
	parts := strings.Split(r.CorrelationID, "/")
	return strings.Join(parts[:min(2, len(parts))], "/")
}
