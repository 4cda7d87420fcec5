package sim

import (
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// input makes what a command puts into the inbox. Nil means that there is
// nothing to put.
func (w *world) input(s *kernel.State, c *Command) (kernel.InputBody, []journal.Blob) {
	w.count("command " + string(c.Do))
	content := expand(c.Text, &dialect.Ask{Nonce: w.script.Nonce}, 0)
	switch c.Do {
	case DoPrompt, DoSteer:
		return w.say(c, content)
	case DoStop:
		return &kernel.Stop{}, nil
	case DoAbort, DoShutdown:
		return &kernel.Abort{Shutdown: c.Do == DoShutdown, Message: content}, nil
	case DoSetConfig:
		if p := w.prepare(c.Agent); p != nil {
			return &kernel.SetConfig{Config: p.config}, []journal.Blob{p.blob}
		}
		return nil, nil
	case DoReopen:
		p := w.prepare(1)
		return &kernel.Open{Identity: kernel.Identity{Session: "another"}, Nonce: "ffffffff", Config: p.config}, []journal.Blob{p.blob}
	case DoResult, DoFailure, DoAllow, DoDeny:
		return w.answer(s, c, content)
	case DoForeign:
		return foreign(c), nil
	case DoMisfit:
		return misfit(s), nil
	case DoFault:
		f := &kernel.Fault{Message: "an input that could not be applied"}
		if s.Run != nil && len(s.Run.Open) > 0 {
			f.Effect = s.Run.Open[0].ID
		}
		return f, nil
	default:
		return nil, nil
	}
}

// say is a user's message.
func (w *world) say(c *Command, content string) (kernel.InputBody, []journal.Blob) {
	m := llm.Text(llm.RoleUser, content)
	b := journal.NewBlob(llm.MustMarshalJSON(&m))
	said := kernel.Content{Ref: b.Ref, Bytes: int64(len(content))}
	if c.Do == DoSteer {
		return &kernel.Steer{Content: said}, []journal.Blob{b}
	}
	prompt := &kernel.Prompt{Content: said}
	blobs := []journal.Blob{b}
	if p := w.prepare(c.Agent); p != nil {
		prompt.Config, blobs = &p.config, append(blobs, p.blob)
	}
	return prompt, blobs
}

// answer is a result or a decision for one of the calls.
func (w *world) answer(s *kernel.State, c *Command, content string) (kernel.InputBody, []journal.Blob) {
	if c.To != ToPending {
		w.count("answer to " + c.To)
	}
	id := whose(s, c)
	if c.Do == DoAllow || c.Do == DoDeny {
		return &kernel.Decision{CallID: id, Allow: c.Do == DoAllow, User: "ada", Reason: content}, nil
	}
	b := journal.NewBlob([]byte(content))
	result := &kernel.ToolResult{CallID: id, Content: kernel.Content{Ref: b.Ref, Bytes: int64(len(content))}}
	if c.Do == DoFailure {
		result.Failed, result.Error = true, content
	}
	return result, []journal.Blob{b}
}

// whose is the id of the call that an answer is for, by the state in which the
// answer is given.
func whose(s *kernel.State, c *Command) string {
	wanted := "remote"
	if c.Do == DoAllow || c.Do == DoDeny {
		wanted = "approval"
	}
	var fitting, other, done, local []string
	for _, p := range s.Pending() {
		if p.Kind == wanted {
			fitting = append(fitting, p.CallID)
		} else {
			other = append(other, p.CallID)
		}
	}
	if s.Run != nil && s.Run.Batch != nil {
		for i := range s.Run.Batch.Calls {
			switch call := &s.Run.Batch.Calls[i]; {
			case call.Done:
				done = append(done, call.ID)
			case call.Kind == spec.ToolLocal && !call.Approval:
				local = append(local, call.ID)
			}
		}
	}
	from := map[string][]string{ToPending: fitting, ToOther: other, ToAnswered: done, ToLocal: local}[c.To]
	if c.To == ToPending && len(from) == 0 {
		from = other
	}
	if len(from) == 0 {
		return "nobody"
	}
	return from[c.Pick%len(from)]
}

// foreign is a receipt of an effect that this session does not have, or has and
// is not of this kind.
func foreign(c *Command) *kernel.Receipt {
	r := &kernel.Receipt{Effect: c.Text}
	switch c.Pick {
	case 0:
		r.Timer = &kernel.TimerFired{}
	case 1:
		r.Tool = &kernel.ToolDone{Status: kernel.ToolOK}
	default:
		r.Generated = &kernel.Generated{Finish: llm.Finish{Reason: llm.FinishStop}, Usage: &llm.Usage{Input: 5}}
	}
	return r
}

// misfit answers an open effect with what cannot be its result.
func misfit(s *kernel.State) kernel.InputBody {
	if s.Run == nil {
		return nil
	}
	for i := range s.Run.Open {
		if o := &s.Run.Open[i]; o.Class != "timer" && !o.Remote {
			return &kernel.Receipt{Effect: o.ID, Timer: &kernel.TimerFired{}}
		}
	}
	return nil
}

// expectAnswer sends somebody when the session waits for people and nobody is
// on the way.
func (w *world) expectAnswer() {
	if w.state.Status() != kernel.StatusAwaiting {
		return
	}
	for _, e := range w.queue {
		if e.answer && !e.gone {
			return
		}
	}
	c := &Command{At: 500, Do: DoResult, Text: "from outside"}
	switch pending := w.state.Pending(); {
	case w.answers < len(w.script.Answers):
		c = &w.script.Answers[w.answers]
		w.answers++
	case w.script.Abandon:
		return
	default:
		c.Pick = w.ties.in(len(pending))
		if pending[c.Pick].Kind == "approval" {
			c.Do = DoAllow
		}
		c = w.byDefault(c, pending)
	}
	w.queue.put(&event{at: w.now + c.At, tie: w.ties.tie(), command: c, answer: true})
}

// byDefault makes the answer of somebody who does what is asked of him: its
// text follows from the call alone, whichever call is answered first.
func (w *world) byDefault(c *Command, pending []kernel.PendingCall) *Command {
	id := pending[c.Pick].CallID
	c.Text = "result of " + pending[c.Pick].Name + " " + id
	c.To, c.Pick = ToPending, 0
	for _, p := range pending {
		if p.CallID == id {
			break
		}
		if p.Kind == "remote" && c.Do == DoResult || p.Kind == "approval" && c.Do == DoAllow {
			c.Pick++
		}
	}
	return c
}
