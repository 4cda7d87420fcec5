// Package examples_test runs every example as a reader would and compares what
// it prints with testdata/<example>.golden.
package examples_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestEveryExamplePrintsWhatItPromises(t *testing.T) {
	t.Parallel()
	programs, err := filepath.Glob("*/main.go")
	if err != nil || len(programs) == 0 {
		t.Fatalf("no examples found: %v", err)
	}
	for _, program := range programs {
		name := filepath.Dir(program)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			cmd := exec.CommandContext(t.Context(), "go", "run", "./"+name)
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil {
				t.Fatalf("go run: %v\n%s", err, stderr.String())
			}
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, stdout.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(stdout.Bytes(), want) {
				t.Errorf("%s printed\n%s\nwant\n%s", name, stdout.String(), want)
			}
			if stderr.Len() > 0 {
				t.Errorf("stderr: %s", stderr.String())
			}
		})
	}
}

func TestTheReadmeShowsTheWeatherExampleAsItIs(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("weather/main.go")
	if err != nil {
		t.Fatal(err)
	}
	output, err := os.ReadFile("testdata/weather.golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range []string{"```go\n" + string(program) + "```\n", "```\n" + string(output) + "```\n"} {
		if !strings.Contains(string(readme), block) {
			t.Errorf("README.md does not hold this block:\n%s", block)
		}
	}
}
