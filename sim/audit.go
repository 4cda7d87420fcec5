package sim

import (
	"bytes"

	"github.com/ai-agent-go/ai-agent/contract"
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/replay"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/transcript"
)

// audit checks what was played: the clauses over the whole journal and over a
// part of it, as if the session had been looked at in the middle, and what only
// the world knows.
func (w *world) audit() {
	if len(w.archive.Frames) == 0 {
		return
	}
	c := newChance(w.script.Seed, streamAudit)
	w.out.Violations = append(w.out.Violations, contract.Check(w.archive)...)
	if missing := contract.Missing(w.archive); len(missing) > 0 {
		w.breaks("S8", 0, "%d contents are missing", len(missing))
	}
	a := &auditor{w: w, replay: replay.New(w.archive.Key), owed: make(map[journal.Ref]int)}
	middle := c.in(len(w.archive.Frames)) + 1
	for i := range w.archive.Frames {
		if !a.frame(&w.archive.Frames[i]) {
			return // P10, which contract.Check has named
		}
		if i+1 == middle {
			w.auditPrefix(middle)
			w.auditProjections(a.replay.State())
		}
	}
	a.end()
	w.auditProjections(a.replay.State())
	if c.percent(10) {
		w.auditArchive()
	}
}

// auditPrefix runs the checkers over the first frames alone: a promise holds at
// every moment.
func (w *world) auditPrefix(n int) {
	part := *w.archive
	part.Frames = part.Frames[:n]
	for _, v := range contract.Check(&part) {
		v.Detail = "in the middle: " + v.Detail
		w.out.Violations = append(w.out.Violations, v)
	}
}

// auditProjections makes a request of the conversation for every transport: no
// history is invalid for anybody (contract V2, V4).
func (w *world) auditProjections(state kernel.State) {
	p := w.configs[state.Config.Ref]
	if p == nil || len(p.run.Targets) == 0 || state.Transcript.Entries == 0 {
		return
	}
	var history transcript.History
	if err := history.To(state.Transcript.Head, w.blob); err != nil {
		w.breaks("V2", state.Seq, "the transcript cannot be read: %v", err)
		return
	}
	for _, transport := range []spec.Transport{spec.TransportNative, spec.TransportXMLFinal, spec.TransportXML} {
		run, tools, err := p.in(transport)
		if err != nil {
			w.breaks("V2", state.Seq, "no tools in %s: %v", transport, err)
			continue
		}
		for _, final := range []bool{false, true} {
			g := &kernel.Generate{Ask: dialect.Ask{
				Transport: transport, Format: run.Format, Completion: run.Completion, Nonce: state.Nonce, Slot: 1, Slots: 1,
				Final: final, Reason: dialect.FinalUserStop, Routes: len(run.Router) > 0,
			}}
			request, _, err := history.Request(g, run, tools)
			if err != nil {
				w.breaks("V2", state.Seq, "no request in %s: %v", transport, err)
				continue
			}
			if len(request.History) == 0 {
				continue // nothing was said that a model may see
			}
			for _, problem := range checkRequest(request, &g.Ask) {
				w.breaks("V2", state.Seq, "as a request in %s: %s", transport, problem)
			}
		}
	}
}

// in is the configuration in another transport.
func (p *prepared) in(transport spec.Transport) (*spec.Run, *dialect.Toolset, error) {
	if transport == p.run.Transport {
		return p.run, p.tools, nil
	}
	if o := p.others[transport]; o != nil {
		return o.run, o.tools, nil
	}
	run := *p.run
	run.Transport = transport
	tools, err := dialect.NewToolset(&run)
	if p.others == nil {
		p.others = make(map[spec.Transport]*prepared)
	}
	p.others[transport] = &prepared{run: &run, tools: tools}
	return &run, tools, err //nolint:wrapcheck // it says what is wrong
}

// auditArchive writes the session to a file and reads it back.
func (w *world) auditArchive() {
	var file bytes.Buffer
	out := journal.NewArchiveWriter(&file, w.archive.Key)
	for i := range w.archive.Frames {
		out.Frame(&w.archive.Frames[i])
		for _, ref := range w.archive.Frames[i].Blobs {
			out.Blob(w.archive.Blobs[ref])
		}
	}
	err := out.Close()
	var again *journal.Archive
	if err == nil {
		again, err = journal.ReadArchive(&file)
	}
	switch {
	case err != nil:
		w.breaks("P10", w.state.Seq, "the archive cannot be read back: %v", err)
	case len(contract.Check(again)) != len(contract.Check(w.archive)):
		w.breaks("P10", w.state.Seq, "the archive that was read back is judged otherwise")
	}
}

