package view

import (
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/kernel"
)

// Place says where a session stands in a chain of agents. The zero value is a
// session that nothing follows.
type Place struct {
	// Master says that the session stands for the one that was asked, although
	// another session called it: it took over by a handoff.
	Master bool
	// Handoff says that another agent is configured to take over, Pending how
	// many do.
	Handoff bool
	Pending int
	// Title is what the session is about, for people.
	Title string
}

// Notices turns what a [Stream] folds into the library's events (contract B3).
// It is told each fact and each delta after the stream, with the events that the
// stream made of it: nothing is folded twice for those who want both.
//
// While the answer is written its text goes out as it arrives, where it can be
// told from other text. Otherwise the report goes out when it is there. It never
// goes out twice.
type Notices struct {
	stream *Stream
	tree   *Tree
	place  Place

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
func NewNotices(s *Stream, place Place) *Notices {
	n := &Notices{stream: s, tree: NewTree(s.Session), place: place, logs: len(s.Logs), accounts: len(s.Accounting)}
	n.first = n.accounts
	n.tree.Title = place.Title
	return n
}

// Tree is the operation tree that the notices tell of.
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
	if _, ended := fact.(*kernel.RunEnd); ended {
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
	n.output.Reset()
	n.held.Reset()
	p := n.stream.step(AgentStarted, at)
	p.Reason = n.place.Title
	n.tell(Notice{Type: NoticeProgress, Progress: p})
}

func (n *Notices) turnStarted(f *kernel.AttemptStart) {
	n.output.Reset()
	n.held.Reset()
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
	return (e.Answer || n.stream.eyes.preamble) && !n.handsOver()
}

func (n *Notices) handsOver() bool { return n.place.Handoff || n.place.Pending > 0 }

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

// report tells the answer, as far as it has not been told, and the report.
func (n *Notices) report() {
	n.held.Reset()
	r := n.stream.Report
	if n.handsOver() && r.Status == "success" {
		n.tell(Notice{Type: NoticeHandoff, Report: r})
		return
	}
	if text := unsaid(n.output.String(), r.Text()); text != "" {
		n.say(text, true, SourceFinalize)
	}
	n.tell(Notice{Type: NoticeFinalReport, Report: r, Meta: Meta{IsFinal: true}})
}

// unsaid is what of the answer has not gone out. An answer that is not what was
// streamed goes out whole.
func unsaid(streamed, answer string) string {
	if strings.TrimSpace(streamed) == strings.TrimSpace(answer) {
		return ""
	}
	return strings.TrimPrefix(answer, streamed)
}

// entries tells the log entries and accounts that are new (contract A4).
func (n *Notices) entries() {
	s := n.stream.Session
	for ; n.accounts < len(s.Accounting); n.accounts++ {
		n.tell(Notice{Type: NoticeAccounting, Accounting: &s.Accounting[n.accounts]})
	}
	for ; n.logs < len(s.Logs); n.logs++ {
		n.tell(Notice{Type: NoticeLog, Log: &s.Logs[n.logs]})
	}
}

func (n *Notices) tell(notice Notice) {
	n.sequence++
	id := &n.stream.identity
	m := &notice.Meta
	m.IsMaster = n.place.Master || id.Parent == ""
	m.PendingHandoffCount, m.HandoffConfigured = n.place.Pending, n.place.Handoff
	m.Sequence, m.HeadendID = n.sequence, n.stream.HeadendID
	m.AgentID, m.CallPath, m.SessionID, m.ParentID, m.OriginID = id.Agent, id.CallPath, id.Session, id.Parent, id.Origin
	notice.Seq = n.seq
	n.notices = append(n.notices, notice)
}
