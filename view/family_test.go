package view_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/view"
)

// contract: T14, B3, B5
func TestAWholeFamilyLooksAsItDid(t *testing.T) {
	t.Parallel()
	c := office()
	_, n, all := c.follow(t)
	var b strings.Builder
	for i := range all {
		if all[i].Type != view.NoticeOpTree {
			fmt.Fprintln(&b, brief(&all[i]))
		}
	}
	golden(t, "testdata/family.txt", "A session with an advisor, two agents that its model calls, one of which calls another and one of which\n"+
		"fails, one that the model chose and one that answers in the end. Flags: m master, f final, h hands over; how\n"+
		"many agents go on from it.\n\n-- tree --\n"+n.Tree().Root().Render()+"-- notices --\n"+b.String())
}

// contract: T14, A3, A4, B8
func TestWhatChildrenDidIsInFrontOfTheirEnd(t *testing.T) {
	t.Parallel()
	v, _ := office().read(t)
	var accounts []string
	for i := range v.Accounting {
		e := &v.Accounting[i]
		accounts = append(accounts, strings.TrimSpace(fmt.Sprintf("%s %s<%s<%s %s", e.CallPath, e.TxnID, e.ParentTxnID, e.OriginTxnID, e.Command)))
	}
	same(t, []string{
		"desk:law s.2-0<s<s",
		"desk s<<s",
		"desk:helper s.7-0<s<s",
		"desk:helper:expert s.7-0.4-0<s.7-0<s",
		"desk:helper s.7-0<s<s agent__expert",
		"desk s<<s agent__helper",
		"desk s<<s agent__other",
		"desk:sales s.9-0<s<s",
		"desk:clerk s.11-0<s<s",
	}, accounts)

	// Of logs likewise, and each session has its marker and its summaries once.
	ends := make(map[string][]string)
	var before *view.LogEntry
	for i := range v.Logs {
		e := &v.Logs[i]
		code, _ := e.Details["event"].(string)
		if strings.HasPrefix(code, "EXIT-") || e.Severity == view.SeverityFinal {
			ends[e.TxnID] = append(ends[e.TxnID], code)
		}
		if child, ok := e.Details["child"]; ok && (strings.HasSuffix(code, "_finished") || strings.HasSuffix(code, "_failed")) {
			same(t, child, any(before.TxnID))
			same(t, view.SeverityFinal, before.Severity)
		}
		before = e
	}
	same(t, len(office()), len(ends))
	for session, got := range ends {
		if len(got) != 3 || !slices.Equal(got[1:], []string{"llm_summary", "tool_summary"}) {
			t.Errorf("%s ends with %q", session, got)
		}
	}
}

// contract: T14, A4
func TestWhatAChildDidIsNotLostWithItsCall(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]func(s *story){
		"the run is aborted": func(s *story) {
			s.frame(0, s.failure(1, kernel.ReasonAborted, "aborted"), runFailed(1, 1, kernel.ReasonAborted, "aborted"))
		},
		"another call waits": func(s *story) { s.frame(0, &kernel.Awaiting{}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := make(clan)
			s := c.member("s", "desk", true)
			s.begin("")
			s.calls(s.speaks("?", call("w", "agent__w", `{}`)), "w", 0, "s.c")
			s.returns("w", "s.c", true)
			after(s)
			c.worker("s.c", "desk:w", "Worked.", false)
			v, _ := c.read(t)
			same(t, 2, len(v.Accounting))
			same(t, "s.c", v.Accounting[1].TxnID)
		})
	}
}

// contract: T14, B3, B5
func TestTheNextRunKnowsNothingOfTheLastOnesStages(t *testing.T) {
	t.Parallel()
	c := make(clan)
	s := c.member("s", "desk", true)
	for run, handoff := range []string{"clerk", ""} {
		start := s.runStart(int64(run)+1, &spec.Run{Format: spec.FormatMarkdown, Completion: spec.CompleteText})
		start.Handoff = handoff
		s.frame(1, start)
		id := fmt.Sprintf("s.%d", run)
		s.asks(kernel.StageAdvisor, "law", id)
		s.hears(kernel.StageAdvisor, "law", id, true)
		s.frame(0, &kernel.TurnStart{Turn: 1, MaxTurns: 10}, attemptStart("a.0", 1, 1, "script/demo"))
		s.speaks("Done.")
		s.frame(0, s.finalReport(1, "Done."), runEnd(int64(run)+1, 1))
		c.worker(id, "desk:law", "Legal.", false)
	}
	_, n, all := c.follow(t)
	root := n.Tree().Root()
	same(t, []string{"0-1", "0-2", "0-3"}, []string{root.Turns[0].Ops[0].OpID, root.Turns[0].Ops[1].OpID, root.Turns[0].Ops[2].OpID})
	same(t, "s.1", root.Turns[0].Ops[1].ChildSession.ID)
	same(t, int64(2), root.Totals.AgentsRun)
	var got []string
	for _, n := range only(all, view.NoticeFinalReport, view.NoticeAccountingFlush) {
		if n.Meta.IsMaster {
			got = append(got, flags(&n.Meta))
		}
		if n.Flush != nil {
			same(t, 2, len(n.Flush.Entries))
		}
	}
	same(t, []string{"mfh 1", "m-h 1", "mf- 0", "m-- 0"}, got)
}

