// Refresh writes the catalogue of models anew. Its source is the package
// @earendil-works/pi-ai, which collects the models of many providers:
//
//	npm pack @earendil-works/pi-ai@1.5.0
//	go run ./llm/catalog/refresh earendil-works-pi-ai-1.5.0.tgz
//
// which is what `make catalog` does. What changes is then a difference to read
// before it is committed: prices decide what budgets allow.
package main

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/catalog"
)

func main() {
	out := flag.String("o", "llm/catalog/models.tsv", "the file to write")
	flag.Parse()
	if err := run(flag.Arg(0), *out); err != nil {
		fmt.Fprintln(os.Stderr, "refresh:", err)
		os.Exit(1)
	}
}

func run(archive, out string) error {
	if archive == "" {
		return errors.New("want the archive that npm pack wrote")
	}
	s, err := read(archive)
	if err != nil {
		return err
	}
	models, date := s.models(), s.manifest.GeneratedAt.UTC().Format(time.DateOnly)
	head := fmt.Sprintf(`source: npm %s@%s, %s licence, by %s; chat models only
prices: nano-dollars for a million tokens; a model that the source lists at zero and does not call free has none
written by llm/catalog/refresh; the source's notice is in NOTICE; do not edit
`, s.about.Name, s.about.Version, s.about.License, s.about.Author)
	text := new(catalog.Catalog).With(models...).Text(date, head)
	if _, err := catalog.Parse(text); err != nil {
		return fmt.Errorf("what was written: %w", err)
	}
	if err := os.WriteFile(out, text, 0o644); err != nil { //nolint:gosec // a source file
		return err //nolint:wrapcheck // it says what it is
	}
	fmt.Printf("%d models of %s\n", len(models), date)
	return nil
}

// source is what the package holds.
type source struct {
	about struct{ Name, Version, License, Author string }
	// manifest says when the data was collected.
	manifest struct{ GeneratedAt time.Time }
	// files are models by their API and a key.
	files []map[string]map[string]entry
}

// entry is a model as the source has it. Prices are dollars for a million.
type entry struct {
	ID, Provider, Type       string
	Reasoning                bool
	Input                    []string
	Cost                     cost
	ContextWindow, MaxTokens int64
	Compat                   struct {
		ForceAdaptiveThinking bool
		SupportsTemperature   *bool
	}
}

type cost struct {
	Input, Output, CacheRead, CacheWrite float64
	Tiers                                []struct {
		InputTokensAbove int64
		cost
	}
}

func read(archive string) (*source, error) {
	file, err := os.Open(archive) //nolint:gosec // the user names it
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what it is
	}
	defer func() { _ = file.Close() }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", archive, err)
	}
	s := &source{}
	for entries := tar.NewReader(unzipped); ; {
		h, err := entries.Next()
		switch {
		case errors.Is(err, io.EOF):
			if s.manifest.GeneratedAt.IsZero() || len(s.files) == 0 {
				return nil, fmt.Errorf("%s: holds no data, or none with a date", archive)
			}
			return s, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", archive, err)
		case h.Name == "package/package.json":
			err = json.NewDecoder(entries).Decode(&s.about)
		case h.Name == dataDir+".manifest.json":
			err = json.NewDecoder(entries).Decode(&s.manifest)
		case isData(h.Name):
			var models map[string]map[string]entry
			err = json.NewDecoder(entries).Decode(&models)
			s.files = append(s.files, models)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", h.Name, err)
		}
	}
}

// models are the chat models. One that is reached through several APIs is
// listed once, at its highest price.
func (s *source) models() []catalog.Model {
	best := make(map[[2]string]catalog.Model)
	for _, file := range s.files {
		for _, models := range file {
			for _, e := range models {
				if e.Type != "chat" {
					continue
				}
				m, key := e.model(), [2]string{e.Provider, e.ID}
				if other, twice := best[key]; !twice || dearer(&m, &other) {
					best[key] = m
				}
			}
		}
	}
	list := make([]catalog.Model, 0, len(best))
	for _, m := range best {
		list = append(list, m)
	}
	return list
}

// dearer decides between two listings of a model, the same way in any order.
func dearer(a, b *catalog.Model) bool {
	of := func(m *catalog.Model) llm.Price {
		if m.Price == nil {
			return llm.Price{}
		}
		return *m.Price
	}
	x, y := of(a), of(b)
	return cmp.Or(cmp.Compare(x.Input, y.Input), cmp.Compare(x.Output, y.Output), cmp.Compare(a.Window, b.Window)) > 0
}

func (e *entry) model() catalog.Model {
	m := catalog.Model{Provider: e.Provider, ID: e.ID, Window: e.ContextWindow, MaxOutput: e.MaxTokens, Able: catalog.Abilities{
		Reasoning: e.Reasoning, Images: slices.Contains(e.Input, "image"),
		AdaptiveOnly:  e.Compat.ForceAdaptiveThinking,
		NoTemperature: e.Compat.SupportsTemperature != nil && !*e.Compat.SupportsTemperature,
	}}
	price := e.Cost.price()
	// Zero is what the source writes for what it does not know, and for plans
	// that are paid by the month. A budget must not take either for a gift.
	if price == (llm.Price{}) && !strings.HasSuffix(e.ID, ":free") {
		return m
	}
	m.Price = &price
	for _, t := range e.Cost.Tiers {
		m.Tiers = append(m.Tiers, catalog.Tier{Above: t.InputTokensAbove, Price: t.price()})
	}
	slices.SortFunc(m.Tiers, func(a, b catalog.Tier) int { return cmp.Compare(a.Above, b.Above) })
	return m
}

func (c *cost) price() llm.Price {
	return llm.Price{
		Input: llm.MoneyFromUSD(c.Input), Output: llm.MoneyFromUSD(c.Output),
		CacheRead: llm.MoneyFromUSD(c.CacheRead), CacheWrite: llm.MoneyFromUSD(c.CacheWrite),
	}
}

const dataDir = "package/dist/providers/data/"

// isData knows the files that hold models.
func isData(name string) bool {
	dir, file := path.Split(name)
	return dir == dataDir && strings.HasSuffix(file, ".json") && !strings.HasPrefix(file, ".")
}
