package contract_test

import (
	"errors"
	"path/filepath"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/contract"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/replay"
	"github.com/ai-agent-go/ai-agent/store"
	"github.com/ai-agent-go/ai-agent/store/memory"
)

// foreign makes a session look as if another version had made it.
func foreign(a *journal.Archive) {
	prev := journal.Genesis(a.Key)
	for i := range a.Frames {
		f := &a.Frames[i]
		f.Kernel, f.Prev, f.State = kernel.Version+1, prev, journal.RefOf([]byte{byte(i)})
		prev = f.Hash()
	}
}

// A session of another version is not comparable, which is no violation: what its
// facts tell is read, checked and kept in stores like any other's.
//
// contract: P10, E4
func TestASessionOfAnotherVersionIsReadAndNotCompared(t *testing.T) {
	t.Parallel()
	for name := range kinds(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive := readArchive(t, filepath.Join(folder(), name+".aiagent"))
			want := fold(t, archive, archive)
			for _, a := range archive.All() {
				foreign(a)
				for _, v := range contract.Check(a) {
					t.Error(v)
				}
			}
			if _, err := replay.New(archive.Key).Next(&archive.Frames[0]); !errors.Is(err, replay.ErrVersion) {
				t.Errorf("replay: %v", err)
			}
			if got := fold(t, archive, archive); got != want {
				t.Errorf("it reads\n%s\nas a session of this version\n%s", got, want)
			}
			st := memory.New()
			if err := aiagent.Import(t.Context(), st, archive); err != nil {
				t.Fatal(err)
			}
			head, err := st.Head(t.Context(), archive.Key)
			if err != nil || head.Agent != "main" || head.Status == "" || head.State != nil || head.Active {
				t.Errorf("imported as %+v, %v", head, err)
			}
			if page, err := st.List(t.Context(), "default", store.Query{Parent: archive.Key.Session}); err != nil ||
				len(page.Sessions) != len(archive.Others) {
				t.Errorf("%d sessions work for it, want %d: %v", len(page.Sessions), len(archive.Others), err)
			}
		})
	}
}
