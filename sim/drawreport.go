package sim

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// reporting gives the report in the way that the transport asks for, mostly.
func (a author) reporting() Reply {
	r := Reply{Kind: "report"}
	if a.percent(20) {
		r.Blocks = append(r.Blocks, thought("done, I think"))
	}
	if a.percent(15) { // a report beside calls
		r.Kind = "report and calls"
		r.Blocks = append(r.Blocks, a.call(0))
	}
	switch native := a.agent.Transport == spec.TransportNative; {
	case a.agent.Completion.IsText() && a.percent(70):
		r.Blocks = append(r.Blocks, text(a.content(false)))
	case native == a.percent(85):
		r.Blocks = append(r.Blocks, a.reportCall(2))
		if a.percent(10) {
			r.Blocks = append(r.Blocks, a.reportCall(3))
		}
	default:
		r.Blocks = append(r.Blocks, text(a.reportTag()))
	}
	return r
}

// content is the report's content as text, fit for the agent's format unless it
// is to be wrong.
func (a author) content(wrong bool) string {
	switch a.agent.Format {
	case spec.FormatJSON:
		if wrong {
			return oneOf(a.chance, `{"answer":7,"extra":true}`, `{"score":1}`, `[]`, `no json`, `{"answer":"x"`, `"{\"answer\":\"nested\"}"`)
		}
		return oneOf(a.chance, `{"answer":"yes"}`, `{"answer":"yes","score":2}`, `{"answer":"yes","score":"2"}`)
	case spec.FormatSlack:
		if wrong {
			return oneOf(a.chance, `[]`, `{"messages":[]}`, `[{"blocks":[]}]`, `{`, `7`)
		}
		return oneOf(a.chance, `[{"blocks":[{"type":"section","text":{"type":"mrkdwn","text":"*yes*"}}]}]`, `plain **words**`,
			`{"messages":[{"blocks":[{"type":"divider"},{"type":"header","text":"yes"}]}]}`)
	default:
		if wrong {
			return oneOf(a.chance, "", " \n", "@bad@")
		}
		return oneOf(a.chance, "the answer", "# The answer\n\nyes", "@flood:3000@", `{"answer":"json in text"}`)
	}
}

// reportCall is a report by tool call, in any of its spellings.
func (a author) reportCall(n int) Block {
	content := a.content(a.percent(25))
	var fields []string
	add := func(key, value string) { fields = append(fields, strconv.Quote(key)+":"+value) }
	quoted := func(s string) string { return string(llm.MustMarshalJSON(s)) }
	switch {
	case a.percent(6): // nothing in it
	case a.agent.Format == spec.FormatJSON && a.percent(70):
		add("content_json", content)
	case a.agent.Format == spec.FormatSlack && a.percent(70):
		add("messages", oneOf(a.chance, content, quoted(content)))
	case a.percent(10):
		add("report_content", quoted(base64.StdEncoding.EncodeToString([]byte(content))))
		add("encoding", `"base64"`)
	default:
		add(oneOf(a.chance, "report_content", "content"), quoted(content))
	}
	if a.percent(85) {
		add(oneOf(a.chance, "report_format", "format"), quoted(string(a.agent.Format)))
	} else {
		add("report_format", oneOf(a.chance, `"json"`, `"text"`, `"poem"`, `7`))
	}
	if a.percent(20) {
		add("status", oneOf(a.chance, `"success"`, `"failure"`, `"partial"`))
		add("metadata", `{"status":"x","format":"y"}`)
	}
	return Block{
		Kind: llm.DeltaToolCall, ID: callID(n), Text: "{" + strings.Join(fields, ",") + "}",
		Name: oneOf(a.chance, spec.FinalReportTool, spec.FinalReportTool, "agent_final_report", "final_report", "agent-final-report"),
	}
}

