package aiagent_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/memory"
	"github.com/ai-agent-go/ai-agent/tool"
	"github.com/ai-agent-go/ai-agent/view"
)

// cast is a bed with a script for every agent, by the agent's name.
type cast struct {
	*bed
	asked map[string]*recorder
}

func newCast(t *testing.T, st store.Store, scripts map[string]*script.Provider) *cast {
	t.Helper()
	c := &cast{bed: &bed{t: t, store: st}, asked: make(map[string]*recorder)}
	providers := make(map[string]llm.Provider, len(scripts))
	for name, s := range scripts {
		c.asked[name] = &recorder{Provider: s}
		providers[name] = c.asked[name]
	}
	c.rt = must(aiagent.New(aiagent.Config{Store: st, Providers: providers}))
	t.Cleanup(func() { _ = c.rt.Close() })
	return c
}

// player is an agent that is asked by its own name.
func player(name string, tools ...tool.Tool) *aiagent.Agent {
	a := agent(tools...)
	a.ID, a.Description = name, "Plays "+name+"."
	a.Targets = []aiagent.Target{{Provider: name, Model: "m", Price: &llm.Price{Input: llm.Dollar, Output: llm.Dollar}}}
	return a
}

// prompt is the user's message of an agent's first request, tags without their
// nonces.
func (c *cast) prompt(name string) string {
	recording.Lock()
	defer recording.Unlock()
	if len(c.asked[name].requests) == 0 {
		return "(never asked)"
	}
	m := c.asked[name].requests[0].History[0]
	return regexp.MustCompile(`__[0-9a-f]{12}`).ReplaceAllString(m.Content(), "")
}

func says(text string) *script.Provider { return script.New(report(text)) }

func route(to, message string) script.Call {
	args := map[string]any{"agent": to}
	if message != "" {
		args["message"] = message
	}
	return ask("r", spec.RouterTool, args)
}

func hand(message string) script.Step { return script.Calls(route("sales", message)) }

// contract: B5
func TestAdvisorsAreAskedFirst(t *testing.T) {
	t.Parallel()
	c := newCast(t, memory.New(), map[string]*script.Provider{
		"main": says("done"), "law": says("It is legal."), "cost": script.New(script.Fail(401, "no key")),
	})
	a := player("main")
	a.Advisors = []*aiagent.Agent{player("law"), player("cost")}
	o := c.run(a, "May I?")
	if !o.Success || o.Text() != "done" || o.FinalAgentID != "main" {
		t.Fatalf("%s, %q by %s", o.Error, o.Text(), o.FinalAgentID)
	}
	if got := c.prompt("law"); got != "May I?" {
		t.Errorf("the advisor was asked %q", got)
	}
	want := "<original_user_request>\nMay I?\n</original_user_request>\n" +
		"<advisory agent=\"law\">\nIt is legal.\n</advisory>\n" +
		"<advisory agent=\"cost\">\nAdvisor consultation failed for cost: The provider rejected the credentials: no key\n</advisory>"
	if got := c.prompt("main"); got != want {
		t.Errorf("the agent was asked\n%s\nwant\n%s", got, want)
	}
}

// contract: B5, F3
func TestAHandoffAnswersInTheAgentsPlace(t *testing.T) {
	t.Parallel()
	c := newCast(t, memory.New(), map[string]*script.Provider{"main": says("a draft"), "editor": says("a text")})
	a, editor := player("main"), player("editor")
	a.Handoff, a.Format, editor.Format = editor, spec.FormatText, spec.FormatMarkdown
	o := c.run(a, "Write!")
	if !o.Success || o.Text() != "a text" || o.FinalAgentID != "editor" || o.FinalReport.Format != spec.FormatText {
		t.Fatalf("%s, %+v by %s", o.Error, o.FinalReport, o.FinalAgentID)
	}
	want := "<original_user_request>\nWrite!\n</original_user_request>\n<response agent=\"main\">\na draft\n</response>"
	if got := c.prompt("editor"); got != want {
		t.Errorf("the editor was asked\n%s\nwant\n%s", got, want)
	}
	if h := facts[*kernel.Handoff](o); len(h) != 1 || h[0].From != "main" || h[0].To != "editor" {
		t.Errorf("handoffs %+v", h)
	}
	if n := len(facts[*kernel.FinalReport](o)); n != 1 {
		t.Errorf("%d final reports", n)
	}
	child := &outcome{archive: c.check(facts[*kernel.StageStart](o)[0].Child)}
	if got := facts[*kernel.RunStart](child)[0].Format; got != spec.FormatText {
		t.Errorf("the editor was asked for %s", got)
	}
}

