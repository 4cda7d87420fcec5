package view

import (
	"math"
	"slices"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
)

// SessionNode is the root of an operation tree: one run of a session. Nodes
// that were handed out are never changed.
type SessionNode struct {
	ID string `json:"id"`
	// TraceID is the session at the root of the chain of callers.
	TraceID  string `json:"traceId,omitempty"`
	AgentID  string `json:"agentId,omitempty"`
	CallPath string `json:"callPath,omitempty"`
	// Run is the number of the run: a session has a tree for each.
	Run          int64  `json:"run,omitempty"`
	SessionTitle string `json:"sessionTitle"`
	// LatestStatus is the model's last word on its work, or that it waits.
	LatestStatus string     `json:"latestStatus,omitempty"`
	StartedAt    int64      `json:"startedAt"`
	EndedAt      int64      `json:"endedAt,omitempty"`
	Success      *bool      `json:"success,omitempty"`
	Error        string     `json:"error,omitempty"`
	Totals       NodeTotals `json:"totals"`
	// Turns are in order; turn 0 is the system's, with what happens before the
	// first turn and after the last.
	Turns []*TurnNode `json:"turns"`
}

// NodeTotals sums up a tree, children included.
type NodeTotals struct {
	TokensIn         int64 `json:"tokensIn"`
	TokensOut        int64 `json:"tokensOut"`
	TokensCacheRead  int64 `json:"tokensCacheRead"`
	TokensCacheWrite int64 `json:"tokensCacheWrite"`
	// CostUSD is rounded to 4 decimals.
	CostUSD float64 `json:"costUsd"`
	// ToolsRun counts executions, AgentsRun sessions, this one included.
	ToolsRun  int64 `json:"toolsRun"`
	AgentsRun int64 `json:"agentsRun"`
}

// TurnNode is one turn.
type TurnNode struct {
	ID         string         `json:"id"`
	Index      int64          `json:"index"`
	StartedAt  int64          `json:"startedAt"`
	EndedAt    int64          `json:"endedAt,omitempty"`
	Attributes TurnAttributes `json:"attributes,omitzero"`
	Ops        []*OpNode      `json:"ops"`
}

// TurnAttributes says what a turn was about. Texts are previews.
type TurnAttributes struct {
	Label string `json:"label,omitempty"`
	// Prompts are what the run was asked, on its first turn.
	Prompts *Prompts `json:"prompts,omitempty"`
	// Assistant is what the model said in the turn.
	Assistant string `json:"assistant,omitempty"`
	// Final is why the turn is the last, if it is.
	Final string `json:"final,omitempty"`
}

// Prompts are the texts that a run started with.
type Prompts struct {
	System string `json:"system,omitempty"`
	User   string `json:"user,omitempty"`
}

// The kinds of operation.
const (
	OpLLM     = "llm"
	OpTool    = "tool"
	OpSession = "session"
	OpSystem  = "system"
)

// OpNode is one operation: a request to a model, a tool's execution, a child
// session, or something of the system's own.
type OpNode struct {
	// OpID is the operation's path, turn-op; log entries carry it.
	OpID      string `json:"opId"`
	Kind      string `json:"kind"`
	StartedAt int64  `json:"startedAt"`
	EndedAt   int64  `json:"endedAt,omitempty"`
	// Status is ok or failed, empty while it lasts.
	Status       string            `json:"status,omitempty"`
	Attributes   OpAttributes      `json:"attributes,omitzero"`
	Logs         []LogEntry        `json:"logs,omitempty"`
	Accounting   []AccountingEntry `json:"accounting,omitempty"`
	ChildSession *SessionNode      `json:"childSession,omitempty"`
	Reasoning    *NodeReasoning    `json:"reasoning,omitempty"`
	Request      *NodeRequest      `json:"request,omitempty"`
	Response     *NodeResponse     `json:"response,omitempty"`
}

// OpAttributes says what an operation was.
type OpAttributes struct {
	// Name is the tool's, or init or fin.
	Name        string `json:"name,omitempty"`
	Provider    string `json:"provider,omitempty"`
	Model       string `json:"model,omitempty"`
	Attempt     int64  `json:"attempt,omitempty"`
	IsFinalTurn bool   `json:"isFinalTurn,omitempty"`
	// Outcome is what became of a response.
	Outcome    string `json:"outcome,omitempty"`
	StopReason string `json:"stopReason,omitempty"`
	ToolCallID string `json:"toolCallId,omitempty"`
	ToolKind   string `json:"toolKind,omitempty"`
	Error      string `json:"error,omitempty"`
}

// NodeReasoning is what a model thought: how much, and how it begins.
type NodeReasoning struct {
	Final string `json:"final"`
	Size  int64  `json:"size"`
}

// NodeRequest is what an operation was given: how much, and how it begins. The
// whole is in the journal.
type NodeRequest struct {
	Kind    string      `json:"kind"`
	Payload NodePayload `json:"payload"`
	Size    int64       `json:"size"`
}

// NodeResponse is what an operation gave back.
type NodeResponse struct {
	Payload NodePayload `json:"payload"`
	Size    int64       `json:"size"`
	// Truncated says that the preview is not the whole.
	Truncated bool `json:"truncated,omitempty"`
}

// NodePayload is a content by reference, with a preview.
type NodePayload struct {
	TextPreview string `json:"textPreview,omitempty"`
	// Ref is the content's hash.
	Ref string `json:"ref,omitempty"`
	// Messages and Tokens are those of a request to a model.
	Messages int   `json:"messages,omitempty"`
	Tokens   int64 `json:"tokens,omitempty"`
	// ToolCalls counts the calls of a response.
	ToolCalls int `json:"toolCalls,omitempty"`
}

// previewRunes is how much of a content the tree shows.
const previewRunes = 200

// preview is the beginning of a text; cut says that there is more.
func preview(text string, limit int) (beginning string, cut bool) {
	n := 0
	for i := range text {
		if n == limit {
			return text[:i], true
		}
		n++
	}
	return text, false
}

func refText(ref journal.Ref) string {
	if ref.IsZero() {
		return ""
	}
	return ref.String()
}

func usd4(m llm.Money) float64 { return math.Round(m.USD()*1e4) / 1e4 }

// Merge takes over a change, as [Notice] events of type op_tree carry it: the
// root's own fields, the turns that are new or changed, and in them the
// operations that are new or changed. Merged one after the other, changes give
// the whole tree.
func (n *SessionNode) Merge(change *SessionNode) {
	turns := n.Turns
	if n.ID != change.ID || n.Run != change.Run {
		turns = nil // another run has begun
	}
	*n = *change
	n.Turns = turns
	for _, t := range change.Turns {
		n.turn(t.Index).merge(t)
	}
}

// turn finds a turn, or begins it. Changes are about the newest.
func (n *SessionNode) turn(index int64) *TurnNode {
	for _, t := range slices.Backward(n.Turns) {
		if t.Index == index {
			return t
		}
	}
	t := &TurnNode{Index: index}
	n.Turns = append(n.Turns, t)
	return t
}

func (t *TurnNode) merge(change *TurnNode) {
	ops := t.Ops
	*t = *change
	t.Ops = ops
	for _, o := range change.Ops {
		if i := t.op(o.OpID); i >= 0 {
			t.Ops[i] = o
		} else {
			t.Ops = append(t.Ops, o)
		}
	}
}

func (t *TurnNode) op(id string) int {
	for i, o := range slices.Backward(t.Ops) {
		if o.OpID == id {
			return i
		}
	}
	return -1
}
