package catalog_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/catalog"
	"github.com/ai-agent-go/ai-agent/spec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheEmbeddedCatalogueIsWhole(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("models.tsv")
	if err != nil {
		t.Fatal(err)
	}
	c := catalog.Default()
	if _, err := time.Parse(time.DateOnly, c.Date()); err != nil {
		t.Errorf("date %q: %v", c.Date(), err)
	}
	if !strings.Contains(string(text[:500]), "MIT licence, by Mario Zechner") {
		t.Error("the source's notice is gone")
	}
	total, priced := 0, 0
	for _, provider := range c.Providers() {
		for _, m := range c.Models(provider) {
			total++
			if m.Window < 0 || m.MaxOutput < 0 {
				t.Errorf("%s/%s: limits below zero", provider, m.ID)
			}
			if m.Price == nil {
				continue
			}
			priced++
			worst := m.WorstPrice()
			for _, p := range []llm.Money{worst.Input, worst.Output, worst.CacheRead, worst.CacheWrite} {
				if p < 0 || p > 10_000*llm.Dollar {
					t.Errorf("%s/%s: a price of %v for a million tokens", provider, m.ID, p)
				}
			}
		}
	}
	if total < 1500 || priced < 1400 || len(c.Providers()) < 40 {
		t.Errorf("%d models, %d with a price, %d providers", total, priced, len(c.Providers()))
	}
}

// What was looked up in the source by hand: whole numbers, no rounding.
func TestAModelOfTheCatalogue(t *testing.T) {
	t.Parallel()
	got, known := catalog.Default().Lookup("anthropic", "claude-haiku-5-5")
	want := catalog.Model{
		Provider: "anthropic", ID: "claude-haiku-5-5", Window: 1_000_000, MaxOutput: 128_000,
		Able:  catalog.Abilities{Reasoning: true, Images: true, AdaptiveOnly: true, NoTemperature: true},
		Price: &llm.Price{Input: 100_000_000, Output: 500_000_000, CacheRead: 10_000_000, CacheWrite: 125_000_000},
		Tiers: []catalog.Tier{{Above: 100_000, Price: llm.Price{
			Input: 500_000_000, Output: 2_500_000_000, CacheRead: 50_000_000, CacheWrite: 625_000_000,
		}}},
	}
	if diff := cmp.Diff(want, got); !known || diff != "" {
		t.Errorf("known %t (-want +got):\n%s", known, diff)
	}
	if p := got.PriceAt(100_000); *p != *want.Price {
		t.Errorf("price of a short prompt %+v", p)
	}
	if p := got.PriceAt(100_001); *p != want.Tiers[0].Price {
		t.Errorf("price of a long prompt %+v", p)
	}
}

func TestUsersOverrideAndRename(t *testing.T) {
	t.Parallel()
	base := catalog.Default()
	mine, _ := base.Lookup("openai", "gpt-5")
	mine.Window = 1000
	mine.Price.Input = 7
	c := base.With(mine, catalog.Model{Provider: "here", ID: "tiny", Window: 2048}).Alias("work", "openai")
	for _, q := range []struct {
		provider, model string
		window          int64
	}{{"openai", "gpt-5", 1000}, {"work", "gpt-5", 1000}, {"here", "tiny", 2048}, {"work", "gpt-5-mini", 400_000}} {
		if m, known := c.Lookup(q.provider, q.model); !known || m.Window != q.window {
			t.Errorf("%s/%s: known %t, window %d, want %d", q.provider, q.model, known, m.Window, q.window)
		}
	}
	if m, _ := base.Lookup("openai", "gpt-5"); m.Window == 1000 || m.Price.Input == 7 {
		t.Error("overriding changed the catalogue for everybody")
	}
	if len(c.Models("work")) != len(base.Models("openai")) {
		t.Error("an alias has other models")
	}
}