// contract: B5, L5
func TestARouterChoosesWhoAnswers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*aiagent.Agent)
		steps  []script.Step
	}{
		"at once":          {steps: []script.Step{hand("He wants to buy.")}},
		"on the last turn": {change: func(a *aiagent.Agent) { a.Limits.MaxTurns = 1 }, steps: []script.Step{hand("He wants to buy.")}},
		"beside a tool":    {steps: []script.Step{script.Calls(askWeather("w", "Oslo"), route("sales", "He wants to buy."))}},
		"after a mistake":  {steps: []script.Step{script.Turn(script.Calls(route("nobody", "")), script.Calls(route("sales", "He wants to buy.")))}},
		"twice in a message": {steps: []script.Step{script.Calls(
			ask("r1", spec.RouterTool, map[string]any{"agent": "support"}),
			ask("r2", spec.RouterTool, map[string]any{"agent": "sales", "message": "He wants to buy."}))}},
		"natively": {
			change: func(a *aiagent.Agent) { a.Transport, a.Limits.MaxTurns = spec.TransportNative, 1 },
			steps:  []script.Step{hand("He wants to buy.")},
		},
		"by tag on the last turn": {
			change: func(a *aiagent.Agent) { a.Transport, a.Limits.MaxTurns = spec.TransportXML, 1 },
			steps: []script.Step{script.Text(`<ai-agent-{{nonce}}-0001 tool="router__handoff-to">` +
				`{"agent":"sales","message":"He wants to buy."}</ai-agent-{{nonce}}-0001>`)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCast(t, memory.New(), map[string]*script.Provider{
				"desk": script.New(test.steps...), "sales": says("Sold."), "support": says("Mended."),
			})
			a := player("desk", weather())
			a.Router = []*aiagent.Agent{player("support"), player("sales")}
			if test.change != nil {
				test.change(a)
			}
			o := c.run(a, "Hello")
			if !o.Success || o.Text() != "Sold." || o.FinalAgentID != "sales" {
				t.Fatalf("%s, %q by %s", o.Error, o.Text(), o.FinalAgentID)
			}
			want := "<original_user_request>\nHello\n</original_user_request>\n<advisory agent=\"desk\">\nHe wants to buy.\n</advisory>"
			if got := c.prompt("sales"); got != want {
				t.Errorf("sales was asked\n%s\nwant\n%s", got, want)
			}
			if got := offered(c.asked["desk"].last()); a.Transport != spec.TransportXML && !strings.Contains(got, spec.RouterTool) {
				t.Errorf("the desk was offered %q", got)
			}
			if end := facts[*kernel.RunEnd](o)[0]; end.Exit != "EXIT-ROUTER-HANDOFF" {
				t.Errorf("exit %s", end.Exit)
			}
		})
	}
}

// contract: B5
func TestAReportIsNotUndoneByARoute(t *testing.T) {
	t.Parallel()
	both := script.Calls(
		ask("f", spec.FinalReportTool, map[string]any{"report_format": "text", "report_content": "Mine."}), route("sales", ""))
	c := newCast(t, memory.New(), map[string]*script.Provider{"desk": script.New(both), "sales": says("Sold.")})
	a := player("desk")
	a.Router, a.Transport, a.Format = []*aiagent.Agent{player("sales")}, spec.TransportNative, spec.FormatText
	if o := c.run(a, "Hello"); o.Text() != "Mine." || c.prompt("sales") != "(never asked)" {
		t.Errorf("%q, sales was asked %q", o.Text(), c.prompt("sales"))
	}
}

