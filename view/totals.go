package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
)

// totals sums up a run, entry by entry.
type totals struct {
	requests, failed, latency int64
	usage                     llm.Usage
	cost, upstream            llm.Money
	// What children used: it is paid for here and has its entries there. Those
	// of children are counted with them.
	children                   int64
	childUsage                 llm.Usage
	childrenCost               llm.Money
	tools, toolsFailed, capped int64
	// executed counts the tools that were really run, children's included.
	executed         int64
	in, out          int64
	models, commands counts
	stops            map[string]int64
}

func (t *totals) asked(f *kernel.AttemptEnd) {
	t.requests++
	if f.Error != nil {
		t.failed++
	}
	t.latency += f.LatencyMS
	if f.Usage != nil {
		t.usage = t.usage.Add(*f.Usage)
	}
	t.cost += f.Cost
	if f.Upstream != nil {
		t.upstream += *f.Upstream
	}
	provider := f.Provider
	if f.ActualProvider != "" && f.ActualProvider != provider {
		provider += "/" + f.ActualProvider
	}
	t.models.add(provider, f.Model, f.Error == nil)
	if t.stops == nil {
		t.stops = make(map[string]int64)
	}
	if reason := string(f.Finish.Reason); reason != "" {
		t.stops[reason]++
	}
}

func (t *totals) called(f *kernel.ToolEntry) {
	t.tools++
	if !f.OK {
		t.toolsFailed++
	}
	t.in += f.CharsIn
	t.out += f.CharsOut
	t.commands.add(serverOf(f), f.Name, f.OK)
}

func (t *totals) child(f *kernel.ChildEnd) {
	t.children++
	t.childUsage = t.childUsage.Add(f.Usage)
	t.childrenCost += f.Cost
}

func (t *totals) average() int64 {
	if t.requests == 0 {
		return 0
	}
	return t.latency / t.requests
}

// stopReasons is the tail of the summary, empty when no response gave one.
func (t *totals) stopReasons() string {
	if len(t.stops) == 0 {
		return ""
	}
	parts := make([]string, 0, len(t.stops))
	for _, reason := range slices.Sorted(maps.Keys(t.stops)) {
		parts = append(parts, fmt.Sprintf("%s(%d)", reason, t.stops[reason]))
	}
	return ", stop reasons: " + strings.Join(parts, ", ")
}

// counts is how often something went well and badly, by where it comes from and
// its name.
type counts map[[2]string][2]int64

func (c *counts) add(from, name string, ok bool) {
	if *c == nil {
		*c = make(counts)
	}
	key := [2]string{from, name}
	n := (*c)[key]
	if ok {
		n[0]++
	} else {
		n[1]++
	}
	(*c)[key] = n
}

// String lists the counts by name.
func (c counts) String() string {
	if len(c) == 0 {
		return "none"
	}
	lines := make([][2]string, 0, len(c))
	for key, n := range c {
		name := key[0] + ":" + key[1]
		lines = append(lines, [2]string{name, fmt.Sprintf("%dx [%d+%d] %s", n[0]+n[1], n[0], n[1], name)})
	}
	slices.SortFunc(lines, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	parts := make([]string, len(lines))
	for i := range lines {
		parts[i] = lines[i][1]
	}
	return strings.Join(parts, ", ")
}
