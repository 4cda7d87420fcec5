package view

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/kernel"
)

// Tree folds facts into the operation tree of the current run, or of the last
// one when none is under way: turns, and in them requests and tools with their
// times, logs and accounts. Contents are there by reference, with a preview.
//
// What a fact costs does not depend on the length of the tree: a fold changes
// the operation that the fact is about, and tells only what has changed.
type Tree struct {
	// Title is what the run is about, for people.
	Title string

	s    *Session
	root SessionNode
	// user is what the run was asked, bytes the length of the conversation.
	user  string
	bytes int64
	// status is the model's last word on its work.
	status string
	// logs and accounts count what of the session's is in the tree. loose are
	// entries that wait for the next operation to belong to.
	logs, accounts int
	loose          []LogEntry

	// What changed since the last change was told.
	turns []*TurnNode
	ops   []changed
}

// changed is an operation that may be written to: nobody else has it.
type changed struct {
	turn *TurnNode
	node *OpNode
}

// NewTree starts a tree beside a session's fold. What the session has folded
// already is not in it.
func NewTree(s *Session) *Tree {
	s.trees = true
	return &Tree{s: s, logs: len(s.Logs), accounts: len(s.Accounting)}
}

// Apply folds a fact that the session has folded just before. It returns what
// has changed when that is worth telling: a turn began or ended, an operation
// ended, the status is another. [SessionNode.Merge] adds up changes.
func (t *Tree) Apply(at int64, fact kernel.Fact) *SessionNode {
	tell := false
	switch f := fact.(type) {
	case *kernel.ProfileRequested:
		t.begin(at, f.Run)
	case *kernel.RunStart:
		t.begin(at, f.Run)
		tell = true
	case *kernel.Message:
		t.message(f)
	case *kernel.TurnStart:
		t.turnStart(at, f)
		tell = true
	case *kernel.AttemptStart:
		t.root.LatestStatus = t.status // it waits no longer
		t.asked(at, f)
	case *kernel.AttemptEnd:
		t.answered(at, f)
		tell = true
	case *kernel.ToolStart:
		t.root.LatestStatus = t.status
		t.called(at, f)
	case *kernel.StageStart:
		t.root.LatestStatus = t.status
		t.staged(at, f)
	case *kernel.ChildEnd:
		tell = t.childEnded(at, f)
	case *kernel.ToolEnd:
		tell = t.returned(at, f)
	case *kernel.Progress:
		t.status = statusLine(&f.Status)
		t.root.LatestStatus = t.status
		tell = true
	case *kernel.Awaiting:
		t.root.LatestStatus = kernel.StatusAwaiting
		tell = true
	case *kernel.RunEnd:
		t.runEnd(at, f)
		tell = true
	}
	t.distribute()
	if !tell || len(t.root.Turns) == 0 {
		return nil
	}
	return t.change()
}

// Root returns the whole tree as it is now.
func (t *Tree) Root() *SessionNode {
	t.sum()
	root := t.root
	root.Turns = make([]*TurnNode, len(t.root.Turns))
	for i, turn := range t.root.Turns {
		c := *turn
		c.Ops = slices.Clone(turn.Ops)
		root.Turns[i] = &c
	}
	// The caller has these now, so they are not to be written to any more.
	for i := range t.ops {
		c := &t.ops[i]
		at := c.turn.op(c.node.OpID)
		c.node = clone(c.node)
		c.turn.Ops[at] = c.node
	}
	return &root
}

// change returns what has changed since the last time.
func (t *Tree) change() *SessionNode {
	t.sum()
	for _, c := range t.ops {
		t.touch(c.turn)
	}
	root := t.root
	root.Turns = make([]*TurnNode, len(t.turns))
	for i, turn := range t.turns {
		c := *turn
		c.Ops = []*OpNode{}
		for _, o := range t.ops {
			if o.turn == turn {
				c.Ops = append(c.Ops, o.node)
			}
		}
		root.Turns[i] = &c
	}
	t.turns, t.ops = t.turns[:0], t.ops[:0]
	return &root
}

func (t *Tree) sum() {
	sums := &t.s.totals
	usage := sums.usage.Add(sums.childUsage)
	t.root.Totals = NodeTotals{
		TokensIn: usage.Input, TokensOut: usage.Output, TokensCacheRead: usage.CacheRead, TokensCacheWrite: usage.CacheWrite,
		CostUSD: usd4(sums.cost + sums.childrenCost), ToolsRun: sums.executed, AgentsRun: 1 + sums.children,
	}
}

// begin starts a run's tree, once.
func (t *Tree) begin(at, run int64) {
	if len(t.root.Turns) > 0 && t.root.Run == run {
		return
	}
	id := &t.s.identity
	t.root = SessionNode{
		ID: id.Session, TraceID: id.Origin, AgentID: id.Agent, CallPath: id.CallPath, Run: run, SessionTitle: t.Title,
		StartedAt: at,
	}
	t.user, t.status, t.turns, t.ops = "", "", nil, nil
	t.addTurn(&TurnNode{StartedAt: at, Attributes: TurnAttributes{Label: "system"}})
	o := t.system(at, "init")
	o.EndedAt, o.Status = at, statusOK
}

// system adds an operation to turn 0.
func (t *Tree) system(at int64, name string) *OpNode {
	first := t.root.Turns[0]
	return t.addOp(first, &OpNode{
		OpID: opLabel(0, int64(len(first.Ops))+1), Kind: OpSystem, StartedAt: at, Attributes: OpAttributes{Name: name},
	})
}

func (t *Tree) addTurn(turn *TurnNode) {
	turn.ID = "turn-" + strconv.FormatInt(turn.Index, 10)
	t.root.Turns = append(t.root.Turns, turn)
	t.touch(turn)
}

// addOp begins an operation. Entries that had none to belong to are its.
func (t *Tree) addOp(turn *TurnNode, o *OpNode) *OpNode {
	o.Logs = append(o.Logs, t.loose...)
	t.loose = t.loose[:0]
	turn.Ops = append(turn.Ops, o)
	t.ops = append(t.ops, changed{turn, o})
	return o
}

// touch marks a turn as changed.
func (t *Tree) touch(turn *TurnNode) {
	if !slices.Contains(t.turns, turn) {
		t.turns = append(t.turns, turn)
	}
}

// last is the turn under way.
func (t *Tree) last() *TurnNode { return t.root.Turns[len(t.root.Turns)-1] }

// op finds an operation of the turn under way or of turn 0, to write to it.
func (t *Tree) op(id string) *OpNode {
	if id == "" || len(t.root.Turns) == 0 {
		return nil
	}
	turn := t.last()
	if strings.HasPrefix(id, "0-") {
		turn = t.root.Turns[0]
	}
	i := turn.op(id)
	if i < 0 {
		return nil
	}
	return t.write(turn, i)
}

// write makes an operation ready to be written to: whoever has been told of it
// keeps what he was told.
func (t *Tree) write(turn *TurnNode, i int) *OpNode {
	for _, c := range t.ops {
		if c.node == turn.Ops[i] {
			return c.node
		}
	}
	o := clone(turn.Ops[i])
	turn.Ops[i] = o
	t.ops = append(t.ops, changed{turn, o})
	return o
}

func clone(o *OpNode) *OpNode {
	c := *o
	return &c
}
