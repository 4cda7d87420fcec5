package view

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
		e.Subturn, e.Path = o.subturn, s.prefix+opLabel(turn, o.index)
	}
	return e
}

// toolLine starts a log entry about a tool's execution.
func (s *Session) toolLine(at int64, severity Severity, turn int64, o *op, name, code string) LogEntry {
	remote := "tool:" + name // of an execution whose start this view has not seen
	if o != nil {
		remote = string(o.kind) + ":" + o.server + ":" + name
	}
	e := s.line(at, severity, turn, o, remote, code)
	e.Type = typeTool
	e.CallPath += ":" + name
	if o != nil {
		e.ToolKind = string(o.kind)
	}
	return e
}

func (s *Session) addLog(e LogEntry) { s.Logs = append(s.Logs, e) }

// remoteModel names a model and, behind a router, who really answered.
func remoteModel(provider, actual, model string) string {
	if actual != "" && actual != provider {
		return provider + "/" + actual + ":" + model
	}
	return provider + ":" + model
}