// auditor goes through a journal frame by frame with the state at hand.
type auditor struct {
	w      *world
	replay *replay.Replayer
	// owed counts messages of users that were taken and are not in the
	// conversation yet.
	owed map[journal.Ref]int
	// aborted is when the run in progress was aborted by somebody.
	aborted int64
	// until is when a wait is over.
	until        int64
	starts, ends int
	total        llm.Money
}

// frame checks one frame. It reports false when the frame cannot be replayed.
func (a *auditor) frame(f *journal.Frame) bool {
	before := a.replay.State()
	out, err := a.replay.Next(f)
	if err != nil {
		return false
	}
	after := a.replay.State()
	body, err := kernel.DecodeInput(f.Input)
	if err != nil {
		return false
	}
	a.size(&after)
	a.waiting(&before, &after, out.Facts)
	a.ending(&after, out.Effects)
	a.input(&before, &after, body, out)
	for _, fact := range out.Facts {
		a.fact(&after, fact)
	}
	a.effects(&after, body, out.Effects)
	a.budget(&after, out.Effects)
	a.stuck(&after)
	return true
}

func (a *auditor) size(s *kernel.State) {
	n := len(s.Encode(nil))
	a.w.out.MaxState = max(a.w.out.MaxState, n)
	if n > hugeState {
		a.w.breaks("size", s.Seq, "the state has %d bytes", n)
	}
}

// input checks what became of a command or a receipt.
func (a *auditor) input(before, after *kernel.State, body kernel.InputBody, out *kernel.Output) {
	if !out.Answer.OK && out.Answer.Code != kernel.CodeBadInput {
		a.unchanged(before, after, out)
	}
	if !out.Answer.OK {
		return
	}
	switch b := body.(type) {
	case *kernel.Prompt:
		a.owed[b.Content.Ref]++
	case *kernel.Steer:
		a.owed[b.Content.Ref]++
	case *kernel.Abort:
		if before.Run != nil && before.Run.Ending == nil {
			a.aborted = after.Time
		}
	case *kernel.Open:
		for i := range b.History {
			if b.History[i].Kind == dialect.ItemUser {
				a.owed[b.History[i].Ref]++
			}
		}
	}
}

// unchanged demands that a refused input has changed nothing but number and
// time (contract S6): a receipt that ends a run and finds the next one refused
// has been taken, whatever the answer says.
func (a *auditor) unchanged(before, after *kernel.State, out *kernel.Output) {
	same := *after
	same.Seq, same.Time = before.Seq, before.Time
	if !bytes.Equal(same.Encode(nil), before.Encode(nil)) {
		a.w.breaks("S6", after.Seq, "an input is answered %s and changes the state", out.Answer.Code)
	}
	if len(out.Effects) > 0 {
		a.w.breaks("S6", after.Seq, "an input is answered %s and has effects", out.Answer.Code)
	}
}

// waiting: whoever must answer is told so (contract S6).
func (a *auditor) waiting(before, after *kernel.State, facts []kernel.Fact) {
	if before.Status() == kernel.StatusAwaiting || after.Status() != kernel.StatusAwaiting {
		return
	}
	for _, fact := range facts {
		if f, ok := fact.(*kernel.Awaiting); ok && len(f.Calls) > 0 {
			return
		}
	}
	a.w.breaks("S6", after.Seq, "the session waits and nobody is told for what")
}

// ending: once a run's end is decided nothing new begins (contract S11).
func (a *auditor) ending(s *kernel.State, effects []kernel.Effect) {
	if s.Run == nil || s.Run.Ending == nil {
		return
	}
	for i := range effects {
		_, cancels := effects[i].Body.(*kernel.Cancel)
		l, ok := effects[i].Body.(*kernel.Ledger)
		if gives := ok && l.Release != ""; !cancels && !gives {
			a.w.breaks("S11", s.Seq, "effect %s begins in a run that is ending", effects[i].ID)
		}
	}
}

// stuck finds states in which nothing would ever happen again.
func (a *auditor) stuck(s *kernel.State) {
	switch {
	case s.Run == nil && len(s.FollowUps) > 0:
		a.w.breaks("S10", s.Seq, "%d messages wait for a run to end and there is none", len(s.FollowUps))
	case s.Run != nil && len(s.Run.Open) == 0:
		a.w.breaks("L6", s.Seq, "a run in phase %s with nothing open", s.Run.Phase)
	}
}
