package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ran is what a command left.
type ran struct {
	code        int
	out, errors string
}

// command runs the command line as a user would, in a home of its own.
func command(t *testing.T, args ...string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, strings.NewReader(""), &out, &errs)
	return ran{code, out.String(), errs.String()}
}

func testdata(name string) string { return filepath.Join("testdata", name) }

// contract: E2, E3
func TestTheExitCodeAndTheStreamsSayHowItWent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args           []string
		code           int
		out, errorText string
	}{
		"demo":               {[]string{"demo", "--store", "memory"}, 0, "Athens: sunny, 24 °C\n- Oslo: snow", "turn 1, attempt 1"},
		"run":                {[]string{"run", "--store", "memory", "--transport", "native", "--script", testdata("hello.yaml"), "hi"}, 0, "You said: hi\n", ""},
		"json":               {[]string{"run", "--store", "memory", "--transport", "native", "--script", testdata("json.yaml"), "--format", "json", "hi"}, 0, "{\"n\":3}\n", ""},
		"chat":               {[]string{"run", "--store", "memory", "--script", testdata("chat.yaml"), "--chat", "hi"}, 0, "plain words\n", ""},
		"failure":            {[]string{"run", "--store", "memory", "--script", testdata("denied.yaml"), "hi"}, 1, "bad key", "bad key"},
		"no command":         {nil, 0, "Available Commands", ""},
		"version":            {[]string{"--version"}, 0, "ai-agent ", ""},
		"unknown command":    {[]string{"dance"}, 4, "", `unknown command "dance"`},
		"near command":       {[]string{"shwo"}, 4, "", `did you mean "show"`},
		"unknown flag":       {[]string{"demo", "--loud"}, 4, "", "unknown flag"},
		"two models":         {[]string{"run", "--script", testdata("hello.yaml"), "--model", "a/b", "hi"}, 4, "", "say one of them"},
		"half a model":       {[]string{"run", "--model", "gpt", "hi"}, 4, "", "PROVIDER/MODEL"},
		"unknown provider":   {[]string{"run", "--model", "nobody/m", "hi"}, 4, "", `provider "nobody" is not configured`},
		"script not there":   {[]string{"run", "--script", "nowhere.yaml", "hi"}, 4, "", "nowhere.yaml"},
		"no prompt":          {[]string{"run", "--script", testdata("hello.yaml")}, 4, "", "the prompt"},
		"bad format":         {[]string{"run", "--store", "memory", "--script", testdata("hello.yaml"), "--format", "smoke", "hi"}, 4, "", `format "smoke"`},
		"bad limit":          {[]string{"run", "--store", "memory", "--script", testdata("hello.yaml"), "--max-turns", "-1", "hi"}, 4, "", "max_turns"},
		"schema not there":   {[]string{"run", "--script", testdata("hello.yaml"), "--schema", "@nowhere", "hi"}, 4, "", "nowhere"},
		"show of nothing":    {[]string{"show", "--store", "memory", "x"}, 4, "", "memory store"},
		"session not there":  {[]string{"show", "--store", "nowhere.db", "abc"}, 4, "", `no session "abc"`},
		"not an archive":     {[]string{"verify", testdata("hello.yaml")}, 1, "", "not a session archive"},
		"bad session name":   {[]string{"replay", "--store", "nowhere.db", "a b"}, 4, "", "neither a file nor a session"},
		"help of a command":  {[]string{"verify", "--help"}, 0, "Examples:", ""},
		"replay of a folder": {[]string{"replay", "testdata"}, 1, "", "testdata"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := command(t, c.args...)
			if r.code != c.code || !strings.Contains(r.out, c.out) || !strings.Contains(r.errors, c.errorText) {
				t.Errorf("exit %d, want %d\nstdout: %q, want %q\nstderr: %q, want %q", r.code, c.code, r.out, c.out, r.errors, c.errorText)
			}
			if c.out == "" && r.out != "" {
				t.Errorf("stdout holds %q", r.out)
			}
		})
	}
	if _, err := os.Stat("nowhere.db"); err == nil {
		t.Error("looking for a session made a store")
	}
}

// contract: E4, P10
func TestASessionIsKeptShownReplayedAndVerified(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, file := filepath.Join(dir, "state", "sessions.db"), filepath.Join(dir, "s.aiagent")
	r := command(t, "run", "--store", db, "--transport", "native", "--session", "s1", "--export", file, "--verbose",
		"--script", testdata("hello.yaml"), "hi")
	if r.code != 0 || !strings.Contains(r.errors, " show --store "+db+" s1") {
		t.Fatalf("exit %d, stderr %q", r.code, r.errors)
	}
	for _, from := range [][]string{{"--store", db, "s1"}, {file}} {
		for name, want := range map[string]string{
			"show": "report (success, tool-call): You said: hi", "replay": "bit for bit", "verify": "all kept",
		} {
			if r := command(t, append([]string{name}, from...)...); r.code != 0 || !strings.Contains(r.out, want) {
				t.Errorf("%s %v: exit %d, stdout %q, stderr %q", name, from, r.code, r.out, r.errors)
			}
		}
	}
	if r := command(t, "show", "--frames", file); !strings.Contains(r.out, "   2  ") || !strings.Contains(r.out, "→ generate") {
		t.Errorf("frames:\n%s", r.out)
	}
	if r := command(t, "verify", "--json", file); r.out != "[]\n" {
		t.Errorf("violations %q", r.out)
	}
	for _, path := range []string{db, file} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", path, info.Mode(), err)
		}
	}
	// A session of the same name is refused, and the first one stays.
	if r := command(t, "run", "--store", db, "--session", "s1", "--script", testdata("chat.yaml"), "--chat", "hi"); r.code == 0 {
		t.Errorf("the name was taken: %q", r.out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken.aiagent")
	if err := os.WriteFile(broken, data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if r := command(t, "replay", broken); r.code != 1 || !strings.Contains(r.errors, "cut off") {
		t.Errorf("a broken archive: exit %d, %q", r.code, r.errors)
	}
}
