package view

import (
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/kernel"
)

// Notices turns what a [Stream] folds into the library's events (contract B3).
// It is told each fact and each delta after the stream, with the events that the
// stream made of it: nothing is folded twice for those who want both.
//
// While the answer is written its text goes out as it arrives, where it can be
// told from other text. Otherwise the report goes out when it is there. It never
// goes out twice.
//
// Sessions that work for this one have notices of their own, told between these;
// see [Notices.Child].
type Notices struct {
	stream *Stream
	tree   *Tree
	// nested says that these are told between those of a parent. follow is how
	// many agents go on from what the parent is told. children are at work.
	nested   bool
	follow   int
	children map[string]*Notices

	sequence uint64
	// run is the one that has been announced.
	run int64
	// logs and accounts count what of the session's has been told; the run's
	// accounts begin at first.
	logs, accounts, first int
	// output is what went out of this attempt's answer. held is text of it that
	// was not seen while it arrived: the report brings it, or it was none.
	output, held strings.Builder

	seq     uint64
	notices []Notice
}

// NewNotices starts beside a stream. What the stream has folded already is not
// told.
func NewNotices(s *Stream) *Notices {
	n := &Notices{stream: s, tree: NewTree(s.Session), logs: len(s.Logs), accounts: len(s.Accounting)}
	n.first = n.accounts
	return n
}

// Tree is the operation tree that the notices tell of. Its title is also the
// reason that is given for the start.
func (n *Notices) Tree() *Tree { return n.tree }

// Delta returns the notices of a delta, of which the stream has made events just
// before. The slice is valid until the next call.
func (n *Notices) Delta(events []Event) []Notice {
	n.notices = n.notices[:0]
	for i := range events {
		e := &events[i]
		n.seq = e.Seq
		switch {
		case e.Type == EventThinkingDelta:
			n.tell(Notice{Type: NoticeThinking, Text: e.Delta, Meta: Meta{Source: SourceStream}})
		case e.Type == EventTextDelta && n.mayShow(e):
			n.say(e.Delta, e.Answer, SourceStream)
		}
	}
	return n.notices
}

// Fact returns the notices that a fact makes. events is what the stream made of
// it just before. The slice is valid until the next call.
func (n *Notices) Fact(seq uint64, at int64, fact kernel.Fact, events []Event) []Notice {
	n.notices, n.seq = n.notices[:0], seq
	s := n.stream.Session
	switch f := fact.(type) {
	case *kernel.ProfileRequested:
		n.begin(at, f.Run)
	case *kernel.RunStart:
		n.begin(at, f.Run)
	case *kernel.TurnStart:
		n.release()
	case *kernel.AttemptStart:
		n.turnStarted(f)
	case *kernel.AttemptEnd: // of which only the events are looked at
		n.replay(events)
	case *kernel.Handoff:
		n.tell(Notice{Type: NoticeHandoff, Report: s.handed})
	case *kernel.ChildEnd:
		n.childEnded(f)
	case *kernel.FinalReport:
		n.report()
	}
	if p := s.progress(at, fact); p != nil {
		n.tell(Notice{Type: NoticeProgress, Progress: p})
		if p.Type == AgentUpdate {
			n.tell(Notice{Type: NoticeStatus, Progress: p})
		}
	}
	n.entries()
	if change := n.tree.Apply(at, fact); change != nil {
		n.tell(Notice{Type: NoticeOpTree, Tree: change})
	}
	if _, ended := fact.(*kernel.RunEnd); ended && !n.nested {
		n.tell(Notice{Type: NoticeSnapshot, Snapshot: n.tree.Snapshot(at)})
		n.tell(Notice{Type: NoticeAccountingFlush, Flush: &AccountingFlush{
			SessionID: s.identity.Session, OriginID: s.identity.Origin, Timestamp: at,
			Entries: s.Accounting[n.first:len(s.Accounting):len(s.Accounting)],
		}})
	}
	return n.notices
}

// begin announces a run, once.
func (n *Notices) begin(at, run int64) {
	if n.run == run {
		return
	}
	n.run, n.first = run, len(n.stream.Accounting)
	clear(n.children)
	n.output.Reset()
	n.held.Reset()
	p := n.stream.step(AgentStarted, at)
	p.Reason = n.tree.Title
	n.tell(Notice{Type: NoticeProgress, Progress: p})
}