// contract: B5
func TestTheWholeChainRunsInOrder(t *testing.T) {
	t.Parallel()
	c := newCast(t, memory.New(), map[string]*script.Provider{
		"law": says("Legal."), "desk": script.New(hand("")), "sales": says("Sold."), "clerk": says("Filed."), "last": says("Sent."),
	})
	clerk := player("clerk")
	clerk.Handoff = player("last")
	a := player("desk")
	a.Advisors, a.Router, a.Handoff = []*aiagent.Agent{player("law")}, []*aiagent.Agent{player("sales")}, clerk
	o := c.run(a, "Hello")
	if !o.Success || o.Text() != "Sent." || o.FinalAgentID != "last" {
		t.Fatalf("%s, %q by %s", o.Error, o.Text(), o.FinalAgentID)
	}
	var order []string
	for _, f := range facts[*kernel.StageStart](o) {
		order = append(order, string(f.Stage)+" "+f.Agent)
	}
	if want := []string{"advisor law", "router sales", "handoff clerk"}; !slices.Equal(order, want) {
		t.Errorf("stages %q, want %q", order, want)
	}
	if got := c.prompt("clerk"); !strings.Contains(got, "<response agent=\"sales\">\nSold.\n</response>") {
		t.Errorf("the clerk was asked %s", got)
	}
}

// contract: B5, F7
func TestAFailedHandoffIsAFailedRun(t *testing.T) {
	t.Parallel()
	c := newCast(t, memory.New(), map[string]*script.Provider{"main": says("a draft"), "editor": script.New(script.Fail(401, "no key"))})
	a := player("main")
	a.Handoff = player("editor")
	o := c.run(a, "Write!")
	if o.Success || string(o.FinalReport.Metadata) != `{"reason":"auth_error"}` || !strings.Contains(o.Error, "editor") {
		t.Errorf("%s, %s", o.Error, o.FinalReport.Metadata)
	}
}

// contract: B5
func TestWithoutAReportNothingIsHandedOver(t *testing.T) {
	t.Parallel()
	c := newCast(t, memory.New(), map[string]*script.Provider{"main": script.New(script.Fail(401, "no key")), "editor": says("a text")})
	a := player("main")
	a.Handoff = player("editor")
	if o := c.run(a, "Write!"); o.Success || c.prompt("editor") != "(never asked)" {
		t.Errorf("%v, the editor was asked %s", o.Success, c.prompt("editor"))
	}
}

// contract: B5, C4
func TestAgentsThatHandOverInACircleAreRefused(t *testing.T) {
	t.Parallel()
	c := newCast(t, memory.New(), map[string]*script.Provider{"a": says("a"), "b": says("b")})
	a, b := player("a"), player("b")
	a.Handoff, b.Router = b, []*aiagent.Agent{a}
	_, err := c.rt.Open(t.Context(), a, nil)
	if !errors.Is(err, spec.ErrInvalid) || !strings.Contains(err.Error(), "a -> b -> a") {
		t.Errorf("%v", err)
	}
}

// contract: B5, V1
func TestTheNextPromptTellsWhatAnotherAgentAnswered(t *testing.T) {
	t.Parallel()
	c := newCast(t, memory.New(), map[string]*script.Provider{"desk": script.New(hand(""), report("You bought it."), report("Yes.")), "sales": says("Sold.")})
	a := player("desk")
	a.Router = []*aiagent.Agent{player("sales")}
	c.run(a, "Hello")
	s := must(c.rt.Session(t.Context(), "s"))
	if r := must(s.Execute(t.Context(), aiagent.Prompt("What did I do?")).Result()); r.Report.Text() != "You bought it." {
		t.Fatalf("%+v", r)
	}
	must(s.Execute(t.Context(), aiagent.Prompt("Really?")).Result())
	c.check("s")
	h := c.asked["desk"].requests[2].History
	if last := h[len(h)-1].Content(); last != "Really?" {
		t.Errorf("at last asked %q", last)
	}
	h = c.asked["desk"].requests[1].History
	got := regexp.MustCompile(`__[0-9a-f]{12}`).ReplaceAllString(h[len(h)-1].Content(), "")
	want := "<response agent=\"sales\">\nSold.\n</response>\n<original_user_request>\nWhat did I do?\n</original_user_request>"
	if got != want {
		t.Errorf("asked\n%s\nwant\n%s", got, want)
	}
}

