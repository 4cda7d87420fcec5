package script_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
)

// The golden files show what a listener sees of each sample script: every
// attempt of every turn, delta by delta, with the time at which it came.
//
// contract: P7, P8
func TestTheSampleScriptsPlayAsWrittenDown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file   string
		models []string // taken in turn, one for each attempt
	}{
		{"weather.yaml", []string{"model-a"}},
		{"weather.json", []string{"model-a"}},
		{"trouble.yaml", []string{"model-a"}},
		{"targets.yaml", []string{"large", "small"}},
	} {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				path := filepath.Join("testdata", test.file)
				s, err := script.Load(path)
				if err != nil {
					t.Fatal(err)
				}
				golden(t, strings.TrimSuffix(path, filepath.Ext(path))+".golden", playAll(t, s, test.models))
			})
		})
	}
}

// playAll asks for every attempt and answers every call of the last one.
func playAll(t *testing.T, s *script.Script, models []string) string {
	t.Helper()
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	p := script.Play(s, script.Options{Now: func() time.Time { return noon }})
	var b strings.Builder
	var history []*llm.Message
	for turn := range s.Turns {
		var receipt *llm.Receipt
		for attempt := range s.Turns[turn] {
			request := ask(history...)
			request.CorrelationID = fmt.Sprintf("s/1/%d/%d", turn+1, attempt+1)
			request.Model = models[attempt%len(models)]
			request.Tools = []llm.Tool{{Name: "weather"}}
			fmt.Fprintf(&b, "turn %d, attempt %d, %s\n", turn+1, attempt+1, request.Model)
			receipt = perform(t, &b, p, request)
		}
		m := receipt.Output.Message()
		history = append(history, &m)
		for _, c := range receipt.Output.ToolCalls {
			history = append(history, toolResult(c.ID, "", "18 degrees for "+string(c.Arguments)))
		}
	}
	return b.String()
}

func perform(t *testing.T, b *strings.Builder, p llm.Provider, request *llm.Request) *llm.Receipt {
	t.Helper()
	start := time.Now()
	for d, r := range p.Generate(t.Context(), request) {
		fmt.Fprintf(b, "  %4d ms  ", time.Since(start).Milliseconds())
		if r != nil {
			writeReceipt(b, r)
			return r
		}
		fmt.Fprintf(b, "%s %d", d.Kind, d.Block)
		if d.CallID != "" || d.Name != "" {
			fmt.Fprintf(b, " %q %s", d.CallID, d.Name)
		}
		fmt.Fprintf(b, " %q\n", d.Text)
	}
	t.Fatal("there was no receipt")
	return nil
}

func writeReceipt(b *strings.Builder, r *llm.Receipt) {
	fmt.Fprintf(b, "receipt of %s, answered by %s %s\n", r.ProviderID, r.ActualProvider, r.ActualModel)
	line := func(key string, v any) { fmt.Fprintf(b, "           %-9s %s\n", key, llm.MustMarshalJSON(v)) }
	line("output", r.Output)
	line("finish", r.Finish)
	if r.Usage != nil {
		line("usage", r.Usage)
	}
	if r.Cost != nil {
		line("cost", r.Cost.String())
	}
	if r.ResponseID != "" {
		line("id", r.ResponseID)
	}
	if r.Warnings != nil {
		line("warnings", r.Warnings)
	}
	if r.Error != nil {
		line("error", r.Error)
	}
	fmt.Fprintf(b, "           %-9s %s\n", "raw", r.Raw)
}
