package aiagent_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/contract"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/memory"
	"github.com/ai-agent-go/ai-agent/tool"
	"github.com/ai-agent-go/ai-agent/view"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bed is a runtime with a scripted model, and the sessions it has run.
type bed struct {
	t        *testing.T
	rt       *aiagent.Runtime
	store    store.Store
	provider *recorder
}

// recorder remembers the requests that a provider was sent.
type recorder struct {
	llm.Provider
	requests []*llm.Request
}

func newBed(t *testing.T, turns ...script.Step) *bed {
	t.Helper()
	return newBedOn(t, memory.New(), turns...)
}

func newBedOn(t *testing.T, st store.Store, turns ...script.Step) *bed {
	t.Helper()
	b := &bed{t: t, store: st, provider: &recorder{Provider: script.New(turns...)}}
	rt, err := aiagent.New(aiagent.Config{
		Store: b.store, Providers: map[string]llm.Provider{"script": b.provider, "other": b.provider},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.rt = rt
	t.Cleanup(func() { _ = rt.Close() })
	return b
}

// outcome is everything that a run left.
type outcome struct {
	*aiagent.Result
	events  []view.Event
	archive *journal.Archive
}

// run runs a prompt and holds the session against the contract.
func (b *bed) run(a *aiagent.Agent, prompt string) *outcome {
	b.t.Helper()
	o := &outcome{}
	o.Result = b.rt.Run(b.t.Context(), a, prompt, &aiagent.RunOptions{
		SessionID: "s", OnEvent: func(e view.Event) { o.events = append(o.events, e) },
	})
	if o.SessionID != "" {
		o.archive = b.check("s")
	}
	return o
}

// check exports a session and runs every checker over it.
func (b *bed) check(id string) *journal.Archive {
	b.t.Helper()
	var buf bytes.Buffer
	key := keyOf(id)
	if err := aiagent.ExportSession(context.Background(), b.store, key, &buf); err != nil {
		b.t.Fatal(err)
	}
	archive, err := journal.ReadArchive(&buf)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, v := range contract.Check(archive) {
		b.t.Errorf("broken: %s", v)
	}
	return archive
}

// facts returns the facts of one type, in order.
func facts[F kernel.Fact](o *outcome) []F {
	var all []F
	for i := range o.archive.Frames {
		decoded, err := kernel.DecodeFacts(&o.archive.Frames[i])
		if err != nil {
			panic(err)
		}
		for _, f := range decoded {
			if f, ok := f.(F); ok {
				all = append(all, f)
			}
		}
	}
	return all
}

// roles writes the conversation as a line of roles.
func roles(o *outcome) string {
	var r []string
	for _, m := range o.Conversation {
		r = append(r, string(m.Role))
	}
	return strings.Join(r, " ")
}

// accounts writes the accounting as a line.
func accounts(o *outcome) string {
	var r []string
	for _, e := range o.Accounting {
		name := e.Provider + "/" + e.Model
		if e.Type == "tool" {
			name = e.MCPServer + "/" + e.Command
		}
		r = append(r, e.Status+":"+name)
	}
	return strings.Join(r, " ")
}

// reason is the reason in the report's metadata.
func reason(o *outcome) string {
	if o.FinalReport == nil {
		return "no report"
	}
	return string(o.FinalReport.Metadata)
}

type city struct {
	City string `json:"city" jsonschema:"the city to ask for"`
}

// weather is a tool that works.
func weather() tool.Tool {
	return tool.Must(tool.New("weather", "Tells the weather of a city.",
		func(_ context.Context, c city) (string, error) { return "sunny in " + c.City, nil }))
}

// broken is a tool that fails.
func broken() tool.Tool {
	return tool.Must(tool.New("broken", "Fails.",
		func(context.Context, struct{}) (string, error) { return "", errors.New("no luck") }))
}

func ask(id, name string, args map[string]any) script.Call {
	return script.Call{ID: id, Name: name, Arguments: args}
}

func askWeather(id, city string) script.Call { return ask(id, "weather", map[string]any{"city": city}) }

func report(text string) script.Reply {
	return script.Calls(script.Call{ID: "report", Name: "agent__final_report", Arguments: map[string]any{
		"report_format": "markdown", "report_content": text,
	}})
}

func agent(tools ...tool.Tool) *aiagent.Agent {
	return &aiagent.Agent{
		System: "You tell the weather.", Tools: tools, Transport: spec.TransportNative,
		Targets: []aiagent.Target{{Provider: "script", Model: "demo"}},
	}
}

func (r *recorder) last() *llm.Request { return r.requests[len(r.requests)-1] }

// must returns a value that a test cannot do without.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// contract: B2, F1, V1, A1, A2, A3
func TestAPromptGoesInAToolRunsAndTheReportComesOut(t *testing.T) {
	t.Parallel()
	o := newBed(t,
		script.Calls(askWeather("c1", "Athens")),
		report(`It is {{tool "weather"}}.`),
	).run(agent(weather()), "Athens tomorrow?")

	if !o.Success || o.Err() != nil {
		t.Fatalf("success %t, error %q, %v", o.Success, o.Error, o.Err())
	}
	if got, want := o.Text(), "It is sunny in Athens."; got != want {
		t.Errorf("answer %q, want %q", got, want)
	}
	if got, want := roles(o), "user assistant tool assistant tool"; got != want {
		t.Errorf("conversation %q, want %q", got, want)
	}
	if got, want := accounts(o), "ok:script/demo ok:local/weather ok:script/demo ok:agent/agent__final_report"; got != want {
		t.Errorf("accounting %q, want %q", got, want)
	}
	for _, e := range o.Accounting {
		if e.AgentID != "agent" || e.CallPath != "agent" || e.TxnID != "s" || e.OriginTxnID != "s" {
			t.Errorf("entry without its origin: %+v", e)
		}
	}
	if last := o.Accounting[3]; *last.CharactersOut != 12 {
		t.Errorf("the report counts %d characters, want 12", *last.CharactersOut)
	}
	if o.FinalReport.Status != "success" || o.FinalReport.Format != spec.FormatMarkdown || o.FinalReport.TS == 0 {
		t.Errorf("report %+v", o.FinalReport)
	}
}

// contract: B4, B8
func TestEveryRunHasOneExitMarkerAndTwoSummaries(t *testing.T) {
	t.Parallel()
	for name, turns := range map[string][]script.Step{
		"success": {report("done")},
		"failure": {script.Fail(401, "bad key")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newBed(t, turns...).run(agent(), "hi")
			exits, summaries := 0, 0
			for _, l := range o.Logs {
				if strings.HasPrefix(l.RemoteIdentifier, "agent:EXIT-") {
					exits++
				}
				if l.Severity == "FIN" {
					summaries++
				}
				if l.Severity == "" || l.Type == "" || l.Direction == "" || l.Details["event"] == nil || l.TxnID != "s" {
					t.Errorf("incomplete log entry %+v", l)
				}
			}
			if exits != 1 || summaries != 2 {
				t.Errorf("%d exit markers and %d summaries, want 1 and 2", exits, summaries)
			}
		})
	}
}

// contract: B2
func TestWhatCannotStartIsAResultToo(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]*aiagent.Agent{
		"no target":        {},
		"unknown provider": {Targets: []aiagent.Target{{Provider: "nobody", Model: "m"}}},
		"bad tool name":    agent(tool.Remote("no good", "", nil)),
		"bad schema":       {Targets: agent().Targets, Format: spec.FormatJSON, Schema: []byte(`{"type": 7}`)},
		"tool twice":       agent(weather(), weather()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newBed(t, report("never")).run(a, "hi")
			if o.Success || o.Error == "" || !errors.Is(o.Err(), spec.ErrInvalid) {
				t.Errorf("success %t, error %q, %v", o.Success, o.Error, o.Err())
			}
			if o.FinalReport == nil || o.FinalReport.Status != "failure" {
				t.Errorf("report %+v", o.FinalReport)
			}
		})
	}
}

// contract: B2
func TestAConversationFromBeforeCanBeGiven(t *testing.T) {
	t.Parallel()
	b := newBed(t, report("never"), report("Still Ada."))
	result := b.rt.Run(t.Context(), agent(), "And now?", &aiagent.RunOptions{SessionID: "s", History: []llm.Message{
		llm.Text(llm.RoleSystem, "Somebody else's prompt."),
		llm.Text(llm.RoleUser, "Who am I?"),
		llm.Text(llm.RoleAssistant, "Ada."),
	}})
	if !result.Success {
		t.Fatal(result.Error)
	}
	b.check("s")
	request := b.provider.last()
	if request.System != "You tell the weather." {
		t.Errorf("system prompt %q", request.System)
	}
	var said []string
	for _, m := range request.History {
		said = append(said, fmt.Sprintf("%s: %s", m.Role, m.Content()))
	}
	if got, want := strings.Join(said, " | "), "user: Who am I? | assistant: Ada. | user: And now?"; got != want {
		t.Errorf("history %q, want %q", got, want)
	}
}

// keyOf is the key of a session of these tests.
func keyOf(id string) journal.Key { return journal.Key{Tenant: "default", Session: id} }