func (n *Notices) turnStarted(f *kernel.AttemptStart) {
	n.output.Reset()
	n.held.Reset()
	if n.nested && !n.stream.identity.Master {
		return // of the turns of those who work for others nobody keeps count
	}
	t := &TurnStarted{Turn: f.Turn, Attempt: f.Attempt, IsRetry: f.Attempt > 1, IsFinalTurn: f.Final}
	if f.Final {
		t.ForcedFinalReason = f.Reason
	}
	if t.IsRetry {
		// The model is told of its own mistakes only; listeners hear of the
		// provider's, too.
		t.RetrySlugs = slices.Clone(f.Slugs)
		for _, slug := range n.stream.turn.failed {
			if !slices.Contains(t.RetrySlugs, slug) {
				t.RetrySlugs = append(t.RetrySlugs, slug)
			}
		}
	}
	n.tell(Notice{Type: NoticeTurnStarted, Turn: t})
}

// mayShow reports whether a text goes out: the answer's does, other text where
// the run wants it. What another agent continues from is nobody's answer.
func (n *Notices) mayShow(e *Event) bool {
	return (e.Answer || n.stream.eyes.preamble) && n.pending() == 0
}

// pending counts the agents that go on from what this one reports.
func (n *Notices) pending() int {
	if n.stream.handoff != "" {
		return n.follow + 1
	}
	return n.follow
}

func (n *Notices) say(text string, answer bool, source Source) {
	if answer {
		n.output.WriteString(text)
	}
	n.tell(Notice{Type: NoticeOutput, Text: text, Meta: Meta{Source: source}})
}

// replay tells of a response what was not seen while it arrived.
func (n *Notices) replay(events []Event) {
	for i := range events {
		e := &events[i]
		switch {
		case e.Type == EventThinkingDelta:
			n.tell(Notice{Type: NoticeThinking, Text: e.Delta, Meta: Meta{Source: SourceReplay}})
		case e.Type == EventTextDelta && n.mayShow(e):
			n.held.WriteString(e.Delta)
		}
	}
}

// release tells the text that turned out not to be the report's.
func (n *Notices) release() {
	if n.held.Len() > 0 {
		n.say(n.held.String(), false, SourceReplay)
		n.held.Reset()
	}
}

// report tells the answer, as far as it has not been told, and the report. An
// agent that answers in another's place leaves the report to that one: as the
// answer, or as what is handed on, or in words of its own when it is a failure.
func (n *Notices) report() {
	n.held.Reset()
	r := n.stream.Report
	inPlace := n.nested && n.stream.identity.Master
	if inPlace && (r.Status != "success" || n.follow > 0) {
		return
	}
	if text := unsaid(n.output.String(), r.Text()); text != "" {
		n.say(text, true, SourceFinalize)
	}
	if !inPlace {
		n.tell(Notice{Type: NoticeFinalReport, Report: r, Meta: Meta{IsFinal: n.stream.identity.Master}})
	}
}

// unsaid is what of the answer has not gone out. An answer that is not what was
// streamed goes out whole.
func unsaid(streamed, answer string) string {
	if strings.TrimSpace(streamed) == strings.TrimSpace(answer) {
		return ""
	}
	return strings.TrimPrefix(answer, streamed)
}

// entries tells the log entries and accounts that are new (contract A4). Those of
// children are told by the children.
func (n *Notices) entries() {
	s := n.stream.Session
	for ; n.accounts < len(s.Accounting); n.accounts++ {
		if e := &s.Accounting[n.accounts]; s.own(e.TxnID) {
			n.tell(Notice{Type: NoticeAccounting, Accounting: e})
		}
	}
	for ; n.logs < len(s.Logs); n.logs++ {
		if e := &s.Logs[n.logs]; s.own(e.TxnID) {
			n.tell(Notice{Type: NoticeLog, Log: e})
		}
	}
}

func (n *Notices) tell(notice Notice) {
	n.sequence++
	id := &n.stream.identity
	m := &notice.Meta
	m.IsMaster = id.Master
	m.PendingHandoffCount, m.HandoffConfigured = n.pending(), n.stream.handoff != ""
	m.Sequence, m.HeadendID = n.sequence, n.stream.HeadendID
	m.AgentID, m.CallPath, m.SessionID, m.ParentID, m.OriginID = id.Agent, id.CallPath, id.Session, id.Parent, id.Origin
	notice.Seq = n.seq
	n.notices = append(n.notices, notice)
}
