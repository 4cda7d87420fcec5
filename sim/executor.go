package sim

import (
	"fmt"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// start begins an effect. Timers need nothing: the state knows them. On remote
// calls and approvals nobody here works.
func (w *world) start(e kernel.Effect) {
	if w.plant.lose != nil && w.plant.lose(e) {
		return
	}
	switch body := e.Body.(type) {
	case *kernel.Generate:
		w.startGenerate(e.ID, body)
	case *kernel.Tool:
		if body.Kind != kernel.ToolAwaitsApproval && body.Kind != spec.ToolRemote {
			w.startTool(e.ID, body)
		}
	case *kernel.Lookup:
		w.startLookup(e.ID, body)
	case *kernel.Ledger:
		w.startLedger(e.ID, body)
	case *kernel.Forward: // its letter is on its way
		w.deliver(oneOf(w.ties, int64(0), 0, 300), &kernel.Receipt{Effect: e.ID, Forward: &kernel.Forwarded{}}, nil, w.ties.percent(5))
	case *kernel.Cancel:
		if body.Session == "" {
			w.cancel(body.Effect)
		}
	}
}

// post delivers what the session has to say to its children: it is durable with
// the frame, and no crash comes between.
func (w *world) post(e kernel.Effect) {
	if w.plant.lose != nil && w.plant.lose(e) {
		return
	}
	switch body := e.Body.(type) {
	case *kernel.Child:
		w.startChild(e.ID, body)
	case *kernel.Forward:
		w.forward(e.ID, body)
	case *kernel.Cancel:
		if body.Session != "" {
			w.cancelChild(body)
		}
	}
}

// deliver puts a receipt on its way; twice, where the script says so.
func (w *world) deliver(after int64, receipt *kernel.Receipt, blobs []journal.Blob, twice bool) {
	receipt.LatencyMS = after
	e := &event{at: w.now + after, tie: w.ties.tie(), receipt: receipt, blobs: blobs}
	w.flying[receipt.Effect] = e
	w.queue.put(e)
	if twice {
		w.count("receipt twice")
		again := *e
		again.tie = w.ties.tie()
		if w.ties.percent(50) {
			again.at += 1_000
		}
		w.queue.put(&again)
	}
}

// cancel stops an effect that is under way: its executor answers at once, after
// a moment, or has as good as finished and its receipt cannot be called back.
// One that does not listen is answered for within a second.
func (w *world) cancel(id string) {
	e := w.flying[id]
	if e == nil || e.receipt.Lookup != nil || e.receipt.Forward != nil || e.receipt.Ledger != nil {
		return // these are done the moment they are asked for
	}
	after := oneOf(w.ties, int64(0), 0, 20, graceMS)
	if e.at <= w.now+after || e.at <= w.now+graceMS && w.ties.percent(50) {
		w.count("cancel too late")
		return
	}
	w.count("cancelled")
	e.gone = true
	stopped := &kernel.Receipt{Effect: id}
	blobs := e.blobs
	if g := e.receipt.Generated; g != nil {
		partial := *g
		partial.Finish = llm.Finish{Reason: llm.FinishAborted}
		partial.Error = &llm.Error{Class: llm.ClassAborted, Message: "the request was cancelled"}
		partial.Observation, partial.Report, partial.TextReport = nil, journal.Ref{}, journal.Ref{}
		if w.ties.percent(50) { // nothing had arrived
			partial.Output, partial.Raw, blobs = journal.Ref{}, journal.Ref{}, nil
		}
		stopped.Generated = &partial
	} else {
		stopped.Tool, blobs = &kernel.ToolDone{Status: kernel.ToolAborted}, nil
	}
	w.deliver(after, stopped, blobs, false)
}

// graceMS is how long an executor may take to stop.
const graceMS = 1_000

// config finds a configuration that a frame names.
func (w *world) config(ref journal.Ref) (*prepared, error) {
	if p := w.configs[ref]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no configuration %s", ref.Short())
}

func (w *world) blob(ref journal.Ref) ([]byte, error) {
	data, ok := w.archive.Blobs[ref]
	if !ok {
		return nil, fmt.Errorf("no content %s", ref.Short())
	}
	return data, nil
}

// keeper collects the contents of a receipt.
type keeper struct{ blobs []journal.Blob }

func (k *keeper) keep(data []byte) journal.Ref {
	b := journal.NewBlob(data)
	k.blobs = append(k.blobs, b)
	return b.Ref
}
