package view

import (
	"encoding/json"

	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/transcript"
)

// Blobs reads a content by its reference.
type Blobs = transcript.Blobs

// Session is everything that a session has to show so far (contract S1).
type Session struct {
	ID     string
	Agent  string
	Status string
	// Model is the last one that was asked, as provider/model.
	Model    string
	Messages []Message
	// TotalCost is the sum over the session's life.
	TotalCost  llm.Money
	Pending    []PendingCall
	Accounting []AccountingEntry
	Logs       []LogEntry
	// Report and End are the last run's.
	Report *FinalReport
	End    *kernel.RunEnd
	// Run is the number of the last run, RunStart the index in Messages where
	// it began.
	Run      int64
	RunStart int

	// HeadendID names the door that the session is used through; it is put
	// into log entries.
	HeadendID string
	// Brief leaves out logs and accounts, for folds of which nobody reads them:
	// writing the entries is a good part of a fold's work.
	Brief bool

	identity kernel.Identity
	contents contents
	turn     turn
	eyes     eyes
	totals   totals
	// handoff is whom the run hands its report to, handed the last report that
	// was handed to anybody.
	handoff string
	handed  *FinalReport
	err     error
	// buffer is for messages of the log, asked is the name of the last model.
	buffer []byte
	asked  modelName

	// Of children; all of it is empty in a session that has none. openings are
	// those at work, beside what is folded of them by others, ended the last
	// that came to its end, held the accounts that wait for their call's.
	kin      *family
	depth    int
	openings map[string]opening
	beside   map[string]folded
	ended    ending
	held     []heldAccounts
	stages   int64
	// prefix is the operation that this session hangs below. trees says that
	// somebody wants the children's, too.
	prefix string
	trees  bool
}

// NewSession starts an empty view. blobs is asked for contents as they are
// needed.
func NewSession(blobs Blobs) *Session {
	s := &Session{Status: kernel.StatusCompleted}
	s.contents.init(blobs)
	return s
}

// Apply folds one fact. Facts come in order; at is their frame's time. An error
// means that a content could not be read; the view goes on without it.
func (s *Session) Apply(at int64, fact kernel.Fact) error {
	s.err = nil
	switch f := fact.(type) {
	case *kernel.SessionStart:
		s.identity = f.Identity
		s.ID, s.Agent = f.Identity.Session, f.Identity.Agent
	case *kernel.ProfileRequested:
		s.beginRun(f.Run)
	case *kernel.RunStart:
		s.beginRun(f.Run)
		s.turn.max, s.eyes, s.handoff = f.MaxTurns, eyesOf(f), f.Handoff
		s.contents.run(f.Config)
	case *kernel.Message:
		s.addMessage(at, f)
	case *kernel.TurnStart:
		s.turn.begin(f)
	case *kernel.AttemptStart:
		s.Status, s.Pending = kernel.StatusRunning, nil
		s.turn.asked(at, f)
	case *kernel.AttemptEnd:
		s.Model = s.asked.of(f)
		s.TotalCost += f.Cost
		s.totals.asked(f)
		s.turn.failed = failureSlugs(f)
		if !s.Brief {
			s.Accounting = append(s.Accounting, llmEntry(&s.identity, at, f))
		}
	case *kernel.ToolStart:
		s.Status, s.Pending = kernel.StatusRunning, nil
		if s.turn.called(at, f) {
			s.totals.executed++
		}
		if f.Child != "" {
			s.called(f)
		}
	case *kernel.StageStart, *kernel.Handoff:
		s.orchestrate(at, fact)
	case *kernel.ChildEnd:
		s.TotalCost += f.Cost
		s.totals.child(f)
		s.childEnded(f)
	case *kernel.ToolEntry:
		s.totals.called(f)
		s.account(f.CallID)
		if !s.Brief {
			s.Accounting = append(s.Accounting, s.toolEntry(at, f))
		}
	case *kernel.OutputStored:
		s.totals.capped++
	case *kernel.Log:
		if f.Code == codeTruncated {
			s.totals.capped++
		}
	case *kernel.Awaiting:
		s.Status = kernel.StatusAwaiting
		s.Pending = s.pendingCalls(f.Calls)
		s.account("")
	case *kernel.FinalReport:
		s.Report = s.finalReport(f)
	case *kernel.RunEnd:
		s.account("")
		s.ended = ending{}
		s.Status, s.Pending, s.End, s.TotalCost = f.Status, nil, f, f.Total
	}
	if !s.Brief {
		s.log(at, fact)
	}
	return s.err
}

// beginRun forgets what belongs to the run before. A run that has to look up its
// profiles begins before it starts, and nothing is forgotten by beginning twice.
func (s *Session) beginRun(number int64) {
	s.Status, s.Run, s.RunStart = kernel.StatusRunning, number, len(s.Messages)
	s.Report, s.End, s.totals, s.turn = nil, nil, totals{}, turn{ops: s.turn.ops[:0]}
	s.handoff, s.handed, s.stages, s.ended = "", nil, 0, ending{}
	// Whoever is still at work has been let go.
	clear(s.openings)
	clear(s.beside)
}

// MarshalJSON writes what the session's API shows of it (contract S1). Accounts
// and logs have ways of their own.
func (s *Session) MarshalJSON() ([]byte, error) {
	messages := s.Messages
	if messages == nil {
		messages = []Message{}
	}
	return json.Marshal(struct { //nolint:wrapcheck // the caller is package json
		ID        string        `json:"id"`
		Agent     string        `json:"agent"`
		Status    string        `json:"status"`
		Model     string        `json:"model,omitempty"`
		Messages  []Message     `json:"messages"`
		TotalCost float64       `json:"totalCost"`
		Pending   []PendingCall `json:"pendingToolCalls,omitempty"`
	}{s.ID, s.Agent, s.Status, s.Model, messages, s.TotalCost.USD(), s.Pending})
}
