package aiagent_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
)

func reportWith(args map[string]any) script.Reply {
	return script.Calls(ask("r", "agent__final_report", args))
}

// contract: F1, F3, F4, F8
func TestReportsOfEveryFormatAndSpellingAreAccepted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		format spec.Format
		tool   string
		args   map[string]any
		want   string
	}{
		"markdown":       {spec.FormatMarkdown, "agent__final_report", map[string]any{"report_format": "markdown", "report_content": "# x"}, "# x"},
		"text":           {spec.FormatText, "final_report", map[string]any{"format": "text", "content": "x"}, "x"},
		"tty":            {spec.FormatTTY, "agent_final_report", map[string]any{"report_format": "tty", "report_content": "x"}, "x"},
		"pipe":           {spec.FormatPipe, "agent-final-report", map[string]any{"report_format": "pipe", "report_content": "x"}, "x"},
		"sub-agent":      {spec.FormatSubAgent, "agent__final_report", map[string]any{"report_format": "sub-agent", "report_content": "x"}, "x"},
		"mermaid":        {spec.FormatMarkdownMermaid, "agent__final_report", map[string]any{"report_format": "markdown+mermaid", "report_content": "x"}, "x"},
		"json":           {spec.FormatJSON, "agent__final_report", map[string]any{"report_format": "json", "content_json": map[string]any{"status": "mine", "format": "too"}}, `{"format":"too","status":"mine"}`},
		"json in a text": {spec.FormatJSON, "agent__final_report", map[string]any{"report_format": "json", "content_json": `{"a":1}`}, `{"a":1}`},
		"base64": {spec.FormatText, "agent__final_report", map[string]any{
			"report_format": "text", "report_content": base64.StdEncoding.EncodeToString([]byte("grüß")), "encoding": "base64",
		}, "grüß"},
		"another format that fits": {spec.FormatMarkdown, "agent__final_report", map[string]any{"report_format": "text", "report_content": "x"}, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := agent()
			a.Format = c.format
			o := newBed(t, script.Calls(ask("r", c.tool, c.args))).run(a, "hi")
			if !o.Success || o.Text() != c.want || o.FinalReport.Format != c.format {
				t.Errorf("%s, %q of format %s, want %q", o.Error, o.Text(), o.FinalReport.Format, c.want)
			}
		})
	}
}

// contract: F2, F8
func TestTheStatusIsOursAndTheModelsIsKept(t *testing.T) {
	t.Parallel()
	o := newBed(t, reportWith(map[string]any{
		"report_format": "markdown", "report_content": "x", "status": "failure", "metadata": map[string]any{"source": "web"},
	})).run(agent(), "hi")
	if !o.Success || o.FinalReport.Status != "success" {
		t.Errorf("success %t, status %s", o.Success, o.FinalReport.Status)
	}
	if got := string(o.FinalReport.Metadata); got != `{"modelStatus":"failure","source":"web"}` {
		t.Errorf("metadata %s", got)
	}
}

// contract: F5, F6, L8
func TestARejectedReportIsExplainedAndLeavesOneMoreTurn(t *testing.T) {
	t.Parallel()
	a := agent()
	a.Format = spec.FormatJSON
	a.Schema = []byte(`{"type":"object","properties":{"n":{"type":"integer"},"list":{"type":"array"}},"required":["n"]}`)
	a.Limits = aiagent.Limits{MaxTurns: 9, MaxRetries: 2}
	bad := reportWith(map[string]any{"report_format": "json", "content_json": map[string]any{"n": "many"}})
	b := newBed(t, script.Turn(bad, bad, bad))
	o := b.run(a, "hi")
	if o.Success || reason(o) != `{"reason":"final_report_failed"}` {
		t.Errorf("success %t, reason %s", o.Success, reason(o))
	}
	if n := len(facts[*kernel.TurnStart](o)); n != 2 {
		t.Errorf("%d turns, want 2", n)
	}
	if f := facts[*kernel.ForcedFinal](o); len(f) != 1 || f[0].Reason != dialect.FinalReportFailed {
		t.Errorf("forced final %+v", f)
	}
	if n := notice(b.provider.requests[1]); !strings.Contains(n, "/n") {
		t.Errorf("the model is told %q", n)
	}
	if !logged(o, "turns_collapsed") || !logged(o, "final_report_rejected") {
		t.Error("the rejection is not logged")
	}
}

// contract: F5
func TestStringifiedJSONInsideAReportIsUnpackedAtMostFourTimes(t *testing.T) {
	t.Parallel()
	for fields := 1; fields <= 5; fields++ {
		t.Run(fmt.Sprint(fields), func(t *testing.T) {
			t.Parallel()
			properties, content := map[string]any{}, map[string]any{}
			for i := range fields {
				key := fmt.Sprintf("k%d", i)
				properties[key] = map[string]any{"type": "object"}
				content[key] = `{"x":1}`
			}
			a := agent()
			a.Format = spec.FormatJSON
			a.Limits = aiagent.Limits{MaxTurns: 1, MaxRetries: 1}
			a.Schema, _ = json.Marshal(map[string]any{"type": "object", "properties": properties})
			o := newBed(t, reportWith(map[string]any{"report_format": "json", "content_json": content})).run(a, "hi")
			if want := fields <= 4; o.Success != want {
				t.Errorf("success %t, want %t: %s", o.Success, want, o.Error)
			}
		})
	}
}

// contract: F6
func TestABlankReportIsRejected(t *testing.T) {
	t.Parallel()
	b := newBed(t, script.Turn(reportWith(map[string]any{"report_format": "markdown", "report_content": "  "}), report("done")))
	if o := b.run(agent(), "hi"); !o.Success || len(b.provider.requests) != 2 {
		t.Errorf("%s after %d requests", o.Error, len(b.provider.requests))
	}
}

// contract: F1, M7
func TestOfSeveralReportsTheLastFitOneWinsAndOtherCallsStillRun(t *testing.T) {
	t.Parallel()
	o := newBed(t, script.Calls(
		ask("r1", "agent__final_report", map[string]any{"report_format": "markdown", "report_content": "first"}),
		askWeather("w", "Athens"),
		ask("r2", "agent__final_report", map[string]any{"report_format": "markdown", "report_content": "second"}),
		ask("r3", "agent__final_report", map[string]any{"report_format": "markdown", "report_content": " "}),
	)).run(agent(weather()), "hi")
	if !o.Success || o.Text() != "second" || len(facts[*kernel.ToolStart](o)) != 1 {
		t.Errorf("%s, %q, %d executions", o.Error, o.Text(), len(facts[*kernel.ToolStart](o)))
	}
}