// contract: T14
func TestFollowingChildrenAndReadingThemGivesTheSame(t *testing.T) {
	t.Parallel()
	c := office()
	read, tree := c.read(t)
	followed, notices, all := c.follow(t)
	same(t, read.Accounting, followed.Accounting)
	same(t, read.Logs, followed.Logs)
	same(t, read.TotalCost, followed.TotalCost)
	same(t, tree.Root(), notices.Tree().Root())
	totals := tree.Root().Totals
	same(t, []int64{3, 7}, []int64{totals.ToolsRun, totals.AgentsRun})

	// Every entry was told once, by the session that made it, and flushed once.
	var told []view.AccountingEntry
	var logs int
	for i := range all {
		switch n := &all[i]; n.Type {
		case view.NoticeAccounting:
			same(t, n.Meta.SessionID, n.Accounting.TxnID)
			told = append(told, *n.Accounting)
		case view.NoticeLog:
			same(t, n.Meta.SessionID, n.Log.TxnID)
			logs++
		case view.NoticeAccountingFlush:
			same(t, read.Accounting, n.Flush.Entries)
		case view.NoticeSnapshot:
			same(t, tree.Root(), n.Snapshot.Snapshot.OpTree)
		}
	}
	same(t, len(read.Accounting), len(told))
	same(t, len(read.Logs), logs)
	same(t, 2, len(only(all, view.NoticeSnapshot, view.NoticeAccountingFlush)))
}

// contract: T14
func TestTheChangesOfEachTreeAddUpToIt(t *testing.T) {
	t.Parallel()
	_, notices, all := office().follow(t)
	merged := make(map[string]*view.SessionNode)
	for _, n := range only(all, view.NoticeOpTree) {
		id := n.Meta.SessionID
		if merged[id] == nil {
			merged[id] = new(view.SessionNode)
		}
		merged[id].Merge(n.Tree)
	}
	root := notices.Tree().Root()
	same(t, root, merged["s"])
	same(t, root.Turns[0].Ops[1].ChildSession, merged["s.2-0"])
	same(t, root.Turns[1].Ops[1].ChildSession, merged["s.7-0"])
}

