package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

const (
	modeStream = "stream"
	modeWhole  = "whole"
	sent       = "sent"
)

// archive is the traffic of one case.
type archive struct {
	name string
	mu   sync.Mutex
	text *txtar.Archive
}

func parseArchive(name string, data []byte) *archive {
	return &archive{name: name, text: txtar.Parse(data)}
}

func (a *archive) comment() string { return string(a.text.Comment) }

// section returns an answer, or why there is none.
func (a *archive) section(name string) (data []byte, why string) {
	for _, f := range a.text.Files {
		switch f.Name {
		case name:
			return f.Data, ""
		case "no " + name:
			why = string(f.Data)
		}
	}
	return nil, why
}

// golden compares a request with the section sent, or rewrites it.
func (a *archive) golden(t *testing.T, adapter *Adapter, r *received) {
	t.Helper()
	got := r.text()
	want, _ := a.section(sent)
	if adapter.Update == nil {
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s: what was sent (-want +got):\n%s", a.name, diff)
		}
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text.Files = slices.DeleteFunc(a.text.Files, func(f txtar.File) bool { return f.Name == sent })
	a.text.Files = append(a.text.Files, txtar.File{Name: sent, Data: []byte(got)})
	adapter.Update(a.name, txtar.Format(a.text))
}

// text is a request as people read it.
func (r *received) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", r.method, r.path)
	for _, name := range slices.Sorted(maps.Keys(r.header)) {
		switch name {
		case "Content-Length", "User-Agent", "Accept-Encoding", "Connection", "Content-Type", "Accept":
			continue // the same for all
		}
		fmt.Fprintf(&b, "%s: %s\n", name, strings.ReplaceAll(strings.Join(r.header[name], ", "), Secret, "{{key}}"))
	}
	b.WriteByte('\n')
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, r.body, "", "  "); err != nil {
		return b.String() + string(r.body)
	}
	return b.String() + pretty.String() + "\n"
}