func TestTextAndParseAgree(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("models.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var head strings.Builder
	for line := range strings.Lines(string(text)) {
		if comment, ok := strings.CutPrefix(line, "# "); ok && !strings.HasPrefix(comment, "date:") {
			head.WriteString(comment)
		}
	}
	if diff := cmp.Diff(string(text), string(catalog.Default().Text(catalog.Default().Date(), head.String()))); diff != "" {
		t.Errorf("written again (-file +text):\n%s", diff[:min(len(diff), 2000)])
	}
	for _, bad := range []string{"p\nm\t1\t2", "p\nm\t1\tx\t\t1\t1\t1\t1", "p\nm\t1\t1\tz\t1\t1\t1\t1", "p\nm\t1\t1\t\t-1\t1\t1\t1", "p\nm\t1\t1\t\t1\t1\t1\t1\t5:1", "p\nm\t1\t1\t\t-\t-\t-\t-\nm\t1\t1\t\t-\t-\t-\t-"} {
		if _, err := catalog.Parse([]byte(bad)); err == nil {
			t.Errorf("read without complaint: %q", bad)
		}
	}
}

func TestWarningsSayWhatLooksWrong(t *testing.T) {
	t.Parallel()
	c := catalog.Default().With(catalog.Model{Provider: "p", ID: "plain", Window: 1000, MaxOutput: 100, Price: &llm.Price{Input: 5, Output: 5}},
		catalog.Model{Provider: "p", ID: "misty"})
	for _, q := range []struct {
		name   string
		target spec.Target
		want   []string
	}{
		{"fine", spec.Target{Provider: "openai", Model: "gpt-5", Sampling: llm.Sampling{MaxTokens: new(int64(1000)), ReasoningEffort: "high"}}, nil},
		{"unknown model", spec.Target{Provider: "p", Model: "nobody"}, []string{"p/nobody is not in the catalogue of 2026-11-02"}},
		{"unknown, but described", spec.Target{Provider: "p", Model: "nobody", Window: 5000}, nil},
		{"no window anywhere", spec.Target{Provider: "p", Model: "misty"}, []string{"has no known window"}},
		{"a window too large", spec.Target{Provider: "p", Model: "plain", Window: 2000}, []string{"a window of 2000 tokens, more than the 1000"}},
		{"an answer too long", spec.Target{Provider: "p", Model: "plain", MaxOutput: 101}, []string{"max_output 101, more than the 100"}},
		{
			"max_tokens and reasoning",
			spec.Target{Provider: "p", Model: "plain", Sampling: llm.Sampling{MaxTokens: new(int64(101)), ReasoningEffort: "low"}},
			[]string{"at most 100 tokens, and max_tokens is 101", "does not think"},
		},
		{"reasoning that is off", spec.Target{Provider: "p", Model: "plain", Sampling: llm.Sampling{ReasoningEffort: "none", ReasoningTokens: new(int64(0))}}, nil},
		{"too cheap", spec.Target{Provider: "p", Model: "plain", Price: &llm.Price{Input: 4, Output: 5}}, []string{"a price below the listed one"}},
		{
			"a budget and a temperature",
			spec.Target{Provider: "anthropic", Model: "claude-sonnet-5-5", Sampling: llm.Sampling{
				ReasoningTokens: new(int64(3000)), Temperature: new(0.5),
			}},
			[]string{"use reasoning_effort", "takes no temperature"},
		},
	} {
		got := c.Warnings(&q.target)
		if len(got) != len(q.want) {
			t.Errorf("%s: %q, want %d", q.name, got, len(q.want))
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], q.want[i]) {
				t.Errorf("%s: %q, want it to say %q", q.name, got[i], q.want[i])
			}
		}
	}
}

func TestWarningsOfARequest(t *testing.T) {
	t.Parallel()
	c := new(catalog.Catalog).With(catalog.Model{Provider: "p", ID: "plain", MaxOutput: 100})
	picture := &llm.Message{Role: llm.RoleUser, Parts: []llm.Part{{Kind: llm.PartImage, Image: &llm.Image{URL: "https://example.com/a.png"}}}}
	got := c.RequestWarnings(&llm.Request{Provider: "p", Model: "plain", History: []*llm.Message{picture}, Sampling: llm.Sampling{MaxTokens: new(int64(200))}})
	if len(got) != 2 || !strings.Contains(got[0], "max_tokens is 200") || !strings.Contains(got[1], "cannot read images") {
		t.Errorf("%q", got)
	}
	if got := c.RequestWarnings(&llm.Request{Provider: "p", Model: "other", History: []*llm.Message{picture}}); got != nil {
		t.Errorf("warnings about a model that nobody knows: %q", got)
	}
}

// Hostile is a catalogue in which every number is absurd.
func hostile() *catalog.Catalog {
	c := &catalog.Catalog{}
	for _, m := range catalog.Default().Models("openai") {
		m.Window, m.MaxOutput, m.Able = 1, 1, catalog.Abilities{NoTemperature: true}
		m.Price = &llm.Price{Input: 1 << 62, Output: -5}
		c = c.With(m)
	}
	return c
}

// The catalogue warns, and never changes a value: with none, with the real one
// and with one that lies the target stays the same, to the byte.
//
// contract: P5
func TestTheCatalogueNeverChangesATarget(t *testing.T) {
	t.Parallel()
	warned := 0
	for _, c := range []*catalog.Catalog{{}, catalog.Default(), hostile()} {
		for _, model := range []string{"gpt-5", "gpt-4o", "never-heard-of"} {
			target := spec.Target{
				Provider: "openai", Model: model, Window: 777, MaxOutput: 99, Price: &llm.Price{Input: 3, Output: 4},
				Sampling: llm.Sampling{Temperature: new(0.7), MaxTokens: new(int64(1 << 40)), ReasoningEffort: "high"}, Options: json.RawMessage(`{"a":1}`),
			}
			before := llm.MustMarshalJSON(&target)
			warned += len(c.Warnings(&target))
			if after := llm.MustMarshalJSON(&target); string(before) != string(after) {
				t.Errorf("before %s\nafter  %s", before, after)
			}
		}
	}
	if warned < 10 {
		t.Errorf("only %d warnings: the test shows nothing", warned)
	}
}
