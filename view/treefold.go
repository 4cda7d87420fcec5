package view

import (
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/spec"
)

func (t *Tree) message(f *kernel.Message) {
	t.bytes += f.Entry.Bytes
	m := &t.s.Messages[len(t.s.Messages)-1]
	switch f.Entry.Kind {
	case dialect.ItemUser:
		if t.user == "" {
			t.user, _ = preview(m.Content, previewRunes)
		}
	case dialect.ItemAssistant:
		if len(t.root.Turns) > 0 {
			t.last().Attributes.Assistant, _ = preview(m.Content, previewRunes)
			t.touch(t.last())
		}
	case dialect.ItemResult, dialect.ItemTerminal:
	}
}

func (t *Tree) turnStart(at int64, f *kernel.TurnStart) {
	t.ensure(at)
	t.endTurn(at)
	turn := &TurnNode{Index: f.Turn, StartedAt: at}
	if f.Final {
		turn.Attributes.Final = string(f.Reason)
	}
	if f.Turn == 1 {
		system, _ := preview(t.s.config().System, previewRunes)
		turn.Attributes.Prompts = &Prompts{System: system, User: t.user}
	}
	t.addTurn(turn)
}

// ensure makes sure that there is a tree and a turn, also when the beginning
// was not seen.
func (t *Tree) ensure(at int64) {
	if len(t.root.Turns) == 0 {
		t.begin(at, t.s.Run)
	}
}

// endTurn closes the turn under way; the system's stays open to the end.
func (t *Tree) endTurn(at int64) {
	if turn := t.last(); turn.Index > 0 && turn.EndedAt == 0 {
		turn.EndedAt = at
		t.touch(turn)
	}
}

func (t *Tree) asked(at int64, f *kernel.AttemptStart) {
	t.ensure(at)
	o := t.s.turn.request(f.Effect)
	t.addOp(t.last(), &OpNode{
		OpID: o.in(f.Turn), Kind: OpLLM, StartedAt: at,
		Attributes: OpAttributes{Provider: f.Provider, Model: f.Model, Attempt: f.Attempt, IsFinalTurn: f.Final},
		Request: &NodeRequest{
			Kind: OpLLM, Size: t.bytes, Payload: NodePayload{Messages: len(t.s.Messages), Tokens: f.Expected},
		},
	})
}

func (t *Tree) answered(at int64, f *kernel.AttemptEnd) {
	o := t.s.turn.request(f.Effect)
	if o == nil {
		return
	}
	n := t.op(o.in(f.Turn))
	if n == nil {
		return
	}
	n.EndedAt, n.Status = at, statusOf(f.Outcome == kernel.OutcomeAccepted)
	n.Attributes.Outcome, n.Attributes.StopReason = string(f.Outcome), string(f.Finish.Reason)
	if f.Outcome != kernel.OutcomeAccepted {
		n.Attributes.Error = lastError(f)
	}
	e := t.s.peekEnvelope(f.Output)
	if e == nil {
		return
	}
	if thought := reasoning(e); thought != "" {
		begin, _ := preview(thought, previewRunes)
		n.Reasoning = &NodeReasoning{Final: begin, Size: int64(len(thought))}
	}
	begin, cut := preview(t.s.eyes.read(e.AssistantText), previewRunes)
	n.Response = &NodeResponse{
		Payload: NodePayload{TextPreview: begin, Ref: refText(f.Output), ToolCalls: len(e.ToolCalls)},
		Size:    int64(len(t.s.peek(f.Output))), Truncated: cut,
	}
}

