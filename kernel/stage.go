package kernel

import (
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Stage is a part of a run that another agent plays because the configuration
// says so (contract B5): advisors before the first turn; after the last one the
// agent that the model chose, and then the agent that the work is handed to.
// Each is a child session, so it is as durable as the run itself. Without any
// of them a run is its turns and nothing else.
type Stage string

// The stages.
const (
	StageAdvisor Stage = "advisor"
	StageRouter  Stage = "router"
	StageHandoff Stage = "handoff"
)

// stagePath begins the ids of calls that a stage's agent waits for, where the
// id of a model's call would stand.
const stagePath = "stage-"

// consult asks the advisors, all at once, what the user asked.
func (x *step) consult() {
	r := x.s.Run
	r.Phase = PhaseAdvise
	for i, agent := range r.Config.Advisors {
		r.Advice = append(r.Advice, Inner{ID: BlockAdvice, Tool: agent, OK: true})
		grant, ok := x.share(llm.Money(len(r.Config.Advisors) - i))
		if !ok {
			x.advised(agent, &ChildDone{Error: "the budget does not suffice"})
			continue
		}
		x.startStage(StageAdvisor, agent, grant)
	}
	x.advisedAll()
}

// advised takes what an advisor says. One that fails says so, and that is all.
func (x *step) advised(agent string, c *ChildDone) {
	content := c.Output
	if !c.OK {
		content = x.text("Advisor consultation failed for " + agent + ": " + c.Error)
	}
	for i := range x.s.Run.Advice {
		if in := &x.s.Run.Advice[i]; in.Tool == agent {
			in.Ref, in.Bytes, in.OK = content.Ref, content.Bytes, c.OK
		}
	}
}

// advisedAll begins the first turn once no advisor is at work.
func (x *step) advisedAll() {
	for i := range x.s.Run.Open {
		if x.s.Run.Open[i].Stage == StageAdvisor {
			return
		}
	}
	x.say()
	x.nextTurn()
}

// startStage asks an agent in the name of the run. It gets the user's message
// and, in blocks, what others had to say.
func (x *step) startStage(stage Stage, agent string, grant llm.Money, blocks ...Inner) {
	r := x.s.Run
	child := x.childName()
	id := x.start(&Child{
		Name: agent, Stage: stage, Session: child, Index: -1, Item: -1, Config: r.Config.Ref, Grant: grant,
		Prompt: &Entry{Kind: dialect.ItemUser, Ref: r.Prompt.Ref, Bytes: r.Prompt.Bytes, Inner: blocks},
	}, OpenEffect{Call: -1, Target: -1, Turn: r.Turn, Reserved: grant, Child: child, Stage: stage, Agent: agent})
	x.tell(&StageStart{Effect: id, Stage: stage, Agent: agent, Child: child})
}

// childName is the session of the child that the next effect starts.
func (x *step) childName() string {
	return x.s.Identity.Session + "." + strings.ReplaceAll(effectID(x.s.Seq, len(x.out.Effects)), ".", "-")
}

// stageDone takes the end of an agent that the run asked.
func (x *step) stageDone(o *OpenEffect, c *ChildDone) {
	r := x.s.Run
	switch {
	case r.Ending != nil:
		x.endWhenQuiet()
	case o.Stage == StageAdvisor:
		x.advised(o.Agent, c)
		x.advisedAll()
	case !c.OK:
		x.handoffFailed(o, c)
	case o.Stage == StageRouter && r.Config.Handoff != "":
		x.handOver(o.Agent, c.Payload)
	default:
		x.s.Answered = &Inner{ID: BlockAnswer, Tool: c.Agent, OK: true, Ref: c.Payload, Bytes: c.Output.Bytes}
		x.report(&FinalReport{Source: SourceHandoff, Payload: c.Payload, Agent: c.Agent})
	}
}

func (x *step) handoffFailed(o *OpenEffect, c *ChildDone) {
	reason, code := c.Reason, "handoff_failed"
	if reason == "" {
		reason = ReasonInternal
	}
	if o.Stage == StageRouter {
		code = "router_handoff_failed"
	}
	x.log("ERR", code, o.Agent+": "+c.Error)
	x.fail(reason, "Agent "+o.Agent+", which was to answer, failed: "+c.Error)
}

// route hands the task over to the agent that the model chose.
func (x *step) route(to *dialect.Route) {
	r := x.s.Run
	r.Routed = true
	payload := journal.NewBlob(llm.MustMarshalJSON(&spec.ReportPayload{Format: spec.FormatSubAgent, Content: to.Message}))
	x.out.Blobs = append(x.out.Blobs, payload)
	var blocks []Inner
	if to.Message != "" {
		message := x.text(to.Message)
		blocks = append(blocks, Inner{ID: BlockAdvice, Tool: r.Config.Agent, OK: true, Ref: message.Ref, Bytes: message.Bytes})
	}
	x.pass(StageRouter, r.Config.Agent, to.Agent, payload.Ref, blocks...)
}

// handOver gives a report to the agent that answers after it.
func (x *step) handOver(from string, payload journal.Ref) {
	x.pass(StageHandoff, from, x.s.Run.Config.Handoff, payload, Inner{ID: BlockResponse, Tool: from, OK: true, Ref: payload})
}

func (x *step) pass(stage Stage, from, to string, payload journal.Ref, blocks ...Inner) {
	r := x.s.Run
	r.Batch, r.Phase = nil, PhaseHandoff
	x.tell(&Handoff{Turn: r.Turn, Stage: stage, From: from, To: to, Payload: payload})
	var grant llm.Money
	if r.Config.Limits.MaxCost > 0 || r.Config.Limits.MaxSessionCost > 0 {
		if grant = x.left(); grant <= 0 {
			x.fail(ReasonBudget, "The budget does not suffice for agent "+to+", which was to answer.")
			return
		}
	}
	x.startStage(stage, to, grant, blocks...)
}
