package host

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/transcript"
)

// A child is a session like any other. What a session has to say to another one,
// a parent to its child or a child to its parent, it says in letters that become
// durable together with the frame that they follow from: no crash can come
// between. Nobody waits for a child, and nothing has to be said again.

// maxDepth bounds chains of agents that call agents.
const maxDepth = 8

// postman collects the letters of one append. The identity is the session's.
type postman struct {
	a  *actor
	id *kernel.Identity
	// seq is the frame that is being looked at.
	seq     uint64
	letters []store.Letter
}

// write adds a letter. Its key makes it count once.
func (p *postman) write(to, key string, create bool, body kernel.InputBody, blobs ...journal.Blob) {
	p.letters = append(p.letters, store.Letter{To: to, Item: store.Item{
		Key: key, At: p.a.h.clock.Now(), Create: create, Record: kernel.EncodeInput(body), Blobs: blobs,
	}})
}

// collect writes the letters that follow from what was stepped.
func (p *postman) collect(outputs []kernel.Output) {
	var report *kernel.FinalReport
	for i := range outputs {
		p.seq = p.a.work.frames[i].Seq
		if p.id.Parent != "" {
			for _, fact := range outputs[i].Facts {
				p.tellParent(fact, &report)
			}
		}
		for _, e := range outputs[i].Effects {
			switch body := e.Body.(type) {
			case *kernel.Child:
				p.startChild(e.ID, body)
			case *kernel.Forward:
				p.forward(e.ID, body)
			case *kernel.Cancel:
				if body.Session != "" {
					p.write(body.Session, "cancel", false, &kernel.Abort{Message: "The calling agent ended this one."})
				}
			}
		}
	}
}

// startChild opens the child's session and tells it what to do. One that cannot
// be started has ended with that.
func (p *postman) startChild(id string, c *kernel.Child) {
	prompt, err := p.a.childPrompt(c)
	var agent *spec.Agent
	if err == nil {
		agent, err = p.childAgent(c)
	}
	var open Command
	if err == nil {
		open, err = p.a.h.opening(agent, Opening{Key: "open"}, kernel.Identity{
			Tenant: p.id.Tenant, Session: c.Session, Parent: p.id.Session, Origin: p.id.Origin,
			CallPath: p.id.CallPath + ":" + agent.ID, ParentEffect: id, Master: p.id.Master && answers(c.Stage), User: p.id.User,
		})
	}
	if err != nil {
		p.write(p.id.Session, childKey(id, "end"), false, &kernel.Receipt{
			Effect: id, Child: &kernel.ChildDone{Session: c.Session, Error: err.Error()},
		})
		return
	}
	p.write(c.Session, open.Key, true, open.Body, open.Blobs...)
	content, blob := UserContent(prompt)
	p.write(c.Session, "prompt", false, &kernel.Prompt{Content: content}, blob)
}

// childKey is the key of news of a child: what there is to tell is told once.
func childKey(effect, what string) string { return "child:" + effect + ":" + what }

// childAgent finds the agent that a tool stands for. An agent that is already
// in the chain of callers is refused.
func (p *postman) childAgent(c *kernel.Child) (*spec.Agent, error) {
	a := p.a
	rc, err := a.project.config(c.Config)
	if err != nil {
		return nil, err
	}
	name := c.Name
	if c.Stage == "" {
		i := slices.IndexFunc(rc.run.Tools, func(t spec.Tool) bool { return t.Name == c.Name })
		if i < 0 {
			return nil, fmt.Errorf("tool %s is not in the run's configuration", c.Name)
		}
		name = rc.run.Tools[i].Agent
	}
	path := strings.Split(p.id.CallPath, ":")
	if slices.Contains(path, name) {
		return nil, fmt.Errorf("recursion refused: agent %s is already running in %s", name, p.id.CallPath)
	}
	if len(path) >= maxDepth {
		return nil, fmt.Errorf("agents are nested deeper than %d", maxDepth)
	}
	a.h.mu.Lock()
	defer a.h.mu.Unlock()
	agent := a.h.agents[name]
	if agent == nil {
		return nil, fmt.Errorf("agent %s is not available in this process", name)
	}
	copied := *agent
	adopt(&copied, c, rc.run)
	return &copied, nil
}

// adopt gives a child's agent what it has from its parent: its share of the
// budget, the budgets of user and tenant and, where it answers in the parent's
// place, the form that was asked of the parent.
func adopt(agent *spec.Agent, c *kernel.Child, parent *spec.Run) {
	l := &agent.Limits
	if c.Grant > 0 && (l.MaxCost == 0 || c.Grant < l.MaxCost) {
		l.MaxCost = c.Grant
	}
	l.MaxUserCost, l.MaxTenantCost = parent.Limits.MaxUserCost, parent.Limits.MaxTenantCost
	if answers(c.Stage) {
		agent.Format, agent.Schema = parent.Format, parent.Schema
	}
}

