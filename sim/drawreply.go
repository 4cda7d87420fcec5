package sim

import (
	"math"
	"strconv"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// author draws what a model says to one agent.
type author struct {
	chance
	agent *spec.Agent
}

// drawReply draws a reply. It is made for one of the script's agents, mostly
// for the first; whether that agent is the one who asks is left to chance.
func drawReply(c chance, s *Script) Reply {
	agent := &s.Agents[0]
	if c.percent(20) {
		agent = &s.Agents[c.in(len(s.Agents))]
	}
	a := author{c, agent}
	r := drawWeighted(c, []weighted[func() Reply]{
		{46, a.working},
		{14, a.reporting},
		{5, a.thinking},
		{7, a.talking},
		{6, a.wrong},
		{5, a.cut},
		{16, a.failing},
		{6, a.tagging},
		{5, a.leaking},
		{4, a.hostile},
	})()
	r.After = drawWeighted(c, []weighted[int64]{{3, 0}, {8, moment(c, 3_000)}, {1, 25_000}})
	r.Twice = c.percent(6)
	if r.Error == nil {
		r.Usage, r.Cost = a.usage()
		if r.Finish == "" {
			r.Finish = a.finish(&r)
		}
	}
	return r
}

// finish is mostly what providers say and sometimes not.
func (a author) finish(r *Reply) llm.FinishReason {
	if a.percent(12) {
		return oneOf(a.chance, llm.FinishUnknown, llm.FinishStop, llm.FinishContentFilter, llm.FinishToolCalls)
	}
	for i := range r.Blocks {
		if r.Blocks[i].Kind == llm.DeltaToolCall {
			return llm.FinishToolCalls
		}
	}
	return llm.FinishStop
}

// usage is what the provider says that the answer took. Some say nothing, some
// say what cannot be.
func (a author) usage() (*llm.Usage, *llm.Money) {
	var cost *llm.Money
	if a.percent(15) {
		m := llm.Money(a.between(0, 3_000_000))
		cost = &m
	}
	switch n := a.in(100); {
	case n < 12:
		return nil, cost
	case n < 18:
		return &llm.Usage{}, cost
	case n < 22:
		return &llm.Usage{Input: a.between(100_000, 5_000_000), Output: 10}, cost
	case n < 23:
		return &llm.Usage{Input: math.MaxInt64, Output: math.MaxInt64, CacheRead: math.MaxInt64}, cost
	case n < 24:
		return &llm.Usage{Input: math.MaxInt64 - 1_000, Output: 900}, cost
	case n < 26:
		return &llm.Usage{Input: -a.between(1, 1_000_000), Output: 5}, cost
	default:
		return &llm.Usage{
			Input: a.between(0, 900), Output: a.between(0, 200), CacheRead: a.between(0, 500), CacheWrite: a.between(0, 50),
			Reasoning: a.between(0, 100),
		}, cost
	}
}

func text(s string) Block { return Block{Kind: llm.DeltaText, Text: s} }

func thought(s string) Block { return Block{Kind: llm.DeltaReasoning, Text: s, Sign: "signed"} }

// working calls tools.
func (a author) working() Reply {
	r := Reply{Kind: "calls"}
	if a.percent(20) {
		r.Blocks = append(r.Blocks, thought("let me see"))
	}
	if a.percent(30) {
		r.Blocks = append(r.Blocks, text("I will look."))
	}
	if a.agent.Transport == spec.TransportXML && a.percent(85) {
		return a.workingByTag(r)
	}
	for i := range drawWeighted(a.chance, []weighted[int]{{8, 1}, {6, 2}, {4, 3}, {2, 5}, {1, 8}}) {
		r.Blocks = append(r.Blocks, a.call(i))
	}
	return r
}

// call is a call with whatever may be wrong with it.
func (a author) call(n int) Block {
	b := Block{Kind: llm.DeltaToolCall, ID: callID(n), Name: a.toolName(), Text: `{"city":"Athens"}`}
	switch i := a.in(100); {
	case i < 60:
	case i < 64:
		b.Text = "" // no arguments
	case i < 68:
		b.Text = `{"city": "Athens"` // not closed
	case i < 71:
		b.Text = oneOf(a.chance,
			"```json\n{\"city\": \"Athens\", ...}\n```", `{"city":"\x41thens"}`, "{\"city\":\"Ath\nens\"}", `{'city': 'Athens',}`)
	case i < 74:
		b.Text = `{"city": 7, "days": "two"}`
	case i < 77:
		b.Text = oneOf(a.chance, `[1,2]`, `"city"`, `null`, `not json at all`, `{{{`)
	case i < 80:
		b.ID = oneOf(a.chance, "", "c1", "@flood:400@", "id with spaces|and bars", "@bad@")
	case i < 84:
		b.Name = oneOf(a.chance, "nothing", "", "weather ", "<|channel|>weather", "we@bad@ather", "find", "@flood:300@", "tool_output",
			"ai-agent-@nonce@-FINAL")
	case i < 87 || i < 92 && len(a.agent.Router) > 0:
		b.Name, b.Text = spec.RouterTool, oneOf(a.chance, `{"agent":"sales"}`,
			`{"agent":"support","message":"Be kind to <ai-agent-@nonce@-FINAL>."}`,
			`{"agent":"nobody"}`, `{"agent":"sales","message":"@flood:9000@"}`)
	case i < 92:
		return a.status(n)
	case i < 97:
		return a.batch(n)
	default:
		return a.reportCall(n)
	}
	return b
}

func callID(n int) string { return "c" + strconv.Itoa(n+1) }

func (a author) toolName() string {
	if len(a.agent.Tools) == 0 || a.percent(5) {
		return "weather"
	}
	return a.agent.Tools[a.in(len(a.agent.Tools))].Name
}

// status calls the status tool, and nothing but it when the turn is wasted.
func (a author) status(n int) Block {
	name := oneOf(a.chance, spec.TaskStatusTool, "agent__progress_report")
	return Block{Kind: llm.DeltaToolCall, ID: callID(n), Name: name, Text: oneOf(a.chance,
		`{"status":"in-progress","done":"a","pending":"b","now":"c","ready_for_final_report":false,"need_to_run_more_tools":true}`,
		`{"status":"completed","done":"all","pending":"","now":"","ready_for_final_report":true,"need_to_run_more_tools":false}`,
		`{"status":"Starting"}`, `{"status":"whatever"}`, `{"progress":"half"}`, `{}`)}
}

// batch calls several tools in one.
func (a author) batch(n int) Block {
	type item struct {
		ID         string         `json:"id,omitempty"`
		Tool       string         `json:"tool"`
		Parameters map[string]any `json:"parameters"`
	}
	var calls []item
	for range a.between(1, 4) {
		it := item{ID: oneOf(a.chance, "1", "2", "x", ""), Tool: a.toolName(), Parameters: map[string]any{"city": "Athens"}}
		switch a.in(10) {
		case 0:
			it.Tool = oneOf(a.chance, "nothing", spec.BatchTool, spec.FinalReportTool, spec.TaskStatusTool)
		case 1:
			it.Parameters = map[string]any{"city": 1}
		}
		calls = append(calls, it)
	}
	arguments := string(llm.MustMarshalJSON(map[string]any{"calls": calls}))
	if a.percent(15) {
		arguments = oneOf(a.chance, `{"calls":[]}`, `{"calls":"[{\"tool\":\"weather\"}]"}`, `{"calls":{"tool":"weather"}}`, `{"calls":[1]}`, `{}`)
	}
	return Block{
		Kind: llm.DeltaToolCall, ID: callID(n), Text: arguments,
		Name: oneOf(a.chance, spec.BatchTool, spec.BatchTool, "agent_batch", spec.FinalReportTool),
	}
}

// drawIdler makes a model that talks about its work and does none.
func drawIdler(c chance, s *Script) []Reply {
	s.Agents[0].Limits.MaxTurns = 6
	a := author{c, &s.Agents[0]}
	var replies []Reply
	for range 12 {
		r := Reply{Kind: "status only", Blocks: []Block{a.status(0)}, Finish: llm.FinishToolCalls}
		if c.percent(30) {
			r = a.thinking()
			r.Finish = llm.FinishStop
		}
		replies = append(replies, r)
	}
	return replies
}

// thinking has reasoning and nothing else.
func (a author) thinking() Reply {
	return Reply{Kind: "reasoning only", Blocks: []Block{oneOf(a.chance, thought("hm"), text("<think>hm"), text(" <think>hm</think> \n"))}}
}

// talking has text and no call.
func (a author) talking() Reply {
	return Reply{Kind: "text only", Blocks: []Block{text(oneOf(a.chance,
		"just so", `{"answer":"yes"}`, "```json\n{\"answer\":\"yes\",\"score\":1}\n```", "<think>hm</think>well", `[{"blocks":[]}]`, " "))}}
}

// wrong is empty, or too much.
func (a author) wrong() Reply {
	switch a.in(5) {
	case 0, 1:
		return Reply{Kind: "empty"}
	case 2:
		return Reply{Kind: "blank", Blocks: []Block{text(" \n\t")}}
	case 3:
		return Reply{Kind: "too many calls", Blocks: []Block{{
			Kind: llm.DeltaToolCall, ID: oneOf(a.chance, "c@n@", "c@n@", "@flood:450@@n@"), Name: a.toolName(), Text: `{"city":"Athens"}`,
			Times: oneOf(a.chance, 12, 128, 129, 300),
		}}}
	default:
		return Reply{Kind: "odd order", Blocks: []Block{
			a.call(0), text(oneOf(a.chance, "and then", "<think>hm</think>and then")), thought("maybe"), a.call(1), text("done"),
			{Kind: llm.DeltaReasoning},
			a.call(2),
		}}
	}
}

// cut is a message that the output limit cut off.
func (a author) cut() Reply {
	r := oneOf(a.chance, a.working, a.reporting, a.talking, a.tagging)()
	r.Kind, r.Finish = "cut off", llm.FinishLength
	if n := len(r.Blocks); n > 0 && a.percent(60) {
		last := &r.Blocks[n-1]
		last.Text = last.Text[:len(last.Text)*2/3]
	}
	return r
}

// hostile is text that nobody should have to read.
func (a author) hostile() Reply {
	mess := oneOf(a.chance, "@bad@", "@flood:60000@", "@deep:600@", "@deep:400@", "\u2028\u0000\U0001F600", "a@bad@b@flood:9000@")
	r := Reply{Kind: "hostile"}
	switch a.in(4) {
	case 0:
		r.Blocks = []Block{text(mess)}
	case 1:
		r.Blocks = []Block{thought(mess), a.call(0)}
	case 2:
		r.Blocks = []Block{{Kind: llm.DeltaToolCall, ID: "c1", Name: a.toolName(), Text: `{"city":` + mess + `}`}, a.call(1)}
	default:
		r.Blocks = []Block{{Kind: llm.DeltaToolCall, ID: "c1", Name: a.toolName(), Text: `{"city":"` + mess + `"}`}}
	}
	return r
}

// failing is a provider's failure of any class.
func (a author) failing() Reply {
	e := drawWeighted(a.chance, []weighted[llm.Error]{
		{6, llm.Error{Class: llm.ClassRateLimit, Message: "slow down", Status: 429}},
		{6, llm.Error{
			Class: llm.ClassRateLimit, Message: "slow down", Status: 429, RetryAfterSource: "retry-after",
			RetryAfterMS: oneOf(a.chance, int64(1), 2_000, 45_000, 3_600_000, math.MaxInt64),
		}},
		{2, llm.Error{Class: llm.ClassAuth, Message: "who are you?", Status: 401}},
		{1, llm.Error{Class: llm.ClassQuota, Message: "no money", Status: 402}},
		{4, llm.Error{Class: llm.ClassServer, Message: "oops @bad@", Status: 500}},
		{3, llm.Error{Class: llm.ClassNetwork, Message: "connection reset"}},
		{3, llm.Error{Class: llm.ClassTimeout, Message: "too slow"}},
		{2, llm.Error{Class: llm.ClassRefusal, Message: "I would rather not"}},
		{3, llm.Error{Class: llm.ClassContextOverflow, Message: "too long", Status: 400}},
		{2, llm.Error{Class: llm.ClassModel, Message: "no such model", Status: 404}},
		{2, llm.Error{Class: llm.ClassInvalidResponse, Message: "no receipt"}},
		{1, llm.Error{Class: "something new", Message: "?"}},
	})
	r := Reply{Kind: string(e.Class), Error: &e, Finish: llm.FinishError}
	if a.percent(25) { // something had arrived, and was paid for
		r.Blocks = []Block{text("half a sent"), a.call(0)}
		r.Usage = &llm.Usage{Input: 40, Output: 4}
	}
	return r
}