// contract: T14
func TestAChildThatCannotBeReadIsALineInTheLog(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is broken")
	single := func() clan {
		c := make(clan)
		s := c.member("s", "desk", true)
		s.begin("")
		s.calls(s.speaks("?", call("w", "agent__w", `{}`)), "w", 0, "s.c")
		s.returns("w", "s.c", true)
		s.admits("w", true)
		s.reports("Done.", "")
		return c
	}
	for name, test := range map[string]struct {
		journal func(c clan) view.Journals
		want    string
		entries int
	}{
		"it is missing": {func(c clan) view.Journals { return c.journals }, "no such content", 2},
		"it is empty": {func(clan) view.Journals {
			return func(string) view.Journal { return view.Journal{Facts: func(func(view.Told, error) bool) {}} }
		}, "its journal is empty", 2},
		"it breaks off": {func(c clan) view.Journals {
			w := c.worker("s.c", "desk:w", "Worked.", false)
			return func(string) view.Journal {
				return view.Journal{Blobs: w.read, Facts: func(yield func(view.Told, error) bool) {
					for told := range w.facts() {
						if _, report := told.Fact.(*kernel.FinalReport); report {
							yield(view.Told{}, broken)
							return
						}
						if !yield(told, nil) {
							return
						}
					}
				}}
			}
		}, "the disk is broken", 3},
		"a content is missing": {func(c clan) view.Journals {
			w := c.worker("s.c", "desk:w", "Worked.", false)
			return func(string) view.Journal { return view.Journal{Blobs: make(store).read, Facts: w.facts()} }
		}, "no such content", 3},
		"it calls itself": {func(c clan) view.Journals {
			w := c.member("s.c", "desk:w", false)
			w.begin("")
			end := w.speaks("?", call("w", "agent__w", `{}`))
			w.calls(end, "w", 0, "s.c")
			w.returns("w", "s.c", true)
			w.reports("Done.", "")
			return c.journals
		}, "part of the tree already", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := single()
			v := view.NewSession(c["s"].store.read)
			v.Include(test.journal(c))
			tree := view.NewTree(v)
			for told := range c["s"].facts() {
				if err := v.Apply(told.At, told.Fact); err != nil {
					t.Fatal(err)
				}
				tree.Apply(told.At, told.Fact)
			}
			var found []string
			for i := range v.Logs {
				if e := &v.Logs[i]; e.Details["event"] == "child_unreadable" {
					found = append(found, e.Message)
					same(t, view.SeverityWarning, e.Severity)
				}
			}
			if len(found) != 1 || !strings.Contains(found[0], test.want) {
				t.Errorf("the log says %q, want %q", found, test.want)
			}
			same(t, test.entries, len(v.Accounting))
			same(t, "Done.", v.Report.Text())
			same(t, kernel.StatusCompleted, v.Status)
			op := tree.Root().Turns[1].Ops[1]
			same(t, "s.c ok", op.ChildSession.ID+" "+op.Status)
		})
	}
}

// contract: T14
func TestAChildThatWasNotHeardToItsEndIsALineInTheLog(t *testing.T) {
	t.Parallel()
	c := make(clan)
	s := c.member("s", "desk", true)
	s.frame(1, s.runStart(1, &spec.Run{}))
	s.asks(kernel.StageAdvisor, "law", "s.c")
	s.hears(kernel.StageAdvisor, "law", "s.c", true)
	w := c.worker("s.c", "desk:law", "Legal.", false)
	w.heard = w.heard[:len(w.heard)-1] // all but the end
	v, _, _ := c.follow(t)
	var codes []any
	for i := range v.Logs[max(0, len(v.Logs)-2):] {
		codes = append(codes, v.Logs[len(v.Logs)-2+i].Details["event"])
	}
	same(t, []any{"child_unreadable", "advisor_finished"}, codes)
	same(t, 1, len(v.Accounting)) // what was heard counts
}

// contract: T14
func TestChildrenAreLookedForOnlySoDeep(t *testing.T) {
	t.Parallel()
	opens := 0
	v := view.NewSession(make(store).read)
	v.Include(func(id string) view.Journal {
		opens++
		c := make(clan)
		s := c.member(id, "deep", false)
		s.asks(kernel.StageAdvisor, "deep", id+".x")
		s.hears(kernel.StageAdvisor, "deep", id+".x", true)
		return view.Journal{Blobs: s.read, Facts: s.facts()}
	})
	_ = v.Apply(now, opened())
	_ = v.Apply(now, &kernel.StageStart{Stage: kernel.StageAdvisor, Child: "s.x"})
	if err := v.Apply(now, &kernel.ChildEnd{Stage: kernel.StageAdvisor, Session: "s.x", OK: true}); err != nil {
		t.Fatal(err)
	}
	if opens == 0 || opens > 20 {
		t.Errorf("%d journals were opened", opens)
	}
}

// contract: T14
func TestAChildCostsTheSameHoweverManyWereBefore(t *testing.T) { //nolint:paralleltest // it counts allocations
	perChild := func(n int) float64 {
		c := make(clan)
		s := c.member("s", "desk", true)
		s.frame(1, s.runStart(1, &spec.Run{}))
		for i := range n {
			id := fmt.Sprintf("s.%d", 100+i)
			c.worker(id, "desk:law", "Legal.", false)
			s.asks(kernel.StageAdvisor, "law", id)
			s.hears(kernel.StageAdvisor, "law", id, true)
		}
		return testing.AllocsPerRun(3, func() { c.read(t) }) / float64(n)
	}
	if few, many := perChild(20), perChild(400); many > few*1.05 {
		t.Errorf("%v allocations a child with 20 of them, %v with 400", few, many)
	}
}

