package sim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ai-agent-go/ai-agent/contract"
	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/transcript"
)

// Run draws the script of a seed, plays it and checks what came of it.
func Run(seed uint64) *Outcome { return Play(Draw(seed)) }

// Play plays a script and checks what came of it.
func Play(s *Script) *Outcome { return play(s, options{}) }

// options are how a script is played apart from what is in it.
type options struct {
	// order changes which of several events of one time comes first.
	order uint64
	// plant breaks something on purpose.
	plant plant
	// unaudited says that nobody wants to know which promises were kept.
	unaudited bool
}

func play(s *Script, o options) *Outcome {
	w := newWorld(s, o)
	w.live()
	if !o.unaudited {
		w.audit()
	}
	w.out.Archive = w.archive
	w.out.Frames = len(w.archive.Frames)
	w.out.Status = w.state.Status()
	slices.SortStableFunc(w.out.Violations, func(a, b contract.Violation) int { return cmp.Compare(a.Seq, b.Seq) })
	return w.out
}

// world is a host with one session, and everything around it.
type world struct {
	script *Script
	out    *Outcome
	plant  plant
	ties   chance

	// now is the true time; the host's clock is off by skew.
	now, skew int64
	queue     queue

	// What is durable: the archive, and the state that was saved last.
	archive *journal.Archive
	head    journal.Ref
	state   kernel.State
	saved   []byte
	faulted []bool

	// What the process holds and a crash loses.
	history transcript.History
	last    *llm.Request
	flying  map[string]*event

	// Configurations by the number of their agent, and by their name.
	agents  map[int]*prepared
	configs map[journal.Ref]*prepared
	// How many entries of the script's lists are used up.
	replies, conducts, answers int
	// wire counts requests that went out, lost those that a crash prevented.
	wire, lost int
	executions map[string]int
	// children are sessions of their own, by name. They outlive a crash.
	children map[string]*child
	// forwarded are the answers that a child's inbox has, by their effect.
	forwarded map[string]bool
	// ledger holds the shared accounts, which outlive a crash.
	ledger map[string]*shared
}

// prepared is a configuration made ready.
type prepared struct {
	run    *spec.Run
	tools  *dialect.Toolset
	config kernel.Config
	blob   journal.Blob
	// others is the same in other transports, where somebody asked for it.
	others map[spec.Transport]*prepared
}

// epoch is when every session begins.
const epoch = 1_700_000_000_000

func newWorld(s *Script, o options) *world {
	key := journal.Key{Tenant: "sim", Session: fmt.Sprintf("s%d", s.Seed)}
	return &world{
		script: s, out: &Outcome{Script: s, Faults: make(map[string]int)}, plant: o.plant,
		ties: newChance(s.Seed^o.order, streamTies), now: epoch,
		archive: &journal.Archive{Key: key, Blobs: make(map[journal.Ref][]byte)}, head: journal.Genesis(key),
		faulted: make([]bool, len(s.Faults)), flying: make(map[string]*event),
		agents: make(map[int]*prepared), configs: make(map[journal.Ref]*prepared),
		executions: make(map[string]int), children: make(map[string]*child),
		forwarded: make(map[string]bool), ledger: make(map[string]*shared),
	}
}

// breaks notes a broken promise.
func (w *world) breaks(clause string, seq int64, format string, args ...any) {
	w.out.Violations = append(w.out.Violations, contract.Violation{
		Clause: clause, Seq: uint64(max(seq, 0)), Detail: fmt.Sprintf(format, args...),
	})
}

// count notes that something was tried.
func (w *world) count(kind string) { w.out.Faults[kind]++ }

// wall is the time on the host's clock.
func (w *world) wall() int64 { return w.now + w.skew }

// maxFrames is more than any script can lead to: a session that gets there
// goes round in circles.
const maxFrames = 1_000

// live plays the session until nothing more can happen.
func (w *world) live() {
	w.begin()
	for len(w.archive.Frames) < maxFrames {
		if !w.sleep() {
			if w.state.Status() == kernel.StatusRunning {
				w.breaks("L6", w.state.Seq, "the session is running in phase %s and nothing is under way; open: %v", w.state.Run.Phase, w.classes())
			}
			return
		}
		w.advance()
		w.expectAnswer()
	}
	w.breaks("L6", w.state.Seq, "the session does not end")
}

// classes lists what is open, by class.
func (w *world) classes() []string {
	var open []string
	for i := range w.state.Run.Open {
		open = append(open, w.state.Run.Open[i].Class)
	}
	return open
}

// begin opens the session and puts the script's commands on their way.
func (w *world) begin() {
	p := w.prepare(1)
	if p == nil {
		return
	}
	key := w.archive.Key
	open := &kernel.Open{
		Identity: kernel.Identity{
			Tenant: key.Tenant, Session: key.Session, Origin: key.Session, Agent: p.config.Agent, CallPath: p.config.Agent,
			Master: true, User: "ada",
		},
		Nonce: w.script.Nonce, Config: p.config,
	}
	blobs := []journal.Blob{p.blob}
	for i := range w.script.History {
		entries, more := importMessage(&w.script.History[i])
		open.History, blobs = append(open.History, entries...), append(blobs, more...)
	}
	w.queue.put(&event{at: epoch, body: open, blobs: blobs})
	for i := range w.script.Commands {
		c := &w.script.Commands[i]
		w.queue.put(&event{at: epoch + c.At, tie: w.ties.tie(), command: c})
	}
}

// sleep waits for the next event or timer. It reports false when there is none.
func (w *world) sleep() bool {
	at, some := w.queue.peek()
	if wake := w.state.WakeAt(); wake > 0 {
		if due := wake - w.skew; !some || due < at {
			at, some = due, true
		}
	}
	if some {
		w.now = max(w.now, at)
	}
	return some
}

// advance applies what has come in: everything at once, or one after the
// other. Timers come before or after what came in at the same time.
func (w *world) advance() {
	due := w.queue.take(w.now)
	together, timersFirst := w.ties.percent(50), w.ties.percent(50)
	work := w.newWork()
	if timersFirst {
		work.dueTimers()
	}
	for i, e := range due {
		if !together {
			work.commit()
		}
		if work.crashed {
			w.putBack(due[i:])
			return
		}
		work.take(e)
	}
	if !timersFirst {
		work.dueTimers()
	}
	work.commit()
}

// putBack returns to the inbox what nobody got to, in its old place. Receipts
// died with the process.
func (w *world) putBack(events []*event) {
	for _, e := range events {
		if e.receipt == nil {
			w.queue.put(e)
		}
	}
}

// prepare makes an agent's configuration ready; agents are counted from 1. It
// returns nil for none and for one that cannot be used.
func (w *world) prepare(n int) *prepared {
	n = min(n, len(w.script.Agents)) // one may have been taken out of the script
	if p, known := w.agents[n]; known || n < 1 {
		return p
	}
	run, err := w.script.Agents[n-1].Resolve()
	var p *prepared
	if err == nil {
		p, err = w.ready(run)
	}
	w.agents[n] = p
	if err != nil {
		w.breaks("script", 0, "agent %d: %v", n, err)
	}
	return p
}

// ready makes a run's configuration ready and remembers it by its name.
func (w *world) ready(run *spec.Run) (*prepared, error) {
	tools, err := dialect.NewToolset(run)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what is wrong
	}
	p := &prepared{run: run, tools: tools, blob: journal.NewBlob(llm.MustMarshalJSON(run))}
	p.config = kernel.NewConfig(run, p.blob.Ref, tools)
	w.configs[p.blob.Ref] = p
	return p, nil
}
