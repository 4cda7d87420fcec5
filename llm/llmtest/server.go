package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// server answers every request with the same script. It lives in memory, so
// that fake time passes while all wait.
type server struct {
	script    []byte
	transport *http.Transport
	conns     chan net.Conn

	mu      sync.Mutex
	got     []*received
	written bytes.Buffer
}

// received is a request as it arrived.
type received struct {
	method, path string
	header       http.Header
	body         []byte
}

func serve(t *testing.T, script []byte) *server {
	t.Helper()
	s := &server{script: script, conns: make(chan net.Conn)}
	h := &http.Server{Handler: s, ReadHeaderTimeout: time.Hour}
	done := make(chan struct{})
	s.transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		client, far := net.Pipe()
		select {
		case s.conns <- far:
			return client, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-done:
			return nil, net.ErrClosed
		}
	}}
	go func() { _ = h.Serve(&pipes{s.conns, done}) }()
	t.Cleanup(func() {
		s.transport.CloseIdleConnections()
		_ = h.Close()
	})
	return s
}

// pipes listens for connections in memory.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

// Accept implements [net.Listener].
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (p *pipes) Close() error {
	close(p.done)
	return nil
}

// Addr implements [net.Listener].
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "pipe"} }

// ServeHTTP implements [http.Handler].
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.got = append(s.got, &received{r.Method, r.URL.RequestURI(), r.Header.Clone(), body})
	s.mu.Unlock()
	head, text, _ := strings.Cut(string(s.script), "\n\n")
	status, fields, _ := strings.Cut(head, "\n")
	code, kind, _ := strings.Cut(status, " ")
	w.Header().Set("Content-Type", kind)
	for line := range strings.SplitSeq(fields, "\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			w.Header().Set(name, strings.TrimSpace(value))
		}
	}
	n, err := strconv.Atoi(code)
	if err != nil {
		panic(fmt.Sprintf("the script begins with %q, want a status and a content type", status))
	}
	// Only what the script says: no date, whose value would be chance.
	w.Header()["Date"] = nil
	w.WriteHeader(n)
	s.play(w, r, expand(text))
}

// play writes the body, event by event, and follows the directions.
func (s *server) play(w http.ResponseWriter, r *http.Request, text string) {
	var chunk strings.Builder
	flush := func() {
		s.mu.Lock()
		s.written.WriteString(chunk.String())
		s.mu.Unlock()
		_, _ = io.WriteString(w, chunk.String())
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		chunk.Reset()
	}
	for line := range strings.SplitAfterSeq(text, "\n") {
		direction, ok := strings.CutPrefix(strings.TrimSpace(line), "@")
		if !ok {
			if chunk.WriteString(line); line == "\n" {
				flush()
			}
			continue
		}
		flush()
		switch word, rest, _ := strings.Cut(direction, " "); word {
		case "hold":
			<-r.Context().Done()
			return
		case "cut":
			panic(http.ErrAbortHandler)
		case "wait":
			d, err := time.ParseDuration(rest)
			if err != nil {
				panic(err)
			}
			select {
			case <-time.After(d):
			case <-r.Context().Done():
				return
			}
		default:
			panic("no such direction: " + direction)
		}
	}
	flush()
}

var repeated = regexp.MustCompile(`\{\{repeat (\d+) ([^}]*)\}\}`)

func expand(text string) string {
	text = strings.ReplaceAll(text, "{{key}}", Secret)
	return repeated.ReplaceAllStringFunc(text, func(m string) string {
		parts := repeated.FindStringSubmatch(m)
		n, _ := strconv.Atoi(parts[1])
		return strings.Repeat(parts[2], n)
	})
}

func (s *server) requests() []*received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got
}

// check makes sure of what holds for every request.
func (r *received) check(t *testing.T) {
	t.Helper()
	if !json.Valid(r.body) || !utf8.Valid(r.body) {
		t.Errorf("the request is not JSON in UTF-8: %q", r.body)
	}
	if bytes.Contains(r.body, []byte(Secret)) {
		t.Error("the key is in the body of the request")
	}
	if r.method != http.MethodPost {
		t.Errorf("method %s", r.method)
	}
}
