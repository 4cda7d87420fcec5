package view

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/ai-agent-go/ai-agent/kernel"
)

// A session may have others work for it: agents that its model calls, advisors,
// agents that answer in its place. Each is a session with a journal of its own.
// What they did belongs to what was done here (contract T14), so a fold takes
// over their accounts, logs and trees when it is told of their end. It reads
// their journals then, unless somebody has followed and folded them already; see
// [Notices.Child].

// Told is one fact of a journal.
type Told struct {
	Seq uint64
	// At is the time of the fact's frame.
	At   int64
	Fact kernel.Fact
}

// Journal is what a fold reads of another session.
type Journal struct {
	// Facts yields the facts in order. Nothing is read before it is asked.
	Facts iter.Seq2[Told, error]
	Blobs Blobs
}

// Journals opens a session's journal by the session's id.
type Journals func(session string) Journal

// maxNesting bounds how deep children are looked for. Sessions do not nest as
// deep as this; journals that were tampered with might.
const maxNesting = 16

var (
	errNested = errors.New("nested too deep")
	errTwice  = errors.New("the session is part of the tree already")
	errEmpty  = errors.New("its journal is empty")
	// errUnheard is of a child that was followed, but not to its end.
	errUnheard = errors.New("it was not heard to its end")
)

// family is what the folds of a session and its children share.
type family struct {
	journals Journals
	// taken are the children that are part of the tree. Each can be that once,
	// whatever journals say: the work is in proportion to the sessions.
	taken map[string]bool
}

// opening is what the parent knows of a child: the operation that it hangs
// below, what it is about, and whether the run asked for it or its model.
type opening struct {
	label string
	title string
	stage kernel.Stage
	agent string
}

// folded is a child's fold. The tree is nil where nobody wants one.
type folded struct {
	session *Session
	tree    *Tree
}

// ending is the child that the session was told the end of last.
type ending struct {
	opening
	folded
	err error
}

// Include makes the fold take over what children did (contract T14): accounting
// and logs as they are, in front of the entry that says that the child is done.
// A child that cannot be read is a line in the log. Call it before any fact.
func (s *Session) Include(journals Journals) {
	s.kin = &family{journals: journals, taken: make(map[string]bool)}
}

// orchestrate folds what the run itself asks of other agents.
func (s *Session) orchestrate(at int64, fact kernel.Fact) {
	switch f := fact.(type) {
	case *kernel.StageStart:
		s.Status, s.Pending = kernel.StatusRunning, nil
		s.staged(f)
	case *kernel.Handoff:
		s.handed = s.handoffReport(at, f)
	}
}

// opened notes that a child begins.
func (s *Session) opened(child string, o opening) {
	if s.openings == nil {
		s.openings = make(map[string]opening)
	}
	o.label = s.prefix + o.label
	s.openings[child] = o
}

// called notes the child of a call, named by the reason that the model gave.
func (s *Session) called(f *kernel.ToolStart) {
	var args struct {
		Reason string `json:"reason"`
	}
	_ = json.Unmarshal(s.peekArguments(f), &args) // without a reason it has no title
	s.opened(f.Child, opening{label: s.turn.call(f.CallID).in(f.Turn), title: args.Reason, agent: f.Name})
}

// staged notes the child of a stage. Stages are operations of turn 0, after the
// one that the run begins with.
func (s *Session) staged(f *kernel.StageStart) {
	s.stages++
	o := opening{label: opLabel(0, s.stages+1), title: "Consultation with " + f.Agent, stage: f.Stage, agent: f.Agent}
	if f.Stage != kernel.StageAdvisor {
		o.title = "Handoff to " + f.Agent
	}
	s.opened(f.Child, o)
}

// childEnded takes over what a child did.
func (s *Session) childEnded(f *kernel.ChildEnd) {
	e := ending{opening: s.openings[f.Session]}
	e.folded = s.beside[f.Session]
	delete(s.openings, f.Session)
	delete(s.beside, f.Session)
	switch {
	case e.session == nil && s.kin != nil:
		e.folded, e.err = s.readChild(f.Session, &e.opening)
	case e.session != nil && e.session.End == nil && f.OK:
		e.err = errUnheard
	}
	s.ended = e
	if e.session == nil {
		return
	}
	s.totals.executed += e.session.totals.executed
	s.totals.children += e.session.totals.children
	s.Logs = append(s.Logs, e.session.Logs...)
	if f.Stage != "" || f.CallID == "" {
		s.Accounting = append(s.Accounting, e.session.Accounting...)
		return
	}
	// They wait for the call's own entry, which comes in the order of calls.
	s.held = append(s.held, heldAccounts{f.CallID, e.session.Accounting})
}

// heldAccounts are a child's accounts that wait for those of its call.
type heldAccounts struct {
	callID  string
	entries []AccountingEntry
}

// account makes a child's accounts part of the session's, all of them where no
// call is named.
func (s *Session) account(callID string) {
	rest := s.held[:0]
	for _, h := range s.held {
		if callID != "" && h.callID != callID {
			rest = append(rest, h)
			continue
		}
		s.Accounting = append(s.Accounting, h.entries...)
	}
	clear(s.held[len(rest):])
	s.held = rest
}

// admit makes a session one of the family, unless it must not be.
func (s *Session) admit(child string) error {
	switch {
	case s.depth >= maxNesting:
		return errNested
	case s.kin != nil && s.kin.taken[child]:
		return errTwice
	case s.kin != nil:
		s.kin.taken[child] = true
	}
	return nil
}

// raise makes a fold one of a child of this session.
func (s *Session) raise(child *Session, o *opening) {
	child.kin, child.depth, child.trees = s.kin, s.depth+1, s.trees
	child.Brief, child.HeadendID = s.Brief, s.HeadendID
	if o.label != "" {
		child.prefix = o.label + "."
	}
}

// readChild folds a child from its journal, up to the end of its run. What could
// be folded before an error counts.
func (s *Session) readChild(id string, o *opening) (folded, error) {
	if err := s.admit(id); err != nil {
		return folded{}, err
	}
	j := s.kin.journals(id)
	c := folded{session: NewSession(j.Blobs)}
	s.raise(c.session, o)
	if s.trees {
		c.tree = NewTree(c.session)
		c.tree.Title = o.title
	}
	var failed error
	for t, err := range j.Facts {
		if err != nil {
			failed = err
			break
		}
		if err := c.session.Apply(t.At, t.Fact); err != nil && failed == nil {
			failed = err
		}
		if c.tree != nil {
			c.tree.Apply(t.At, t.Fact)
		}
		if _, end := t.Fact.(*kernel.RunEnd); end {
			break
		}
	}
	switch {
	case c.session.ID != "":
		return c, failed
	case failed == nil:
		failed = errEmpty
	}
	return folded{}, fmt.Errorf("session %s: %w", id, failed)
}
