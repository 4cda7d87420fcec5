package aiagent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/contract"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/memory"
	"github.com/ai-agent-go/ai-agent/tool"
)

// exported writes a session as a file.
func exported(t *testing.T, st store.Store, o *aiagent.ExportOptions) ([]byte, []journal.Ref) {
	t.Helper()
	var file bytes.Buffer
	withheld, err := aiagent.ExportSessionWith(t.Context(), st, keyOf("s"), &file, o)
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), withheld
}

// contract: P10, S8, T14
func TestAnExportedSessionIsImportedWithThoseThatWorkedForIt(t *testing.T) {
	t.Parallel()
	b := family(t, memory.New(), script.New(script.Calls(callHelper()), report("done"), report("and more")),
		script.New(report("helped")))
	if r := b.rt.Run(t.Context(), caller(helper()), "hi", &aiagent.RunOptions{SessionID: "s"}); !r.Success {
		t.Fatal(r.Error)
	}
	file, _ := exported(t, b.store, nil)
	archive := must(journal.ReadArchive(bytes.NewReader(file)))
	if len(archive.Others) != 1 {
		t.Fatalf("%d sessions have worked for it", len(archive.Others))
	}
	elsewhere := memory.New()
	for range 2 { // the second time it is there
		if err := aiagent.Import(t.Context(), elsewhere, archive); err != nil {
			t.Fatal(err)
		}
	}
	if again, _ := exported(t, elsewhere, nil); !bytes.Equal(again, file) {
		t.Error("it is exported as something else")
	}
	// What was done by others is in the accounts there as here, and it goes on.
	c := family(t, elsewhere, script.New(script.Calls(callHelper()), report("done"), report("and more")), script.New(report("helped")))
	c.rt.Register(caller(helper()))
	here, there := must(b.rt.Session(t.Context(), "s")), must(c.rt.Session(t.Context(), "s"))
	if a, b := must(here.View(t.Context())), must(there.View(t.Context())); len(a.Accounting) != len(b.Accounting) {
		t.Errorf("%d entries here, %d there", len(a.Accounting), len(b.Accounting))
	}
	if r := must(there.Execute(t.Context(), aiagent.Prompt("more")).Result()); r.Report.Text() != "and more" {
		t.Errorf("it goes on with %q", r.Report.Text())
	}
	// The two have parted ways: neither takes the other's place.
	must(here.Execute(t.Context(), aiagent.Prompt("something else")).Result())
	file, _ = exported(t, b.store, nil)
	if err := aiagent.Import(t.Context(), elsewhere, must(journal.ReadArchive(bytes.NewReader(file)))); !errors.Is(err, aiagent.ErrExists) {
		t.Errorf("importing over another session: %v", err)
	}
}

// contract: S8
func TestAnImportedSessionRestsUntilSomebodyResumesIt(t *testing.T) {
	t.Parallel()
	h, started, release := hold()
	turns := []script.Step{script.Calls(ask("c", "hold", nil)), report("done")}
	b := newBed(t, turns...)
	s := must(b.rt.Open(t.Context(), agent(h), &aiagent.SessionOptions{ID: "s"}))
	execution := s.Execute(t.Context(), aiagent.Prompt("hi"))
	<-started
	file, _ := exported(t, b.store, nil)
	close(release)
	must(execution.Result())

	elsewhere := memory.New()
	if err := aiagent.Import(t.Context(), elsewhere, must(journal.ReadArchive(bytes.NewReader(file)))); err != nil {
		t.Fatal(err)
	}
	const farFuture = int64(1) << 50
	if due := must(elsewhere.Due(t.Context(), farFuture, 10)); len(due) > 0 {
		t.Errorf("it is due: %v", due)
	}
	again := newBedOn(t, elsewhere, turns...)
	s = must(again.rt.Session(t.Context(), "s"))
	if r := s.Run(t.Context(), aiagent.Resume(), nil); r.Text() != "done" {
		t.Errorf("resumed: %+v", r)
	}
	if v := must(s.View(t.Context())); v.Messages[2].Content != "(tool failed: interrupted)" {
		t.Errorf("the call is answered %q", v.Messages[2].Content)
	}
	again.check("s")
}

// contract: B7
func TestWhatHoldsASecretIsNotExported(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-hunter2"
	leak := tool.Must(tool.New("leak", "Leaks.", func(context.Context, struct{}) (string, error) { return "the key is " + secret, nil }))
	b := newBed(t, script.Calls(ask("c", "leak", nil)), report("done"))
	b.run(agent(leak), "hi")
	file, withheld := exported(t, b.store, &aiagent.ExportOptions{Secrets: []string{"", secret}})
	if bytes.Contains(file, []byte(secret)) || len(withheld) != 1 {
		t.Errorf("%d contents were left out", len(withheld))
	}
	archive := must(journal.ReadArchive(bytes.NewReader(file)))
	if missing := contract.Missing(archive); len(missing) != 1 || missing[0] != withheld[0] {
		t.Errorf("missing %v, left out %v", missing, withheld)
	}
	r := kernel.NewReplayer(archive.Key)
	for i := range archive.Frames {
		if _, err := r.Next(&archive.Frames[i]); err != nil {
			t.Error(err)
		}
	}
}

func TestAnAgentOfItsDataIsTheSameAgent(t *testing.T) {
	t.Parallel()
	b := newBed(t, script.Calls(askWeather("c", "Athens")), report("done"))
	a := agent(weather(), tool.Remote("remote", "Elsewhere.", []byte(`{"type":"object"}`)))
	a.Batch, a.NoStream, a.Limits.MaxTurns = true, true, 7
	o := b.run(a, "hi")
	want := must(aiagent.Requests(o.archive))
	start := facts[*kernel.RunStart](o)[0]
	var run spec.Run
	unmarshal(t, o.archive.Blobs[start.Config], &run)
	again := newBed(t, script.Calls(askWeather("c", "Athens")), report("done"))
	o = again.run(aiagent.NewAgent(run.Spec(), func(spec.Tool) tool.Executor { return weather().Execute }), "hi")
	got := must(aiagent.Requests(o.archive))
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("requests %v, want %v", got, want)
	}
}

func unmarshal(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}