// answers says that a stage's agent answers in the place of its parent.
func answers(s kernel.Stage) bool { return s == kernel.StageRouter || s == kernel.StageHandoff }

// childPrompt is what a child is asked.
func (a *actor) childPrompt(c *kernel.Child) (*llm.Message, error) {
	if c.Prompt != nil {
		return transcript.Message(c.Prompt, a.project.blob) //nolint:wrapcheck // it says what could not be read
	}
	args, err := a.project.arguments(&kernel.Tool{Output: c.Output, Index: c.Index, Item: c.Item, Args: c.Args})
	m := llm.Text(llm.RoleUser, promptOf(args))
	return &m, err
}

// promptOf is the prompt that the caller wrote, or all of its parameters where
// the agent has a schema of its own.
func promptOf(args json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(args, &fields) != nil {
		return string(args)
	}
	var prompt string
	if json.Unmarshal(fields["prompt"], &prompt) == nil && prompt != "" {
		return prompt
	}
	delete(fields, "reason")
	return string(llm.MustMarshalJSON(fields))
}

// tellParent passes news of this child on.
func (p *postman) tellParent(fact kernel.Fact, report **kernel.FinalReport) {
	switch f := fact.(type) {
	case *kernel.FinalReport:
		*report = f
	case *kernel.RunEnd:
		p.childEnded(*report, f)
	case *kernel.Awaiting:
		p.write(p.id.Parent, childKey(p.id.ParentEffect, "waits:"+strconv.FormatUint(p.seq, 10)), false,
			&kernel.ChildWaits{Effect: p.id.ParentEffect, Calls: f.Calls}, p.messages(f.Calls)...)
	}
}

// messages returns the messages that make the calls, so that whoever is told of
// the calls can read their arguments.
func (p *postman) messages(calls []kernel.PendingCall) []journal.Blob {
	var blobs []journal.Blob
	for _, c := range calls {
		if slices.ContainsFunc(blobs, func(b journal.Blob) bool { return b.Ref == c.Output }) {
			continue
		}
		if data, err := p.a.project.blob(c.Output); err == nil {
			blobs = append(blobs, journal.Blob{Ref: c.Output, Data: data})
		}
	}
	return blobs
}

// childEnded tells the parent how this child ended.
func (p *postman) childEnded(report *kernel.FinalReport, end *kernel.RunEnd) {
	done := &kernel.ChildDone{
		Session: p.id.Session, OK: end.OK, Agent: p.id.Agent, Error: end.Error, Reason: end.Reason, Cost: end.Cost, Usage: end.Usage,
	}
	var blobs []journal.Blob
	if report != nil && end.OK {
		var payload spec.ReportPayload
		data, err := p.a.project.blob(report.Payload)
		if err == nil {
			err = json.Unmarshal(data, &payload)
		}
		if err != nil {
			done.OK, done.Error = false, err.Error()
		} else {
			text := []byte(clean(payload.Text()))
			blob := journal.NewBlob(text)
			done.Output = kernel.Content{Ref: blob.Ref, Bytes: int64(len(text))}
			done.Payload = report.Payload
			blobs = append(blobs, blob, journal.Blob{Ref: report.Payload, Data: data})
			if report.Agent != "" {
				done.Agent = report.Agent
			}
		}
	}
	p.write(p.id.Parent, childKey(p.id.ParentEffect, "end"), false, &kernel.Receipt{
		Effect: p.id.ParentEffect, LatencyMS: p.a.work.state.Time - end.Started, Child: done,
	}, blobs...)
}

// forward passes a command on to a child.
func (p *postman) forward(id string, f *kernel.Forward) {
	body, err := kernel.DecodeInput(f.Command)
	if err != nil {
		return // nothing that we encoded is like this
	}
	var blobs []journal.Blob
	for _, ref := range f.Blobs {
		data, err := p.a.project.blob(ref)
		if err != nil {
			continue // the child will be told that its call has no result
		}
		blobs = append(blobs, journal.Blob{Ref: ref, Data: data})
	}
	p.write(f.Session, "forward:"+p.id.Session+":"+id, false, body, blobs...)
}

// deliverLetters wakes those whom letters were written to.
func (p *postman) deliverLetters() {
	for i := range p.letters {
		_ = p.a.h.wake(journal.Key{Tenant: p.id.Tenant, Session: p.letters[i].To}) // a host that is closing leaves it to the next
	}
}
