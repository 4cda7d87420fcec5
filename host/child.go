package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/transcript"
)

// A child is a session like any other. Nobody waits for it: when it ends, or
// waits for the outside itself, its actor puts that into the parent's inbox.
// Everything is keyed by the parent's effect, so doing it again after a crash
// does nothing twice.

// maxDepth bounds chains of agents that call agents.
const maxDepth = 8

// startChild opens the child's session and tells it what to do.
func (a *actor) startChild(id string, c *kernel.Child) {
	parent := a.state.Identity
	prompt, err := a.childPrompt(c)
	var agent *spec.Agent
	if err == nil {
		agent, err = a.childAgent(c)
	}
	a.h.wg.Go(func() {
		if err == nil {
			err = a.h.spawn(a.key, parent, id, c, agent, prompt)
		}
		if err != nil && a.h.ctx.Err() == nil {
			a.h.childFailed(a.key, id, c.Session, err.Error())
		}
	})
}

// childAgent finds the agent that a tool stands for. An agent that is already
// in the chain of callers is refused.
func (a *actor) childAgent(c *kernel.Child) (*spec.Agent, error) {
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
	path := strings.Split(a.state.Identity.CallPath, ":")
	if slices.Contains(path, name) {
		return nil, fmt.Errorf("recursion refused: agent %s is already running in %s", name, a.state.Identity.CallPath)
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

func (h *Host) spawn(
	parent journal.Key, id kernel.Identity, effect string, c *kernel.Child, agent *spec.Agent, prompt *llm.Message,
) error {
	key := journal.Key{Tenant: parent.Tenant, Session: c.Session}
	identity := kernel.Identity{
		Tenant: key.Tenant, Session: key.Session, Parent: parent.Session, Origin: id.Origin,
		CallPath: id.CallPath + ":" + agent.ID, ParentEffect: effect,
		Master: id.Master && answers(c.Stage), User: id.User,
	}
	// A child that exists already was opened before a crash, maybe by another
	// version of its agent: it is the one.
	if err := h.openAs(h.ctx, key, agent, Opening{Key: "open"}, identity); err != nil && !errors.Is(err, store.ErrKeyReused) {
		return err
	}
	content, blob := UserContent(prompt)
	if _, err := h.Send(h.ctx, key, Command{
		Key: "prompt", Body: &kernel.Prompt{Content: content}, Blobs: []journal.Blob{blob},
	}); err != nil && !errors.Is(err, store.ErrKeyReused) {
		return err
	}
	// After a crash the child may have ended before its end was told; its
	// actor looks to that when it wakes.
	return h.Wake(key)
}

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

// tellParent looks for news in what was just made durable and passes it on.
func (a *actor) tellParent(outputs []kernel.Output) {
	var report *kernel.FinalReport
	for i := range outputs {
		for _, fact := range outputs[i].Facts {
			switch f := fact.(type) {
			case *kernel.FinalReport:
				report = f
			case *kernel.RunEnd:
				a.childEnded(report, f)
			case *kernel.Awaiting:
				a.toParent("waits:"+fmt.Sprint(a.state.Seq),
					&kernel.ChildWaits{Effect: a.state.Identity.ParentEffect, Calls: f.Calls}, a.messages(f.Calls)...)
			}
		}
	}
}

// messages returns the messages that make the calls, so that whoever is told of
// the calls can read their arguments.
func (a *actor) messages(calls []kernel.PendingCall) []journal.Blob {
	var blobs []journal.Blob
	for _, c := range calls {
		if slices.ContainsFunc(blobs, func(b journal.Blob) bool { return b.Ref == c.Output }) {
			continue
		}
		if data, err := a.project.blob(c.Output); err == nil {
			blobs = append(blobs, journal.Blob{Ref: c.Output, Data: data})
		}
	}
	return blobs
}

// retell tells the parent again where this child stands, after a crash that may
// have swallowed the news.
func (a *actor) retell() error {
	if a.state.Runs == 0 || a.state.Status() == kernel.StatusRunning {
		return nil
	}
	const back = 16 // the news is in the last frames
	from := max(a.state.Seq-back, 1)
	var outputs []kernel.Output
	for f, err := range a.h.store.Read(a.h.ctx, a.key, uint64(from)) {
		if err != nil {
			return fmt.Errorf("session %s: read journal: %w", a.key, err)
		}
		frame, err := journal.DecodeFrame(f.Data)
		if err != nil {
			return fmt.Errorf("session %s: %w", a.key, err)
		}
		facts, err := kernel.DecodeFacts(&frame)
		if err != nil {
			return fmt.Errorf("session %s: %w", a.key, err)
		}
		outputs = append(outputs, kernel.Output{Facts: facts})
	}
	a.tellParent(outputs)
	return nil
}

// childEnded tells the parent how this child ended.
func (a *actor) childEnded(report *kernel.FinalReport, end *kernel.RunEnd) {
	done := &kernel.ChildDone{Session: a.key.Session, OK: end.OK, Error: end.Error, Reason: end.Reason, Cost: end.Cost, Usage: end.Usage}
	done.Agent = a.state.Identity.Agent
	var blobs []journal.Blob
	if report != nil && end.OK {
		var payload spec.ReportPayload
		data, err := a.project.blob(report.Payload)
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
	a.toParent("end", &kernel.Receipt{
		Effect: a.state.Identity.ParentEffect, LatencyMS: a.state.Time - end.Started, Child: done,
	}, blobs...)
}

// toParent puts news into the parent's inbox, once.
func (a *actor) toParent(what string, body kernel.InputBody, blobs ...journal.Blob) {
	parent := journal.Key{Tenant: a.key.Tenant, Session: a.state.Identity.Parent}
	key := "child:" + a.state.Identity.ParentEffect + ":" + what
	a.h.wg.Go(func() { a.h.tell(parent, key, body, blobs) })
}

// tell puts a command into a session's inbox without waiting for its answer.
func (h *Host) tell(key journal.Key, commandKey string, body kernel.InputBody, blobs []journal.Blob) {
	_, err := h.store.Put(h.ctx, key, store.Item{
		Key: commandKey, At: h.clock.Now(), Record: kernel.EncodeInput(body), Blobs: blobs,
	})
	if err == nil || errors.Is(err, store.ErrKeyReused) {
		_ = h.wake(key) // a host that is closing leaves it to the next
	}
}

func (h *Host) childFailed(parent journal.Key, effect, session, message string) {
	h.tell(parent, "child:"+effect+":end", &kernel.Receipt{
		Effect: effect, Child: &kernel.ChildDone{Session: session, Error: message},
	}, nil)
}

// cancelChild aborts a child. One that never came to be has ended already.
func (a *actor) cancelChild(c *kernel.Cancel) {
	key := journal.Key{Tenant: a.key.Tenant, Session: c.Session}
	a.h.wg.Go(func() {
		_, err := a.h.Send(a.h.ctx, key, Command{
			Key: "cancel", Body: &kernel.Abort{Message: "The calling agent ended this one."},
		})
		var refused *Refused
		if err != nil && !errors.As(err, &refused) && a.h.ctx.Err() == nil {
			a.h.childFailed(a.key, c.Effect, c.Session, "aborted")
		}
	})
}

// forward passes a command on to a child.
func (a *actor) forward(id string, f *kernel.Forward) {
	key := journal.Key{Tenant: a.key.Tenant, Session: f.Session}
	var blobs []journal.Blob
	for _, ref := range f.Blobs {
		data, err := a.project.blob(ref)
		if err != nil {
			continue // the child will be told that its call has no result
		}
		blobs = append(blobs, journal.Blob{Ref: ref, Data: data})
	}
	a.h.wg.Go(func() {
		if body, err := kernel.DecodeInput(f.Command); err == nil {
			a.h.tell(key, "forward:"+a.key.Session+":"+id, body, blobs)
		}
		if a.h.ctx.Err() == nil {
			a.deliver(delivery{receipt: &kernel.Receipt{Effect: id, Forward: &kernel.Forwarded{}}})
		}
	})
}
