package view

import (
	"github.com/ai-agent-go/ai-agent/kernel"
)

// Child begins the notices of a session that works for this one, as a ToolStart
// or StageStart fact has named it. They are told between those of this one:
// after the fact that named the child, and all of them before its ChildEnd,
// which takes over what the child's stream has folded by then.
//
// What is told of a child is what is news to whoever listens to the whole: no
// turns of agents that do not speak to the user, no report of one that answers in
// the parent's place, which is the parent's to tell, and no snapshot.
func (n *Notices) Child(s *Stream, session string) *Notices {
	parent := n.stream.Session
	o := parent.openings[session]
	parent.raise(s.Session, &o)
	c := NewNotices(s)
	c.nested, c.tree.Title = true, o.title
	switch o.stage {
	case kernel.StageRouter:
		c.follow = n.pending()
	case kernel.StageHandoff:
		c.follow = n.pending() - 1
	case kernel.StageAdvisor: // it reports to the agent, as one that was called does
	}
	if parent.admit(session) != nil {
		return c // it can be told, but is no part of the tree
	}
	if parent.beside == nil {
		parent.beside, n.children = make(map[string]folded), make(map[string]*Notices)
	}
	parent.beside[session], n.children[session] = folded{s.Session, c.tree}, c
	return c
}

// childEnded remembers what went out of the answer of an agent that answers in
// this one's place: it is not told again.
func (n *Notices) childEnded(f *kernel.ChildEnd) {
	c := n.children[f.Session]
	delete(n.children, f.Session)
	if f.Stage != kernel.StageRouter && f.Stage != kernel.StageHandoff {
		return
	}
	n.output.Reset()
	if c != nil {
		n.output.WriteString(c.output.String())
	}
}
