package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/goccy/go-yaml"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/view"
)

//go:embed astest.tmpl
var testTemplate string

// errUnscripted is a session that cannot be led again by a script: what happened
// in it depended on when it happened, or on other sessions.
var errUnscripted = errors.New("cannot be written as a test")

// exportTest writes a session as a Go test.
func (a *app) exportTest(ctx context.Context, name, folder string) error {
	archive, err := a.load(ctx, name)
	if err != nil {
		return err
	}
	files, err := testFiles(archive, packageName(folder))
	if err != nil {
		return failed("session %s: %w", archive.Key.Session, err)
	}
	for _, secret := range secrets(os.Environ()) {
		for name, data := range files {
			if bytes.Contains(data, []byte(secret)) {
				return failed("session %s: %s would hold a secret of this machine; nothing was written", archive.Key.Session, name)
			}
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // source code
		return usage("%w", err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil { //nolint:gosec // source code
			return failed("%w", err)
		}
	}
	a.note("the session is a test now: go test %s   (inside a module that requires this one)", quote(folder))
	return nil
}

// packageName makes a package's name of a folder's.
func packageName(folder string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(filepath.Base(folder)))
	if name == "" || name[0] <= '9' {
		name = "session" + name
	}
	return name + "_test"
}

// recorded is what the template is filled with.
type recorded struct {
	Package, Session, Model string
	Status, Answer          string
	Providers               []string
	Inputs, Requests        []string
	Results                 []recordedResult
	// Exact says that the same requests must be sent, byte for byte.
	Exact bool
}

type recordedResult struct{ Call, Output, Error string }

// testFiles writes a session as files of a Go test.
func testFiles(archive *journal.Archive, pkg string) (map[string][]byte, error) {
	if len(archive.Others) > 0 {
		return nil, fmt.Errorf("%w: other sessions have worked for it", errUnscripted)
	}
	t, err := newTeller(archive)
	if err == nil {
		err = t.tell()
	}
	if err != nil {
		return nil, err
	}
	t.out.Package, t.out.Session, t.out.Exact = pkg, archive.Key.Session, t.exact
	requests, err := aiagent.Requests(archive)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the frame
	}
	for _, r := range requests {
		t.out.Requests = append(t.out.Requests, r.String())
	}
	if err := t.outcome(); err != nil {
		return nil, err
	}
	model, err := llm.MarshalJSON(t.script())
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	name := "model.yaml"
	if written, err := yaml.JSONToYAML(model); err == nil {
		if _, err := script.Parse(name, written); err == nil {
			model = written
		} else {
			name = "model.json" // too much for YAML
		}
	}
	t.out.Model = name
	agent, err := json.MarshalIndent(t.run.Spec(), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	var source bytes.Buffer
	if err := template.Must(template.New("test").Parse(testTemplate)).Execute(&source, &t.out); err != nil {
		return nil, fmt.Errorf("write test: %w", err)
	}
	formatted, err := format.Source(source.Bytes())
	if err != nil {
		return nil, fmt.Errorf("write test: %w", err)
	}
	return map[string][]byte{"session_test.go": formatted, "agent.json": agent, name: model}, nil
}

// outcome notes how the session stands.
func (t *teller) outcome() error {
	v := view.NewSession(t.blob)
	for i := range t.archive.Frames {
		f := &t.archive.Frames[i]
		facts, err := kernel.DecodeFacts(f)
		if err != nil {
			return err //nolint:wrapcheck // it names the frame
		}
		for _, fact := range facts {
			if err := v.Apply(f.Time, fact); err != nil {
				return fmt.Errorf("frame %d: %w", f.Seq, err)
			}
		}
	}
	t.out.Status = v.Status
	if v.Report != nil {
		t.out.Answer = v.Report.Text()
	}
	if v.Status == kernel.StatusRunning {
		return fmt.Errorf("%w: its run has not ended", errUnscripted)
	}
	if v.Status == kernel.StatusAwaiting {
		t.out.Answer = ""
	}
	for i := range t.run.Targets {
		if p := t.run.Targets[i].Provider; !slices.Contains(t.out.Providers, p) {
			t.out.Providers = append(t.out.Providers, p)
		}
	}
	return nil
}

func (t *teller) blob(ref journal.Ref) ([]byte, error) {
	if data, ok := t.archive.Blobs[ref]; ok {
		return data, nil
	}
	return nil, fmt.Errorf("content %s is missing", ref.Short())
}

// newTeller reads the session's configuration.
func newTeller(archive *journal.Archive) (*teller, error) {
	t := &teller{archive: archive, effects: make(map[string]kernel.EffectBody), turns: make(map[int][]*script.Reply), exact: true}
	if len(archive.Frames) == 0 {
		return nil, fmt.Errorf("%w: it has no frames", errUnscripted)
	}
	in, err := kernel.DecodeInput(archive.Frames[0].Input)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what is wrong
	}
	open, ok := in.(*kernel.Open)
	if !ok || len(open.History) > 0 {
		return nil, fmt.Errorf("%w: it begins with a conversation from before", errUnscripted)
	}
	data, err := t.blob(open.Config.Ref)
	if err == nil {
		t.run = new(spec.Run)
		err = json.Unmarshal(data, t.run)
	}
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return t, nil
}
