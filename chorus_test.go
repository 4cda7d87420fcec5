package aiagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/host"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store/memory"
	"github.com/ai-agent-go/ai-agent/tool"
	"github.com/ai-agent-go/ai-agent/view"
)

// pair is an agent that calls another one, which plays what it is given.
func pair(t *testing.T, tools []tool.Tool, helper ...script.Step) (*cast, *aiagent.Agent) {
	t.Helper()
	call := script.Calls(ask("c", "agent__helper", map[string]any{"prompt": "go"}))
	c := newCast(t, memory.New(), map[string]*script.Provider{
		"main": script.New(call, report(`{{tool "agent__helper"}}`)), "helper": script.New(helper...),
	})
	a, h := player("main"), player("helper", tools...)
	a.Agents = []*aiagent.Agent{h}
	return c, a
}

// attend listens to a session on a goroutine of its own until its run has ended.
func attend(t *testing.T, s *aiagent.Session, on func(view.Notice)) (all func() []view.Notice) {
	t.Helper()
	var heard []view.Notice
	var wg sync.WaitGroup
	wg.Go(func() {
		for n, err := range s.Notices(t.Context(), 0) {
			if err != nil {
				t.Error(err)
				return
			}
			heard = append(heard, n)
			on(n)
			if n.Type == view.NoticeAccountingFlush {
				return
			}
		}
	})
	return func() []view.Notice { wg.Wait(); return heard }
}

func startsTool(n *view.Notice) bool {
	return n.Progress != nil && n.Progress.Type == view.ToolStarted
}

// contract: T14, B3
func TestAChildIsHeardWhileItWorks(t *testing.T) {
	t.Parallel()
	h, _, release := hold()
	c, a := pair(t, []tool.Tool{h}, script.Calls(ask("h", "hold", nil)), report("held"))
	s := must(c.rt.Open(t.Context(), a, &aiagent.SessionOptions{ID: "s"}))
	// The child's tool goes on only when it has been heard of.
	all := attend(t, s, func(n view.Notice) {
		if startsTool(&n) {
			close(release)
		}
	})
	if r := must(s.Execute(t.Context(), aiagent.Prompt("hi")).Result()); r.Report.Text() != "held" {
		t.Fatalf("%+v", r)
	}
	sameNotices(t, all(), noticed(t, s, 0))
}

// contract: T14, B3
func TestAChildsWordsComeInPieces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := script.Text("one two three")
		slow.ChunkSize, slow.ChunkDelayMS = 4, 1000
		c, a := pair(t, nil, slow)
		a.Agents[0].Completion = spec.CompleteText
		var at []time.Time
		var text string
		r := c.rt.Run(t.Context(), a, "hi", &aiagent.RunOptions{OnNotice: func(n view.Notice) {
			if n.Type == view.NoticeOutput && !n.Meta.IsMaster {
				at, text = append(at, time.Now()), text+n.Text
			}
		}})
		if !r.Success || text != "one two three" || len(at) < 3 || at[len(at)-1].Sub(at[0]) < 2*time.Second {
			t.Errorf("%s, %q at %v", r.Error, text, at)
		}
		_ = c.rt.Close()
	})
}

// contract: T14
func TestASlowListenerHearsEverythingInTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// More pieces than a follower keeps, faster than the listener listens.
		long := script.Text(strings.Repeat("0123456789", 600))
		long.ChunkSize = 1
		c, a := pair(t, nil, long)
		a.Agents[0].Completion = spec.CompleteText
		var all []view.Notice
		r := c.rt.Run(t.Context(), a, "hi", &aiagent.RunOptions{SessionID: "s", OnNotice: func(n view.Notice) {
			time.Sleep(time.Second)
			all = append(all, n)
		}})
		if !r.Success || len(r.Text()) != 6000 {
			t.Fatalf("%s, %d bytes", r.Error, len(r.Text()))
		}
		sameNotices(t, noticed(t, must(c.rt.Session(t.Context(), "s")), 0), all)
		_ = c.rt.Close()
	})
}

// contract: T14, S11
func TestAnAbortIsHeardFromTheChildFirst(t *testing.T) {
	t.Parallel()
	h, started, _ := hold()
	c, a := pair(t, []tool.Tool{h}, script.Calls(ask("h", "hold", nil)))
	s := must(c.rt.Open(t.Context(), a, &aiagent.SessionOptions{ID: "s"}))
	all := attend(t, s, func(view.Notice) {})
	st := s.Execute(t.Context(), aiagent.Prompt("hi"))
	<-started
	if err := s.Abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := must(st.Result()); r.Status != kernel.StatusError {
		t.Fatalf("%+v", r)
	}
	var got []string
	heard := all()
	for i := range heard {
		if p := heard[i].Progress; p != nil && p.Type == view.AgentFailed {
			got = append(got, p.CallPath)
		}
	}
	if !slices.Equal(got, []string{"main:helper", "main"}) {
		t.Errorf("they end as %q", got)
	}
	sameNotices(t, heard, noticed(t, s, 0))
}