func (t *Tree) called(at int64, f *kernel.ToolStart) {
	t.ensure(at)
	o := t.s.turn.call(f.CallID)
	label := o.in(f.Turn)
	if n := t.op(label); n != nil {
		// It was allowed: now it runs.
		n.Attributes.ToolKind = string(f.Kind)
		return
	}
	begin, _ := preview(string(t.s.peekArguments(f)), previewRunes)
	n := t.addOp(t.last(), &OpNode{
		OpID: label, Kind: OpTool, StartedAt: at,
		Attributes: OpAttributes{
			Name: f.Name, Provider: f.Server, ToolCallID: f.CallID, ToolKind: string(f.Kind),
		},
		Request: &NodeRequest{
			Kind: OpTool, Size: f.ArgsBytes, Payload: NodePayload{TextPreview: begin, Ref: refText(f.Args)},
		},
	})
	if f.Kind == spec.ToolAgent {
		n.Kind = OpSession
	}
	if f.Child != "" {
		n.ChildSession = t.stub(at, f.Child, strings.TrimPrefix(f.Name, "agent__"))
	}
}

// returned closes a tool's operation and reports whether there was one.
func (t *Tree) returned(at int64, f *kernel.ToolEnd) bool {
	o := t.s.turn.call(f.CallID)
	if o == nil {
		return false
	}
	n := t.op(o.in(f.Turn))
	if n == nil {
		return false
	}
	n.EndedAt, n.Status, n.Attributes.Error = at, statusOf(f.Status == kernel.ToolOK), f.Error
	begin, cut := preview(string(t.s.peek(f.Output.Ref)), previewRunes)
	n.Response = &NodeResponse{
		Payload: NodePayload{TextPreview: begin, Ref: refText(f.Output.Ref)}, Size: f.Output.Bytes, Truncated: cut,
	}
	return true
}

func (t *Tree) runEnd(at int64, f *kernel.RunEnd) {
	t.ensure(at)
	t.endTurn(at)
	o := t.system(at, "fin")
	o.EndedAt, o.Status = at, statusOK
	t.root.Turns[0].EndedAt = at
	t.touch(t.root.Turns[0])
	ok := f.OK
	t.root.EndedAt, t.root.Success, t.root.Error = at, &ok, f.Error
}

// distribute gives the session's new log entries and accounts to the operations
// that they belong to: the one that they name, else the newest. Those of
// children are in the children's trees.
func (t *Tree) distribute() {
	logs := t.s.Logs[t.logs:]
	t.logs = len(t.s.Logs)
	for i := range logs {
		if !t.s.own(logs[i].TxnID) {
			continue
		}
		o := t.op(t.s.local(logs[i].Path))
		if o == nil {
			o = t.newest()
		}
		if o == nil {
			t.loose = append(t.loose, logs[i])
			continue
		}
		o.Logs = append(o.Logs, logs[i])
	}
	accounts := t.s.Accounting[t.accounts:]
	t.accounts = len(t.s.Accounting)
	for i := range accounts {
		if !t.s.own(accounts[i].TxnID) {
			continue
		}
		if o := t.owner(&accounts[i]); o != nil {
			o.Accounting = append(o.Accounting, accounts[i])
		}
	}
}

// newest is the last operation of the turn under way, of the system's once the
// run has ended; nil when the turn has none yet.
func (t *Tree) newest() *OpNode {
	if len(t.root.Turns) == 0 {
		return nil
	}
	turn := t.last()
	if t.root.EndedAt != 0 {
		turn = t.root.Turns[0]
	}
	if len(turn.Ops) == 0 {
		return nil
	}
	return t.write(turn, len(turn.Ops)-1)
}

// owner is the operation that an account is of. Calls that the kernel settles by
// itself are no operations: they belong to the request that made them.
func (t *Tree) owner(e *AccountingEntry) *OpNode {
	if e.Type == typeTool && e.ToolCallID != "" {
		if o := t.s.turn.call(e.ToolCallID); o != nil {
			return t.op(o.in(e.Turn))
		}
	}
	if len(t.root.Turns) == 0 {
		return nil
	}
	turn := t.last()
	for i, o := range slices.Backward(turn.Ops) {
		if o.Kind == OpLLM {
			return t.write(turn, i)
		}
	}
	return t.newest()
}
