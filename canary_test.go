package aiagent_test

// A key that must not be found anywhere, and services that do all they can to
// have it written down.

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	aiagent "github.com/ai-agent-go/ai-agent"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/provider"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/store/sqlite"
	"github.com/ai-agent-go/ai-agent/view"
)

// canaryKey has characters that are written differently in JSON, in addresses
// and in base64. marker stands beside it in what services say, and must be
// found: otherwise nothing was looked at.
const (
	canaryKey = "sk-canary/4e1f+0c93<b7aa55de>"
	marker    = "beside-the-key"
)

// canaryForms are the ways in which the key could have been written down.
func canaryForms() []string {
	inJSON := llm.MustMarshalJSON(canaryKey)
	return []string{
		canaryKey, strings.Trim(string(inJSON), `"`), strings.ReplaceAll(canaryKey, "/", `\/`),
		url.QueryEscape(canaryKey), url.PathEscape(canaryKey), base64.StdEncoding.EncodeToString([]byte(canaryKey)),
		"canary/4e1f", "canary%2F4e1f", `canary\/4e1f`, // pieces that no form lacks
	}
}

// spite is a way to answer.
type spite struct {
	name   string
	answer func(w http.ResponseWriter, r *http.Request)
	// quiet says that nothing of the answer can be quoted.
	quiet bool
}

// quote is a text with the key in it, in every form.
func quote() string { return marker + " " + strings.Join(canaryForms()[:6], " , ") }

func spites() []spite {
	say := func(status int, kind, body string) func(w http.ResponseWriter, r *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("X-Echo", canaryKey)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	failure := func(text string) string {
		return string(llm.MustMarshalJSON(map[string]any{
			"type": "error", "error": map[string]any{"message": text, "code": text, "type": text, "status": text, "param": text},
		}))
	}
	wordy := strings.Repeat("x", 180) + canaryKey // cut where people stop reading
	return []spite{
		{"unauthorized", say(401, "application/json", failure("no such key: "+quote())), false},
		{"forbidden-page", say(403, "text/html", "<html><body>"+marker+" Authorization: Bearer "+canaryKey+"</body></html>"), false},
		{"no-credit", say(402, "application/json", failure(quote())), false},
		{"broken", say(500, "application/json", failure("stack trace: headers="+quote())), false},
		{"broken-text", say(503, "text/plain", quote()), false},
		{"cut-off", say(500, "application/json", failure(marker+wordy)), false},
		{"bad-request", say(400, "application/json", failure(quote())), false},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere?"+marker+"&key="+url.QueryEscape(canaryKey), http.StatusTemporaryRedirect)
		}, true},
		{"garbage", say(200, "application/json", "{"+quote()), false},
		{"garbage-cut-off", say(200, "text/plain", strings.Repeat("x", 170)+marker+canaryKey), false},
		{"page-in-200", say(200, "text/html", "<html><p>"+strings.Repeat("x", 170)+" "+marker+canaryKey+"</p></html>"), false},
		{"garbage-stream", say(200, "text/event-stream", "data: {"+quote()+"\n\n"), false},
		{"failure-in-stream", say(200, "text/event-stream", ": "+canaryKey+"\n\nevent: error\ndata: "+failure(quote())+"\n\n"), false},
		{"hang", func(w http.ResponseWriter, r *http.Request) {
			say(200, "text/event-stream", ": "+quote()+"\n\n")(w, r)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, true},
		{"slams-the-door", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, true},
		{"not-http", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, "HTTP/1.1 "+marker+" "+canaryKey+"\r\n\r\n")
				_ = conn.Close()
			}
		}, false},
		{"echo-in-the-answer", echo, false},
	}
}

