package view

import (
	"slices"
	"strconv"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// turn is what logs, tree and notices must know of the turn in progress. It is
// forgotten with the next one.
type turn struct {
	number int64
	max    int64
	ops    []op
	tools  int64
	// final says that the run's last turn has been told of.
	final bool
	// failed are the slugs of the attempt before, nil when it did not fail.
	failed []dialect.Slug
}

// op is an operation of the turn: a request to a model, or a tool's execution.
type op struct {
	effect string
	callID string
	// index counts the turn's operations from 1. subturn is 0 for requests and
	// counts tools from 1.
	index   int64
	subturn int64
	// kind, server and name are the tool's; kind is empty for requests.
	kind    spec.ToolKind
	server  string
	name    string
	bytes   int64
	started int64
	// label, remote and path are how logs and tree name the operation, made when
	// first asked for: several entries are about one operation.
	label, remote, path string
}

// in is the path of an operation of a turn: turn-op.
func (o *op) in(turn int64) string {
	if o.label == "" {
		o.label = opLabel(turn, o.index)
	}
	return o.label
}

// tool is how a tool is named: kind:namespace:tool.
func (o *op) tool(name string) string {
	if o.remote == "" {
		o.remote = string(o.kind) + ":" + o.server + ":" + name
	}
	return o.remote
}

// called is the chain of agents, and behind it the tool.
func (o *op) called(agents, name string) string {
	if o.path == "" {
		o.path = agents + ":" + name
	}
	return o.path
}

func (t *turn) begin(f *kernel.TurnStart) {
	*t = turn{number: f.Turn, max: f.MaxTurns, ops: t.ops[:0], final: t.final}
}

func (t *turn) asked(at int64, f *kernel.AttemptStart) {
	t.ops = append(t.ops, op{effect: f.Effect, index: int64(len(t.ops)) + 1, started: at})
}

// called notes an execution and reports whether it is a new one: a call that
// had to be approved first is still the same call, now under way.
func (t *turn) called(at int64, f *kernel.ToolStart) bool {
	if o := t.call(f.CallID); o != nil {
		o.effect, o.kind, o.remote = f.Effect, f.Kind, ""
		return false
	}
	t.tools++
	t.ops = append(t.ops, op{
		effect: f.Effect, callID: f.CallID, index: int64(len(t.ops)) + 1, subturn: t.tools, kind: f.Kind, server: f.Server,
		name: f.Name, bytes: f.ArgsBytes, started: at,
	})
	return true
}

// call finds a call's operation, nil when it was answered without one.
func (t *turn) call(id string) *op {
	if id == "" {
		return nil
	}
	for i := range t.ops {
		if t.ops[i].callID == id {
			return &t.ops[i]
		}
	}
	return nil
}

// request finds an attempt's operation.
func (t *turn) request(effect string) *op {
	for i := range t.ops {
		if t.ops[i].effect == effect && t.ops[i].callID == "" {
			return &t.ops[i]
		}
	}
	return nil
}

// opLabel is the path of an operation: turn-op.
func opLabel(turn, index int64) string {
	return strconv.FormatInt(turn, 10) + "-" + strconv.FormatInt(index, 10)
}

// failureSlugs say why an attempt failed, trouble with the provider included,
// of which the model is not told.
func failureSlugs(f *kernel.AttemptEnd) []dialect.Slug {
	if f.Outcome == kernel.OutcomeAccepted {
		return nil
	}
	slugs := slices.Clip(f.Slugs)
	if f.Error != nil {
		slugs = append(slugs, errorSlug(f.Error.Class))
	}
	return slugs
}

func errorSlug(class llm.ErrorClass) dialect.Slug {
	switch class {
	case llm.ClassRateLimit:
		return "rate_limited"
	case llm.ClassTimeout:
		return "provider_timeout"
	case llm.ClassNetwork:
		return "provider_network_error"
	case llm.ClassAuth, llm.ClassQuota, llm.ClassAborted, llm.ClassUnknown:
		return dialect.Slug(class)
	case llm.ClassRefusal, llm.ClassInvalidResponse:
		return "invalid_response"
	case llm.ClassContextOverflow:
		return "context_guard"
	default: // server and model errors, and classes from elsewhere
		return "provider_error"
	}
}