// reportTag is a report by tag, closed or not.
func (a author) reportTag() string {
	format := string(a.agent.Format)
	if a.percent(15) {
		format = oneOf(a.chance, "json", "text", "poem", "")
	}
	open, end := `<ai-agent-@nonce@-FINAL format="`+format+`">`, "</ai-agent-@nonce@-FINAL>"
	if a.percent(10) {
		open = oneOf(a.chance, `<ai-agent-@nonce@-FINAL final format='`+format+`' >`, `<ai-agent-@nonce@-FINAL format=`+format+`>`)
	}
	content := a.content(a.percent(25))
	switch a.in(12) {
	case 0:
		return open + content // not closed
	case 1:
		return "The tag is " + open + "like this" + end + " and now: " + open + content + end
	case 2:
		return open + content + "</ai-agent-00000000-FINAL>"
	case 3:
		return "<ai-agent-00000000-FINAL>" + content + "</ai-agent-00000000-FINAL>" // another session's
	case 4:
		return open + content + end + " that is all " + open
	default:
		return oneOf(a.chance, "", "Here it is:\n") + open + "\n" + content + "\n" + end
	}
}

// workingByTag calls tools by tag.
func (a author) workingByTag(r Reply) Reply {
	r.Kind = "calls by tag"
	var body strings.Builder
	for i := range a.between(1, 4) {
		slot := oneOf(a.chance, "@slot:0@", "@slot:1@", "@slot:2@", "@slot:3@")
		if a.percent(70) {
			slot = []string{"@slot:0@", "@slot:1@", "@slot:2@", "@slot:3@"}[i]
		}
		payload := oneOf(a.chance, `{"city":"Athens"}`, `{"city":"Athens"}`, `{"city":"Athens"`, `{"city":7}`)
		body.WriteString(a.tag(slot, a.toolName(), payload))
	}
	r.Blocks = append(r.Blocks, text(body.String()))
	return r
}

func (a author) tag(slot, tool, payload string) string {
	return `<ai-agent-` + slot + ` tool="` + tool + `">` + payload + `</ai-agent-` + slot + ">\n"
}

// tagging uses tags in every wrong way.
func (a author) tagging() Reply {
	name := a.toolName()
	city := `{"city":"Athens"}`
	body := oneOf(a.chance,
		a.tag("@slot:-1@", name, city),             // a slot that was used
		a.tag("@slot:99@", name, city),             // one that was not offered
		a.tag("00000000-0001", name, city),         // another session's
		a.tag("@slot:0@", "nothing", city),         // no such tool
		a.tag("@slot:0@", name, "not json"),        // no arguments
		`<ai-agent-@slot:0@ tool="`+name+`">`+city, // not closed
		`<ai-agent-@slot:0@ tool="`+name+`">`+city+`</ai-agent-@slot:1@>`,
		"To call a tool I would write `"+a.tag("@slot:0@", name, city)+"` but I will not.",
		`<ai-agent-@nonce@-PROGRESS>{"status":"in-progress","now":"x"}</ai-agent-@nonce@-PROGRESS>`,
		a.tag("@slot:0@", name, city)+a.tag("@slot:0@", name, city),
		"<ai-agent-@nonce@-",
		a.tag("@slot:0@", name, a.reportTag()),
		"<think>"+a.tag("@slot:0@", name, city)+"</think>"+a.tag("@slot:0@", name, city),
		a.reportTag()+a.tag("@slot:0@", name, city),
	)
	r := Reply{Kind: "tags", Blocks: []Block{text(body)}}
	if a.percent(15) {
		r.Blocks = append(r.Blocks, a.call(1))
	}
	return r
}

// leaking writes calls into the text as models do that forget themselves.
func (a author) leaking() Reply {
	name := a.toolName()
	return Reply{Kind: "leaked calls", Blocks: []Block{text(oneOf(a.chance,
		`<tool_call>{"name":"`+name+`","arguments":{"city":"Athens"}}</tool_call>`,
		`Sure. <tools>[{"name":"`+name+`","arguments":{"city":"Athens"}},{"name":"`+name+`"}]</tools>`,
		`<function_call>{"name":"`+name+`","arguments":"{\"city\":\"Athens\"}"}</function_call> and more`,
		`<`+name+`><parameter name="city">Athens</parameter></`+name+`>`,
		`<tool_call>{"name":"final_report","arguments":{"report_content":"leaked"}}</tool_call>`,
		`<tool_call>{"name":"`+name+`"`,
		`<think>hm</think><tool_call>{"name":"`+name+`","arguments":{"city":"Athens"}}</tool_call>`,
	))}}
}
