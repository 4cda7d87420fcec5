package catalog

import (
	_ "embed" // models.tsv
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/ai-agent-go/ai-agent/llm"
)

// Model is what is known of a model. Zero means that it is not known.
type Model struct {
	// Provider and ID name it, the latter as requests do.
	Provider, ID string
	// Window is how many tokens a request and its answer may have together,
	// MaxOutput how many the answer may have.
	Window, MaxOutput int64
	Able              Abilities
	// Price is what tokens cost. It is nil where nobody says; what is free has a
	// price of zero.
	Price *llm.Price
	// Tiers are prices of longer requests, by rising length.
	Tiers []Tier
}

// Abilities are what a model can do, and what it cannot.
type Abilities struct {
	// Reasoning: it can think before it answers.
	Reasoning bool
	// Images: it reads pictures.
	Images bool
	// AdaptiveOnly: it decides itself how long it thinks, and refuses a budget.
	AdaptiveOnly bool
	// NoTemperature: it refuses a temperature.
	NoTemperature bool
}

// Tier is the price of requests whose prompt has more tokens than Above.
type Tier struct {
	Above int64
	llm.Price
}

// PriceAt is the price of a request with so many tokens of prompt.
func (m *Model) PriceAt(prompt int64) *llm.Price {
	price := m.Price
	for i := range m.Tiers {
		if prompt > m.Tiers[i].Above {
			price = &m.Tiers[i].Price
		}
	}
	return price
}

// WorstPrice is the highest that a request of any length may cost, for budgets,
// which must hold.
func (m *Model) WorstPrice() *llm.Price {
	if m.Price == nil {
		return nil
	}
	worst := *m.Price
	for i := range m.Tiers {
		t := &m.Tiers[i].Price
		worst.Input, worst.Output = max(worst.Input, t.Input), max(worst.Output, t.Output)
		worst.CacheRead, worst.CacheWrite = max(worst.CacheRead, t.CacheRead), max(worst.CacheWrite, t.CacheWrite)
	}
	return &worst
}

// Catalog is a set of models. The zero value knows none. It never changes once
// it is made and may be used concurrently.
type Catalog struct {
	date    string
	models  map[name]*Model
	aliases map[string]string
}

type name struct{ provider, model string }

//go:embed models.tsv
var embedded []byte

// Default is the catalogue that came with this version of the module.
func Default() *Catalog { return parsed() }

var parsed = sync.OnceValue(func() *Catalog {
	c, err := Parse(embedded)
	if err != nil {
		panic(err) // a test reads the same file
	}
	return c
})

// Date is the day that the data is of, as in 2026-11-02; empty for a catalogue
// that was made by hand.
func (c *Catalog) Date() string { return c.date }

// Lookup finds a model by the names that a target has. The result is a copy.
func (c *Catalog) Lookup(provider, model string) (Model, bool) {
	if known, ok := c.aliases[provider]; ok {
		provider = known
	}
	m := c.models[name{provider, model}]
	if m == nil {
		return Model{}, false
	}
	found := *m
	if m.Price != nil {
		found.Price = new(*m.Price)
	}
	found.Tiers = slices.Clone(m.Tiers)
	return found, true
}

// Models lists a provider's models by their ids.
func (c *Catalog) Models(provider string) []Model {
	if known, ok := c.aliases[provider]; ok {
		provider = known
	}
	var list []Model
	for key := range c.models {
		if key.provider == provider {
			m, _ := c.Lookup(provider, key.model)
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b Model) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// Providers lists the providers by name.
func (c *Catalog) Providers() []string {
	seen := make(map[string]bool)
	for key := range c.models {
		seen[key.provider] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// With returns a catalogue in which the given models replace those of the same
// names, whole. To change one thing of a model look it up first.
func (c *Catalog) With(models ...Model) *Catalog {
	n := &Catalog{date: c.date, models: maps.Clone(c.models), aliases: c.aliases}
	if n.models == nil {
		n.models = make(map[name]*Model)
	}
	for _, m := range models {
		m.Tiers = slices.Clone(m.Tiers)
		if m.Price != nil {
			m.Price = new(*m.Price)
		}
		n.models[name{m.Provider, m.ID}] = &m
	}
	return n
}

// Alias returns a catalogue in which a provider of one's own name has the
// models of a known one.
func (c *Catalog) Alias(own, known string) *Catalog {
	n := &Catalog{date: c.date, models: c.models, aliases: maps.Clone(c.aliases)}
	if n.aliases == nil {
		n.aliases = make(map[string]string)
	}
	n.aliases[own] = known
	return n
}
