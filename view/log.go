package view

import (
	"strconv"

	"github.com/ai-agent-go/ai-agent/kernel"
)

// LogEntry is one line of the log (contract B8).
type LogEntry struct {
	// Timestamp is in milliseconds since 1970.
	Timestamp int64    `json:"timestamp"`
	Severity  Severity `json:"severity"`
	Turn      int64    `json:"turn"`
	// Subturn is 0 for the model and counts the turn's tools from 1.
	Subturn int64 `json:"subturn"`
	// Path names the operation in the tree, as turn-op; in a child's entries
	// behind the path of the operation that the child hangs below.
	Path string `json:"path,omitempty"`
	// Direction is request or response, Type llm or tool.
	Direction string `json:"direction"`
	Type      string `json:"type"`
	// ToolKind is local, remote, agent or approval on the entries of tools.
	ToolKind string `json:"toolKind,omitempty"`
	// RemoteIdentifier is provider:model, kind:namespace:tool, agent:… or
	// summary.
	RemoteIdentifier string `json:"remoteIdentifier"`
	Message          string `json:"message"`
	// Fatal says that the run ended because of it.
	Fatal bool `json:"fatal"`
	Bold  bool `json:"bold,omitempty"`

	// HeadendID is the door's, where the session is used through one.
	HeadendID string `json:"headendId,omitempty"`
	AgentID   string `json:"agentId"`
	// CallPath names the agents along the chain and then the tool; AgentPath
	// the agents alone.
	CallPath    string `json:"callPath"`
	AgentPath   string `json:"agentPath"`
	TxnID       string `json:"txnId"`
	ParentTxnID string `json:"parentTxnId,omitempty"`
	OriginTxnID string `json:"originTxnId"`
	MaxTurns    int64  `json:"max_turns,omitempty"`
	// Details holds numbers and names; details.event is a stable code.
	Details map[string]any `json:"details,omitempty"`
}

// Severity says how grave a log entry is, or of what kind.
type Severity string

// The severities.
const (
	SeverityError   Severity = "ERR"
	SeverityWarning Severity = "WRN"
	// SeverityFinal is for the summaries at a run's end.
	SeverityFinal   Severity = "FIN"
	SeverityVerbose Severity = "VRB"
	// SeverityThinking carries what a model thought.
	SeverityThinking Severity = "THK"
	SeverityTrace    Severity = "TRC"
)

// Priority is the severity as a syslog priority.
func (s Severity) Priority() int {
	switch s {
	case SeverityError:
		return 3
	case SeverityWarning:
		return 4
	case SeverityFinal:
		return 5
	case SeverityTrace:
		return 7
	default: // what happens, and what is thought
		return 6
	}
}

// Level is the entry in the words of the multi-user service: INFO for turns and
// tool calls, WARNING for limits, ERROR for failures, a tool's included
// (contract U11).
func (e *LogEntry) Level() string {
	switch {
	case e.Severity == SeverityError:
		return "ERROR"
	case e.Severity != SeverityWarning:
		return "INFO"
	case e.Details["event"] == codeToolFailed:
		return "ERROR"
	}
	// Trouble with a provider is a failure unless it is only a limit.
	if class, failed := e.Details["error_class"]; failed && class != "rate_limit" {
		return "ERROR"
	}
	return "WARNING"
}

// Stable codes that more than one place knows.
const (
	codeToolFailed = "tool_execution_failed"
	codeTruncated  = "tool_output_truncated"
)

const (
	request  = "request"
	response = "response"
)

// line starts a log entry. o is the operation that it is about, nil for none.
func (s *Session) line(at int64, severity Severity, turn int64, o *op, remote, code string) LogEntry {
	id := &s.identity
	e := LogEntry{
		Timestamp: at, Severity: severity, Turn: turn, Direction: response, Type: typeLLM, RemoteIdentifier: remote,
		HeadendID: s.HeadendID, AgentID: id.Agent, CallPath: id.CallPath, AgentPath: id.CallPath, TxnID: id.Session,
		ParentTxnID: id.Parent, OriginTxnID: id.Origin, MaxTurns: s.turn.max, Details: make(map[string]any, 8),
	}
	e.Details["event"] = code
	if o != nil {
		e.Subturn, e.Path = o.subturn, s.prefix+o.in(turn)
	}
	return e
}

// toolLine starts a log entry about a tool's execution.
func (s *Session) toolLine(at int64, severity Severity, turn int64, o *op, name, code string) LogEntry {
	if o == nil { // of an execution whose start this view has not seen
		o = &op{remote: "tool:" + name}
		e := s.line(at, severity, turn, nil, o.remote, code)
		e.Type, e.CallPath = typeTool, o.called(e.CallPath, name)
		return e
	}
	e := s.line(at, severity, turn, o, o.tool(name), code)
	e.Type, e.CallPath, e.ToolKind = typeTool, o.called(e.CallPath, name), string(o.kind)
	return e
}

// words puts a message together from texts and whole numbers, in turn: it is
// what most entries need of package fmt, at a fraction of its price.
func (s *Session) words(texts []string, numbers ...int64) string {
	b := s.buffer[:0]
	for i, text := range texts {
		b = append(b, text...)
		if i < len(numbers) {
			b = strconv.AppendInt(b, numbers[i], 10)
		}
	}
	s.buffer = b
	return string(b)
}

func (s *Session) addLog(e LogEntry) { s.Logs = append(s.Logs, e) }

// modelName is how the model that was asked last is named. Runs ask the same
// model again and again, so its names are made once.
type modelName struct {
	provider, actual, model string
	// asked is provider:model, remote also says who really answered, and target
	// is provider/model.
	asked, remote, target string
}

func (m *modelName) set(provider, actual, model string) {
	if m.provider == provider && m.actual == actual && m.model == model {
		return
	}
	*m = modelName{
		provider: provider, actual: actual, model: model, asked: provider + ":" + model, target: provider + "/" + model,
	}
	m.remote = m.asked
	if actual != "" && actual != provider {
		m.remote = provider + "/" + actual + ":" + model
	}
}

// request names the model that a request goes to.
func (m *modelName) request(f *kernel.AttemptStart) string {
	if m.provider != f.Provider || m.model != f.Model {
		m.set(f.Provider, "", f.Model)
	}
	return m.asked
}

// of names the model that an attempt was made at, as a target.
func (m *modelName) of(f *kernel.AttemptEnd) string {
	m.set(f.Provider, f.ActualProvider, f.Model)
	return m.target
}
