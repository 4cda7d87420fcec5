package sim

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
)

// race is two things that come in at the same moment. Both orders must be met,
// and in both every promise must hold; ends says how the session may look
// afterwards when the first, or the second, came first.
type race struct {
	name string
	// first and second find the two inputs in the journal.
	first, second func(body kernel.InputBody) bool
	script        string
	// ends are the status and the last reason, for either order.
	ends [2]string
}

func isInput[B kernel.InputBody](body kernel.InputBody) bool {
	_, ok := body.(B)
	return ok
}

// receiptOf finds the receipt of an effect of one class.
func receiptOf(has func(*kernel.Receipt) bool) func(kernel.InputBody) bool {
	return func(body kernel.InputBody) bool {
		r, ok := body.(*kernel.Receipt)
		return ok && has(r)
	}
}

func generated(r *kernel.Receipt) bool { return r.Generated != nil }
func toolDone(r *kernel.Receipt) bool  { return r.Tool != nil }
func timerFired(r *kernel.Receipt) bool {
	return r.Timer != nil
}

func prompted(text string) func(kernel.InputBody) bool {
	m := journal.RefOf([]byte(`{"role":"user","parts":[{"kind":"text","text":"` + text + `"}]}`))
	return func(body kernel.InputBody) bool {
		p, ok := body.(*kernel.Prompt)
		return ok && p.Content.Ref == m
	}
}

func result(text string) func(kernel.InputBody) bool {
	ref := journal.RefOf([]byte(text))
	return func(body kernel.InputBody) bool {
		r, ok := body.(*kernel.ToolResult)
		return ok && r.Content.Ref == ref
	}
}

// session is a script with one agent and these tools.
func session(tools, limits, rest string) string {
	return `{"seed":1,"nonce":"042a424c","agents":[{"targets":[{"provider":"p","model":"m","window":6000,"max_output":1000}],
		"limits":{"max_turns":4,"max_retries":2` + limits + `},"format":"text","transport":"native","tools":[` + tools + `]}],` + rest + `}`
}

const (
	local  = `{"name":"read","parameters":{"type":"object"},"kind":"local"}`
	remote = `{"name":"ask_user","parameters":{"type":"object"},"kind":"remote"}`
	// call makes the model call one tool, both two.
	callRead   = `{"kind":"calls","after":100,"finish":"tool_calls","blocks":[{"kind":"tool_call","id":"c1","name":"read","text":"{}"}]}`
	callRemote = `{"kind":"calls","after":100,"finish":"tool_calls","blocks":[{"kind":"tool_call","id":"c1","name":"ask_user","text":"{}"}]}`
	callTwo    = `{"kind":"calls","after":100,"finish":"tool_calls","blocks":[` +
		`{"kind":"tool_call","id":"c1","name":"read","text":"{}"},{"kind":"tool_call","id":"c2","name":"read","text":"{}"}]}`
)

