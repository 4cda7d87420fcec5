package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
)

// The text of a catalogue has a line for every model, below a line with nothing
// but its provider's name:
//
//	id  window  output  abilities  input  output  cache read  cache write  tier...
//
// Fields are separated by tabs. Abilities are letters: r thinks, i reads
// images, a thinks adaptively only, t takes no temperature. Prices are integers,
// in nano-dollars for a million tokens; all four are "-" when nobody knows them.
// A tier is five numbers with colons between: above which prompt, then prices.
// Lines that begin with # are for people, but for "# date: ".

const dateLine = "# date: "

// abilities are their letters, in the order in which they are written.
var abilities = []struct {
	letter byte
	field  func(a *Abilities) *bool
}{
	{'r', func(a *Abilities) *bool { return &a.Reasoning }},
	{'i', func(a *Abilities) *bool { return &a.Images }},
	{'a', func(a *Abilities) *bool { return &a.AdaptiveOnly }},
	{'t', func(a *Abilities) *bool { return &a.NoTemperature }},
}

// Parse reads a catalogue.
func Parse(text []byte) (*Catalog, error) {
	c := &Catalog{models: make(map[name]*Model)}
	provider := ""
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if date, ok := strings.CutPrefix(line, dateLine); ok {
			c.date = date
		}
		switch {
		case line == "" || line[0] == '#':
		case !strings.Contains(line, "\t"):
			provider = line
		default:
			m, err := parseModel(line)
			if err != nil {
				return nil, fmt.Errorf("catalogue, line %d: %w", number, err)
			}
			m.Provider = provider
			key := name{provider, m.ID}
			if c.models[key] != nil {
				return nil, fmt.Errorf("catalogue, line %d: %s/%s is there twice", number, provider, m.ID)
			}
			c.models[key] = m
		}
	}
	return c, nil
}

func parseModel(line string) (*Model, error) {
	f := strings.Split(line, "\t")
	if len(f) < 8 || f[0] == "" {
		return nil, fmt.Errorf("%d fields, want at least 8", len(f))
	}
	m := &Model{ID: f[0]}
	limits, err := integers(f[1:3])
	if err != nil {
		return nil, err
	}
	m.Window, m.MaxOutput = limits[0], limits[1]
	for i := range len(f[3]) {
		at := slices.IndexFunc(abilities, func(a struct {
			letter byte
			field  func(a *Abilities) *bool
		},
		) bool {
			return a.letter == f[3][i]
		})
		if at < 0 {
			return nil, fmt.Errorf("no such ability: %c", f[3][i])
		}
		*abilities[at].field(&m.Able) = true
	}
	if f[4] == "-" {
		return m, nil
	}
	price, err := integers(f[4:8])
	if err != nil {
		return nil, err
	}
	m.Price = priceOf(price)
	for _, tier := range f[8:] {
		n, err := integers(strings.Split(tier, ":"))
		if err != nil || len(n) != 5 {
			return nil, fmt.Errorf("a tier is five numbers, not %q", tier)
		}
		m.Tiers = append(m.Tiers, Tier{n[0], *priceOf(n[1:])})
	}
	return m, nil
}

func priceOf(n []int64) *llm.Price {
	return &llm.Price{Input: llm.Money(n[0]), Output: llm.Money(n[1]), CacheRead: llm.Money(n[2]), CacheWrite: llm.Money(n[3])}
}

func integers(fields []string) ([]int64, error) {
	out := make([]int64, len(fields))
	for i, f := range fields {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil || n < 0 {
			return nil, errors.New("want a number that is not below zero, have " + strconv.Quote(f))
		}
		out[i] = n
	}
	return out, nil
}

// Text writes the catalogue as [Parse] reads it, in one order, below a head of
// lines for people.
func (c *Catalog) Text(date, head string) []byte {
	var b bytes.Buffer
	b.WriteString(dateLine + date + "\n")
	for line := range strings.Lines(head) {
		b.WriteString("# " + line)
	}
	for _, provider := range c.Providers() {
		b.WriteString(provider + "\n")
		for _, m := range c.Models(provider) {
			writeModel(&b, &m)
		}
	}
	return b.Bytes()
}

func writeModel(b *bytes.Buffer, m *Model) {
	fmt.Fprintf(b, "%s\t%d\t%d\t", m.ID, m.Window, m.MaxOutput)
	for _, a := range abilities {
		if *a.field(&m.Able) {
			b.WriteByte(a.letter)
		}
	}
	if m.Price == nil {
		b.WriteString("\t-\t-\t-\t-\n")
		return
	}
	fmt.Fprintf(b, "\t%d\t%d\t%d\t%d", m.Price.Input, m.Price.Output, m.Price.CacheRead, m.Price.CacheWrite)
	for i := range m.Tiers {
		t := &m.Tiers[i]
		fmt.Fprintf(b, "\t%d:%d:%d:%d:%d", t.Above, t.Input, t.Output, t.CacheRead, t.CacheWrite)
	}
	b.WriteByte('\n')
}
