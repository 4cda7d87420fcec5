package catalog

import (
	"fmt"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Warnings says what looks wrong with a target, in sentences for people. The
// target is left as it is, whatever the catalogue holds (contract P5).
func (c *Catalog) Warnings(t *spec.Target) []string {
	m, known := c.Lookup(t.Provider, t.Model)
	if !known {
		if t.Window == 0 {
			return []string{fmt.Sprintf("%s is not in the catalogue%s and its window is not configured: the default is assumed", t, c.of())}
		}
		return nil // who says the window knows the model better than we do
	}
	w := warner{of: c.of(), who: t.String()}
	switch {
	case t.Window == 0 && m.Window == 0:
		w.add("has no known window, and none is configured: the default is assumed")
	case m.Window > 0 && t.Window > m.Window:
		w.add("is configured with a window of %d tokens, more than the %d that it has", t.Window, m.Window)
	}
	if m.MaxOutput > 0 && t.MaxOutput > m.MaxOutput {
		w.add("is configured with max_output %d, more than the %d that it can write", t.MaxOutput, m.MaxOutput)
	}
	if t.Price != nil && m.Price != nil && under(t.Price, m.WorstPrice()) {
		w.add("is configured with a price below the listed one: budgets may be exceeded")
	}
	w.sampling(&m, &t.Sampling)
	return w.list
}

// RequestWarnings says what of a request its model will not like. The request
// is left as it is.
func (c *Catalog) RequestWarnings(r *llm.Request) []string {
	m, known := c.Lookup(r.Provider, r.Model)
	if !known {
		return nil
	}
	w := warner{of: c.of(), who: r.Provider + "/" + r.Model}
	w.sampling(&m, &r.Sampling)
	if !m.Able.Images && hasImage(r) {
		w.add("cannot read images, and there is one in the conversation")
	}
	return w.list
}

// of says how old the advice is.
func (c *Catalog) of() string {
	if c.date == "" {
		return ""
	}
	return " of " + c.date
}

type warner struct {
	of, who string
	list    []string
}

func (w *warner) add(format string, args ...any) {
	w.list = append(w.list, fmt.Sprintf("according to the catalogue%s, %s ", w.of, w.who)+fmt.Sprintf(format, args...))
}

// sampling looks at the settings that models differ in.
func (w *warner) sampling(m *Model, s *llm.Sampling) {
	if s.MaxTokens != nil && m.MaxOutput > 0 && *s.MaxTokens > m.MaxOutput {
		w.add("writes at most %d tokens, and max_tokens is %d", m.MaxOutput, *s.MaxTokens)
	}
	budget := s.ReasoningTokens != nil && *s.ReasoningTokens > 0
	thinks := budget || s.ReasoningEffort != "" && s.ReasoningEffort != "none"
	switch {
	case thinks && !m.Able.Reasoning:
		w.add("does not think, and reasoning is asked for")
	case budget && m.Able.AdaptiveOnly:
		w.add("decides itself how long it thinks, and reasoning_tokens is set: use reasoning_effort")
	}
	if s.Temperature != nil && m.Able.NoTemperature {
		w.add("takes no temperature, and one is set")
	}
}

func under(p, listed *llm.Price) bool {
	return p.Input < listed.Input || p.Output < listed.Output || p.CacheRead < listed.CacheRead || p.CacheWrite < listed.CacheWrite
}

func hasImage(r *llm.Request) bool {
	for _, list := range [...][]*llm.Message{r.History, r.Tail} {
		for _, m := range list {
			for i := range m.Parts {
				p := &m.Parts[i]
				if p.Kind == llm.PartImage || p.Kind == llm.PartToolResult && p.Result != nil && len(p.Result.Images) > 0 {
					return true
				}
			}
		}
	}
	return false
}
