package contract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Violation is a promise that a session broke.
type Violation struct {
	Clause string `json:"clause"`
	// Seq is the frame where it shows.
	Seq    uint64 `json:"frame"`
	Detail string `json:"detail"`
}

// String names clause, frame and detail in one line.
func (v Violation) String() string { return fmt.Sprintf("%s: frame %d: %s", v.Clause, v.Seq, v.Detail) }

// rule checks one clause, or a few that are one check.
type rule struct {
	clause string
	check  func(t *trace)
}

// rules lists the checkers, in the order of the contract.
func rules() []rule {
	return []rule{
		{"L1", checkTurns},
		{"L3", checkToolLimit},
		{"L4", checkAttempts},
		{"L5", checkFinalTurn},
		{"L7", checkOneAssistant},
		{"L8", checkForcedOrder},
		{"R1", checkTargetOrder},
		{"R2", checkFatalErrors},
		{"R3", checkWaits},
		{"R4", checkNoDelay},
		{"R5", checkNotices},
		{"R9", checkAttemptsEnd},
		{"R12", checkTextReports},
		{"X2", checkGuardOutcomes},
		{"X7", checkGuardNumbers},
		{"T1", checkTimeouts},
		{"T2", checkFailureTexts},
		{"T4", checkRefusedCalls},
		{"T5", checkTruncated},
		{"T9", checkSizes},
		{"T14", checkChildren},
		{"T15", checkRemote},
		{"T17", checkApprovals},
		{"F1", checkReports},
		{"F6", checkCollapse},
		{"M2", checkSlots},
		{"A1", checkReceiptData},
		{"A2", checkAccounting},
		{"A3", checkIdentity},
		{"A5", checkCosts},
		{"V1", checkOrder},
		{"V2", checkPairs},
		{"V3", checkStoredUserTexts},
		{"V5", checkTerminal},
		{"B4", checkRunEnds},
		{"B5", checkStages},
		{"S6", checkEffectsOnce},
		{"S10", checkInputs},
		{"P1", checkProfiles},
		{"P4", checkConfig},
		{"P6", checkRequestData},
		{"P8", checkEnvelopes},
		{"P10", checkReplay},
		{"P12", checkRequests},
	}
}

// Clauses lists the ids of the clauses that have a checker.
func Clauses() []string {
	var ids []string
	for _, r := range rules() {
		ids = append(ids, r.clause)
	}
	return ids
}

// Check runs every checker over a session. No violation means that the session
// kept what a journal can show. A journal that cannot even be read breaks P10.
func Check(a *journal.Archive) []Violation {
	t, err := newTrace(a)
	if err != nil {
		return []Violation{{Clause: "P10", Detail: err.Error()}}
	}
	for _, r := range rules() {
		t.clause = r.clause
		r.check(t)
	}
	slices.SortStableFunc(t.found, func(a, b Violation) int { return cmp.Compare(a.Seq, b.Seq) })
	return t.found
}

// trace is a session laid out for checking.
type trace struct {
	archive *journal.Archive
	steps   []step
	clause  string
	found   []Violation
}

// step is a frame with its records decoded.
type step struct {
	seq     uint64
	frame   *journal.Frame
	input   kernel.InputBody
	effects []kernel.Effect
	facts   []kernel.Fact
}

func newTrace(a *journal.Archive) (*trace, error) {
	t := &trace{archive: a, steps: make([]step, len(a.Frames))}
	for i := range a.Frames {
		f := &a.Frames[i]
		input, err := kernel.DecodeInput(f.Input)
		if err != nil {
			return nil, fmt.Errorf("frame %d: %w", f.Seq, err)
		}
		effects, err := kernel.DecodeEffects(f)
		if err != nil {
			return nil, err //nolint:wrapcheck // it names the frame
		}
		facts, err := kernel.DecodeFacts(f)
		if err != nil {
			return nil, err //nolint:wrapcheck // it names the frame
		}
		t.steps[i] = step{seq: f.Seq, frame: f, input: input, effects: effects, facts: facts}
	}
	return t, nil
}

// fail notes a violation of the clause that is being checked.
func (t *trace) fail(seq uint64, format string, args ...any) {
	t.found = append(t.found, Violation{Clause: t.clause, Seq: seq, Detail: fmt.Sprintf(format, args...)})
}

// each calls f for every fact, in order.
func (t *trace) each(f func(s *step, fact kernel.Fact)) {
	for i := range t.steps {
		for _, fact := range t.steps[i].facts {
			f(&t.steps[i], fact)
		}
	}
}

func (t *trace) blob(ref journal.Ref) ([]byte, error) {
	data, ok := t.archive.Blobs[ref]
	if !ok {
		return nil, fmt.Errorf("content %s is missing", ref.Short())
	}
	return data, nil
}

// read decodes a JSON content, or notes that it cannot be read.
func read[T any](t *trace, seq uint64, ref journal.Ref) *T {
	data, err := t.blob(ref)
	v := new(T)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.fail(seq, "%v", err)
		return nil
	}
	return v
}

func (t *trace) run(seq uint64, ref journal.Ref) *spec.Run { return read[spec.Run](t, seq, ref) }

func (t *trace) envelope(seq uint64, ref journal.Ref) *llm.Envelope {
	return read[llm.Envelope](t, seq, ref)
}
