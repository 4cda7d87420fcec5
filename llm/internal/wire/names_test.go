package wire

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/llm"
)

// contract: V4
func TestNamesFitAndStayDifferent(t *testing.T) {
	t.Parallel()
	ok := regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		fa, fb := Fit(a, 40), Fit(b, 40)
		if !ok.MatchString(fa) || a != b && fa == fb || ok.MatchString(a) && fa != a {
			t.Fatalf("%q and %q become %q and %q", a, b, fa, fb)
		}
	})
}

func TestToolNamesFindTheWayBack(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	n := NamesOf([]llm.Tool{{Name: "ok"}, {Name: "files/read"}, {Name: long}})
	for _, name := range []string{"ok", "files/read", long, "unknown"} {
		if name == "unknown" {
			same(t, name, n.Back(name))
			continue
		}
		same(t, name, n.Back(Fit(name, MaxToolName)))
	}
}

// Ids repeat between messages; on the wire they do not, and results follow
// their calls.
//
// contract: V2, V4
func TestCallIDsAreUniqueInAConversation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var ids CallIDs
		used := make(map[string]bool)
		fit := func(id string) string { return Fit(id, 12) }
		for range rapid.IntRange(1, 5).Draw(t, "messages") {
			ids.Begin()
			own := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"", "a", "b", "call_1", "x|y", "x.y"}), 0, 4, rapid.ID[string]).Draw(t, "ids")
			wire := make(map[string]string)
			for _, id := range own {
				w := ids.Call(id, fit)
				if used[w] {
					t.Fatalf("%q is used twice", w)
				}
				used[w], wire[id] = true, w
			}
			other := ids.Clone()
			for _, id := range rapid.Permutation(own).Draw(t, "results") {
				if w, ok := ids.Result(id); !ok || w != wire[id] {
					t.Fatalf("the result of %q goes to %q, want %q", id, w, wire[id])
				}
				if _, again := ids.Result(id); again {
					t.Fatalf("%q is answered twice", id)
				}
			}
			if len(ids.Pending()) != 0 || len(other.Pending()) != len(own) {
				t.Fatal("what is pending is wrong")
			}
		}
	})
}

func TestOptionsAreLaidOverTheFields(t *testing.T) {
	t.Parallel()
	var f Fields
	f.Text("model", "m")
	f.Raw("a", []byte(`{"x":1,"y":{"z":2}}`))
	f.Int("n", 3)
	f.Bool("gone", true)
	err := f.Merge(json.RawMessage(`{"a":{"y":{"w":4},"x":5},"n":{"o":1},"gone":null,"new":[1],"never":null}`), "model")
	same(t, error(nil), err)
	same(t, `{"model":"m","a":{"x":5,"y":{"z":2,"w":4}},"n":{"o":1},"new":[1]}`, string(f.Object()))
	if f.Merge(json.RawMessage(`{"model":"other"}`), "model") == nil {
		t.Error("a fixed field was replaced")
	}
}