// contract: T14, S6
func TestAChildThatWaitsIsHeardBeforeAndAfter(t *testing.T) {
	t.Parallel()
	remote := tool.Remote("remote", "Runs elsewhere.", json.RawMessage(`{"type":"object"}`))
	c, a := pair(t, []tool.Tool{remote}, script.Calls(ask("r", "remote", nil)), report(`{{tool "remote"}}`))
	r, before := c.listen(a, "hi")
	if r.Status != kernel.StatusAwaiting || len(r.Pending) != 1 {
		t.Fatalf("%s, %+v", r.Status, r.Pending)
	}
	if !slices.ContainsFunc(before, func(n view.Notice) bool { return startsTool(&n) && n.Meta.CallPath == "main:helper" }) {
		t.Error("the child's call was not heard of")
	}
	s := must(c.rt.Session(t.Context(), "s"))
	all := attend(t, s, func(view.Notice) {})
	end := must(s.Execute(t.Context(), aiagent.Results(aiagent.ToolResult{CallID: r.Pending[0].ID, Output: "far"})).Result())
	if end.Status == kernel.StatusAwaiting { // the parent was asked before it heard that the child goes on
		settledView(t, s)
	}
	heard := all()
	finished := 0
	for i := range heard {
		if p := heard[i].Progress; p != nil && p.Type == view.AgentFinished {
			finished++
		}
	}
	if finished != 2 {
		t.Errorf("%d agents finished", finished)
	}
	sameNotices(t, heard, noticed(t, s, 0))
}

// contract: T14, B3
func TestWhoComesBackHearsOfChildrenAtWorkAndNotOfThoseThatWere(t *testing.T) {
	t.Parallel()
	h, started, release := hold()
	call := func(name string) script.Step {
		return script.Calls(ask("c", "agent__"+name, map[string]any{"prompt": "go"}))
	}
	c := newCast(t, memory.New(), map[string]*script.Provider{
		"main":  script.New(call("first"), call("second"), report("done")),
		"first": says("1"), "second": script.New(script.Calls(ask("h", "hold", nil)), report("2")),
	})
	a := player("main")
	a.Agents = []*aiagent.Agent{player("first"), player("second", h)}
	s := must(c.rt.Open(t.Context(), a, &aiagent.SessionOptions{ID: "s"}))
	st := s.Execute(t.Context(), aiagent.Prompt("hi"))
	<-started
	// The last that was heard is the call of the second, which is at work.
	var after uint64
	for n := range s.Notices(t.Context(), 0) {
		if n.Log != nil && n.Log.Details["event"] == "tool_started" && strings.HasSuffix(n.Log.CallPath, "agent__second") {
			after = n.Seq
			break
		}
	}
	var told []string
	for n, err := range s.Notices(t.Context(), after) {
		if err != nil {
			t.Fatal(err)
		}
		if n.Meta.CallPath != "main" && startsTool(&n) {
			close(release) // heard before the parent has any news
		}
		if n.Progress != nil && n.Progress.Type != view.ToolFinished {
			told = append(told, n.Meta.CallPath+" "+string(n.Progress.Type))
		}
		if n.Flush != nil {
			if got := len(n.Flush.Entries); got != 12 {
				t.Errorf("%d entries are flushed, want 12: those of the first child, too", got)
			}
			break
		}
	}
	want := []string{"main:second agent_started", "main:second tool_started", "main:second agent_finished", "main agent_finished"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	must(st.Result())
}

// contract: T14
func TestListeningToAFamilyEndsAtOnce(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(cancel func(), c *cast) bool{
		"by leaving the loop": func(func(), *cast) bool { return false },
		"by the context":      func(cancel func(), _ *cast) bool { cancel(); return true },
		"by the runtime":      func(_ func(), c *cast) bool { _ = c.rt.Close(); return true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Whatever the loop has started must be gone when it is over, or the
			// bubble never ends.
			synctest.Test(t, func(t *testing.T) {
				h, _, _ := hold()
				c, a := pair(t, []tool.Tool{h}, script.Calls(ask("h", "hold", nil)))
				s := must(c.rt.Open(t.Context(), a, &aiagent.SessionOptions{ID: "s"}))
				s.Execute(t.Context(), aiagent.Prompt("hi"))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var last error
				for n, err := range s.Notices(ctx, 0) {
					last = err
					if startsTool(&n) && !end(cancel, c) {
						break
					}
				}
				if name != "by leaving the loop" && !errors.Is(last, context.Canceled) && !errors.Is(last, host.ErrClosed) {
					t.Errorf("it ended with %v", last)
				}
				_ = c.rt.Close()
			})
		})
	}
}

// contract: T14, B2
func TestChildrenAtOnceKeepTheirOrder(t *testing.T) {
	t.Parallel()
	steps := make([]script.Call, 8)
	scripts := map[string]*script.Provider{}
	a := player("main")
	for i := range steps {
		name := "w" + string(rune('a'+i))
		steps[i] = ask(name, "agent__"+name, map[string]any{"prompt": "go"})
		scripts[name] = script.New(script.Calls(askWeather("w", "Oslo")), report(name))
		a.Agents = append(a.Agents, player(name, weather()))
	}
	scripts["main"] = script.New(script.Calls(steps...), report("done"))
	c := newCast(t, memory.New(), scripts)
	r, all := c.listen(a, "hi")
	if !r.Success {
		t.Fatal(r.Error)
	}
	for i := range steps {
		// Accounts: every child's four, then that of its call, in the order of calls.
		five := r.Accounting[1+5*i : 6+5*i]
		for j := range five {
			if own := five[j].CallPath == "main:"+steps[i].ID; own != (j < 4) {
				t.Errorf("account %d of %s is of %s", j, steps[i].ID, five[j].CallPath)
			}
		}
	}
	sequence := make(map[string]uint64)
	for i := range all {
		m := &all[i].Meta
		if sequence[m.SessionID]++; sequence[m.SessionID] != m.Sequence {
			t.Fatalf("notice %d of %s comes as %d", m.Sequence, m.CallPath, sequence[m.SessionID])
		}
	}
	sameNotices(t, all, noticed(t, must(c.rt.Session(t.Context(), "s")), 0))
	if string(llm.MustMarshalJSON(r.Logs)) != string(llm.MustMarshalJSON(must(must(c.rt.Session(t.Context(), "s")).View(t.Context())).Logs)) {
		t.Error("the logs are in another order when they are read")
	}
}