// contract: B3, B5
func TestAHandedOverReportIsNobodysAnswer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		child   func(c clan)
		end     func(s *story)
		output  string
		reports string
	}{
		"the other's answer is told once": {
			child:   func(c clan) { c.worker("s.h", "desk:editor", "A text.", true) },
			output:  "desk:editor stream:A text.",
			reports: `handoff "A draft." final_report "A text."`,
		},
		"it was not streamed": {
			child: func(c clan) {
				w := c.worker("s.h", "desk:editor", "A text.", true)
				w.heard = slices.DeleteFunc(w.heard, func(h heard) bool { return h.delta != nil })
			},
			output:  "desk:editor finalize:A text.",
			reports: `handoff "A draft." final_report "A text."`,
		},
		"the other is not followed": {
			child:   func(clan) {},
			output:  "desk finalize:A text.",
			reports: `handoff "A draft." final_report "A text."`,
		},
		"the other fails in the middle": {
			child: func(c clan) {
				w := c.member("s.h", "desk:editor", true)
				w.begin("")
				w.speaks("A te")
				w.frame(0, w.failure(1, kernel.ReasonAuth, "no key"), runFailed(1, 1, kernel.ReasonAuth, "no key"))
			},
			end: func(s *story) {
				s.frame(0, s.failure(1, kernel.ReasonAuth, "editor failed"), runFailed(1, 1, kernel.ReasonAuth, "editor failed"))
			},
			output:  "desk:editor stream:A te|desk finalize:editor failed",
			reports: `handoff "A draft." final_report "editor failed"`,
		},
		"the other hands over, too": {
			child: func(c clan) {
				w := c.member("s.h", "desk:editor", true)
				w.begin("last")
				w.speaks("Better.")
				w.handsOver(kernel.StageHandoff, "editor", "last", "Better.")
				w.asks(kernel.StageHandoff, "last", "s.h.l")
				w.hears(kernel.StageHandoff, "last", "s.h.l", true)
				w.reports("A text.", "last")
				c.worker("s.h.l", "desk:editor:last", "A text.", true)
			},
			output:  "desk:editor:last stream:A text.",
			reports: `handoff "A draft." handoff "Better." final_report "A text."`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := make(clan)
			s := c.member("s", "desk", true)
			s.begin("editor")
			s.speaks("A draft.")
			s.handsOver(kernel.StageHandoff, "desk", "editor", "A draft.")
			s.asks(kernel.StageHandoff, "editor", "s.h")
			s.hears(kernel.StageHandoff, "editor", "s.h", test.end == nil)
			if test.end != nil {
				test.end(s)
			} else {
				s.reports("A text.", "editor")
			}
			test.child(c)
			_, _, all := c.follow(t)
			var output, reports []string
			for _, n := range only(all, view.NoticeOutput, view.NoticeHandoff, view.NoticeFinalReport) {
				if n.Report == nil {
					output = append(output, fmt.Sprintf("%s %s:%s", n.Meta.CallPath, n.Meta.Source, n.Text))
					continue
				}
				reports = append(reports, fmt.Sprintf("%s %q", n.Type, n.Report.Text()))
				same(t, n.Type == view.NoticeFinalReport, n.Meta.IsFinal)
			}
			same(t, test.output, strings.Join(output, "|"))
			same(t, test.reports, strings.Join(reports, " "))
		})
	}
}

// contract: S2, B5
func TestAClientIsToldOfAHandoffAndOfTheReportAtTheEnd(t *testing.T) {
	t.Parallel()
	s := office()["s"]
	var got []string
	for _, e := range s.events(t) {
		if e.Type == view.EventHandoff || e.Type == view.EventFinalReport {
			same(t, true, e.Durable)
			got = append(got, fmt.Sprintf("%s %s %s %q by %q", e.Type, e.Reason, e.Agent, e.Report.Text(), e.Report.Agent))
		}
	}
	same(t, []string{
		`handoff router sales "He wants to buy." by ""`, `handoff handoff clerk "Sold." by "sales"`, `final_report   "Filed." by "clerk"`,
	}, got)
	s = newStory()
	s.frame(0, opened())
	s.handsOver(kernel.StageHandoff, "demo", "b", "x")
	events := s.events(t)
	sameJSON(t, fmt.Sprintf(`{"type":"handoff","seq":2,"turn":1,"agent":"b","reason":"handoff","report":`+
		`{"status":"success","format":"markdown","content":"x","ts":%d,"source":"handoff"}}`, now), string(view.MarshalEvent(&events[1])))
}