// contract: B5, S6, S8
func TestAStageWaitsForTheOutsideAndSurvivesACrash(t *testing.T) {
	t.Parallel()
	remote := tool.Remote("remote", "Runs elsewhere.", json.RawMessage(`{"type":"object"}`))
	for name, arrange := range map[string]func(a, other *aiagent.Agent){
		"advisor": func(a, other *aiagent.Agent) { a.Advisors = []*aiagent.Agent{other} },
		"handoff": func(a, other *aiagent.Agent) { a.Handoff = other },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := memory.New()
			scripts := func() map[string]*script.Provider {
				return map[string]*script.Provider{
					"main": says("done"), "other": script.New(script.Calls(ask("r", "remote", nil)), report(`{{tool "remote"}}`)),
				}
			}
			a := player("main")
			arrange(a, player("other", remote))
			c := newCast(t, st, scripts())
			o := c.run(a, "hi")
			if o.Status != kernel.StatusAwaiting || len(o.Pending) != 1 || !strings.HasSuffix(o.Pending[0].ID, "/r") {
				t.Fatalf("status %s, pending %+v", o.Status, o.Pending)
			}
			c.crash()

			again := newCast(t, st, scripts())
			again.rt.Register(a)
			s := must(again.rt.Session(t.Context(), "s"))
			r := must(s.Execute(t.Context(), aiagent.Results(aiagent.ToolResult{CallID: o.Pending[0].ID, Output: "late"})).Result())
			if r.Status != kernel.StatusCompleted {
				t.Fatalf("%+v", r)
			}
			again.check("s")
			if name == "handoff" && r.Report.Text() != "late" || name == "advisor" && !strings.Contains(again.prompt("main"), "late") {
				t.Errorf("answer %q", r.Report.Text())
			}
		})
	}
}

// contract: B5, S11
func TestAbortingARunAbortsItsStages(t *testing.T) {
	t.Parallel()
	h, started, _ := hold()
	c := newCast(t, memory.New(), map[string]*script.Provider{"main": says("done"), "law": script.New(script.Calls(ask("c", "hold", nil)))})
	a := player("main")
	a.Advisors = []*aiagent.Agent{player("law", h)}
	s := must(c.rt.Open(t.Context(), a, &aiagent.SessionOptions{ID: "s"}))
	st := s.Execute(t.Context(), aiagent.Prompt("hi"))
	<-started
	if err := s.Abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := must(st.Result()); r.Status != kernel.StatusError || c.prompt("main") != "(never asked)" {
		t.Errorf("%+v", r)
	}
	c.check("s")
}

// contract: L8, T14
func TestStoppingARunStopsItsChildren(t *testing.T) {
	t.Parallel()
	h, started, release := hold()
	c := newCast(t, memory.New(), map[string]*script.Provider{
		"main":   script.New(script.Calls(callHelper()), report(`{{tool "agent__helper"}}`)),
		"helper": script.New(script.Calls(ask("c", "hold", nil)), report("so far")),
	})
	a := player("main")
	a.Agents = []*aiagent.Agent{player("helper", h)}
	s := must(c.rt.Open(t.Context(), a, &aiagent.SessionOptions{ID: "s"}))
	st := s.Execute(t.Context(), aiagent.Prompt("hi"))
	<-started
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	child := must(c.rt.Session(t.Context(), "s.3-0"))
	for e, err := range child.Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == view.EventForcedFinal {
			break
		}
	}
	close(release)
	if r := must(st.Result()); r.Report.Text() != "so far" {
		t.Fatalf("%+v", r)
	}
	for name, asked := range c.asked {
		if got := offered(asked.last()); got != spec.FinalReportTool {
			t.Errorf("%s was offered %q", name, got)
		}
	}
}