// races are those of two inputs. Races of processes (a lease that is taken
// over, a host that closes) and of listeners are tested where these are: in
// store/storetest, host and the root.
func races() []race {
	done, aborted := "completed", "error aborted"
	return []race{
		{
			name: "two prompts", first: prompted("one"), second: prompted("two"),
			script: session("", "", `"commands":[{"at":0,"do":"prompt","text":"one"},{"at":0,"do":"prompt","text":"two"}]`),
			ends:   [2]string{done, done},
		},
		{
			name: "an abort and the answer of a model", first: isInput[*kernel.Abort], second: receiptOf(generated),
			script: session("", "", `"commands":[{"at":0,"do":"prompt","text":"one"},{"at":500,"do":"abort"}]`),
			ends:   [2]string{aborted, done},
		},
		{
			name: "an abort and the result of a tool", first: isInput[*kernel.Abort], second: receiptOf(toolDone),
			script: session(local, "", `"commands":[{"at":0,"do":"prompt","text":"one"},{"at":300,"do":"abort"}],
				"replies":[`+callRead+`],"conducts":[{"kind":"ok","text":"fine","after":200}]`),
			ends: [2]string{aborted, aborted},
		},
		{
			name: "an abort and a result from outside", first: isInput[*kernel.Abort], second: isInput[*kernel.ToolResult],
			script: session(remote, "", `"commands":[{"at":0,"do":"prompt","text":"one"},{"at":300,"do":"abort"}],
				"replies":[`+callRemote+`],"answers":[{"at":200,"do":"result","text":"yes"}]`),
			ends: [2]string{aborted, aborted},
		},
		{
			name: "a stop and the last result", first: isInput[*kernel.Stop], second: receiptOf(toolDone),
			script: session(local, "", `"commands":[{"at":0,"do":"prompt","text":"one"},{"at":300,"do":"stop"}],
				"replies":[`+callRead+`],"conducts":[{"kind":"ok","text":"fine","after":200}]`),
			ends: [2]string{done, done},
		},
		{
			name: "a result from outside and its deadline", first: isInput[*kernel.ToolResult], second: receiptOf(timerFired),
			script: session(remote, `,"remote_tool_timeout_ms":200`, `"commands":[{"at":0,"do":"prompt","text":"one"}],
				"replies":[`+callRemote+`],"answers":[{"at":200,"do":"result","text":"yes"}]`),
			ends: [2]string{done, done},
		},
		{
			name: "a result and the same call's other result", first: result("yes"), second: result("no"),
			script: session(remote, "", `"commands":[{"at":0,"do":"prompt","text":"one"},{"at":300,"do":"result","text":"no"}],
				"replies":[`+callRemote+`],"answers":[{"at":200,"do":"result","text":"yes"}]`),
			ends: [2]string{done, done},
		},
		{
			name: "a word in between and the end of a batch", first: isInput[*kernel.Steer], second: receiptOf(toolDone),
			script: session(local, "", `"commands":[{"at":0,"do":"prompt","text":"one"},{"at":300,"do":"steer","text":"wait"}],
				"replies":[`+callRead+`],"conducts":[{"kind":"ok","text":"fine","after":200}]`),
			ends: [2]string{done, done},
		},
		{
			name: "the next prompt and the end of a run", first: prompted("two"), second: receiptOf(generated),
			script: session("", "", `"commands":[{"at":0,"do":"prompt","text":"one"},{"at":500,"do":"prompt","text":"two"}]`),
			ends:   [2]string{done, done},
		},
		{
			name: "a word in between and the end of a run", first: isInput[*kernel.Steer], second: receiptOf(generated),
			script: session("", "", `"commands":[{"at":0,"do":"prompt","text":"one"},{"at":500,"do":"steer","text":"two"}]`),
			ends:   [2]string{done, done},
		},
		{
			name: "another configuration and the start of a run", first: isInput[*kernel.SetConfig], second: prompted("one"),
			script: strings.Replace(session("", "", `"commands":[{"at":10,"do":"set_config","agent":2},{"at":10,"do":"prompt","text":"one"}]`),
				`"agents":[`, `"agents":[{"targets":[{"provider":"q","model":"other"}],"format":"text","transport":"native"},`, 1),
			ends: [2]string{done, done},
		},
		{
			name: "a result that is too much and the other result", first: receiptOf(large), second: receiptOf(small),
			script: session(local, `,"tool_response_max_bytes":-1`, `"commands":[{"at":0,"do":"prompt","text":"one"}],
				"replies":[`+callTwo+`],"conducts":[{"kind":"ok","text":"@flood:40000@","after":200},{"kind":"ok","text":"fine","after":200}]`),
			ends: [2]string{done, done},
		},
		{
			name: "an abort and the end of a wait", first: isInput[*kernel.Abort], second: receiptOf(timerFired),
			script: session("", "", `"commands":[{"at":0,"do":"prompt","text":"one"},{"at":1100,"do":"abort"}],
				"replies":[{"kind":"rate_limit","after":100,"finish":"error","error":{"class":"rate_limit","message":"slow down"}}]`),
			ends: [2]string{aborted, aborted},
		},
		{
			name: "a decision and its deadline", first: isInput[*kernel.Decision], second: receiptOf(timerFired),
			script: session(`{"name":"read","parameters":{"type":"object"},"kind":"local","approval":true}`, `,"remote_tool_timeout_ms":200`,
				`"commands":[{"at":0,"do":"prompt","text":"one"}],"replies":[`+callRead+`],"answers":[{"at":200,"do":"allow"}]`),
			ends: [2]string{done, done},
		},
	}
}

func large(r *kernel.Receipt) bool { return r.Tool != nil && r.Tool.Output.Bytes > 1000 }
func small(r *kernel.Receipt) bool { return r.Tool != nil && r.Tool.Output.Bytes <= 1000 }

// contract: S6, S10, S11, R10, T7, P4
func TestRacesHoldInBothOrders(t *testing.T) {
	t.Parallel()
	for _, r := range races() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			script := new(Script)
			if err := json.Unmarshal([]byte(r.script), script); err != nil {
				t.Fatal(err)
			}
			var met [2]bool
			for order := range uint64(64) {
				out := play(script, options{order: order})
				for _, v := range out.Violations {
					t.Errorf("order %d: %s", order, v)
				}
				won, ok := r.winner(t, out.Archive)
				if !ok {
					t.Fatalf("order %d: neither came in", order)
				}
				met[won] = true
				if got := ended(t, out); got != r.ends[won] {
					t.Errorf("order %d, number %d first: %q, want %q", order, won+1, got, r.ends[won])
				}
			}
			if !met[0] || !met[1] {
				t.Errorf("orders met: %v", met)
			}
		})
	}
}

// winner says which of the two came first.
func (r *race) winner(t *testing.T, a *journal.Archive) (int, bool) {
	t.Helper()
	order := make([]int, 0, 2)
	for i := range a.Frames {
		body, err := kernel.DecodeInput(a.Frames[i].Input)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case r.first(body):
			order = append(order, 0)
		case r.second(body):
			order = append(order, 1)
		}
	}
	if len(order) == 0 {
		return 0, false
	}
	return order[0], true // a timer that lost never fires
}

// ended is the status and, of a failure, the last reason.
func ended(t *testing.T, out *Outcome) string {
	t.Helper()
	text := out.Status
	for i := range out.Archive.Frames {
		facts, err := kernel.DecodeFacts(&out.Archive.Frames[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range facts {
			if end, ok := f.(*kernel.RunEnd); ok {
				text = strings.TrimSpace(end.Status + " " + end.Reason)
			}
		}
	}
	return text
}
