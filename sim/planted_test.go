package sim

import (
	"slices"
	"testing"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// plain is a session without trouble: a call of each of two tools, then the
// report. Faults are planted into it.
func plain() *Script {
	return &Script{
		Seed: 1, Nonce: "0badcafe",
		Agents: []spec.Agent{{
			ID: "plain", Format: spec.FormatText, Transport: spec.TransportNative, Limits: spec.Limits{MaxTurns: 3, MaxRetries: 2},
			Targets: []spec.Target{{Provider: "p", Model: "m"}}, Tools: palette(),
		}},
		Commands: []Command{{Do: DoPrompt, Text: "hi"}},
		Replies: []Reply{{Kind: "calls", After: 100, Finish: llm.FinishToolCalls, Blocks: []Block{
			{Kind: llm.DeltaToolCall, ID: "c1", Name: "weather", Text: `{"city":"Athens"}`},
			{Kind: llm.DeltaToolCall, ID: "c2", Name: "read", Text: `{}`},
		}}},
		Conducts: []Conduct{{Kind: "ok", Text: "sunny", After: 900}, {Kind: "ok", Text: "read", After: 300}},
	}
}

// onFact changes the first fact of a type that a change applies to.
func onFact[F kernel.Fact](change func(F) ([]kernel.Fact, bool)) func(*journal.Frame) {
	done := false
	return func(f *journal.Frame) {
		facts, err := kernel.DecodeFacts(f)
		if err != nil || done {
			return
		}
		for i := range facts {
			fact, ok := facts[i].(F)
			if !ok {
				continue
			}
			instead, yes := change(fact)
			if !yes {
				continue
			}
			done = true
			records := make([]journal.Record, len(instead))
			for j, n := range instead {
				records[j] = kernel.EncodeFact(n)
			}
			f.Facts = slices.Replace(slices.Clone(f.Facts), i, i+1, records...)
			return
		}
	}
}

func drop[F kernel.Fact](F) ([]kernel.Fact, bool) { return nil, true }

func twice[F kernel.Fact](f F) ([]kernel.Fact, bool) { return []kernel.Fact{f, f}, true }

// dropMessage leaves out the first message of a kind.
func dropMessage(kind dialect.ItemKind) func(*journal.Frame) {
	return onFact(func(f *kernel.Message) ([]kernel.Fact, bool) { return nil, f.Entry.Kind == kind })
}

// with changes a fact.
func with[F kernel.Fact](change func(F)) func(*journal.Frame) {
	return onFact(func(f F) ([]kernel.Fact, bool) {
		change(f)
		return []kernel.Fact{f}, true
	})
}

// The simulator can fail: what is broken on purpose is found, by name.
//
// contract: E4
func TestWhatIsPlantedIsFound(t *testing.T) {
	t.Parallel()
	if o := Play(plain()); len(o.Violations) > 0 {
		t.Fatalf("without a fault: %v", o.Violations)
	}
	crashed := plain()
	crashed.Faults = []Fault{{Kind: FaultCrashAfter, Frame: 4}}
	again := plain()
	again.Replies[0].Twice = true
	last := plain()
	last.Agents[0].Limits.MaxTurns = 1
	for name, c := range map[string]struct {
		clause string
		script *Script
		plant  plant
	}{
		"a fact is left out of a frame":            {"P10", plain(), plant{frame: onFact(drop[*kernel.TurnStart])}},
		"the end of an attempt is left out":        {"R9", plain(), plant{frame: onFact(drop[*kernel.AttemptEnd])}},
		"a result does not reach the conversation": {"V2", plain(), plant{frame: dropMessage(dialect.ItemResult)}},
		"a user is not heard":                      {"V1", plain(), plant{frame: dropMessage(dialect.ItemUser)}},
		"a run reports twice":                      {"F1", plain(), plant{frame: onFact(twice[*kernel.FinalReport])}},
		"a run ends without a report":              {"F1", plain(), plant{frame: onFact(drop[*kernel.FinalReport])}},
		"a turn beyond the last":                   {"L1", plain(), plant{frame: with(func(f *kernel.TurnStart) { f.Turn = 9 })}},
		"an attempt beyond the last":               {"L4", plain(), plant{frame: with(func(f *kernel.AttemptStart) { f.Attempt = 9 })}},
		"a tool runs on the last turn":             {"L5", plain(), plant{frame: with(func(f *kernel.AttemptStart) { f.Final = true })}},
		"a second receipt is applied":              {"S6", again, plant{frame: onFact(drop[*kernel.Ignored])}},
		"another request is sent than is derived":  {"P12", plain(), plant{request: func(_ *llm.Request, d *journal.Ref) { d[0]++ }}},
		"an orphaned result is sent": {"V2", plain(), plant{request: func(r *llm.Request, _ *journal.Ref) {
			r.History = append([]*llm.Message{{Role: llm.RoleTool, Parts: []llm.Part{
				{Kind: llm.PartToolResult, Result: &llm.ToolResult{CallID: "c0", Content: "who asked?"}},
			}}}, r.History...)
		}}},
		"a tool is offered on the last turn": {"V2", last, plant{request: func(r *llm.Request, _ *journal.Ref) {
			r.Tools = append(slices.Clone(r.Tools), llm.Tool{Name: "weather"})
		}}},
		"nobody carries out an effect": {"L6", plain(), plant{lose: func(e kernel.Effect) bool {
			_, tool := e.Body.(*kernel.Tool)
			return tool
		}}},
		"recovery runs a tool again that must not": {"S8", crashed, plant{rerun: true}},
		"a request is counted and never goes out": {"R9", plain(), plant{lose: func(e kernel.Effect) bool {
			_, generate := e.Body.(*kernel.Generate)
			return generate
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := play(c.script, options{plant: c.plant})
			if _, found := o.Broken(c.clause); !found {
				t.Errorf("%s is not found: %v", c.clause, o.Violations)
			}
		})
	}
}
