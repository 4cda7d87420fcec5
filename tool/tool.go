package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Tool is a tool that can be offered to a model.
type Tool struct {
	spec.Tool
	// Execute runs a call. It is nil for a remote tool.
	Execute Executor
}

// Executor runs one call: it yields what it has to show so far, then exactly
// one result, which is the last element; breaking the loop or cancelling ctx
// stops it. It runs once per call: time-outs and limits are its caller's.
type Executor func(ctx context.Context, call Call) iter.Seq2[string, *Result]

// Call is one execution.
type Call struct {
	// ID is the model's id of the call. Key is unique in the world and the same
	// when the call is run again after a crash: tools with effects outside pass
	// it on as an idempotency key.
	ID  string
	Key string
	// Arguments is a canonical JSON object that fits the tool's schema.
	Arguments json.RawMessage
	Tenant    string
	Session   string
}

// Result is the end of an execution.
type Result struct {
	Output string
	// Details is anything worth keeping for people; the model does not see it.
	Details json.RawMessage
	// Err is why the tool failed; the model is told its text.
	Err error
}

// New makes a tool of a function with a typed argument. The argument's type
// must be a struct or a map with string keys.
func New[In any](name, description string, f func(ctx context.Context, in In) (string, error)) (Tool, error) {
	t, err := typed[In](name, description)
	t.Execute = func(ctx context.Context, call Call) iter.Seq2[string, *Result] {
		return func(yield func(string, *Result) bool) {
			var result Result
			var in In
			if err := json.Unmarshal(call.Arguments, &in); err != nil {
				result.Err = fmt.Errorf("arguments: %w", err)
			} else {
				result.Output, result.Err = f(ctx, in)
			}
			yield("", &result)
		}
	}
	return t, err
}

// typed is a local tool with an argument of a type, without its function.
func typed[In any](name, description string) (Tool, error) {
	schema, err := schemaOf[In]()
	if err != nil {
		return Tool{}, fmt.Errorf("tool %q: %w", name, err)
	}
	return Tool{Tool: spec.Tool{Name: name, Description: description, Parameters: schema, Kind: spec.ToolLocal}},
		spec.CheckToolName(name) //nolint:wrapcheck // it names the tool
}

// NewStream makes a tool that may show deltas before its result. emit does
// nothing once nobody listens any more; ctx is cancelled then.
func NewStream[In any](
	name, description string, f func(ctx context.Context, in In, emit func(delta string)) (Result, error),
) (Tool, error) {
	t, err := typed[In](name, description)
	t.Execute = func(ctx context.Context, call Call) iter.Seq2[string, *Result] {
		return func(yield func(string, *Result) bool) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			var in In
			if err := json.Unmarshal(call.Arguments, &in); err != nil {
				yield("", &Result{Err: fmt.Errorf("arguments: %w", err)})
				return
			}
			listening := true
			result, err := f(ctx, in, func(delta string) {
				if listening && delta != "" && !yield(delta, nil) {
					listening = false
					cancel()
				}
			})
			if err != nil {
				result.Err = err
			}
			if listening {
				yield("", &result)
			}
		}
	}
	return t, err
}

// Remote declares a tool that somebody outside runs. parameters is a JSON
// Schema of an object.
func Remote(name, description string, parameters json.RawMessage) Tool {
	return Tool{Tool: spec.Tool{Name: name, Description: description, Parameters: parameters, Kind: spec.ToolRemote}}
}

// Must returns the tool or panics: for tools that are fixed in the program.
func Must(t Tool, err error) Tool {
	if err != nil {
		panic(err)
	}
	return t
}

func schemaOf[In any]() (json.RawMessage, error) {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		return nil, fmt.Errorf("derive schema: %w", err)
	}
	if s.Type != "object" {
		return nil, errors.New("derive schema: the argument must be a struct or a map with string keys")
	}
	return llm.MarshalJSON(s) //nolint:wrapcheck // our own
}
