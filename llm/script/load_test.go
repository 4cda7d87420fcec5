package script_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
)

// Each section of the file (its form is txtar) is a script that does not load,
// and the section after it is what the loader says.
func TestWhatIsWrongWithAScriptIsSaidWithItsPlace(t *testing.T) {
	t.Parallel()
	const file = "testdata/errors.txtar"
	archive, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for i, section := range strings.Split(string(archive), "\n-- ") {
		name, data, _ := strings.Cut(section, " --\n")
		switch {
		case i == 0:
			out.WriteString(section + "\n")
		case !strings.HasSuffix(name, ".error"):
			_, err := script.Parse(name, []byte(data))
			fmt.Fprintf(&out, "-- %s --\n%s\n-- %s.error --\n%v\n", name, strings.TrimSuffix(data, "\n"), name, err)
		}
	}
	golden(t, file, out.String())
}

func TestYAMLAndJSONAreTheSameScript(t *testing.T) {
	t.Parallel()
	y, err := script.Load("testdata/weather.yaml")
	if err != nil {
		t.Fatal(err)
	}
	j, err := script.Load("testdata/weather.json")
	if err != nil {
		t.Fatal(err)
	}
	same(t, y, j)
}

func TestAScriptIsReadFromJSONAsItWasWritten(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no sample scripts", err)
	}
	for _, file := range files {
		want, err := script.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := script.Parse("copy.json", llm.MustMarshalJSON(want))
		if err != nil {
			t.Fatal(err)
		}
		same(t, want, got)
	}
}

func TestShortFormsStandForTheLongOnes(t *testing.T) {
	t.Parallel()
	short, err := script.Parse("s.yaml", []byte(`
turns:
  - hello
  - attempts: [one, {text: two}]
  - {reasoning: hm, break_after: 0, expect: {result_contains: x}}
`))
	if err != nil {
		t.Fatal(err)
	}
	same(t, &script.Script{Name: "s.yaml", Turns: []script.Attempts{
		script.Turn(script.Text("hello")),
		script.Turn(script.Text("one"), script.Text("two")),
		{{
			Reasoning: []llm.Reasoning{{Text: "hm"}}, BreakAfter: &script.Break{},
			Expect: &script.Expect{ResultContains: map[string]string{"": "x"}},
		}},
	}}, short)
}

func TestAliasesMayBeUsed(t *testing.T) {
	t.Parallel()
	s, err := script.Parse("s.yml", []byte("turns:\n  - {text: a, usage: &u {input: 1, output: 2}}\n  - {text: b, usage: *u}\n"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, s.Turns[0][0].Usage, s.Turns[1][0].Usage)
}

func TestALongScriptLoads(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("A line of prose, as models write it: [with] {braces} - and dashes.\n", 5_000)
	for name, data := range map[string]string{
		"s.yaml": "turns:\n  - text: |\n      " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n      ") + "\n",
		"s.json": `{"turns":[` + string(llm.MustMarshalJSON(text)) + "]}",
	} {
		s, err := script.Parse(name, []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		if s.Turns[0][0].Text != text {
			t.Errorf("%s: the text has changed", name)
		}
	}
}

// None of these may take long or bring the loader down.
func TestHostileFilesAreRefused(t *testing.T) {
	t.Parallel()
	bomb := "name: x\nturns:\n  - calls: [{name: a, arguments: {a0: &a0 [x,x,x,x,x,x,x,x,x,x]}}]\n"
	for i := 1; i < 9; i++ {
		refs := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ",")
		bomb += fmt.Sprintf("  - calls: [{name: a, arguments: {a%d: &a%d [%s]}}]\n", i, i, refs)
	}
	const n = 1 << 16
	for what, test := range map[string]struct{ name, data, want string }{
		"too large":           {"s.json", strings.Repeat(" ", 16<<20+1), "more than 16777216 bytes"},
		"too large for YAML":  {"s.yaml", strings.Repeat("#\n", 1<<20+1), "write so long a script as JSON"},
		"not UTF-8":           {"s.yaml", "turns: [\xff]", "not UTF-8"},
		"brackets in YAML":    {"s.yaml", strings.Repeat("[", n), "nested deeper than 512"},
		"braces in YAML":      {"s.yaml", strings.Repeat("{a: ", n), "nested deeper than 512"},
		"dashes in YAML":      {"s.yaml", strings.Repeat("- ", n), "nested deeper than 512"},
		"question marks":      {"s.yaml", strings.Repeat("? ", n), "nested deeper than 512"},
		"brackets in JSON":    {"s.json", strings.Repeat("[", n), "nested deeper than 512"},
		"braces in JSON":      {"s.json", strings.Repeat(`{"a":`, n), "nested deeper than 512"},
		"many keys":           {"s.yaml", strings.Repeat("a: 1\n", n), "write so long a script as JSON"},
		"aliases of aliases":  {"s.yaml", bomb, "aliases counted"},
		"an unknown ending":   {"s.txt", "turns: [a]", "want .yaml, .yml or .json"},
		"no ending":           {"script", "turns: [a]", "want .yaml, .yml or .json"},
		"a number of no kind": {"s.yaml", "turns: [{cost_usd: .nan}]", "no number that JSON can hold"},
		"bytes":               {"s.yaml", "turns: [!!binary aGk=]", "cannot stand in a script"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			_, err := script.Parse(test.name, []byte(test.data))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %.200v, want an error with %q", err, test.want)
			}
			if len(fmt.Sprint(err)) > 1000 {
				t.Error("the error repeats the file")
			}
		})
	}
}

func TestOpenPlaysAFile(t *testing.T) {
	t.Parallel()
	p, err := script.Open("testdata/targets.yaml", script.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := llm.Call(t.Context(), p, ask(message(llm.RoleAssistant, "x"), message(llm.RoleAssistant, "y")))
	wantFailure(t, r, llm.ClassModel, `script "targets.yaml" has no turn 3`)
}

func TestAFileThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := script.Load(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := script.Open(t.TempDir(), script.Options{}); err == nil {
		t.Error("a folder was read as a script")
	}
}
