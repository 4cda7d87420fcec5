package view

import (
	"github.com/ai-agent-go/ai-agent/kernel"
)

// staged begins the operation of an agent that the run asks. What is asked after
// the last turn comes when that turn is over.
func (t *Tree) staged(at int64, f *kernel.StageStart) {
	t.ensure(at)
	if f.Stage != kernel.StageAdvisor {
		t.endTurn(at)
	}
	t.addOp(t.root.Turns[0], &OpNode{
		OpID: t.s.local(t.s.openings[f.Child].label), Kind: OpSession, StartedAt: at,
		Attributes: OpAttributes{Name: f.Agent, Provider: string(f.Stage)}, ChildSession: t.stub(at, f.Child, f.Agent),
	})
}

// stub stands for a child that is at work, so that whoever watches sees it from
// its start.
func (t *Tree) stub(at int64, child, agent string) *SessionNode {
	return &SessionNode{
		ID: child, TraceID: t.root.TraceID, CallPath: t.root.CallPath + ":" + agent, Run: 1, StartedAt: at,
		SessionTitle: t.s.openings[child].title, Totals: NodeTotals{AgentsRun: 1}, Turns: []*TurnNode{},
	}
}

// childEnded hangs a child's tree below the operation that called it. Without
// one the stub says what the parent knows. It reports whether an operation ended
// with it: a call's goes on until its result is there.
func (t *Tree) childEnded(at int64, f *kernel.ChildEnd) bool {
	end := &t.s.ended
	n := t.op(t.s.local(end.label))
	if n == nil || n.ChildSession == nil {
		return false
	}
	if end.tree != nil {
		n.ChildSession = end.tree.Root()
	} else {
		child := *n.ChildSession
		ok := f.OK
		child.EndedAt, child.Success, child.Error = at, &ok, f.Error
		child.Totals = NodeTotals{
			TokensIn: f.Usage.Input, TokensOut: f.Usage.Output, TokensCacheRead: f.Usage.CacheRead,
			TokensCacheWrite: f.Usage.CacheWrite, CostUSD: usd4(f.Cost), AgentsRun: 1,
		}
		n.ChildSession = &child
	}
	if f.Stage == "" {
		return false
	}
	n.EndedAt, n.Status, n.Attributes.Error = at, statusOf(f.OK), f.Error
	return true
}

// own reports whether an entry is the session's, not a child's.
func (s *Session) own(txn string) bool { return txn == s.identity.Session }

// local is the path of an operation in the session's own tree.
func (s *Session) local(path string) string {
	if len(path) < len(s.prefix) {
		return ""
	}
	return path[len(s.prefix):]
}
