package view

import (
	"encoding/json"

	"github.com/ai-agent-go/ai-agent/dialect"
)

// NoticeType names an event of the library's stream (contract B3).
type NoticeType string

// The notices.
const (
	// NoticeOutput is text of the answer. Text of an attempt that is followed
	// by a retry is withdrawn.
	NoticeOutput   NoticeType = "output"
	NoticeThinking NoticeType = "thinking"
	// NoticeTurnStarted comes with every attempt.
	NoticeTurnStarted NoticeType = "turn_started"
	NoticeProgress    NoticeType = "progress"
	// NoticeStatus repeats a progress of type agent_update.
	NoticeStatus      NoticeType = "status"
	NoticeFinalReport NoticeType = "final_report"
	// NoticeHandoff is a report that the next agent continues from: it is no
	// answer for people.
	NoticeHandoff    NoticeType = "handoff"
	NoticeLog        NoticeType = "log"
	NoticeAccounting NoticeType = "accounting"
	// NoticeSnapshot and NoticeAccountingFlush come once, when the run ends,
	// however it ends, with everything that children did in them. Children have
	// none of their own.
	NoticeSnapshot        NoticeType = "snapshot"
	NoticeAccountingFlush NoticeType = "accounting_flush"
	// NoticeOpTree tells what has changed in the tree; see [SessionNode.Merge].
	NoticeOpTree NoticeType = "op_tree"
)

// Notice is one event of the library's stream. Type says which of the other
// fields is set. What it points to is not to be changed.
type Notice struct {
	Type NoticeType
	Meta Meta
	// Seq is the frame that the notice belongs to, as in [Event]: a frame of the
	// session that meta names, which may be a child's.
	Seq uint64

	// Text is of output and thinking.
	Text       string
	Turn       *TurnStarted
	Progress   *Progress
	Report     *FinalReport
	Log        *LogEntry
	Accounting *AccountingEntry
	Snapshot   *Snapshot
	Flush      *AccountingFlush
	// Tree is what has changed, never the whole: a tree that is sent again and
	// again costs more with every turn.
	Tree *SessionNode
}

// Meta says where a notice comes from.
type Meta struct {
	// IsMaster says that this agent is the one that was asked, or answers in its
	// place; what others put out is not for the user. PendingHandoffCount is how
	// many agents go on from its report, fixed at the start, and
	// HandoffConfigured says that the agent itself hands over to one.
	IsMaster            bool `json:"isMaster"`
	PendingHandoffCount int  `json:"pendingHandoffCount"`
	HandoffConfigured   bool `json:"handoffConfigured"`
	// IsFinal says of a final_report that it is the answer.
	IsFinal bool `json:"isFinal"`
	// Source is set on output and thinking.
	Source Source `json:"source,omitempty"`
	// Sequence grows by one with every notice of the session.
	Sequence  uint64 `json:"sequence"`
	AgentID   string `json:"agentId"`
	CallPath  string `json:"callPath"`
	SessionID string `json:"sessionId"`
	ParentID  string `json:"parentId,omitempty"`
	OriginID  string `json:"originId"`
	HeadendID string `json:"headendId,omitempty"`
}

// Source says how a text came to be told.
type Source string

// The sources of output and thinking.
const (
	// SourceStream is text as it arrives.
	SourceStream Source = "stream"
	// SourceReplay is text that was not seen while it arrived.
	SourceReplay Source = "replay"
	// SourceFinalize is the report's text, when it was not streamed.
	SourceFinalize Source = "finalize"
)

// TurnStarted says that a request is about to be sent.
type TurnStarted struct {
	Turn              int64               `json:"turn"`
	Attempt           int64               `json:"attempt"`
	IsRetry           bool                `json:"isRetry"`
	IsFinalTurn       bool                `json:"isFinalTurn"`
	ForcedFinalReason dialect.FinalReason `json:"forcedFinalReason,omitempty"`
	// RetrySlugs say why the attempt before failed.
	RetrySlugs []dialect.Slug `json:"retrySlugs,omitempty"`
}

// MarshalJSON writes the notice in the form of the library's API: the fields of
// its type beside type and meta.
func (n *Notice) MarshalJSON() ([]byte, error) {
	wire := struct {
		Type NoticeType `json:"type"`
		Seq  uint64     `json:"seq,omitempty"`
		Text string     `json:"text,omitempty"`
		*TurnStarted
		Event   *Progress    `json:"event,omitempty"`
		Report  *FinalReport `json:"report,omitempty"`
		Entry   any          `json:"entry,omitempty"`
		Payload any          `json:"payload,omitempty"`
		Tree    *SessionNode `json:"tree,omitempty"`
		Meta    Meta         `json:"meta"`
	}{
		Type: n.Type, Seq: n.Seq, Text: n.Text, TurnStarted: n.Turn, Event: n.Progress, Report: n.Report, Tree: n.Tree,
		Meta: n.Meta,
	}
	switch {
	case n.Log != nil:
		wire.Entry = n.Log
	case n.Accounting != nil:
		wire.Entry = n.Accounting
	case n.Snapshot != nil:
		wire.Payload = n.Snapshot
	case n.Flush != nil:
		wire.Payload = n.Flush
	}
	return json.Marshal(wire) //nolint:wrapcheck // the caller is package json
}
