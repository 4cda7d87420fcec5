package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// service is somebody else's Chat Completions: it reports what it was asked last.
func service(t *testing.T, key string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Messages []struct{ Role, Content string }
		}
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Authorization") != "Bearer "+key || json.Unmarshal(body, &request) != nil {
			http.Error(w, `{"error":{"message":"Incorrect API key provided: `+r.Header.Get("Authorization")+`"}}`, http.StatusUnauthorized)
			return
		}
		asked := ""
		for _, m := range request.Messages {
			if m.Role == "user" && !strings.HasPrefix(m.Content, "# System Notice") {
				asked = m.Content
			}
		}
		chunk := map[string]any{"id": "1", "object": "chat.completion.chunk", "model": "gpt", "choices": []any{map[string]any{
			"index": 0, "finish_reason": "stop", "delta": map[string]any{"role": "assistant", "content": "You asked: " + asked},
		}}, "usage": map[string]any{"prompt_tokens": 9, "completion_tokens": 3}}
		text, _ := json.Marshal(chunk)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("data: " + string(text) + "\n\ndata: [DONE]\n\n"))
	}))
	t.Cleanup(s.Close)
	return s
}

// asProcess runs the command as a process with nothing but this environment.
func asProcess(t *testing.T, env []string, args ...string) ran {
	t.Helper()
	path, err := exec.LookPath("ai-agent") // testscript puts it there
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), path, args...)
	c.Env = append([]string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "OLLAMA_HOST=127.0.0.1:1"}, env...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); c.ProcessState == nil {
		t.Fatal(err)
	}
	return ran{c.ProcessState.ExitCode(), out.String(), errs.String()}
}

// contract: E3, B7, U9, P3
func TestAServiceIsAskedWithNothingButItsKey(t *testing.T) {
	t.Parallel()
	const key = "sk-canary-1234567890"
	s := service(t, key)
	db := filepath.Join(t.TempDir(), "s.db")
	env := []string{"OPENAI_API_KEY=" + key, "OPENAI_BASE_URL=" + s.URL + "/v1"}

	r := asProcess(t, env, "run", "--store", db, "--session", "s", "--chat", "Hello?")
	if r.code != 0 || r.out != "You asked: Hello?\n" || !strings.Contains(r.errors, "asking openai/") {
		t.Fatalf("%+v", r)
	}
	if r := asProcess(t, env, "resume", "--store", db, "s", "And now?"); r.code != 0 || r.out != "You asked: And now?\n" {
		t.Errorf("resumed: %+v", r)
	}
	if r := asProcess(t, nil, "resume", "--store", db, "s", "And now?"); r.code != exitUsage || !strings.Contains(r.errors, "OPENAI_API_KEY") {
		t.Errorf("resumed without a key: %+v", r)
	}
	if r := asProcess(t, nil, "verify", "--store", db, "s"); r.code != 0 {
		t.Errorf("verified: %+v", r)
	}
	wrong := asProcess(t, []string{"OPENAI_API_KEY=" + key + "-wrong", env[1]}, "run", "--store", db, "--session", "w", "Hello?")
	if wrong.code != exitFailed {
		t.Errorf("with a wrong key: %+v", wrong)
	}
	for name, text := range map[string]string{"stdout": wrong.out, "stderr": wrong.errors, "the store": contents(t, db)} {
		if strings.Contains(text, key) {
			t.Errorf("%s holds the key", name)
		}
	}
}

// contract: E2
func TestWithoutAnyModelTheErrorSaysWhatToDo(t *testing.T) {
	t.Parallel()
	r := asProcess(t, nil, "run", "Hello?")
	if r.code != exitUsage || !strings.Contains(r.errors, "ANTHROPIC_API_KEY") || !strings.Contains(r.errors, "ai-agent demo") {
		t.Errorf("%+v", r)
	}
}

// contents is all that a database's files hold.
func contents(t *testing.T, db string) string {
	t.Helper()
	files, err := filepath.Glob(db + "*")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		if data, err := os.ReadFile(f); err == nil {
			all.Write(data)
		}
	}
	return all.String()
}
