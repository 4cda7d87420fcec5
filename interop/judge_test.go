package interop_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

var node = flag.String("node", "", "the Node to run the judges with, as interop/install prints it")

// judge is where aimock listens, empty when there is none.
var judge string

func TestMain(m *testing.M) {
	flag.Parse()
	stop, err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		stop()
		os.Exit(code)
	}), goleak.IgnoreCurrent())
}

// start runs aimock on a port of its own choice and waits until it says which.
func start() (stop func(), err error) {
	if *node == "" {
		return func() {}, nil
	}
	program := "node_modules/@copilotkit/aimock/dist/cli.js"
	command := exec.Command(*node, program, "-p", "0", "-f", "fixtures", "--strict", "--validate-on-load") //nolint:noctx // it lives as long as the tests
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("aimock: %w", err)
	}
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("aimock: %w", err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "listening on "); ok {
			judge = strings.TrimSpace(address)
			break
		}
	}
	stop = func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}
	if judge == "" {
		stop()
		return nil, errors.New("aimock ended without listening")
	}
	go func() { // it must not wait for a reader of its log
		for lines.Scan() {
			continue
		}
	}()
	return stop, nil
}

// needJudge passes over a test that has nobody to ask.
func needJudge(t *testing.T) {
	t.Helper()
	if judge == "" {
		t.Skip("no judge: run make interop")
	}
}

// entry is a request as aimock understood it: whatever the wire format was, as
// a list of messages.
type entry struct {
	Path     string
	Headers  map[string]string
	Body     body
	Response struct{ Status int }
}

type body struct {
	Model    string
	Messages []message
	Tools    []struct {
		Function struct {
			Name       string
			Parameters json.RawMessage
		}
	}
	Stream bool
}

type message struct {
	Role      string
	Content   json.RawMessage
	ToolCalls []struct {
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
	ToolCallID string `json:"tool_call_id"`
}

// text is the message's content, whether it is a text or a list of parts.
func (m *message) text(t *testing.T) string {
	t.Helper()
	var text string
	if len(m.Content) == 0 || string(m.Content) == "null" || json.Unmarshal(m.Content, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	if err := json.Unmarshal(m.Content, &parts); err != nil {
		t.Fatalf("content %s: %v", m.Content, err)
	}
	for _, p := range parts {
		text += p.Text
	}
	return text
}

// journal returns what a test's own requests were.
func journal(t *testing.T, id string) []entry {
	t.Helper()
	address := judge + "/__aimock/journal?testId=" + url.QueryEscape(id)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var entries []entry
	if err := json.NewDecoder(response.Body).Decode(&entries); err != nil {
		t.Fatal(err)
	}
	return entries
}
