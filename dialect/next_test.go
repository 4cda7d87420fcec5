package dialect

import (
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

var transports = []spec.Transport{spec.TransportNative, spec.TransportXMLFinal, spec.TransportXML}

func request(t *testing.T, run *spec.Run, ask *Ask) *llm.Request {
	t.Helper()
	p := NewProjector(run.Transport)
	hello := llm.Text(llm.RoleUser, "hello")
	p.Append(Item{Kind: ItemUser, User: &hello})
	return p.Request(run, &run.Targets[0], newTools(t, run), ask)
}

func tailOf(r *llm.Request) string {
	texts := make([]string, len(r.Tail))
	for i, m := range r.Tail {
		texts[i] = m.Content()
	}
	return strings.Join(texts, "\n=====\n")
}

// contract: M4
func TestTheTailOfARequestInEachTransport(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		run := newRun(transport)
		first, last := newAsk(run), finalAsk(run)
		retry := newAsk(run)
		retry.Attempt = 3
		retry.Notices = []Notice{{Slug: SlugEmpty}, {Slug: SlugTruncated}}
		structured := newRun(transport, withSchema(`{"type":"object","required":["answer"]}`))
		chat := newRun(transport, textOnly)
		var b strings.Builder
		for _, c := range []struct {
			name string
			run  *spec.Run
			ask  *Ask
		}{
			{"first attempt", run, first},
			{"last attempt, with notices", run, retry},
			{"last turn", run, last},
			{"a json report, last turn", structured, finalAsk(structured)},
			{"completion is text", chat, newAsk(chat)},
			{"completion is text, last turn", chat, finalAsk(chat)},
		} {
			b.WriteString("== " + c.name + "\n" + tailOf(request(t, c.run, c.ask)) + "\n")
		}
		golden(t, "next-"+string(transport)+".txt", b.String())
	}
}

// contract: M1, L5, M4
func TestEachTransportOffersItsOwn(t *testing.T) {
	t.Parallel()
	tools := []string{"web__search", "files__read", "agent__batch"}
	for _, c := range []struct {
		transport    spec.Transport
		completion   func(*spec.Run)
		offered      []string
		choice       llm.ToolChoice
		offeredFinal []string
		choiceFinal  llm.ToolChoice
	}{
		{spec.TransportNative, nil, append(tools, spec.TaskStatusTool, spec.FinalReportTool), "required", []string{spec.FinalReportTool}, "required"},
		{spec.TransportXMLFinal, nil, append(tools, spec.TaskStatusTool), "auto", nil, ""},
		{spec.TransportXML, nil, nil, "", nil, ""},
		{spec.TransportNative, textOnly, append(tools, spec.TaskStatusTool), "required", nil, ""},
		{spec.TransportXMLFinal, textOnly, append(tools, spec.TaskStatusTool), "auto", nil, ""},
		{spec.TransportXML, textOnly, nil, "", nil, ""},
	} {
		run := newRun(c.transport, batch, func(r *spec.Run) { r.ToolChoice = llm.ToolChoiceRequired })
		if c.completion != nil {
			c.completion(run)
		}
		r := request(t, run, newAsk(run))
		same(t, c.offered, names(r.Tools))
		same(t, c.choice, r.ToolChoice)
		same(t, "You are helpful.", r.System)
		r = request(t, run, finalAsk(run))
		same(t, c.offeredFinal, names(r.Tools))
		same(t, c.choiceFinal, r.ToolChoice)
		same(t, "You are helpful.", r.System)
		report := strings.Contains(tailOf(r), "<ai-agent-"+nonce+"-FINAL format=\"markdown\">")
		if want := c.transport != spec.TransportNative && c.completion == nil; report != want {
			t.Errorf("%s: the last turn names the report's tag: %v, want %v", c.transport, report, want)
		}
		if strings.Contains(tailOf(r), nonce+"-0003") || strings.Contains(tailOf(r), "PROGRESS") || strings.Contains(tailOf(r), "web__search") {
			t.Errorf("%s: the last turn offers more than the report:\n%s", c.transport, tailOf(r))
		}
	}
}

func names(tools []llm.Tool) []string {
	var out []string
	for i := range tools {
		out = append(out, tools[i].Name)
	}
	return out
}

// contract: X1
func TestTheEstimatesCountByteForByteWhatGoesOut(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		for _, change := range []func(*spec.Run){func(*spec.Run) {}, batch, textOnly, withJSON, withSlack, withSchema(`{"type":"object"}`)} {
			run := newRun(transport, change)
			ts := newTools(t, run)
			for _, ask := range []*Ask{newAsk(run), finalAsk(run)} {
				ask.Notices = []Notice{{Slug: SlugEmpty, Detail: "why"}}
				r := request(t, run, ask)
				var sent, definitions int64
				for _, m := range r.Tail {
					sent += int64(len(m.Content()))
				}
				for i := range r.Tools {
					definitions += int64(len(r.Tools[i].Name) + len(r.Tools[i].Description) + len(r.Tools[i].Parameters))
				}
				listed := int64(len(ts.listing(ask)))
				same(t, sent, int64(len(ask.tail()))+listed)
				same(t, MessageTokens(sent-listed), ask.TailTokens())
				same(t, Tokens(listed+definitions), ts.SchemaTokens(ask.Final))
			}
		}
	}
}

func TestSlotNumbersGrowBeyondFourDigits(t *testing.T) {
	t.Parallel()
	run := newRun(spec.TransportXML)
	ask := newAsk(run)
	ask.Slot = 9999
	if tail := tailOf(request(t, run, ask)); !strings.Contains(tail, "9999 to 10002") {
		t.Error(tail)
	}
	o := Observe(newTools(t, run), ask, said(slot("10001", "web__search", `{"q":"x"}`)), stopped)
	same(t, nonce+"-10001", only(t, &o).ID)
}

func TestAToolsetThatCannotWorkIsRefused(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*spec.Run){
		"transport":             func(r *spec.Run) { r.Transport = "smoke" },
		"is taken":              func(r *spec.Run) { r.Tools[0].Name = spec.BatchTool },
		`"files__read" is take`: func(r *spec.Run) { r.Tools[0].Name = "files__read" },
		"parameters":            func(r *spec.Run) { r.Tools[0].Parameters = []byte(`{"type":"nonsense"}`) },
		"report schema":         withSchema(`{"$ref":"http://example.com/x"}`),
		"read schema":           withSchema(`{`),
	} {
		_, err := NewToolset(newRun(spec.TransportNative, change))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error about %q", err, want)
		}
	}
}
