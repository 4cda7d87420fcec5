package aiagent_test

import (
	"encoding/json"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
)

// A configuration that people have written, with blanks and line breaks, is sent
// as it is stored: what verify derives is what was sent.
//
// contract: P10, P12
func TestBlanksInOptionsAndSchemaDoNotChangeTheRequest(t *testing.T) {
	t.Parallel()
	a := agent()
	a.Format, a.Schema = spec.FormatJSON, []byte("{\n  \"type\": \"object\"\n}")
	a.Targets[0].Options = json.RawMessage("{\n  \"a\": [1, 2]\n}")
	b := newBed(t, script.Calls(ask("r", spec.FinalReportTool, map[string]any{
		"report_format": "json", "content_json": map[string]any{"n": 1},
	})))
	if o := b.run(a, "hi"); !o.Success {
		t.Fatal(o.Error)
	}
	if got := string(b.provider.last().Options); got != `{"a":[1,2]}` {
		t.Errorf("options %q", got)
	}
}