// echo answers well, in the words of whichever service is asked, and repeats
// the key wherever there is room.
func echo(w http.ResponseWriter, r *http.Request) {
	text := marker + " the key is " + canaryKey
	call := map[string]any{"name": "weather " + canaryKey, "arguments": map[string]any{"city": canaryKey}}
	var body map[string]any
	switch path := r.URL.Path; {
	case strings.Contains(path, "messages"):
		body = map[string]any{"id": canaryKey, "model": canaryKey, "stop_reason": canaryKey, "content": []any{
			map[string]any{"type": "thinking", "thinking": text, "signature": canaryKey},
			map[string]any{"type": "text", "text": text},
			map[string]any{"type": "tool_use", "id": canaryKey, "name": canaryKey, "input": map[string]any{"city": canaryKey}},
		}}
	case strings.Contains(path, "responses"):
		body = map[string]any{"id": canaryKey, "model": canaryKey, "status": "completed", "output": []any{
			map[string]any{"type": "reasoning", "id": canaryKey, "encrypted_content": canaryKey, "summary": []any{map[string]any{"type": "summary_text", "text": text}}},
			map[string]any{"type": "message", "content": []any{map[string]any{"type": "output_text", "text": text}}},
			map[string]any{"type": "function_call", "call_id": canaryKey, "name": canaryKey, "arguments": `{"city":"` + canaryKey + `"}`},
		}}
	case strings.Contains(path, "generateContent"), strings.Contains(path, "GenerateContent"):
		body = map[string]any{"responseId": canaryKey, "modelVersion": canaryKey, "candidates": []any{map[string]any{
			"finishReason": canaryKey, "content": map[string]any{"parts": []any{
				map[string]any{"text": text, "thought": true, "thoughtSignature": canaryKey},
				map[string]any{"text": text},
				map[string]any{"functionCall": map[string]any{"id": canaryKey, "name": canaryKey, "args": map[string]any{"c": canaryKey}}},
			}},
		}}}
	case strings.HasPrefix(path, "/api"):
		body = map[string]any{"model": canaryKey, "done": true, "done_reason": canaryKey, "message": map[string]any{
			"content": text, "thinking": text, "tool_calls": []any{map[string]any{"function": call}},
		}}
	default:
		body = map[string]any{"id": canaryKey, "model": canaryKey, "provider": canaryKey, "choices": []any{map[string]any{
			"finish_reason": canaryKey, "message": map[string]any{"content": text, "reasoning_content": text, "tool_calls": []any{map[string]any{
				"id": canaryKey, "type": "function", "function": map[string]any{"name": canaryKey, "arguments": `{"city":"` + canaryKey + `"}`},
			}}},
		}}}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(llm.MustMarshalJSON(body))
}

// adaptersAt are all adapters, made of configuration, with the key in the
// environment.
func adaptersAt(t *testing.T, address string) map[string]llm.Provider {
	t.Helper()
	ref := spec.Secret{Ref: "env:CANARY"}
	world := &provider.World{Getenv: func(name string) string { return map[string]string{"CANARY": canaryKey}[name] }}
	all := make(map[string]llm.Provider)
	for _, c := range []provider.Config{
		{Name: "anthropic", BaseURL: address, Key: ref},
		{Name: "chat", Type: provider.OpenAI, Mode: "chat", BaseURL: address + "/v1", Key: ref},
		{Name: "responses", Type: provider.OpenAI, BaseURL: address + "/v1", Key: ref},
		{Name: "openrouter", BaseURL: address + "/v1", Key: ref, Headers: map[string]string{"X-Second": "env:CANARY"}},
		{Name: "google", BaseURL: address, Key: ref},
		{Name: "ollama", BaseURL: address, Key: ref},
	} {
		p, err := provider.New(&c, world)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		all[c.Name] = p
	}
	return all
}

// found collects all that came out of sessions.
type found struct {
	t   *testing.T
	mu  sync.Mutex
	all map[string][]byte
}

func (f *found) add(where string, data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all[where] = append(f.all[where], data...)
}

func (f *found) value(where string, v any) { f.add(where, llm.MustMarshalJSON(v)) }

// run lets a session ask a provider, and collects what is told of it.
func (f *found) run(rt *aiagent.Runtime, id, name string, stream bool, tag string) {
	f.t.Helper()
	patience := int64(60_000)
	if strings.HasPrefix(tag, "hang") {
		patience = 150
	}
	a := &aiagent.Agent{
		ID: "canary", System: "Be brief.", Capture: spec.CaptureAll, NoStream: !stream, Completion: spec.CompleteText,
		Targets: []aiagent.Target{{Provider: name, Model: "m", APIKey: spec.Secret{Ref: "env:CANARY"}}},
		Limits:  aiagent.Limits{MaxRetries: 1, MaxTurns: 1, LLMTimeoutMS: patience},
	}
	result := rt.Run(f.t.Context(), a, "Hello?", &aiagent.RunOptions{
		SessionID: id,
		OnEvent:   func(e view.Event) { f.value("events "+tag, e) },
		OnNotice:  func(n view.Notice) { f.value("notices "+tag, n) },
	})
	f.value("results "+tag, result)
	if err := result.Err(); err != nil {
		f.add("errors "+tag, []byte(fmt.Sprintf("%v %+v", err, err)))
	}
	session, err := rt.Session(f.t.Context(), id)
	if err != nil {
		f.t.Error(err)
		return
	}
	seen, err := session.View(f.t.Context())
	if err != nil {
		f.t.Error(err)
	}
	f.value("views "+tag, seen)
	var archive bytes.Buffer
	if err := session.Export(f.t.Context(), &archive); err != nil {
		f.t.Error(err)
	}
	f.add("archives "+tag, archive.Bytes())
}

// scan looks for the key in all of it, and for the marker, which must be there.
func (f *found) scan(markers map[string]bool) {
	f.t.Helper()
	for where, data := range f.all {
		for _, form := range canaryForms() {
			if at := bytes.Index(data, []byte(form)); at >= 0 {
				f.t.Errorf("%s: the key is there, as %q: …%s…", where, form, data[max(at-80, 0):min(at+len(form)+20, len(data))])
				break
			}
		}
		if kind, tag, _ := strings.Cut(where, " "); kind == "archives" && markers[tag] && !bytes.Contains(data, []byte(marker)) {
			f.t.Errorf("%s: not even what stands beside the key is there: the test looks in the wrong place", where)
		}
	}
}

// Whatever a service does with the key, nobody finds it: not in the database
// and its log, the archive, the events, the notices, the result, the logs and
// the errors, with all raw output captured.
//
// contract: B7, U9, P6
func TestTheKeyIsNowhere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sessions.db")
	st := must(sqlite.Open(path, nil))
	f := &found{t: t, all: make(map[string][]byte)}
	markers := make(map[string]bool)
	for _, s := range spites() {
		var carried, strayed atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(string(llm.MustMarshalJSON(r.Header)), strings.Trim(string(llm.MustMarshalJSON(canaryKey)), `"`)) {
				carried.Add(1)
			}
			if r.URL.Path == "/elsewhere" {
				strayed.Add(1)
			}
			s.answer(w, r)
		}))
		providers := adaptersAt(t, server.URL)
		rt := must(aiagent.New(aiagent.Config{Store: st, Providers: providers}))
		var wg sync.WaitGroup
		for name := range providers {
			for _, stream := range []bool{true, false} {
				wg.Go(func() { f.run(rt, fmt.Sprintf("%s-%s-%t", s.name, name, stream), name, stream, s.name) })
			}
		}
		wg.Wait()
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
		if n := carried.Load(); n != int64(2*len(providers)) || strayed.Load() != 0 {
			t.Errorf("%s: %d requests carried the key, want %d; %d went elsewhere", s.name, n, 2*len(providers), strayed.Load())
		}
		markers[s.name] = !s.quiet
		server.CloseClientConnections()
		server.Close()
	}
	for name, address := range map[string]string{"refused": refused(t), "untrusted": untrusted(t)} {
		rt := must(aiagent.New(aiagent.Config{Store: st, Providers: adaptersAt(t, address)}))
		f.run(rt, name, "anthropic", true, name)
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, end := range []string{"", "-wal", "-shm"} { // open, with its log
		data, err := os.ReadFile(path + end)
		if err != nil {
			t.Fatal(err)
		}
		f.add("database"+end, data)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	f.add("database, closed", must(os.ReadFile(path)))
	f.scan(markers)
	if size := len(f.all["database, closed"]); size < 100_000 {
		t.Errorf("the database has %d bytes: where are the sessions?", size)
	}
}

// refused is an address at which nobody listens.
func refused(t *testing.T) string {
	t.Helper()
	l := must(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))
	defer func() { _ = l.Close() }()
	return "http://" + l.Addr().String()
}

// untrusted is a server whose certificate nobody signed.
func untrusted(t *testing.T) string {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(echo))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}
